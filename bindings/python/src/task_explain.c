/* task_explain.c - the posterior of a task over types, the purpose of its next pull, probabilities.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "args.h"
#include "errors.h"
#include "segue/internal.h"
#include "task.h"
#include "task_doc.h"
#include "work.h"

#define DRAWS     1000 /* of probabilities, unless given */
#define MAX_DRAWS 1000000

/* Draws times arms from which on other threads run meanwhile, and Ctrl-C ends them. */
#define LONG_DRAWS 10000

static const char *const purposes[] = {
    [SEGUE_EXPLOIT] = "exploit", [SEGUE_DISTINGUISH] = "distinguish", [SEGUE_EXPLORE] = "explore"};

static PyObject *weights_of(const segue_explanation *found)
{
    PyObject *tuple = PyTuple_New((Py_ssize_t)found->n_types);
    for (size_t k = 0; tuple && k < found->n_types; k++) {
        PyObject *weight = PyFloat_FromDouble(found->weight[k + 1]);
        if (!weight || PyTuple_SetItem(tuple, (Py_ssize_t)k, weight) < 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *pair_of(const segue_explanation *found)
{
    if (found->purpose != SEGUE_DISTINGUISH)
        return Py_NewRef(Py_None);
    return Py_BuildValue("(nn)", (Py_ssize_t)found->first, (Py_ssize_t)found->second);
}

static PyObject *make_record(const task_object *self, PyObject *type,
                             const segue_explanation *found)
{
    PyObject *record = PyStructSequence_New((PyTypeObject *)type);
    if (!record)
        return NULL;
    PyStructSequence_SetItem(record, 0, weights_of(found));
    PyStructSequence_SetItem(record, 1, PyFloat_FromDouble(found->weight[0]));
    PyStructSequence_SetItem(record, 2, Py_NewRef(self->learner->arms.name[found->arm]));
    PyStructSequence_SetItem(record, 3, PyUnicode_FromString(purposes[found->purpose]));
    PyStructSequence_SetItem(record, 4, pair_of(found));
    PyStructSequence_SetItem(record, 5, PyFloat_FromDouble(found->gain));
    if (PyErr_Occurred())
        Py_CLEAR(record);
    return record;
}

PyObject *segue_py_task_explain(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                                PyObject *keywords)
{
    static const char *const names[] = {"exclude"};
    static const signature sig = {"explain", names, 1, 0, 0};
    task_object *self = (task_object *)object;
    const module_state *state = segue_py_learner_state(object);
    PyObject *given[1], *record = NULL;
    segue_explanation found;
    segue_error err;
    if (!segue_py_args_match(&sig, args, n_args, keywords, given))
        return NULL;
    bool *allowed = segue_py_task_allowed(self, given[0]);
    if (allowed && segue_py_task_ready(self))
        record = segue_learner_explain_among(self->learner->learner, self->task, allowed, &found,
                                             &err) == SEGUE_OK
                     ? make_record(self, state->explanation, &found)
                     : segue_py_errors_raise(state, &err);
    free(allowed);
    return record;
}

typedef struct draw_job {
    task_object *self;
    const bool *allowed;
    uint64_t draws;
    double *p;
    bool is_open;
} draw_job;

static segue_status draw(void *data, const atomic_bool *stop, segue_error *err)
{
    draw_job *job = data;
    bool is_exact = false;
    job->is_open = job->self->task != NULL;
    return job->is_open ? segue_task_probabilities_until(job->self->task, job->allowed, job->draws,
                                                         stop, job->p, &is_exact, err)
                        : SEGUE_OK;
}

/* Fill job->p; false with an exception. */
static bool draw_all(draw_job *job)
{
    task_object *self = job->self;
    segue_error err;
    if (job->draws >= LONG_DRAWS / self->n_arms)
        return segue_py_work_on(self->learner, draw, job) == 0 &&
               (job->is_open || segue_py_task_ready(self)); /* which raises that it is closed */
    return segue_py_task_ready(self) &&
           (draw(job, NULL, &err) == SEGUE_OK ||
            segue_py_errors_raise(segue_py_learner_state((PyObject *)self), &err));
}

static PyObject *probabilities(task_object *self, const bool *allowed, uint64_t draws)
{
    draw_job job = {.self = self, .allowed = allowed, .draws = draws};
    job.p = calloc(self->n_arms, sizeof *job.p);
    if (!job.p)
        return PyErr_NoMemory();
    PyObject *dict =
        draw_all(&job) ? segue_py_arms_dict(&self->learner->arms, job.p, self->n_arms) : NULL;
    free(job.p);
    return dict;
}

PyObject *segue_py_task_probabilities(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                                      PyObject *keywords)
{
    static const char *const names[] = {"draws", "exclude"};
    static const signature sig = {"probabilities", names, 2, 0, 1};
    task_object *self = (task_object *)object;
    unsigned long long draws = DRAWS;
    PyObject *given[2];
    if (!segue_py_args_match(&sig, args, n_args, keywords, given) ||
        (given[0] && !segue_py_args_whole("draws", given[0], &draws)))
        return NULL;
    if (draws > MAX_DRAWS)
        return PyErr_Format(PyExc_ValueError, "draws is %llu; need at most %d", draws, MAX_DRAWS);
    bool *allowed = segue_py_task_allowed(self, given[1]);
    PyObject *dict = allowed ? probabilities(self, allowed, draws) : NULL;
    free(allowed);
    return dict;
}

static PyStructSequence_Field fields[] = {
    {"types", "a tuple: the probability of type 1, 2, ..."},
    {"no_type", "the probability that the task is of no type"},
    {"arm", "the arm that look-ahead pulls next"},
    {"purpose", "'exploit', 'distinguish' or 'explore'"},
    {"between", "the numbers of the two types that the pull separates most (0: no type), or None"},
    {"gain", "the expected gain over the best arm now, to the end of the task"},
    {NULL, NULL},
};

static PyStructSequence_Desc description = {"segue.Explanation", EXPLANATION_DOC, fields, 6};

int segue_py_explain_exec(PyObject *module)
{
    return segue_py_module_add(module, "Explanation", &segue_py_module_state(module)->explanation,
                               (PyObject *)PyStructSequence_NewType(&description));
}
