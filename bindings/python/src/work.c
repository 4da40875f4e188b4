/* work.c - long work without the GIL, which Ctrl-C ends.
 *
 * Python's handler of a signal runs in the main thread, between two instructions of Python: not while
 * that thread is in the library.  So the library works in another thread, and this one wakes up every
 * POLL_NS to ask for signals.
 *
 * Work on a learner holds its lock.  A handler that used the learner would wait for that lock for ever.  So
 * handlers wait until the work ends, except that of Ctrl-C: the work is stopped and undone, the lock is
 * released, and the handler runs.  If it raises nothing, the work begins anew.
 *
 * When the interpreter ends, Python before 3.14 ends a daemon thread by pthread_exit as soon as it wants the GIL.  The
 * work uses the stack of that thread, so the thread stops the work and waits for its end first.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#define POLL_NS 20000000L /* 20 ms */

typedef struct job {
    long_work function;
    void *context;
    atomic_bool stop;
    bool is_stopped; /* as stop, for the thread that sets it */
    segue_error err;
    segue_status status;
    bool done; /* guarded by lock */
    pthread_mutex_t lock;
    pthread_cond_t ended;
    pthread_t thread;
} job;

static void *run(void *context)
{
    job *j = context;
    j->status = j->function(j->context, &j->stop, &j->err);
    (void)pthread_mutex_lock(&j->lock);
    j->done = true;
    (void)pthread_cond_signal(&j->ended);
    (void)pthread_mutex_unlock(&j->lock);
    return NULL;
}

/* Wait for the end of the work, but no longer than POLL_NS; true: it has ended. */
static bool wait_a_little(job *j)
{
    struct timespec until;
    int why = 0;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += POLL_NS;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    (void)pthread_mutex_lock(&j->lock);
    while (!j->done && why != ETIMEDOUT)
        why = pthread_cond_timedwait(&j->ended, &j->lock, &until);
    const bool done = j->done;
    (void)pthread_mutex_unlock(&j->lock);
    return done;
}

/* Run handlers of signals; true: one of them raised an exception. */
static bool handle_signals(void)
{
    return PyErr_CheckSignals() < 0;
}

/* True, once, after Ctrl-C in the main thread. */
static bool is_interrupted(void)
{
    return PyOS_InterruptOccurred() != 0;
}

/* Stop the work and wait for its end, in a thread that is being ended. */
static void stop_and_join(void *context)
{
    job *j = context;
    atomic_store(&j->stop, true);
    (void)pthread_join(j->thread, NULL);
}

/* Wait until the work ends; stop it once `shall_end` returns true. */
static void wait_for_end(job *j, bool (*shall_end)(void))
{
    pthread_cleanup_push(stop_and_join, j);
    for (bool done = false; !done;) {
        PyThreadState *saved = PyEval_SaveThread();
        done = wait_a_little(j);
        PyEval_RestoreThread(saved); /* ends a daemon thread when the interpreter ends */
        if (!j->is_stopped && shall_end())
            j->is_stopped = true;
        atomic_store(&j->stop, j->is_stopped);
    }
    pthread_cleanup_pop(0);
    (void)pthread_join(j->thread, NULL);
}

static void init(job *j)
{
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&j->lock, NULL);
    (void)pthread_cond_init(&j->ended, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

static void run_job(job *j, bool (*shall_end)(void))
{
    init(j);
    if (pthread_create(&j->thread, NULL, run, j) != 0)
        j->status = segue_fail(&j->err, SEGUE_ETHREAD, "a thread could not be started");
    else
        wait_for_end(j, shall_end);
    (void)pthread_cond_destroy(&j->ended);
    (void)pthread_mutex_destroy(&j->lock);
}

static int raise_failure(const module_state *state, const job *j)
{
    if (!PyErr_Occurred() && j->status != SEGUE_OK)
        (void)segue_py_errors_raise(state, &j->err);
    return PyErr_Occurred() ? -1 : 0;
}

int segue_py_work_run(const module_state *state, long_work function, void *context)
{
    job j = {.function = function, .context = context};
    run_job(&j, handle_signals);
    return raise_failure(state, &j);
}

/* Run the handler of the Ctrl-C that is_interrupted has taken; -1 with an exception. */
static int handle_interrupt(void)
{
    PyErr_SetInterrupt();
    return PyErr_CheckSignals();
}

int segue_py_work_on(learner_object *learner, long_work function, void *context)
{
    for (;;) {
        job j = {.function = function, .context = context};
        if (!segue_py_lock_begin(learner))
            return -1;
        run_job(&j, is_interrupted);
        segue_py_lock_end(learner);
        if (j.is_stopped && j.status != SEGUE_ESTOPPED) /* it came to its end: as Ctrl-C after it */
            PyErr_SetInterrupt();
        if (!j.is_stopped || j.status != SEGUE_ESTOPPED)
            return raise_failure(segue_py_learner_state((PyObject *)learner), &j);
        if (handle_interrupt() < 0)
            return -1;
    }
}
