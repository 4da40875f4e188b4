/* replay_prepare.c - choose the tasks of a replay, their order, and the number of steps.
 *
 * Resampling plays the full tasks of a log, with enough rewards of every arm; row replay plays all
 * tasks.  Tasks that match --holdout come last in the order and are scored; without it, tasks from
 * a position on are scored.  Indices: `number` maps a played task to its number in the log, and
 * `order` maps a position to a played task.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay_internal.h"

#define FIRST_SCORED 41   /* by default, if the log has twice as many tasks */
#define MAX_STEPS    1000 /* by default */

static segue_status no_memory(segue_error *err)
{
    return segue_fail_no_memory(err, "the tasks of a log");
}

/* ---- method ------------------------------------------------------------------------------ */

static segue_status select_full(replay_study *st, segue_error *err)
{
    const segue_history *history = st->config->history;
    double *scratch = calloc(2 * history->n_arms, sizeof *scratch);
    if (!scratch)
        return no_memory(err);
    st->result->n_played =
        segue_replay_tasks_select_full(history, st->result->min_rewards, st->number, scratch);
    free(scratch);
    return SEGUE_OK;
}

/* Row replay plays every task.  Its rate is the smallest probability of the log. */
static void select_all(replay_study *st)
{
    const segue_history *history = st->config->history;
    st->result->n_played = history->n_tasks;
    for (size_t task = 0; task < history->n_tasks; task++)
        st->number[task] = task;
    st->rows = (replay_rows){.start = history->start,
                             .row = history->row,
                             .probability = history->probability,
                             .rate = 1.0};
    for (size_t i = 0; history->probability && i < history->n_rows; i++)
        st->rows.rate = fmin(st->rows.rate, history->probability[i]);
}

static segue_status reject_resampling(const replay_study *st, segue_error *err)
{
    return segue_fail(err, SEGUE_EDOMAIN,
                      "%s: none of the %zu tasks has %" PRIu64
                      " rewards or more of every arm, so they cannot be resampled: lower --least, "
                      "or, if the log drew its arms at random, give --play replay",
                      st->config->path, st->config->history->n_tasks, st->result->min_rewards);
}

/* --least asks for resampling. */
static segue_status reject_min_rewards(const replay_study *st, segue_error *err)
{
    return segue_fail(err, SEGUE_EUSAGE,
                      "--least goes with resampling, and only %zu of %zu tasks have %" PRIu64
                      " rewards or more of every arm, so the log would be replayed: lower it, or "
                      "give --play resampling",
                      st->result->n_played, st->config->history->n_tasks, st->result->min_rewards);
}

/* Resample if any task can be; but a log with probabilities, for which --play is auto, needs enough
 * full tasks. */
static bool can_resample(const replay_study *st)
{
    const segue_history *history = st->config->history;
    const bool replayable = st->config->method == SEGUE_REPLAY_METHOD_AUTO && history->probability;
    const size_t n_full = st->result->n_played;
    return n_full > 0 && (!replayable || segue_replay_tasks_are_enough(n_full, history->n_tasks));
}

static segue_status choose_method(replay_study *st, segue_error *err)
{
    const segue_replay_config *config = st->config;
    segue_replay_result *result = st->result;
    if (config->method != SEGUE_REPLAY_METHOD_ROWS) {
        SEGUE_TRY(select_full(st, err));
        result->resampled = can_resample(st);
        if (!result->resampled &&
            (config->method == SEGUE_REPLAY_METHOD_RESAMPLE || !config->history->probability))
            return reject_resampling(st, err);
    }
    if (!result->resampled && config->min_rewards)
        return reject_min_rewards(st, err);
    if (!result->resampled)
        select_all(st);
    result->thinned = !result->resampled && config->history->probability;
    return SEGUE_OK;
}

static segue_status select_tasks(replay_study *st, segue_error *err)
{
    const segue_history *history = st->config->history;
    segue_replay_result *result = st->result;
    const uint64_t min_rewards = st->config->min_rewards;
    result->min_rewards = min_rewards ? min_rewards : SEGUE_REPLAY_MIN_REWARDS;
    st->number = calloc(history->n_tasks, sizeof *st->number);
    if (!st->number)
        return no_memory(err);
    SEGUE_TRY(choose_method(st, err));
    result->n_skipped = history->n_tasks - result->n_played;
    if (result->n_played < 2)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s: only one task can be played, and transfer is from task to task; "
                          "need at least 2",
                          st->config->path);
    return result->resampled
               ? segue_samples_create(&st->samples, history->n_tasks, history->n_arms, history->row,
                                      history->n_rows, result->min_rewards, err)
               : SEGUE_OK;
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
    /* numbers of the log by time; and for each, its played task plus 1, or 0 */
    size_t *by_time = calloc(2 * history->n_tasks, sizeof *by_time);
    if (!by_time)
        return no_memory(err);
    size_t *played = by_time + history->n_tasks;
    const segue_status status = segue_history_order_by_time(history, by_time, err);
    for (size_t i = 0; i < st->result->n_played && status == SEGUE_OK; i++)
        played[st->number[i]] = i + 1;
    for (size_t i = 0, n = 0; i < history->n_tasks && status == SEGUE_OK; i++)
        if (played[by_time[i]])
            st->order[n++] = played[by_time[i]] - 1;
    free(by_time);
    return status;
}

/* Move the tasks whose names match to the end, and preserve both orders. */
static void partition_by_name(replay_study *st, const regex_t *pattern, size_t *matching)
{
    size_t n_others = 0, n_matching = 0;
    for (size_t i = 0; i < st->result->n_played; i++) {
        const size_t task = st->order[i];
        const char *name = st->config->history->task_name[st->number[task]];
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
                      "--holdout: '%.60s' matches %s of the %zu tasks that can be played, such as "
                      "'%.60s'; need some to %s",
                      st->config->holdout, result->n_learned ? "none" : "all", result->n_played,
                      st->config->history->task_name[st->number[0]],
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
    if (st->result->resampled)
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
        rows[i] = segue_replay_tasks_rows(st->config->history, st->number[i]);
    const double median = segue_stats_quantile(rows, result->n_played, 0.5) * answer_rate(st);
    const double max_rows = rows[result->n_played - 1]; /* the quantile sorts them */
    free(rows);
    result->steps = (uint64_t)fmin(MAX_STEPS, fmax(1.0, floor(median)));
    if (st->config->steps)
        result->steps = st->config->steps;
    if (!result->resampled && (double)result->steps > max_rows)
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
        st->best[task] = segue_replay_tasks_add(&st->tasks, st->config->history, st->number[task],
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
    result->log_options = st->config->log_options;
    result->lowest = st->config->lowest;
    result->highest = st->config->highest;
    result->logged = sum / (double)history->n_rows;
    result->rows_accepted = accepted / (double)history->n_rows;
    result->runs = st->config->runs;
    result->seed = st->config->seed;
}

static void fill_setting(replay_study *st)
{
    const segue_replay_result *result = st->result;
    st->setting = (replay_setting){.n_arms = result->n_arms,
                                   .samples = st->samples,
                                   .rows = result->resampled ? NULL : &st->rows,
                                   .order = st->order,
                                   .n_tasks = result->n_played,
                                   .n_learned = result->n_learned,
                                   .shuffled = st->config->order == SEGUE_REPLAY_ORDER_SHUFFLE,
                                   .steps = result->steps,
                                   .seed = result->seed};
}

segue_status segue_replay_prepare(replay_study *st, segue_error *err)
{
    SEGUE_TRY(select_tasks(st, err));
    SEGUE_TRY(order_tasks(st, err));
    SEGUE_TRY(choose_first_scored(st, err));
    SEGUE_TRY(choose_steps(st, err));
    summarize_log(st);
    SEGUE_TRY(summarize_tasks(st, err));
    fill_setting(st);
    return segue_replay_add_warnings(st, err);
}
