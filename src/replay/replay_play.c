/* replay_play.c - play all runs of all candidates over threads, and attribute rewards to tasks.
 *
 * A task has one number per candidate: its reward per step.  Tasks of the urn have all n steps.  Row
 * replay ends a task with its rows, so its reward per step is computed step by step: r_t is the
 * average at step t over the N_t tasks that reached it, and r the average of r_1 .. r_n.  The
 * number of steps of a task does not depend on the candidate (replay_run.c).  So r_t estimates the
 * reward at step t of a live task, and short tasks do not overweight early steps.  The contribution
 * of task i
 *
 *     r + N sum over its steps t of (x_it - r_t) / (n N_t),      N tasks,
 *
 * averages to r over tasks; the bootstrap resamples these (docs/adr/0017).
 *
 * An item is one run of one candidate.  Workers play items; one thread at a time commits them, in
 * their order.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "replay/replay_internal.h"
#include "segue/internal.h"

/* Memory of one worker thread. */
typedef struct replay_worker {
    replay_run run;
    double *reward, *regret; /* n_played: per step of the task at each position */
    double *reached;         /* n_steps: N_t */
    double *total;           /* n_steps: the sum at step t, then its average */
} replay_worker;

typedef struct thread_pool {
    replay_study *st;
    replay_worker *worker; /* one per thread */
} thread_pool;

/* ---- replayed tasks ---------------------------------------------------------------------- */

/* Return the reward of a step, or its regret. */
static double value_of(const replay_worker *w, size_t position, double reward, bool regret)
{
    return regret ? w->run.best[position] - reward : reward;
}

/* Return the steps of the first scored task. */
static const double *scored_steps(const replay_study *st, const replay_worker *w)
{
    const double *step = w->run.step;
    for (size_t position = 0; position + 1 < st->result->first_scored; position++)
        step += w->run.steps[position];
    return step;
}

/* Compute r_t and N_t; return r, over the steps that any task reached, whose number goes to
 * *n_steps.
 */
static double average_steps(const replay_study *st, replay_worker *w, bool regret, double *n_steps)
{
    const size_t n = (size_t)st->result->steps;
    const double *step = scored_steps(st, w);
    double sum = 0.0;
    memset(w->reached, 0, n * sizeof *w->reached);
    memset(w->total, 0, n * sizeof *w->total);
    for (size_t position = st->result->first_scored - 1; position < st->result->n_played;
         position++)
        for (uint64_t t = 0; t < w->run.steps[position]; t++) {
            w->reached[t] += 1.0;
            w->total[t] += value_of(w, position, *step++, regret);
        }
    *n_steps = 0.0;
    for (size_t t = 0; t < n && w->reached[t] > 0.0; t++) {
        w->total[t] /= w->reached[t];
        sum += w->total[t];
        *n_steps += 1.0;
    }
    return *n_steps > 0.0 ? sum / *n_steps : 0.0;
}

/* Compute the contribution of every scored task. */
static void attribute_steps(const replay_study *st, replay_worker *w, bool regret, double *out)
{
    double n_steps = 0.0;
    const double average = average_steps(st, w, regret, &n_steps);
    const double n_tasks = (double)(st->result->n_played + 1 - st->result->first_scored);
    const double *step = scored_steps(st, w);
    for (size_t position = st->result->first_scored - 1; position < st->result->n_played;
         position++) {
        double contribution = 0.0;
        for (uint64_t t = 0; t < w->run.steps[position]; t++)
            contribution +=
                (value_of(w, position, *step++, regret) - w->total[t]) / (n_steps * w->reached[t]);
        out[position] = average + n_tasks * contribution;
    }
}

/* ---- progress ---------------------------------------------------------------------------- */

void segue_replay_progress(replay_study *st, double tasks)
{
    const segue_replay_result *result = st->result;
    const double steps = (double)result->steps;
    const double own = (double)(result->n_candidates * result->runs * result->n_played);
    st->work_done += tasks;
    if (st->config->progress)
        st->config->progress(st->config->context, steps * st->work_done,
                             steps * (own + segue_replay_replicates_work(st)));
}

/* ---- one run ----------------------------------------------------------------------------- */

static void value_run(const replay_study *st, replay_worker *w)
{
    if (!st->result->urn) {
        attribute_steps(st, w, false, w->reward);
        attribute_steps(st, w, true, w->regret);
        return;
    }
    for (size_t position = 0; position < st->result->n_played; position++) {
        w->reward[position] = w->run.reward[position] / (double)st->result->steps;
        w->regret[position] = w->run.best[position] - w->reward[position];
    }
}

static segue_status play_item(void *context, size_t worker, uint64_t item, segue_error *err)
{
    const thread_pool *c = context;
    const replay_study *st = c->st;
    replay_worker *w = &c->worker[worker];
    SEGUE_TRY(segue_replay_run_play(&st->setting, &st->candidate[item / st->result->runs],
                                    item % st->result->runs, &w->run, err));
    value_run(st, w);
    return SEGUE_OK;
}

/* Add the task at a position to the curve: the average of its own steps. */
static void add_to_curve(replay_study *st, const replay_worker *w, size_t candidate,
                         size_t position)
{
    const double steps = (double)w->run.steps[position];
    const size_t at = candidate * st->result->n_played + position;
    if (steps == 0.0)
        return;
    const double reward = w->run.reward[position] / steps;
    segue_stats_add(&st->reward_curve[at], reward);
    segue_stats_add(&st->regret_curve[at], w->run.best[position] - reward);
}

static void commit_item(void *context, size_t worker, uint64_t item)
{
    const thread_pool *c = context;
    replay_study *st = c->st;
    const replay_worker *w = &c->worker[worker];
    const size_t n_played = st->result->n_played, candidate = (size_t)(item / st->result->runs);
    const double n_scored = (double)(n_played + 1 - st->result->first_scored);
    const size_t at = (size_t)(item % st->result->runs) * st->result->n_candidates + candidate;
    for (size_t position = 0; position < n_played; position++) {
        add_to_curve(st, w, candidate, position);
        if (position + 1 < st->result->first_scored)
            continue;
        const size_t task = w->run.task[position];
        st->reward_sum[candidate * n_played + task] += w->reward[position];
        st->regret_sum[candidate * n_played + task] += w->regret[position];
        st->count[task] += candidate == 0; /* all candidates play the same tasks */
        st->run_reward[at] += w->reward[position] / n_scored;
        st->run_regret[at] += w->regret[position] / n_scored;
        st->logged[candidate] += w->run.logged[position];
        st->pulls[candidate] += (double)w->run.steps[position];
        segue_stats_add(&st->complete, w->run.steps[position] == st->result->steps);
    }
    segue_replay_progress(st, (double)n_played);
}

/* ---- all runs ---------------------------------------------------------------------------- */

static segue_status replay_worker_init(replay_worker *w, const replay_study *st, segue_error *err)
{
    const size_t n_steps = st->result->urn ? 0 : (size_t)st->result->steps;
    SEGUE_TRY(segue_replay_run_init(&w->run, &st->setting, err));
    w->reward = calloc(st->result->n_played, sizeof *w->reward);
    w->regret = calloc(st->result->n_played, sizeof *w->regret);
    w->reached = calloc(n_steps + 1, sizeof *w->reached);
    w->total = calloc(n_steps + 1, sizeof *w->total);
    if (!w->reward || !w->regret || !w->reached || !w->total)
        return segue_fail_no_memory(err, "the rewards of tasks");
    return SEGUE_OK;
}

static void replay_worker_fini(replay_worker *w)
{
    segue_replay_run_fini(&w->run);
    free(w->reward);
    free(w->regret);
    free(w->reached);
    free(w->total);
}

static segue_status allocate_sums(replay_study *st, segue_error *err)
{
    const size_t n_candidates = st->result->n_candidates, n_played = st->result->n_played;
    const size_t cells = n_candidates * n_played;
    st->reward_sum = calloc(cells, sizeof *st->reward_sum);
    st->regret_sum = calloc(cells, sizeof *st->regret_sum);
    st->count = calloc(n_played, sizeof *st->count);
    st->reward_curve = calloc(cells, sizeof *st->reward_curve);
    st->regret_curve = calloc(cells, sizeof *st->regret_curve);
    st->run_reward = calloc(st->result->runs * n_candidates, sizeof *st->run_reward);
    st->run_regret = calloc(st->result->runs * n_candidates, sizeof *st->run_regret);
    st->logged = calloc(n_candidates, sizeof *st->logged);
    st->pulls = calloc(n_candidates, sizeof *st->pulls);
    if (st->reward_sum && st->regret_sum && st->count && st->reward_curve && st->regret_curve &&
        st->run_reward && st->run_regret && st->logged && st->pulls)
        return SEGUE_OK;
    return segue_fail_no_memory(err, "the rewards of tasks");
}

segue_status segue_replay_play_all(replay_study *st, segue_error *err)
{
    const uint64_t n_items = st->result->n_candidates * st->result->runs;
    const size_t n_threads = st->config->threads < n_items ? st->config->threads : (size_t)n_items;
    SEGUE_TRY(allocate_sums(st, err));
    thread_pool c = {.st = st, .worker = calloc(n_threads, sizeof *c.worker)};
    if (!c.worker)
        return segue_fail_no_memory(err, "worker threads");
    segue_status status = SEGUE_OK;
    for (size_t i = 0; i < n_threads && status == SEGUE_OK; i++)
        status = replay_worker_init(&c.worker[i], st, err);
    if (status == SEGUE_OK)
        status = segue_parallel_run(n_threads, n_items, play_item, commit_item, &c, err);
    for (size_t i = 0; i < n_threads; i++)
        replay_worker_fini(&c.worker[i]);
    free(c.worker);
    return status;
}
