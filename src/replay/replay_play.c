/* replay_play.c - all runs of all players over threads, and what each task brought.
 *
 * A task has one number a player: its reward a step.  Resampled tasks have all n steps.  Replayed
 * ones end where their rows do, and then the reward a step is taken step by step: r_t, the average
 * at step t over the N_t tasks that reached it, and the average of r_1 .. r_n.  Since how far a
 * task comes does not depend on what was played (replay/replay_run.c), each r_t is what step t of a
 * live task pays, and short tasks do not make early steps count more.  What task i brings to it is
 *
 *     r + N sum over its steps t of (x_it - r_t) / (n N_t),      N tasks, average r,
 *
 * whose average over tasks is r; the bootstrap draws tasks with these (docs/adr/0017).
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "replay/replay_internal.h"
#include "segue/internal.h"

/* What a worker works in. */
typedef struct replay_worker {
    replay_run run;
    double *won, *lost; /* n_places: a step of the task at each place, as told above */
    double *reached;    /* n_steps: N_t */
    double *total;      /* n_steps: the sum at step t, then its average */
} replay_worker;

typedef struct thread_pool {
    replay_study *st;
    replay_worker *places; /* one a thread */
    uint64_t n_items;
} thread_pool;

/* ---- replayed tasks ---------------------------------------------------------------------- */

/* The value of a step: its reward, or its regret. */
static double value_of(const replay_study *st, const replay_worker *w, size_t place, double reward,
                       bool regret)
{
    return regret ? st->best[w->run.task[place]] - reward : reward;
}

/* The rewards of the first task that is scored. */
static const double *scored_steps(const replay_study *st, const replay_worker *w)
{
    const double *step = w->run.step;
    for (size_t place = 0; place + 1 < st->found->from; place++)
        step += w->run.steps[place];
    return step;
}

/* Averages at every step, and N_t; returns their average over the steps that any task reached,
 * whose number goes to *n_steps. */
static double average_steps(const replay_study *st, replay_worker *w, bool regret, double *n_steps)
{
    const size_t n = (size_t)st->found->steps;
    const double *step = scored_steps(st, w);
    double sum = 0.0;
    memset(w->reached, 0, n * sizeof *w->reached);
    memset(w->total, 0, n * sizeof *w->total);
    for (size_t place = st->found->from - 1; place < st->found->n_places; place++)
        for (uint64_t t = 0; t < w->run.steps[place]; t++) {
            w->reached[t] += 1.0;
            w->total[t] += value_of(st, w, place, *step++, regret);
        }
    *n_steps = 0.0;
    for (size_t t = 0; t < n && w->reached[t] > 0.0; t++) {
        w->total[t] /= w->reached[t];
        sum += w->total[t];
        *n_steps += 1.0;
    }
    return *n_steps > 0.0 ? sum / *n_steps : 0.0;
}

static void spread_steps(const replay_study *st, replay_worker *w, bool regret, double *out)
{
    double n_steps = 0.0;
    const double average = average_steps(st, w, regret, &n_steps);
    const double n_tasks = (double)(st->found->n_places + 1 - st->found->from);
    const double *step = scored_steps(st, w);
    for (size_t place = st->found->from - 1; place < st->found->n_places; place++) {
        double brought = 0.0;
        for (uint64_t t = 0; t < w->run.steps[place]; t++)
            brought +=
                (value_of(st, w, place, *step++, regret) - w->total[t]) / (n_steps * w->reached[t]);
        out[place] = average + n_tasks * brought;
    }
}

/* ---- one run ----------------------------------------------------------------------------- */

static void value_run(const replay_study *st, replay_worker *w)
{
    if (!st->found->resampled) {
        spread_steps(st, w, false, w->won);
        spread_steps(st, w, true, w->lost);
        return;
    }
    for (size_t place = 0; place < st->found->n_places; place++) {
        w->won[place] = w->run.reward[place] / (double)st->found->steps;
        w->lost[place] = st->best[w->run.task[place]] - w->won[place];
    }
}

static segue_status play_item(void *context, size_t worker, uint64_t item, segue_error *err)
{
    const thread_pool *c = context;
    const replay_study *st = c->st;
    replay_worker *w = &c->places[worker];
    const segue_status status = segue_replay_run_play(
        &st->setting, &st->player[item / st->found->runs], item % st->found->runs, &w->run, err);
    if (status == SEGUE_OK)
        value_run(st, w);
    return status;
}

/* What the task at a place brings to the curve: its own steps. */
static void add_to_curve(replay_study *st, const replay_worker *w, size_t player, size_t place)
{
    const double steps = (double)w->run.steps[place];
    const size_t at = player * st->found->n_places + place;
    if (steps == 0.0)
        return;
    const double reward = w->run.reward[place] / steps;
    segue_stats_add(&st->reward[at], reward);
    segue_stats_add(&st->regret[at], st->best[w->run.task[place]] - reward);
}

static void commit_item(void *context, size_t worker, uint64_t item)
{
    const thread_pool *c = context;
    replay_study *st = c->st;
    const replay_worker *w = &c->places[worker];
    const size_t n_places = st->found->n_places, player = (size_t)(item / st->found->runs);
    const double n_scored = (double)(n_places + 1 - st->found->from);
    double sum = 0.0;
    for (size_t place = 0; place < n_places; place++) {
        add_to_curve(st, w, player, place);
        if (place + 1 < st->found->from)
            continue;
        const size_t task = w->run.task[place];
        st->won[player * n_places + task] += w->won[place];
        st->lost[player * n_places + task] += w->lost[place];
        st->count[task] += player == 0; /* all players meet the same tasks */
        sum += w->won[place];
        segue_stats_add(&st->reached, w->run.steps[place] == st->found->steps);
    }
    segue_stats_add(&st->run[player], sum / n_scored);
    const double steps = (double)n_places * (double)st->found->steps; /* of an item, at most */
    if (st->config->progress)
        st->config->progress(st->config->context, (double)(item + 1) * steps,
                             (double)c->n_items * steps);
}

/* ---- all of them ------------------------------------------------------------------------- */

static segue_status replay_worker_init(replay_worker *w, const replay_study *st, segue_error *err)
{
    const size_t n_steps = st->found->resampled ? 0 : (size_t)st->found->steps;
    const segue_status status = segue_replay_run_init(&w->run, &st->setting, err);
    w->won = calloc(st->found->n_places, sizeof *w->won);
    w->lost = calloc(st->found->n_places, sizeof *w->lost);
    w->reached = calloc(n_steps + 1, sizeof *w->reached);
    w->total = calloc(n_steps + 1, sizeof *w->total);
    if (status == SEGUE_OK && (!w->won || !w->lost || !w->reached || !w->total))
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu tasks", st->found->n_places);
    return status;
}

static void replay_worker_fini(replay_worker *w)
{
    segue_replay_run_fini(&w->run);
    free(w->won);
    free(w->lost);
    free(w->reached);
    free(w->total);
}

static segue_status reserve_sums(replay_study *st, segue_error *err)
{
    const size_t n_places = st->found->n_places, cells = st->found->n_players * n_places;
    st->won = calloc(cells, sizeof *st->won);
    st->lost = calloc(cells, sizeof *st->lost);
    st->count = calloc(n_places, sizeof *st->count);
    st->reward = calloc(cells, sizeof *st->reward);
    st->regret = calloc(cells, sizeof *st->regret);
    st->run = calloc(st->found->n_players, sizeof *st->run);
    if (st->won && st->lost && st->count && st->reward && st->regret && st->run)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu tasks", n_places);
}

segue_status segue_replay_play_all(replay_study *st, segue_error *err)
{
    const uint64_t n_items = st->found->n_players * st->found->runs;
    const size_t n_threads = st->config->threads < n_items ? st->config->threads : (size_t)n_items;
    thread_pool c = {.st = st, .n_items = n_items, .places = calloc(n_threads, sizeof *c.places)};
    segue_status status = reserve_sums(st, err);
    if (!c.places && status == SEGUE_OK)
        status = segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu threads", n_threads);
    for (size_t i = 0; i < n_threads && status == SEGUE_OK; i++)
        status = replay_worker_init(&c.places[i], st, err);
    if (status == SEGUE_OK)
        status = segue_parallel_run(n_threads, n_items, play_item, commit_item, &c, err);
    for (size_t i = 0; c.places && i < n_threads; i++)
        replay_worker_fini(&c.places[i]);
    free(c.places);
    return status;
}
