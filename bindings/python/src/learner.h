/* learner.h - segue.Learner: a learner of the library, its names of arms, and its lock.
 *
 * One thread at a time uses a learner and its tasks.  Short calls keep the GIL, and that is enough.  A
 * long call (a fit, a file, a batch) holds the learner's own lock and gives the GIL up:
 *
 *     if (!segue_py_lock_begin(learner))      with the GIL; waits for another long call
 *         return NULL;
 *     ...                                     check what may have changed while it waited
 *     PyThreadState *saved = PyEval_SaveThread();
 *     ...                                     the library
 *     PyEval_RestoreThread(saved);
 *     segue_py_lock_end(learner);
 *
 * A short call begins with segue_py_lock_wait, after all of its arguments are converted: from then on no
 * code of Python runs until the library has returned.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PYTHON_LEARNER_H
#define SEGUE_PYTHON_LEARNER_H

#include <sys/types.h>

#include "arms.h"

typedef struct learner_object {
    PyObject_HEAD segue_learner *learner;
    arm_names arms;
    PyThread_type_lock lock; /* of long calls */
    bool is_busy;            /* guarded by the GIL: a long call uses the learner without the GIL */
    pid_t process;           /* of the lock */
} learner_object;

/** The state of the module of a learner or a task. */
module_state *segue_py_learner_state(PyObject *self);

/** Make an object of a learner, which it owns then, also if it fails; NULL with an exception.  `arms` is
 * moved. */
PyObject *segue_py_learner_wrap(PyTypeObject *type, segue_learner *learner, arm_names *arms);

/** Wait until no long call uses the learner.  False: a segue.Error, in a process that was forked and when the program
 * ends. */
bool segue_py_lock_wait_slowly(learner_object *self);
static inline bool segue_py_lock_wait(learner_object *self)
{
    return !self->is_busy || segue_py_lock_wait_slowly(self);
}

/** Begin and end a long call.  False: a segue.Error. */
bool segue_py_lock_begin(learner_object *self);
void segue_py_lock_end(learner_object *self);

/* The methods of segue.Learner: learner_file.c, learner_types.c, learner_open.c. */
PyObject *segue_py_learner_new(PyTypeObject *type, PyObject *args, PyObject *keywords);
PyObject *segue_py_learner_open_task(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                     PyObject *keywords);
PyObject *segue_py_learner_save(PyObject *self, PyObject *path);
PyObject *segue_py_learner_to_bytes(PyObject *self, PyObject *unused);
PyObject *segue_py_learner_reduce(PyObject *self, PyObject *unused);
PyObject *segue_py_learner_merge(PyObject *self, PyObject *other);
PyObject *segue_py_learner_refit(PyObject *self, PyObject *unused);
PyObject *segue_py_learner_load(PyObject *module, PyObject *path);
PyObject *segue_py_learner_from_bytes(PyObject *module, PyObject *data);
PyObject *segue_py_learner_get_types(PyObject *self, void *unused);
PyObject *segue_py_learner_get_no_type(PyObject *self, void *unused);
PyObject *segue_py_learner_get_features(PyObject *self, void *unused);

#endif
