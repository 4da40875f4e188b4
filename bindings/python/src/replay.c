/* replay.c - the function _replay: what transfer would have given on a log.
 *
 * The fields of the dictionary have the names of `segue replay --format json`.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/replay.h"

#include <math.h>

#include "analysis.h"
#include "log_input.h"
#include "record.h"
#include "work.h"

typedef struct study {
    log_input log;
    const char *policies, *holdout;
    unsigned long long steps, first_scored, runs, replicates, seed, threads;
    int method, order;
    segue_history history;
    segue_policy_list list;
    segue_replay_config config;
    segue_replay_result result;
} study;

static int parse(study *st, PyObject *args)
{
    PyObject *log, *options;
    if (!PyArg_ParseTuple(args, "OOsiizKKKKKKdd", &log, &options, &st->policies, &st->method,
                          &st->order, &st->holdout, &st->steps, &st->first_scored, &st->runs,
                          &st->replicates, &st->seed, &st->threads, &st->config.yearly.value,
                          &st->config.yearly.tasks_per_day))
        return -1;
    return segue_py_log_input_init(&st->log, log, options);
}

static void set_config(study *st, const atomic_bool *stop)
{
    segue_replay_config *c = &st->config;
    c->path = st->log.path;
    c->history = &st->history;
    c->lowest = st->log.reading.lowest;
    c->highest = st->log.reading.highest;
    c->log_options = "";
    c->policies = &st->list;
    c->method = (segue_replay_method)st->method;
    c->order = (segue_replay_order)st->order;
    c->holdout = st->holdout;
    c->steps = st->steps;
    c->first_scored = st->first_scored;
    c->runs = st->runs;
    c->replicates = st->replicates;
    c->seed = st->seed;
    c->threads = (size_t)st->threads;
    c->stop = stop;
}

/* Columns that the method does not use are not read, and not checked. */
static segue_status play(void *context, const atomic_bool *stop, segue_error *err)
{
    study *st = context;
    log_read_options *reading = &st->log.reading;
    reading->time = st->order == SEGUE_REPLAY_ORDER_TIME || st->method == SEGUE_REPLAY_METHOD_URN;
    reading->probability = st->method == SEGUE_REPLAY_METHOD_ROWS;
    reading->stop = stop;
    SEGUE_TRY(segue_policy_list_parse(&st->list, st->policies, err));
    SEGUE_TRY(segue_history_read(&st->history, st->log.path, reading, err));
    segue_history_sample(&st->history, SEGUE_MAX_PLAYED_TASKS, st->seed);
    set_config(st, stop);
    return segue_replay_evaluate(&st->result, &st->config, err);
}

/* ---- output ------------------------------------------------------------------------------ */

static PyObject *interval(const segue_interval *i)
{
    return Py_BuildValue("{sdsdsd}", "mean", i->value, "low", i->low, "high", i->high);
}

static PyObject *make_candidate(const segue_replay_result *r, size_t i)
{
    static const char *const field[SEGUE_N_METRICS] = {
        "reward",     "regret",     "over_ts", "over_prior",
        "over_fixed", "gap_closed", "saved",   "saved_over_prior"};
    const segue_replay_candidate *c = &r->candidate[i];
    const size_t n = r->n_played;
    PyObject *record =
        Py_BuildValue("{sssssdsdsn}", "policy", c->name, "carries",
                      segue_replay_result_transfer_text(c->transfer), "logged", c->logged,
                      "runs_se", c->runs_se, "ahead_from", (Py_ssize_t)c->ahead_from);
    for (size_t k = 0; k < SEGUE_N_METRICS; k++)
        RECORD_SET(record, field[k], interval(&c->metric[k]));
    RECORD_SET(record, "task_reward", segue_py_record_numbers(c->reward, n));
    RECORD_SET(record, "task_reward_se", segue_py_record_numbers(c->reward_se, n));
    RECORD_SET(record, "task_regret", segue_py_record_numbers(c->regret, n));
    RECORD_SET(record, "task_regret_se", segue_py_record_numbers(c->regret_se, n));
    return record;
}

static PyObject *list_typical(const segue_replay_result *r, const segue_replay_type *type)
{
    PyObject *list = PyList_New(0);
    for (size_t k = 0; k < type->n_typical; k++)
        RECORD_APPEND(list, segue_py_record_text(r->task_name[type->typical[k]]));
    return list;
}

static PyObject *make_type(const segue_replay_result *r, size_t i)
{
    const segue_replay_type *type = &r->types.type[i];
    PyObject *record = Py_BuildValue("{snsdsdsd}", "type", (Py_ssize_t)i + 1, "weight",
                                     type->weight, "tasks", type->tasks, "spread", type->spread);
    RECORD_SET(record, "means", segue_py_record_numbers(type->mean, r->n_arms));
    RECORD_SET(record, "typical", list_typical(r, type));
    return record;
}

static PyObject *make_list(const segue_replay_result *r, size_t count,
                           PyObject *(*make)(const segue_replay_result *r, size_t i))
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < count; i++)
        RECORD_APPEND(list, make(r, i));
    return list;
}

static PyObject *make_warning(const segue_replay_result *r, size_t i)
{
    return segue_py_record_text(r->warning[i]);
}

static PyObject *make_log(const segue_replay_result *r)
{
    PyObject *log =
        Py_BuildValue("{snsKsnsnsnsdsdsd}", "rows", (Py_ssize_t)r->n_rows, "rows_skipped",
                      (unsigned long long)r->n_rows_skipped, "tasks", (Py_ssize_t)r->n_tasks,
                      "drawn_from", (Py_ssize_t)r->drawn_from, "played", (Py_ssize_t)r->n_played,
                      "reward", r->logged, "rewards_per_arm_and_task", r->rewards_per_cell,
                      "rewards_of_rarest_arm", r->rarest_rewards);
    RECORD_SET(log, "arms", segue_py_record_texts(r->arm_name, r->n_arms));
    return log;
}

static PyObject *make_play(const segue_replay_result *r)
{
    return Py_BuildValue(
        "{sssssKsKsKsnsnsnsnsdsdsK}", "method", r->urn ? "urn" : "rows", "order", r->order, "steps",
        (unsigned long long)r->steps, "runs", (unsigned long long)r->runs, "seed",
        (unsigned long long)r->seed, "from", (Py_ssize_t)r->first_scored, "scored",
        (Py_ssize_t)(r->n_played + 1 - r->first_scored), "learned", (Py_ssize_t)r->n_learned,
        "types", (Py_ssize_t)r->n_fitted_types, "tasks_needed", r->tasks_needed, "rows_needed",
        r->rows_needed, "replicates", (unsigned long long)r->replicates);
}

static PyObject *make_verdict(const segue_replay_result *r)
{
    static const char *const conclusions[] = {"types", "prior", "arm", "none", "unclear"};
    PyObject *verdict = Py_BuildValue("{ssss}", "conclusion", conclusions[r->conclusion], "use",
                                      r->candidate[r->use].name);
    RECORD_SET(verdict, "text", segue_py_record_text(r->verdict));
    return verdict;
}

static PyObject *make_record(const segue_replay_result *r)
{
    PyObject *record =
        Py_BuildValue("{sdsd}", "no_type", r->types.no_type, "explained", r->types.explained);
    RECORD_SET(record, "log", make_log(r));
    RECORD_SET(record, "play", make_play(r));
    RECORD_SET(record, "best_arms", interval(&r->best_arms));
    RECORD_SET(record, "results", make_list(r, r->n_candidates, make_candidate));
    RECORD_SET(record, "types", make_list(r, r->types.count, make_type));
    RECORD_SET(record, "warnings", make_list(r, r->n_warnings, make_warning));
    RECORD_SET(record, "verdict", make_verdict(r));
    return record;
}

PyObject *segue_py_replay(PyObject *module, PyObject *args)
{
    study st = {.method = 0};
    PyObject *record = NULL;
    if (parse(&st, args) == 0 && segue_py_work_run(segue_py_module_state(module), play, &st) == 0)
        record = make_record(&st.result);
    segue_replay_result_fini(&st.result);
    segue_policy_list_fini(&st.list);
    segue_history_fini(&st.history);
    segue_py_log_input_fini(&st.log);
    return record;
}
