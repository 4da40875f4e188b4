/* replay_prepare.c - choose the order of the tasks of a replay and the number of steps, and fit what
 * the urn needs.
 *
 * All tasks of a log are played.  Tasks that match --holdout come last in the order and are scored;
 * without it, tasks from a position on are scored.  `order` maps a position to a task of the log.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay_internal.h"

#define FIRST_SCORED 41   /* by default, if the log has twice as many tasks */
#define MAX_STEPS    1000 /* by default */
#define MIN_RUNS     4    /* by default */
#define MAX_RUNS     32   /* by default */
#define MAX_DRAWS    64   /* populations; more runs use them again */

static segue_status no_memory(segue_error *err)
{
    return segue_fail_no_memory(err, "the tasks of a log");
}

/* ---- method ------------------------------------------------------------------------------ */

/* The rate of row replay is the smallest probability of the log. */
static void find_rows(replay_study *st)
{
    const segue_history *history = st->config->history;
    st->rows = (replay_rows){.start = history->start,
                             .row = history->row,
                             .probability = history->probability,
                             .rate = 1.0};
    for (size_t i = 0; history->probability && i < history->n_rows; i++)
        st->rows.rate = fmin(st->rows.rate, history->probability[i]);
}

/* Return the runs that play SEGUE_REPLAY_PLAYED_TASKS tasks, within limits. */
static uint64_t default_runs(const segue_replay_result *result)
{
    const uint64_t runs = (SEGUE_REPLAY_PLAYED_TASKS + result->n_played - 1) / result->n_played;
    return runs < MIN_RUNS || !result->urn ? MIN_RUNS : runs > MAX_RUNS ? MAX_RUNS : runs;
}

static void choose_runs(replay_study *st)
{
    const segue_replay_config *config = st->config;
    segue_replay_result *result = st->result;
    result->runs = config->runs ? config->runs : default_runs(result);
    result->replicates = config->replicates ? config->replicates : SEGUE_REPLAY_REPLICATES;
}

/* Group the rewards of the log and draw populations of tasks that it allows. */
static segue_status fit_urn(replay_study *st, segue_error *err)
{
    SEGUE_TRY(segue_urn_log_init(&st->log, st->config->history, err));
    const size_t n_draws = st->result->runs < MAX_DRAWS ? (size_t)st->result->runs : MAX_DRAWS;
    SEGUE_TRY(segue_urn_init(&st->urn, &st->log, n_draws, st->config->seed, st->config->stop, err));
    st->result->n_fitted_types = st->urn.population.n_types;
    return SEGUE_OK;
}

/* Find how many tasks, or rewards per task, would show the types. */
static void find_needs(replay_study *st)
{
    const segue_counts counts = segue_urn_log_counts(&st->log);
    const segue_population_needs needs = segue_population_check_needs(&st->urn.population, &counts);
    st->result->tasks_needed = needs.tasks;
    st->result->rows_needed = needs.rows;
}

static segue_status choose_method(replay_study *st, segue_error *err)
{
    const segue_replay_config *config = st->config;
    segue_replay_result *result = st->result;
    result->n_played = config->history->n_tasks;
    if (result->n_played < 2)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s: there is only one task, and transfer is from task to task; "
                          "need at least 2",
                          config->path);
    result->urn = config->method == SEGUE_REPLAY_METHOD_URN;
    result->thinned = !result->urn && config->history->probability;
    choose_runs(st);
    if (result->urn)
        return fit_urn(st, err);
    find_rows(st);
    return SEGUE_OK;
}

/* ---- order ------------------------------------------------------------------------------- */

static segue_status order_by_time(replay_study *st, segue_error *err)
{
    const segue_history *history = st->config->history;
    if (!history->time)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--order time: %s has no column 'time'; sort its rows and give "
                          "--order file",
                          st->config->path);
    return segue_history_order_by_time(history, st->order, err);
}

/* Move the tasks whose names match to the end, and preserve both orders. */
static void partition_by_name(replay_study *st, const regex_t *pattern, size_t *matching)
{
    size_t n_others = 0, n_matching = 0;
    for (size_t i = 0; i < st->result->n_played; i++) {
        const size_t task = st->order[i];
        const char *name = st->config->history->task_name[task];
        if (regexec(pattern, name, 0, NULL, 0) == 0)
            matching[n_matching++] = task;
        else
            st->order[n_others++] = task;
    }
    memcpy(st->order + n_others, matching, n_matching * sizeof *matching);
    st->result->n_learned = n_others;
}

static segue_status check_holdout(const replay_study *st, segue_error *err)
{
    const segue_replay_result *result = st->result;
    if (result->n_learned > 0 && result->n_learned < result->n_played)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EUSAGE,
                      "--holdout: '%.60s' matches %s of the %zu tasks, such as "
                      "'%.60s'; need some to %s",
                      st->config->holdout, result->n_learned ? "none" : "all", result->n_played,
                      st->config->history->task_name[0],
                      result->n_learned ? "score" : "learn from");
}

static segue_status hold_out(replay_study *st, segue_error *err)
{
    const char *text = st->config->holdout;
    regex_t pattern;
    const int code = regcomp(&pattern, text, REG_EXTENDED | REG_NOSUB);
    if (code != 0) {
        char why[100];
        (void)regerror(code, &pattern, why, sizeof why);
        return segue_fail(err, SEGUE_EPARSE,
                          "--holdout: '%.60s' is no extended regular expression: %s", text, why);
    }
    size_t *matching = calloc(st->result->n_played, sizeof *matching);
    if (matching)
        partition_by_name(st, &pattern, matching);
    regfree(&pattern);
    free(matching);
    return matching ? check_holdout(st, err) : no_memory(err);
}

static segue_status order_tasks(replay_study *st, segue_error *err)
{
    static const char *const orders[] = {"file", "shuffle", "time"};
    segue_replay_result *result = st->result;
    st->order = calloc(result->n_played, sizeof *st->order);
    if (!st->order)
        return no_memory(err);
    for (size_t i = 0; i < result->n_played; i++)
        st->order[i] = i;
    result->order = orders[st->config->order];
    result->n_learned = result->n_played;
    if (st->config->order == SEGUE_REPLAY_ORDER_TIME)
        SEGUE_TRY(order_by_time(st, err));
    return st->config->holdout ? hold_out(st, err) : SEGUE_OK;
}

static segue_status choose_first_scored(replay_study *st, segue_error *err)
{
    segue_replay_result *result = st->result;
    const size_t half = result->n_played / 2 + 1;
    result->holdout = st->config->holdout;
    result->first_scored = half < FIRST_SCORED ? half : FIRST_SCORED;
    if (st->config->first_scored)
        result->first_scored = st->config->first_scored;
    if (result->holdout)
        result->first_scored = result->n_learned + 1;
    if (result->first_scored > result->n_played)
        return segue_fail(err, SEGUE_EUSAGE, "--from %zu is after the last of %zu tasks",
                          result->first_scored, result->n_played);
    return SEGUE_OK;
}

/* ---- steps ------------------------------------------------------------------------------- */

/* Return the probability that a row answers the pull that waits for it. */
static double answer_rate(const replay_study *st)
{
    const segue_history *history = st->config->history;
    if (st->result->urn)
        return 1.0;
    return history->probability ? st->rows.rate : 1.0 / (double)history->n_arms;
}

static segue_status choose_steps(replay_study *st, segue_error *err)
{
    segue_replay_result *result = st->result;
    double *rows = calloc(result->n_played, sizeof *rows);
    if (!rows)
        return no_memory(err);
    for (size_t i = 0; i < result->n_played; i++)
        rows[i] = segue_replay_tasks_rows(st->config->history, i);
    const double median = segue_stats_quantile(rows, result->n_played, 0.5) * answer_rate(st);
    const double max_rows = rows[result->n_played - 1]; /* the quantile sorts them */
    free(rows);
    result->steps = (uint64_t)fmin(MAX_STEPS, fmax(1.0, floor(median)));
    if (st->config->steps)
        result->steps = st->config->steps;
    if (!result->urn && (double)result->steps > max_rows)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--steps %" PRIu64 ": no task has more than %.0f rows to answer them",
                          result->steps, max_rows);
    return SEGUE_OK;
}

/* ---- summaries --------------------------------------------------------------------------- */

static segue_status summarize_tasks(replay_study *st, segue_error *err)
{
    segue_replay_result *result = st->result;
    /* every run of a shuffled order scores other tasks, so that any task may be scored */
    const bool any = st->config->order == SEGUE_REPLAY_ORDER_SHUFFLE && !st->config->holdout;
    SEGUE_TRY(segue_replay_tasks_init(&st->tasks, result->n_arms, err));
    st->best = calloc(result->n_played, sizeof *st->best);
    if (!st->best)
        return no_memory(err);
    for (size_t position = 0; position < result->n_played; position++) {
        const size_t task = st->order[position];
        st->best[task] = segue_replay_tasks_add(&st->tasks, st->config->history, task,
                                                any || position + 1 >= result->first_scored);
    }
    result->rarest = segue_replay_tasks_rarest_arm(&st->tasks, &result->rarest_rewards);
    return SEGUE_OK;
}

static void summarize_log(replay_study *st)
{
    const segue_history *history = st->config->history;
    segue_replay_result *result = st->result;
    double sum = 0.0, accepted = 0.0;
    for (size_t i = 0; i < history->n_rows; i++) {
        sum += history->row[i].reward;
        accepted += result->thinned ? st->rows.rate / history->probability[i] : 1.0;
    }
    result->path = st->config->path;
    result->arm_name = history->arm_name;
    result->task_name = history->task_name;
    result->n_arms = history->n_arms;
    result->n_tasks = history->n_tasks;
    result->n_rows = history->n_rows;
    result->n_rows_skipped = segue_log_rows_count_skipped(&history->rows.skipped);
    result->is_tally = history->is_tally;
    result->drawn_from = history->drawn_from;
    result->log_options = st->config->log_options;
    result->lowest = st->config->lowest;
    result->highest = st->config->highest;
    result->logged = sum / (double)history->n_rows;
    result->rows_accepted = accepted / (double)history->n_rows;
    result->rewards_per_cell =
        (double)history->n_rows / (double)history->n_tasks / (double)history->n_arms;
    result->seed = st->config->seed;
    result->yearly = st->config->yearly;
}

static void fill_setting(replay_study *st)
{
    const segue_replay_result *result = st->result;
    st->setting = (replay_setting){.n_arms = result->n_arms,
                                   .urn = result->urn ? &st->urn : NULL,
                                   .rows = result->urn ? NULL : &st->rows,
                                   .best = st->best,
                                   .order = st->order,
                                   .n_tasks = result->n_played,
                                   .n_learned = result->n_learned,
                                   .shuffled = st->config->order == SEGUE_REPLAY_ORDER_SHUFFLE,
                                   .steps = result->steps,
                                   .seed = result->seed,
                                   .stop = st->config->stop};
}

segue_status segue_replay_prepare(replay_study *st, segue_error *err)
{
    SEGUE_TRY(choose_method(st, err));
    SEGUE_TRY(order_tasks(st, err));
    SEGUE_TRY(choose_first_scored(st, err));
    SEGUE_TRY(choose_steps(st, err));
    summarize_log(st);
    SEGUE_TRY(summarize_tasks(st, err));
    fill_setting(st);
    if (st->result->urn)
        find_needs(st);
    return segue_replay_add_warnings(st, err);
}
