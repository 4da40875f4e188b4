/* replay_prepare.c - which tasks of a log are played, in which order, and for how many steps.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay_internal.h"

#define LEAST     3    /* rewards of each arm: averages of fewer are luck */
#define MANY      30   /* full tasks are enough to resample, of however many */
#define FROM      41   /* the first task that is scored, if there are so many */
#define MAX_STEPS 1000 /* by default */

static segue_status no_memory(const replay_study *st, segue_error *err)
{
    return segue_fail(err, SEGUE_ENOMEM, "out of memory for the tasks of %s", st->config->path);
}

/* ---- how it is played -------------------------------------------------------------------- */

/* Whether a task has enough rewards of every arm; `pulls` is scratch. */
static bool is_full(const replay_study *st, size_t task, double *pulls)
{
    const segue_history *history = st->config->history;
    double *sum = pulls + history->n_arms;
    segue_replay_task_counts(history, task, sum, pulls);
    for (size_t arm = 0; arm < history->n_arms; arm++)
        if (pulls[arm] < (double)st->found->least)
            return false;
    return true;
}

/* Keep the tasks that can be resampled; the others are left out. */
static segue_status keep_full(replay_study *st, segue_error *err)
{
    const segue_history *history = st->config->history;
    double *pulls = calloc(2 * history->n_arms, sizeof *pulls);
    if (!pulls)
        return no_memory(st, err);
    st->found->n_places = 0;
    for (size_t task = 0; task < history->n_tasks; task++)
        if (is_full(st, task, pulls))
            st->number[st->found->n_places++] = task;
    free(pulls);
    return SEGUE_OK;
}

static segue_status refuse_resampling(const replay_study *st, segue_error *err)
{
    return segue_fail(err, SEGUE_EDOMAIN,
                      "%s: none of the %zu tasks has %" PRIu64
                      " rewards or more of every arm, so they cannot be resampled: lower --least, "
                      "or, if the log's arms were drawn at random, give --play replay",
                      st->config->path, st->config->history->n_tasks, st->found->least);
}

/* Somebody who gives --least wants tasks resampled. */
static segue_status refuse_least(const replay_study *st, segue_error *err)
{
    return segue_fail(err, SEGUE_EUSAGE,
                      "--least goes with resampling, and only %zu of %zu tasks have %" PRIu64
                      " rewards or more of every arm, so the log would be replayed: lower it, or "
                      "give --play resampling",
                      st->found->n_places, st->config->history->n_tasks, st->found->least);
}

/* Replay takes every task. */
static void keep_all(replay_study *st)
{
    const segue_history *history = st->config->history;
    st->found->n_places = history->n_tasks;
    for (size_t task = 0; task < history->n_tasks; task++)
        st->number[task] = task;
    st->rows = (replay_rows){.start = history->start,
                             .row = history->row,
                             .probability = history->probability,
                             .rate = 1.0};
    for (size_t i = 0; history->probability && i < history->n_rows; i++)
        st->rows.rate = fmin(st->rows.rate, history->probability[i]);
}

/* Whether the full tasks are enough to go by, and not a few odd ones. */
static bool are_many(const replay_study *st)
{
    const size_t full = st->found->n_places;
    return full >= MANY || 2 * full >= st->config->history->n_tasks;
}

/* Resample, if any task can be, unless replay is asked for, or the log tells what it takes to
 * replay it and there is little to resample. */
static bool resamples(const replay_study *st)
{
    const bool replayable =
        st->config->way == SEGUE_REPLAY_METHOD_AUTO && st->config->history->probability;
    return st->found->n_places > 0 && (!replayable || are_many(st));
}

static segue_status choose_method(replay_study *st, segue_error *err)
{
    const segue_replay_config *config = st->config;
    segue_replay_result *found = st->found;
    found->least = config->least ? config->least : LEAST;
    st->number = calloc(config->history->n_tasks, sizeof *st->number);
    if (!st->number)
        return no_memory(st, err);
    segue_status status = SEGUE_OK;
    if (config->way != SEGUE_REPLAY_METHOD_ROWS)
        status = keep_full(st, err);
    if (status != SEGUE_OK)
        return status;
    found->resampled = resamples(st);
    if (!found->resampled && config->way != SEGUE_REPLAY_METHOD_ROWS &&
        (config->way == SEGUE_REPLAY_METHOD_RESAMPLE || !config->history->probability))
        return refuse_resampling(st, err);
    if (!found->resampled && config->least)
        return refuse_least(st, err);
    if (!found->resampled)
        keep_all(st);
    found->thinned = !found->resampled && config->history->probability;
    found->n_left_out = config->history->n_tasks - found->n_places;
    if (found->n_places < 2)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s: only one task can be played, and transfer is from task to task; "
                          "need at least 2",
                          config->path);
    return SEGUE_OK;
}

static segue_status make_samples(replay_study *st, segue_error *err)
{
    const segue_history *history = st->config->history;
    return segue_samples_create(&st->samples, history->n_tasks, history->n_arms, history->row,
                                history->n_rows, st->found->least, err);
}

/* ---- the order --------------------------------------------------------------------------- */

/* Tasks that are played, by their times. */
static segue_status order_by_time(replay_study *st, segue_error *err)
{
    const segue_history *history = st->config->history;
    if (!history->time)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--order time: %s has no column 'time'; order its rows, and take "
                          "--order file",
                          st->config->path);
    size_t *all = calloc(2 * history->n_tasks, sizeof *all), *place = all + history->n_tasks;
    segue_status status = all ? segue_history_order_by_time(history, all, err) : no_memory(st, err);
    for (size_t i = 0; i < st->found->n_places && status == SEGUE_OK; i++)
        place[st->number[i]] = i + 1;
    for (size_t i = 0, n = 0; i < history->n_tasks && status == SEGUE_OK; i++)
        if (place[all[i]])
            st->order[n++] = place[all[i]] - 1;
    free(all);
    return status;
}

/* Those that match go behind the others, both in their order. */
static void part_by_name(replay_study *st, const regex_t *pattern, size_t *matching)
{
    size_t kept = 0, n_matching = 0;
    for (size_t i = 0; i < st->found->n_places; i++) {
        const size_t task = st->order[i];
        const char *name = st->config->history->task_name[st->number[task]];
        if (regexec(pattern, name, 0, NULL, 0) == 0)
            matching[n_matching++] = task;
        else
            st->order[kept++] = task;
    }
    memcpy(st->order + kept, matching, n_matching * sizeof *matching);
    st->found->n_learned = kept;
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
    size_t *matching = calloc(st->found->n_places, sizeof *matching);
    if (matching)
        part_by_name(st, &pattern, matching);
    regfree(&pattern);
    free(matching);
    if (!matching)
        return no_memory(st, err);
    if (st->found->n_learned == 0 || st->found->n_learned == st->found->n_places)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--holdout: '%.60s' matches %s of the %zu tasks that can be played, such "
                          "as '%.60s'; some must be left to %s",
                          text, st->found->n_learned ? "none" : "all", st->found->n_places,
                          st->config->history->task_name[st->number[0]],
                          st->found->n_learned ? "score" : "learn from");
    return SEGUE_OK;
}

static segue_status put_in_order(replay_study *st, segue_error *err)
{
    static const char *const orders[] = {"file", "shuffle", "time"};
    segue_replay_result *found = st->found;
    segue_status status = SEGUE_OK;
    st->order = calloc(found->n_places, sizeof *st->order);
    if (!st->order)
        return no_memory(st, err);
    for (size_t i = 0; i < found->n_places; i++)
        st->order[i] = i;
    found->order = orders[st->config->order];
    found->n_learned = found->n_places;
    if (st->config->order == SEGUE_REPLAY_ORDER_TIME)
        status = order_by_time(st, err);
    if (status == SEGUE_OK && st->config->holdout)
        status = hold_out(st, err);
    return status;
}

/* From which task on they are scored. */
static segue_status choose_from(replay_study *st, segue_error *err)
{
    segue_replay_result *found = st->found;
    const size_t half = found->n_places / 2 + 1;
    found->holdout = st->config->holdout;
    found->from = st->config->from ? st->config->from : half < FROM ? half : FROM;
    if (found->holdout)
        found->from = found->n_learned + 1;
    if (found->from > found->n_places)
        return segue_fail(err, SEGUE_EUSAGE, "--from %zu is behind the last of %zu tasks",
                          found->from, found->n_places);
    return SEGUE_OK;
}

/* ---- steps ------------------------------------------------------------------------------- */

static double rows_of(const replay_study *st, size_t task)
{
    const size_t *start = st->config->history->start + st->number[task];
    return (double)(start[1] - start[0]);
}

/* How likely a row answers: of arms that were drawn alike, one in so many. */
static double rate_of(const replay_study *st)
{
    const segue_history *history = st->config->history;
    return st->found->resampled   ? 1.0
           : history->probability ? st->rows.rate
                                  : 1.0 / (double)history->n_arms;
}

static segue_status choose_steps(replay_study *st, segue_error *err)
{
    segue_replay_result *found = st->found;
    double *rows = calloc(found->n_places, sizeof *rows);
    if (!rows)
        return no_memory(st, err);
    for (size_t i = 0; i < found->n_places; i++)
        rows[i] = rows_of(st, i);
    const double middle = segue_stats_quantile(rows, found->n_places, 0.5) * rate_of(st);
    const double most = rows[found->n_places - 1]; /* they are sorted now */
    free(rows);
    found->steps = (uint64_t)fmin(MAX_STEPS, fmax(1.0, floor(middle)));
    if (st->config->steps)
        found->steps = st->config->steps;
    if (!found->resampled && (double)found->steps > most)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--steps %" PRIu64 ": no task has more than %.0f rows to answer them",
                          found->steps, most);
    return SEGUE_OK;
}

/* ---- what is known of the tasks ---------------------------------------------------------- */

static void find_rarest(segue_replay_result *found, const double *pulls)
{
    found->rarest = 0;
    for (size_t arm = 1; arm < found->n_arms; arm++)
        if (pulls[arm] < pulls[found->rarest])
            found->rarest = arm;
    found->rarest_rewards = pulls[found->rarest] / (double)found->n_places;
}

static segue_status summarize_tasks(replay_study *st, segue_error *err)
{
    const segue_history *history = st->config->history;
    const size_t n_arms = history->n_arms;
    /* each run scores others of its own order, and all in all any */
    const bool any = st->config->order == SEGUE_REPLAY_ORDER_SHUFFLE && !st->config->holdout;
    double *sum = calloc(3 * n_arms, sizeof *sum); /* of a task: sums, pulls; of all: pulls */
    st->best = calloc(st->found->n_places, sizeof *st->best);
    st->arm_sum = calloc(n_arms, sizeof *st->arm_sum);
    st->arm_count = calloc(n_arms, sizeof *st->arm_count);
    if (!sum || !st->best || !st->arm_sum || !st->arm_count) {
        free(sum);
        return no_memory(st, err);
    }
    for (size_t place = 0; place < st->found->n_places; place++) {
        const size_t task = st->order[place];
        const bool counts = any || place + 1 >= st->found->from;
        segue_replay_task_counts(history, st->number[task], sum, sum + n_arms);
        for (size_t arm = 0; arm < n_arms; arm++) {
            const double pulls = sum[n_arms + arm], mean = sum[arm] / fmax(pulls, 1.0);
            st->best[task] = fmax(st->best[task], mean);
            st->arm_sum[arm] += counts ? mean : 0.0;
            st->arm_count[arm] += counts && pulls > 0.0;
            sum[2 * n_arms + arm] += pulls;
        }
    }
    find_rarest(st->found, sum + 2 * n_arms);
    free(sum);
    return SEGUE_OK;
}

static void summarize_log(replay_study *st)
{
    const segue_history *history = st->config->history;
    segue_replay_result *found = st->found;
    double sum = 0.0, kept = 0.0;
    for (size_t i = 0; i < history->n_rows; i++) {
        sum += history->row[i].reward;
        kept += found->thinned ? st->rows.rate / history->probability[i] : 1.0;
    }
    found->path = st->config->path;
    found->arm_name = history->arm_name;
    found->task_name = history->task_name;
    found->n_arms = history->n_arms;
    found->n_tasks = history->n_tasks;
    found->n_rows = history->n_rows;
    found->lowest = st->config->lowest;
    found->highest = st->config->highest;
    found->logged = sum / (double)history->n_rows;
    found->rows_kept = kept / (double)history->n_rows;
    found->runs = st->config->runs;
    found->seed = st->config->seed;
}

static void set_setting(replay_study *st)
{
    const segue_replay_result *found = st->found;
    st->setting = (replay_setting){.n_arms = found->n_arms,
                                   .samples = st->samples,
                                   .rows = found->resampled ? NULL : &st->rows,
                                   .order = st->order,
                                   .n_tasks = found->n_places,
                                   .n_learned = found->n_learned,
                                   .shuffled = st->config->order == SEGUE_REPLAY_ORDER_SHUFFLE,
                                   .steps = found->steps,
                                   .seed = found->seed};
}

segue_status segue_replay_prepare(replay_study *st, segue_error *err)
{
    segue_status status = choose_method(st, err);
    if (status == SEGUE_OK && st->found->resampled)
        status = make_samples(st, err);
    if (status == SEGUE_OK)
        status = put_in_order(st, err);
    if (status == SEGUE_OK)
        status = choose_from(st, err);
    if (status == SEGUE_OK)
        status = choose_steps(st, err);
    if (status != SEGUE_OK)
        return status;
    summarize_log(st);
    status = summarize_tasks(st, err);
    if (status != SEGUE_OK)
        return status;
    set_setting(st);
    return segue_replay_add_warnings(st, err);
}
