/* simulate.c - the function _simulate: policies and learners in a simulated environment.
 *
 * The package segue calls it (analysis.py) with arrays that the simulation fills: the regret, the
 * reward and the model of each task.  Every simulation is checked before the first is played.
 * Policies are played one after the other, each over all threads; one that is written in Python is
 * played by this thread alone.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "column.h"
#include "io/policy_list.h"
#include "models_input.h"
#include "own_policy.h"
#include "record.h"
#include "segue/internal.h"
#include "segue/simulation.h"
#include "work.h"

/* What the call was given. */
typedef struct settings {
    PyObject *models, *policies, *costs;
    const char *rewards; /* or NULL */
    unsigned long long steps, tasks, runs, seed, threads;
    double spread, mixed, switch_cost;
    int ignore_costs;
    Py_buffer regret, reward, model; /* per policy, run and task */
    Py_buffer mean, error;           /* of the curve: per policy and task; empty without tasks */
} settings;

typedef struct study {
    settings set;
    const module_state *state;
    segue_models_file models;
    segue_environment env;
    segue_policy_list list;
    own_policy *own; /* per policy; `choose` is NULL for those of the library */
    double *cost;
    size_t n_costs;
    segue_simulation_result **result;
} study;

/* The policy that is played now. */
typedef struct play {
    study *st;
    size_t policy;
    const atomic_bool *stop;
} play;

/* ---- input ------------------------------------------------------------------------------- */

static int parse(study *st, PyObject *args)
{
    settings *s = &st->set;
    return PyArg_ParseTuple(args, "OOKKKKKzddOdpw*w*w*w*w*", &s->models, &s->policies, &s->steps,
                            &s->tasks, &s->runs, &s->seed, &s->threads, &s->rewards, &s->spread,
                            &s->mixed, &s->costs, &s->switch_cost, &s->ignore_costs, &s->regret,
                            &s->reward, &s->model, &s->mean, &s->error)
               ? 0
               : -1;
}

static int raise_error(const study *st, segue_status status, const segue_error *err)
{
    if (status != SEGUE_OK)
        (void)segue_py_errors_raise(st->state, err);
    return status == SEGUE_OK ? 0 : -1;
}

/* A text names a policy of the library; anything else is called. */
static int add_policy(study *st, size_t i, PyObject *given)
{
    segue_error err = {.status = SEGUE_OK};
    Py_ssize_t length = 0;
    if (!PyUnicode_Check(given)) {
        st->own[i].choose = given;
        const segue_status status = segue_policy_list_add(&st->list, "ts", 2, &err);
        if (status == SEGUE_OK)
            st->list.spec[i] = segue_py_own_policy_spec(&st->own[i]);
        return raise_error(st, status, &err);
    }
    const char *text = PyUnicode_AsUTF8AndSize(given, &length);
    return text
               ? raise_error(st, segue_policy_list_add(&st->list, text, (size_t)length, &err), &err)
               : -1;
}

static int read_policies(study *st)
{
    segue_error err = {.status = SEGUE_OK};
    const Py_ssize_t count = PyList_Size(st->set.policies);
    if (count < 0)
        return -1;
    st->own = calloc((size_t)count + 1, sizeof *st->own);
    st->result = calloc((size_t)count + 1, sizeof *st->result);
    if (!st->own || !st->result) {
        (void)PyErr_NoMemory();
        return -1;
    }
    if (raise_error(st, segue_policy_list_init(&st->list, (size_t)count, &err), &err) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < count; i++)
        if (add_policy(st, (size_t)i, PyList_GetItem(st->set.policies, i)) < 0)
            return -1;
    return 0;
}

static int read_environment(study *st)
{
    segue_error err = {.status = SEGUE_OK};
    if (segue_py_models_input(st->state, st->set.models, SEGUE_MODELS_KNOWN, &st->models) < 0)
        return -1;
    st->env = (segue_environment){.size = sizeof st->env,
                                  .models = st->models.models,
                                  .spread = st->set.spread,
                                  .mixed = st->set.mixed};
    return st->set.rewards
               ? raise_error(st, segue_rewards_parse(&st->env.rewards, st->set.rewards, &err), &err)
               : 0;
}

static int read_costs(study *st)
{
    if (st->set.costs == Py_None)
        return 0;
    if (!segue_py_column_numbers(&(column_rules){.name = "costs"}, st->set.costs, &st->cost,
                                 &st->n_costs))
        return -1;
    if (st->n_costs == segue_environment_arms(&st->env))
        return 0;
    PyErr_Format(PyExc_ValueError, "there are %zu costs; need one per arm, %zu", st->n_costs,
                 segue_environment_arms(&st->env));
    return -1;
}

/* ---- simulations ------------------------------------------------------------------------- */

/* Return the tasks of one policy, over all runs. */
static size_t count_tasks(const study *st)
{
    const settings *s = &st->set;
    const size_t n_models =
        segue_environment_has_models(&st->env) ? segue_environment_models(&st->env) : 1;
    return (size_t)s->runs * (s->tasks ? (size_t)s->tasks : n_models);
}

/* Each task has a cell of its own, so that no lock is needed. */
static segue_status visit(void *context, const segue_played_task *task, segue_error *err)
{
    const play *p = context;
    const study *st = p->st;
    const size_t per_run = st->set.tasks ? (size_t)st->set.tasks : 1;
    const size_t at =
        p->policy * count_tasks(st) + (size_t)task->run * per_run + (size_t)task->task;
    ((double *)st->set.regret.buf)[at] = task->regret;
    ((double *)st->set.reward.buf)[at] = task->reward;
    ((int64_t *)st->set.model.buf)[at] = (int64_t)task->model;
    if (st->own[p->policy].failed)
        return segue_fail(err, SEGUE_ESTOPPED, "the policy raised an exception");
    return segue_stop_check(p->stop, err);
}

/* Also after an exception of a policy in Python. */
static bool is_stopped(void *context)
{
    const play *p = context;
    return p->st->own[p->policy].failed || segue_stop_requested(p->stop);
}

static segue_simulation simulation_of(play *p)
{
    const study *st = p->st;
    const settings *s = &st->set;
    const bool is_own = st->own[p->policy].choose != NULL;
    const bool learns = !is_own && segue_policy_list_is_learner(&st->list, p->policy);
    return (segue_simulation){.size = sizeof(segue_simulation),
                              .environment = &st->env,
                              .policy = st->list.spec[p->policy],
                              .learner = learns ? &st->list.learner[p->policy] : NULL,
                              .steps = s->steps,
                              .tasks = s->tasks,
                              .runs = s->runs,
                              .seed = s->seed,
                              .threads = is_own ? 1 : (size_t)s->threads,
                              .want_curve = s->tasks > 0,
                              .cost = st->cost,
                              .switch_cost = s->switch_cost,
                              .ignore_costs = s->ignore_costs,
                              .visit = visit,
                              .visit_context = p,
                              .stop = is_stopped,
                              .stop_context = p};
}

static int check_learner(const study *st, size_t i)
{
    if (st->set.tasks || st->own[i].choose || !segue_policy_list_is_learner(&st->list, i))
        return 0;
    PyErr_Format(PyExc_ValueError, "'%.60s' learns across tasks: give tasks, for example tasks=200",
                 st->list.text[i]);
    return -1;
}

/* Check the sizes of the arrays: other bytes must not be written. */
static int check_arrays(const study *st)
{
    const settings *s = &st->set;
    const size_t cells = st->list.count * count_tasks(st) * sizeof(double);
    const size_t curve = st->list.count * (size_t)s->tasks * sizeof(double);
    if ((size_t)s->regret.len == cells && (size_t)s->reward.len == cells &&
        (size_t)s->model.len == cells && (size_t)s->mean.len == curve &&
        (size_t)s->error.len == curve)
        return 0;
    PyErr_SetString(PyExc_ValueError, "an array has not one cell per policy, run and task");
    return -1;
}

static int check(study *st)
{
    for (size_t i = 0; i < st->list.count; i++) {
        play p = {.st = st, .policy = i};
        const segue_simulation simulation = simulation_of(&p);
        segue_error err = {.status = SEGUE_OK};
        if (check_learner(st, i) < 0 ||
            raise_error(st, segue_simulation_check(&simulation, &err), &err) < 0)
            return -1;
    }
    return check_arrays(st);
}

static segue_status simulate(void *context, const atomic_bool *stop, segue_error *err)
{
    play *p = context;
    p->stop = stop;
    const segue_simulation simulation = simulation_of(p);
    return segue_simulation_run(&p->st->result[p->policy], &simulation, err);
}

/* A policy in Python needs the GIL, and handles signals while it runs. */
static int play_own(play *p)
{
    segue_error err = {.status = SEGUE_OK};
    const segue_status status = simulate(p, NULL, &err);
    return PyErr_Occurred() ? -1 : raise_error(p->st, status, &err);
}

static void copy_curve(const study *st, size_t policy)
{
    double *mean = (double *)st->set.mean.buf + policy * st->set.tasks;
    double *error = (double *)st->set.error.buf + policy * st->set.tasks;
    for (size_t task = 0; task < st->set.tasks; task++) {
        mean[task] = st->result[policy]->curve[task].mean;
        error[task] = st->result[policy]->curve[task].se;
    }
}

static int play_all(study *st)
{
    for (size_t i = 0; i < st->list.count; i++) {
        play p = {.st = st, .policy = i};
        if ((st->own[i].choose ? play_own(&p) : segue_py_work_run(st->state, simulate, &p)) < 0)
            return -1;
        copy_curve(st, i);
    }
    return 0;
}

/* ---- output ------------------------------------------------------------------------------ */

static PyObject *list_models(const study *st, const segue_simulation_result *result)
{
    PyObject *list = PyList_New(0);
    const size_t count =
        segue_environment_has_models(&st->env) ? segue_environment_models(&st->env) : 0;
    for (size_t k = 0; k < count; k++)
        RECORD_APPEND(list, Py_BuildValue("dd", result->by_model[k].mean, result->by_model[k].se));
    return list;
}

static PyObject *make_record(const study *st, size_t i)
{
    const segue_simulation_result *r = st->result[i];
    PyObject *record = Py_BuildValue("{sdsdsd}", "regret", r->regret.mean, "se", r->regret.se,
                                     "no_model_left", r->no_model_left);
    RECORD_SET(record, "by_model", list_models(st, r));
    if (!st->own[i].choose && segue_policy_list_is_learner(&st->list, i)) {
        RECORD_SET(record, "violations", PyFloat_FromDouble(r->violations));
        RECORD_SET(record, "skipped", PyFloat_FromDouble(r->skipped));
        RECORD_SET(record, "types", PyFloat_FromDouble(r->n_types));
        RECORD_SET(record, "no_type", PyFloat_FromDouble(r->no_type));
    }
    return record;
}

static PyObject *make_records(const study *st)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < st->list.count; i++)
        RECORD_APPEND(list, make_record(st, i));
    return list;
}

static void fini(study *st)
{
    Py_buffer *const buffers[] = {&st->set.regret, &st->set.reward, &st->set.model, &st->set.mean,
                                  &st->set.error};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i]->obj)
            PyBuffer_Release(buffers[i]);
    for (size_t i = 0; st->result && i < st->list.count; i++)
        segue_simulation_result_destroy(st->result[i]);
    free(st->result);
    free(st->own);
    free(st->cost);
    segue_policy_list_fini(&st->list);
    segue_models_file_fini(&st->models);
}

PyObject *segue_py_simulate(PyObject *module, PyObject *args)
{
    study st = {.state = segue_py_module_state(module)};
    PyObject *records = NULL;
    if (parse(&st, args) == 0 && read_environment(&st) == 0 && read_policies(&st) == 0 &&
        read_costs(&st) == 0 && check(&st) == 0 && play_all(&st) == 0)
        records = make_records(&st);
    fini(&st);
    return records;
}
