/* complexity.c - the function _complexity: gaps, complexities and bounds of a model set.
 *
 * The fields of the dictionary have the names of `segue complexity --format json`; docs/math.md has
 * the formulas.  All numbers are computed before the first object of Python is made, without the GIL.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/theory.h"

#include <stdlib.h>

#include "analysis.h"
#include "models_input.h"
#include "record.h"
#include "segue/internal.h"
#include "segue/policy.h"
#include "work.h"

typedef struct row {
    segue_known_sets *sets;
    double ucb, ucb_plus, mucb, log_term;
    segue_hypothesis_test test;
} row;

typedef struct study {
    const module_state *state;
    segue_models_file file;
    unsigned long long steps, tasks;
    double delta;
    row *rows; /* one per model */
    segue_spectrum spectrum;
} study;

/* ---- numbers ----------------------------------------------------------------------------- */

static segue_status compute_row(study *st, size_t k, segue_error *err)
{
    const segue_models *models = st->file.models;
    row *r = &st->rows[k];
    SEGUE_TRY(segue_known_sets_create(&r->sets, models, k, err));
    r->ucb = segue_complexity_ucb(r->sets);
    r->ucb_plus = segue_complexity_ucb_plus(r->sets);
    r->mucb = segue_complexity_mucb(r->sets);
    r->log_term = segue_policy_log_term(models->n_models, st->steps, st->delta);
    r->test = segue_hypothesis_test_bound(models, r->sets, st->steps, st->delta, r->log_term);
    return SEGUE_OK;
}

static segue_status compute(void *context, const atomic_bool *stop, segue_error *err)
{
    study *st = context;
    st->rows = calloc(st->file.models->n_models, sizeof *st->rows);
    if (!st->rows)
        return segue_fail_no_memory(err, "the complexities");
    for (size_t k = 0; k < st->file.models->n_models; k++) {
        SEGUE_TRY(segue_stop_check(stop, err));
        SEGUE_TRY(compute_row(st, k, err));
    }
    return segue_spectrum_compute(&st->spectrum, st->file.models, err);
}

static void fini(study *st)
{
    for (size_t k = 0; st->rows && k < st->file.models->n_models; k++)
        segue_known_sets_destroy(st->rows[k].sets);
    free(st->rows);
    segue_models_file_fini(&st->file);
}

/* ---- output ------------------------------------------------------------------------------ */

static PyObject *list_marked(const bool *member, size_t count)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < count; i++)
        if (member[i])
            RECORD_APPEND(list, PyLong_FromSize_t(i));
    return list;
}

static PyObject *make_bounds(const row *r, size_t n_arms)
{
    return Py_BuildValue("{sdsdsdsd}", "ucb", segue_bound_regret(n_arms, r->log_term, r->ucb),
                         "ucb+", segue_bound_regret(n_arms, r->log_term, r->ucb_plus), "mucb",
                         segue_bound_regret(n_arms, r->log_term, r->mucb), "ucb_test",
                         r->test.regret);
}

static PyObject *make_model(const study *st, const row *r)
{
    const segue_models *models = st->file.models;
    const segue_known_sets *sets = r->sets;
    const size_t k = sets->truth;
    PyObject *record = Py_BuildValue(
        "{snsdsdsdsdsdsd}", "best_arm", (Py_ssize_t)models->best_arm[k], "best_value",
        segue_models_best_value(models, k), "weight", models->weight[k], "ucb", r->ucb, "ucb+",
        r->ucb_plus, "mucb", r->mucb, "gamma_min", sets->min_model_gap);
    RECORD_SET(record, "gaps", segue_py_record_numbers(sets->gap, sets->n_arms));
    RECORD_SET(record, "optimistic_models", list_marked(sets->optimistic_model, sets->n_models));
    RECORD_SET(record, "optimistic_arms", list_marked(sets->optimistic_arm, sets->n_arms));
    RECORD_SET(record, "bounds", make_bounds(r, sets->n_arms));
    return record;
}

static PyObject *make_models(const study *st)
{
    PyObject *list = PyList_New(0);
    for (size_t k = 0; k < st->file.models->n_models; k++)
        RECORD_APPEND(list, make_model(st, &st->rows[k]));
    return list;
}

/* Theorem 2: what it takes to learn the models. */
static PyObject *make_learning(const study *st)
{
    const segue_spectrum *s = &st->spectrum;
    const segue_perturbation p =
        segue_perturbation_bound(st->file.models, s, (double)st->tasks, st->delta, 1.0, 1.0);
    return Py_BuildValue("{sdsdsdsdsdsd}", "sigma_min", s->sigma_min, "gamma_sigma", s->gap,
                         "constant", p.constant, "constant_corrected", p.constant_corrected,
                         "error", p.error, "min_tasks", p.min_tasks);
}

PyObject *segue_py_complexity(PyObject *module, PyObject *args)
{
    study st = {.state = segue_py_module_state(module)};
    PyObject *models, *record = NULL;
    if (!PyArg_ParseTuple(args, "OKKd", &models, &st.steps, &st.tasks, &st.delta) ||
        segue_py_models_input(st.state, models, SEGUE_MODELS_KNOWN, &st.file) < 0)
        return NULL;
    if (segue_py_work_run(st.state, compute, &st) == 0) {
        record = Py_BuildValue("{sKsd}", "steps", st.steps, "delta", st.delta);
        RECORD_SET(record, "arms", segue_py_models_names(&st.file));
        RECORD_SET(record, "models", make_models(&st));
        RECORD_SET(record, "learning", make_learning(&st));
    }
    fini(&st);
    return record;
}
