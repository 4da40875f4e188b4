/* lock.c - one thread at a time per learner: see learner.h.
 *
 * No call waits for a learner while it has the GIL, and no call waits for the GIL while it holds a
 * learner's lock except at the end of its own work: so the two never wait for each other.  Two learners
 * are locked in the order of their addresses (segue_py_learner_merge).
 *
 * A process that is forked has the lock of a long call of another thread, but not that thread.  The
 * learner is then in the middle of a change, and every use of it raises an error.  Other learners work:
 * their locks are made anew.
 *
 * When the program ends, a daemon thread in a long call is ended before it releases the lock.  Waiting for it
 * would last for ever.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <unistd.h>

#include "learner.h"
#include "segue/internal.h"

/* After a fork: the lock may be held by a thread that does not exist here. */
static bool renew(learner_object *self)
{
    if (self->process == getpid())
        return true;
    if (self->is_busy) {
        PyErr_SetString(segue_py_learner_state((PyObject *)self)->error,
                        "another thread used the learner when the process was forked; load it "
                        "again, or fork before");
        return false;
    }
    PyThread_type_lock lock = PyThread_allocate_lock();
    if (!lock)
        return PyErr_NoMemory() != NULL;
    self->lock = lock; /* the old one may be in use: it is not freed */
    self->process = getpid();
    return true;
}

static bool is_program_ending(void)
{
    PyObject *function = PySys_GetObject("is_finalizing"); /* at the very end it is None */
    const bool is_gone = !function || function == Py_None;
    PyObject *answer = is_gone ? NULL : PyObject_CallFunctionObjArgs(function, NULL);
    const bool is_ending = is_gone || answer == Py_True;
    Py_XDECREF(answer);
    PyErr_Clear();
    return is_ending;
}

/* Check that the thread that has the lock can release it.  False: a segue.Error. */
static bool may_wait(learner_object *self)
{
    if (!renew(self))
        return false;
    if (is_program_ending())
        PyErr_SetString(segue_py_learner_state((PyObject *)self)->error,
                        "another thread used the learner when the program ended; join it before");
    return !PyErr_Occurred();
}

bool segue_py_lock_wait_slowly(learner_object *self)
{
    while (self->is_busy) {
        if (!may_wait(self))
            return false;
        PyThreadState *saved = PyEval_SaveThread();
        (void)PyThread_acquire_lock(self->lock, WAIT_LOCK);
        PyThread_release_lock(self->lock);
        PyEval_RestoreThread(saved);
    }
    return true;
}

bool segue_py_lock_begin(learner_object *self)
{
    if (!renew(self))
        return false;
    if (!PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) {
        if (!may_wait(self))
            return false;
        PyThreadState *saved = PyEval_SaveThread();
        (void)PyThread_acquire_lock(self->lock, WAIT_LOCK);
        PyEval_RestoreThread(saved);
    }
    self->is_busy = true;
    return true;
}

void segue_py_lock_end(learner_object *self)
{
    self->is_busy = false;
    PyThread_release_lock(self->lock);
}

/* No thread is inside BLAS while the process is forked. */
static void watch_forks(void)
{
    (void)pthread_atfork(segue_linalg_lock, segue_linalg_unlock, segue_linalg_unlock);
}

/* Keep locks of the library usable in processes that are forked. */
int segue_py_lock_exec(PyObject *module)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)module;
    (void)pthread_once(&once, watch_forks);
    return 0;
}
