/* task.h - segue.Task: an open task of a learner.
 *
 * The task of the library belongs to its learner.  A Task holds a reference to its segue.Learner, and uses
 * its lock.  `task` is NULL once it is closed; its counts stay readable in `pulls` and `means`.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PYTHON_TASK_H
#define SEGUE_PYTHON_TASK_H

#include "learner.h"

typedef struct task_object {
    PyObject_HEAD learner_object *learner;
    segue_task *task; /* NULL: it is closed */
    size_t n_arms;    /* that it was opened with */
    size_t last_arm;  /* of the last ask: a tell tries it first */
    double *counts;   /* 2 n_arms: pulls and means; up to date once it is closed */
} task_object;

/** Make an object of an open task; NULL with an exception. */
task_object *segue_py_task_new(learner_object *learner);

/** Wait for the learner, after the arguments are converted.  False: an exception, also if the task is
 * closed. */
bool segue_py_task_ready(task_object *self);

/** A copy of all flags true except those of the arms of `excluded` (NULL or None: none are); the
 * caller frees it with PyMem_Free.  NULL with an exception. */
bool *segue_py_task_allowed(task_object *self, PyObject *excluded);

/* The methods of segue.Task: task_batch.c, task_explain.c. */
PyObject *segue_py_task_ask_many(task_object *self, unsigned long long count, const bool *allowed);
PyObject *segue_py_task_tell_many(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                  PyObject *keywords);
PyObject *segue_py_task_explain(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                PyObject *keywords);
PyObject *segue_py_task_probabilities(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                      PyObject *keywords);

#endif
