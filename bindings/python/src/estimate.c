/* estimate.c - the function _estimate: a model set, or types, from a log.
 *
 * The fields of the dictionary have the names of `segue estimate --format json`.  Method "types" is
 * no estimator: it fits the mixture that learners of types use.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "io/log/log.h"
#include "log_input.h"
#include "record.h"
#include "replay/replay.h"
#include "replay/types_verdict.h"
#include "segue/estimator.h"
#include "work.h"

typedef struct study {
    log_input input;
    const char *name;
    const segue_estimator_method *method; /* NULL: types */
    unsigned long long types, seed;
    segue_log log;
    segue_estimator *estimator;
    segue_moments *moments;
    segue_types *fitted;
    size_t n_skipped;  /* tasks without three rewards of each arm */
    double *weight;    /* per arm: how many rewards of 0 or 1 a reward counts as */
    double *scratch;   /* 3 per arm */
    double *posterior; /* per task: probabilities of no type and of each type, by number */
} study;

static int parse(study *st, PyObject *args)
{
    PyObject *log, *options;
    if (!PyArg_ParseTuple(args, "OOsKK", &log, &options, &st->name, &st->types, &st->seed))
        return -1;
    return segue_py_log_input_init(&st->input, log, options);
}

static segue_status find_method(study *st, segue_error *err)
{
    st->method = segue_estimator_method_find(st->name);
    if (!st->method && strcmp(st->name, "types") != 0)
        return segue_fail(err, SEGUE_ENAME,
                          "there is no estimator '%.40s'; need types, or one of 'segue help "
                          "estimate'",
                          st->name);
    if (st->method && st->types == 0)
        return segue_fail(err, SEGUE_EUSAGE, "give types, the number of models that %s estimates",
                          st->name);
    if (!st->method && st->types > SEGUE_MAX_FITTED_TYPES)
        return segue_fail(err, SEGUE_EUSAGE, "types is %llu; need at most %d", st->types,
                          SEGUE_MAX_FITTED_TYPES);
    return SEGUE_OK;
}

static segue_status allocate(study *st, segue_error *err)
{
    const size_t n_arms = st->log.n_arms;
    st->scratch = calloc(3 * n_arms, sizeof *st->scratch);
    st->weight = calloc(n_arms, sizeof *st->weight);
    return st->scratch && st->weight ? SEGUE_OK : segue_fail_no_memory(err, "the counts of a task");
}

/* ---- models ------------------------------------------------------------------------------ */

static segue_status add_views(study *st, size_t task, segue_error *err)
{
    double *views = st->scratch;
    segue_log_counts(&st->log, task, views, views + st->log.n_arms);
    SEGUE_TRY(segue_estimator_add(st->estimator, views, views + st->log.n_arms, err));
    if (segue_log_views(&st->log, task, views))
        return segue_moments_add(st->moments, views, 1.0, err);
    st->n_skipped += !st->method->uses_counts;
    return SEGUE_OK;
}

static segue_status estimate_models(study *st, const atomic_bool *stop, segue_error *err)
{
    segue_estimator_config config = segue_estimator_defaults();
    config.method = st->name;
    config.n_arms = st->log.n_arms;
    config.n_models = (size_t)st->types;
    config.window = SEGUE_MAX_WINDOW;
    config.seed = st->seed;
    SEGUE_TRY(segue_estimator_create(&st->estimator, &config, err));
    SEGUE_TRY(segue_moments_create(&st->moments, st->log.n_arms, SEGUE_VIEWS_SYMMETRIC, err));
    for (size_t task = 0; task < st->log.n_tasks; task++) {
        SEGUE_TRY(segue_stop_check(stop, err));
        SEGUE_TRY(add_views(st, task, err));
    }
    return segue_estimator_fit_until(st->estimator, st->moments, stop, err);
}

/* ---- types ------------------------------------------------------------------------------- */

/* Graded rewards count by their dispersion in the log. */
static segue_status weigh_rewards(study *st, segue_error *err)
{
    segue_dispersion *arm = calloc(st->log.n_arms, sizeof *arm);
    if (!arm)
        return segue_fail_no_memory(err, "the weights of rewards");
    segue_log_reward_weights(&st->log, arm, st->weight);
    free(arm);
    return SEGUE_OK;
}

static void count_task(study *st, size_t task)
{
    segue_log_weighted_counts(&st->log, task, st->weight, st->scratch,
                              st->scratch + st->log.n_arms);
}

static segue_status compute_posteriors(study *st, const atomic_bool *stop, segue_error *err)
{
    double component[SEGUE_MAX_FITTED_TYPES + 1];
    const size_t width = segue_types_count(st->fitted) + 1;
    st->posterior = calloc(st->log.n_tasks * width, sizeof *st->posterior);
    if (!st->posterior)
        return segue_fail_no_memory(err, "the types of tasks");
    for (size_t task = 0; task < st->log.n_tasks; task++) {
        SEGUE_TRY(segue_stop_check(stop, err));
        count_task(st, task);
        (void)segue_types_posterior(st->fitted, st->scratch, st->scratch + st->log.n_arms,
                                    component);
        for (size_t n = 0; n < width; n++)
            st->posterior[task * width + n] = component[segue_types_numbered(st->fitted)[n]];
    }
    return SEGUE_OK;
}

static segue_status fit_types(study *st, const atomic_bool *stop, segue_error *err)
{
    segue_types_config config = segue_types_defaults();
    config.n_arms = st->log.n_arms;
    config.hint = (size_t)st->types;
    config.window = SEGUE_MAX_WINDOW;
    config.seed = st->seed;
    SEGUE_TRY(segue_types_create(&st->fitted, &config, err));
    SEGUE_TRY(weigh_rewards(st, err));
    for (size_t task = 0; task < st->log.n_tasks; task++) {
        SEGUE_TRY(segue_stop_check(stop, err));
        count_task(st, task);
        SEGUE_TRY(segue_types_add_task(st->fitted, st->scratch, st->scratch + st->log.n_arms, err));
    }
    if (st->log.n_tasks >= SEGUE_MIN_TYPED_TASKS)
        SEGUE_TRY(segue_types_refit_until_stable(st->fitted, stop, err));
    return compute_posteriors(st, stop, err);
}

static segue_status estimate(void *context, const atomic_bool *stop, segue_error *err)
{
    study *st = context;
    st->input.reading.stop = stop;
    SEGUE_TRY(find_method(st, err));
    SEGUE_TRY(segue_log_read(&st->log, st->input.path, &st->input.reading, err));
    SEGUE_TRY(allocate(st, err));
    return st->method ? estimate_models(st, stop, err) : fit_types(st, stop, err);
}

/* ---- output ------------------------------------------------------------------------------ */

static double scale(const study *st, double mean)
{
    const log_read_options *r = &st->input.reading;
    return r->lowest + mean * (r->highest - r->lowest);
}

static PyObject *make_arm(const study *st, size_t type, size_t i)
{
    const log_read_options *r = &st->input.reading;
    const segue_type_arm arm = segue_types_arm(st->fitted, type, i);
    return Py_BuildValue("{sdsdsdsdsdsd}", "mean", scale(st, arm.mean), "low", scale(st, arm.low),
                         "high", scale(st, arm.high), "spread",
                         segue_types_verdict_spread(&arm, r->highest - r->lowest), "kappa",
                         arm.kappa, "pulls", arm.pulls);
}

static PyObject *list_arms(const study *st, size_t type)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < st->log.n_arms; i++)
        RECORD_APPEND(list, make_arm(st, type, i));
    return list;
}

static PyObject *make_type(const study *st, const segue_types_fit *fit, size_t n)
{
    const size_t q = segue_types_numbered(st->fitted)[n + 1];
    PyObject *record = Py_BuildValue("{snsdsd}", "type", (Py_ssize_t)n + 1, "weight",
                                     segue_types_weights(st->fitted)[q], "tasks", fit->size[q]);
    RECORD_SET(record, "arms", list_arms(st, q));
    return record;
}

static PyObject *list_types(const study *st, const segue_types_fit *fit)
{
    PyObject *list = PyList_New(0);
    for (size_t n = 0; n < segue_types_count(st->fitted); n++)
        RECORD_APPEND(list, make_type(st, fit, n));
    return list;
}

/* The name of a task, and its probabilities. */
static PyObject *make_posterior(const study *st, size_t task, size_t width)
{
    PyObject *numbers = segue_py_record_numbers(st->posterior + task * width, width);
    return numbers ? Py_BuildValue("sN", st->log.tasks[task].name, numbers) : NULL;
}

static PyObject *make_posteriors(const study *st)
{
    const size_t width = segue_types_count(st->fitted) + 1;
    PyObject *list = PyList_New(0);
    for (size_t task = 0; task < st->log.n_tasks; task++)
        RECORD_APPEND(list, make_posterior(st, task, width));
    return list;
}

static PyObject *add_types(const study *st, PyObject *record)
{
    const log_read_options *r = &st->input.reading;
    const segue_types_fit fit = segue_types_evaluate(st->fitted);
    char verdict[SEGUE_TYPES_VERDICT_SIZE];
    segue_types_verdict_write(st->fitted, &fit, r->highest - r->lowest, verdict);
    RECORD_SET(record, "types", list_types(st, &fit));
    RECORD_SET(record, "no_type",
               Py_BuildValue("{sdsd}", "weight", segue_types_weights(st->fitted)[0], "tasks",
                             fit.size[0]));
    RECORD_SET(record, "verdict", segue_py_record_text(verdict));
    RECORD_SET(record, "log_likelihood", PyFloat_FromDouble(fit.log_likelihood));
    RECORD_SET(record, "posteriors", make_posteriors(st));
    return record;
}

static PyObject *list_means(const study *st, const segue_models *models, size_t k)
{
    PyObject *means = PyList_New(0);
    for (size_t i = 0; i < models->n_arms; i++) {
        const double mean = segue_models_row(models, k)[i];
        RECORD_APPEND(means, PyFloat_FromDouble(scale(st, mean < 0.0   ? 0.0
                                                          : mean > 1.0 ? 1.0
                                                                       : mean)));
    }
    return means;
}

static PyObject *make_model(const study *st, const segue_models *models, size_t k)
{
    PyObject *record = Py_BuildValue("{sd}", "weight", models->weight[k]);
    RECORD_SET(record, "means", list_means(st, models, k));
    return record;
}

static PyObject *list_models(const study *st)
{
    const segue_models *models = segue_estimator_models(st->estimator);
    PyObject *list = PyList_New(0);
    for (size_t k = 0; models && k < models->n_models; k++)
        RECORD_APPEND(list, make_model(st, models, k));
    return list;
}

static PyObject *add_models(const study *st, PyObject *record)
{
    RECORD_SET(record, "models", list_models(st));
    RECORD_SET(record, "verdict",
               segue_py_record_text(segue_estimator_info(st->estimator).verdict));
    return record;
}

static PyObject *make_record(const study *st)
{
    PyObject *record = Py_BuildValue(
        "{sssKsKsnsn}", "method", st->name, "rows", (unsigned long long)st->log.n_rows,
        "rows_skipped", (unsigned long long)segue_log_rows_count_skipped(&st->log.rows.skipped),
        "tasks", (Py_ssize_t)st->log.n_tasks, "skipped", (Py_ssize_t)st->n_skipped);
    RECORD_SET(record, "arms",
               segue_py_record_texts((const char *const *)st->log.arm_name, st->log.n_arms));
    if (!record)
        return NULL;
    return st->method ? add_models(st, record) : add_types(st, record);
}

PyObject *segue_py_estimate(PyObject *module, PyObject *args)
{
    study st = {.name = NULL};
    PyObject *record = NULL;
    if (parse(&st, args) == 0 &&
        segue_py_work_run(segue_py_module_state(module), estimate, &st) == 0)
        record = make_record(&st);
    segue_estimator_destroy(st.estimator);
    segue_moments_destroy(st.moments);
    segue_types_destroy(st.fitted);
    free(st.weight);
    free(st.scratch);
    free(st.posterior);
    segue_log_fini(&st.log);
    segue_py_log_input_fini(&st.input);
    return record;
}
