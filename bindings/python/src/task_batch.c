/* task_batch.c - many asks and many tells in one call; long ones give the GIL up.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "args.h"
#include "column.h"
#include "errors.h"
#include "segue/internal.h"
#include "task.h"
#include "work.h"

/* Shorter batches take less time than other threads would wait for the GIL. */
#define LONG_BATCH 256
/* Asks times arms from which on Ctrl-C ends a batch: shorter ones take milliseconds.  With MANY_ARMS a single ask
 * may take that long. */
#define LONG_ASKS 131072
#define MANY_ARMS 100
#define MAX_ASKS  1000000

/* ---- ask --------------------------------------------------------------------------------- */

typedef struct ask_job {
    task_object *self;
    const bool *allowed;
    int64_t *arm;
    size_t count;
    bool is_open;
    segue_error err;
} ask_job;

static segue_status ask_all(const ask_job *job, const atomic_bool *stop, segue_error *err)
{
    for (size_t i = 0; i < job->count; i++) {
        size_t chosen = 0;
        SEGUE_TRY(segue_stop_check(stop, err));
        SEGUE_TRY(segue_task_ask_among(job->self->task, job->allowed, &chosen, err));
        job->arm[i] = (int64_t)chosen;
    }
    return SEGUE_OK;
}

/* An array.array("q") of indices: numpy.asarray shares its memory. */
static PyObject *array_of(const int64_t *arm, size_t count)
{
    PyObject *module = PyImport_ImportModule("array");
    PyObject *array = module ? PyObject_CallMethod(module, "array", "sy#", "q", (const char *)arm,
                                                   (Py_ssize_t)(count * sizeof *arm))
                             : NULL;
    Py_XDECREF(module);
    return array;
}

/* Run a batch of the library with the learner's lock; without the GIL if it is long.  `run` returns
 * its status.  False: an exception, or a status that is not OK. */
static bool run_batch(task_object *self, size_t count, segue_status (*run)(void *job), void *job,
                      segue_status *status)
{
    if (count < LONG_BATCH) {
        if (!segue_py_task_ready(self))
            return false;
        *status = run(job);
        return true;
    }
    if (!segue_py_lock_begin(self->learner))
        return false;
    const bool is_open = self->task != NULL;
    PyThreadState *saved = PyEval_SaveThread();
    if (is_open)
        *status = run(job);
    PyEval_RestoreThread(saved);
    segue_py_lock_end(self->learner);
    return is_open || segue_py_task_ready(self); /* which raises that it is closed */
}

static segue_status run_asks(void *data)
{
    ask_job *job = data;
    return ask_all(job, NULL, &job->err);
}

/* All asks, or none: a copy of the task has what they change. */
static segue_status run_long_asks(void *data, const atomic_bool *stop, segue_error *err)
{
    ask_job *job = data;
    segue_task *before = NULL, *task = job->self->task;
    job->is_open = task != NULL;
    if (!job->is_open)
        return SEGUE_OK;
    SEGUE_TRY(segue_task_copy(&before, task, err));
    const segue_status status = ask_all(job, stop, err);
    if (status != SEGUE_OK)
        segue_task_undo_asks(task, before);
    segue_task_destroy(before);
    return status;
}

/* Fill job->arm; false with an exception. */
static bool ask_batch(ask_job *job)
{
    segue_status status = SEGUE_OK;
    task_object *self = job->self;
    if (self->n_arms >= MANY_ARMS || job->count >= LONG_ASKS / self->n_arms)
        return segue_py_work_on(self->learner, run_long_asks, job) == 0 &&
               (job->is_open || segue_py_task_ready(self)); /* which raises that it is closed */
    if (!run_batch(self, job->count, run_asks, job, &status))
        return false;
    return status == SEGUE_OK ||
           segue_py_errors_raise(segue_py_learner_state((PyObject *)self), &job->err);
}

PyObject *segue_py_task_ask_many(task_object *self, unsigned long long count, const bool *allowed)
{
    ask_job job = {.self = self, .allowed = allowed, .count = (size_t)count};
    if (count > MAX_ASKS)
        return PyErr_Format(PyExc_ValueError, "count is %llu; need 0 to %d", count, MAX_ASKS);
    job.arm = malloc((job.count + 1) * sizeof *job.arm);
    if (!job.arm)
        return PyErr_NoMemory();
    PyObject *arms = ask_batch(&job) ? array_of(job.arm, job.count) : NULL;
    free(job.arm);
    return arms;
}

/* ---- tell -------------------------------------------------------------------------------- */

typedef struct tell_job {
    task_object *self;
    size_t *arm, n_arms, n_rewards;
    double *reward;
    double lowest, highest;
    size_t wrong; /* the first reward that is rejected */
    segue_error err;
} tell_job;

/* Find the first reward that the library will reject, so that a batch is told whole or not at all. */
static size_t find_wrong(const tell_job *job)
{
    size_t i = 0;
    while (i < job->n_rewards && job->arm[i] < job->self->n_arms && job->reward[i] >= job->lowest &&
           job->reward[i] <= job->highest)
        i++;
    return i;
}

static segue_status run_tells(void *data)
{
    tell_job *job = data;
    segue_task *task = job->self->task;
    segue_status status = SEGUE_OK;
    job->wrong = find_wrong(job);
    if (job->wrong < job->n_rewards)
        return segue_task_tell(task, job->arm[job->wrong], job->reward[job->wrong], &job->err);
    for (size_t i = 0; i < job->n_rewards && status == SEGUE_OK; i++)
        status = segue_task_tell(task, job->arm[i], job->reward[i], &job->err);
    return status;
}

/* Arms by name, or by index where they are no array of whole numbers. */
static bool read_arms(tell_job *job, PyObject *arms)
{
    const module_state *state = segue_py_learner_state((PyObject *)job->self);
    if (!segue_py_column_indices(arms, &job->arm, &job->n_arms) || job->arm)
        return job->arm != NULL;
    PyObject *list = segue_py_column_list("arms", arms);
    if (!list)
        return false;
    job->n_arms = (size_t)PyList_Size(list);
    job->arm = malloc((job->n_arms + 1) * sizeof *job->arm);
    bool is_good = job->arm || PyErr_NoMemory();
    for (size_t i = 0; is_good && i < job->n_arms; i++)
        is_good = segue_py_arms_find(&job->self->learner->arms, state,
                                     PyList_GetItem(list, (Py_ssize_t)i), &job->arm[i]);
    Py_DECREF(list);
    return is_good;
}

static PyObject *raise_wrong(const tell_job *job)
{
    segue_error err = job->err;
    if (job->wrong < job->n_rewards && job->arm[job->wrong] == SIZE_MAX)
        return PyErr_Format(PyExc_ValueError,
                            "reward %zu of the batch: there is no arm of this index; need 0 to %zu",
                            job->wrong, job->self->n_arms - 1);
    (void)segue_fail(&err, job->err.status, "reward %zu of the batch: %s", job->wrong,
                     job->err.message);
    return segue_py_errors_raise(segue_py_learner_state((PyObject *)job->self), &err);
}

static PyObject *tell_all(tell_job *job)
{
    segue_status status = SEGUE_OK;
    if (job->n_arms != job->n_rewards)
        return PyErr_Format(PyExc_ValueError, "there are %zu arms and %zu rewards; need as many",
                            job->n_arms, job->n_rewards);
    if (!run_batch(job->self, job->n_rewards, run_tells, job, &status))
        return NULL;
    return status == SEGUE_OK ? Py_NewRef(Py_None) : raise_wrong(job);
}

PyObject *segue_py_task_tell_many(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                                  PyObject *keywords)
{
    static const char *const names[] = {"arms", "rewards"};
    static const signature sig = {"tell_many", names, 2, 2, 2};
    task_object *self = (task_object *)object;
    const segue_learner_config *config = segue_learner_get_config(self->learner->learner);
    tell_job job = {.self = self, .lowest = config->lowest, .highest = config->highest};
    PyObject *given[2], *result = NULL;
    if (segue_py_args_match(&sig, args, n_args, keywords, given) && read_arms(&job, given[0]) &&
        segue_py_column_numbers(&(column_rules){.name = "rewards"}, given[1], &job.reward,
                                &job.n_rewards))
        result = tell_all(&job);
    free(job.arm);
    free(job.reward);
    return result;
}
