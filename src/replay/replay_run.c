/* replay_run.c - one run over the tasks of a log, by the urn or by row replay.
 *
 * Row replay never withdraws an ask: it waits for its row.  If rows are accepted at the same rate
 * for every arm, the wait is geometric with that rate, for any arm and history.  So the number of
 * steps of a task does not depend on the candidate, and its steps are those of a live task
 * (docs/adr/0017).  Accepted rows are drawn row by row, independently of the asks: all candidates
 * of a run see the same rows.  A run uses one thread and its own objects.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/replay_run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "replay/urn/urn_task.h"
#include "segue/internal.h"

/* The state of a run. */
typedef struct play {
    const replay_setting *setting;
    const replay_candidate *candidate;
    uint64_t run;
    segue_task *task; /* the policy's; or the learner's open task; or NULL */
    segue_learner *learner;
    segue_urn_task urn_task; /* the urn */
    double *step;            /* row replay: where the next reward goes */
} play;

/* ---- results ---------------------------------------------------------------------------- */

static size_t rows_of(const replay_rows *rows, size_t task)
{
    return rows->start[task + 1] - rows->start[task];
}

/* Return the largest number of steps of all tasks together. */
static size_t max_steps(const replay_setting *setting)
{
    size_t sum = 0;
    for (size_t i = 0; i < setting->n_tasks; i++) {
        const size_t count = rows_of(setting->rows, setting->order[i]);
        sum += count < setting->steps ? count : (size_t)setting->steps;
    }
    return sum;
}

segue_status segue_replay_run_init(replay_run *out, const replay_setting *setting, segue_error *err)
{
    const size_t count = setting->n_tasks;
    *out = (replay_run){.task = calloc(count, sizeof *out->task),
                        .steps = calloc(count, sizeof *out->steps),
                        .reward = calloc(count, sizeof *out->reward),
                        .best = calloc(count, sizeof *out->best),
                        .logged = calloc(count, sizeof *out->logged)};
    if (setting->rows)
        out->step = calloc(max_steps(setting) + 1, sizeof *out->step);
    if (out->task && out->steps && out->reward && out->best && out->logged &&
        (out->step || !setting->rows))
        return SEGUE_OK;
    segue_replay_run_fini(out);
    return segue_fail(err, SEGUE_ENOMEM, "out of memory for a run of %zu tasks", count);
}

void segue_replay_run_fini(replay_run *run)
{
    free(run->task);
    free(run->steps);
    free(run->reward);
    free(run->best);
    free(run->logged);
    free(run->step);
    *run = (replay_run){.task = NULL};
}

/* ---- the order --------------------------------------------------------------------------- */

/* Shuffle positions first .. end - 1 (Fisher and Yates). */
static void shuffle(const play *p, size_t *task, size_t first, size_t end)
{
    for (size_t position = first; position < end; position++) {
        segue_rng rng;
        segue_rng_init(&rng, p->setting->seed, p->run, position, SEGUE_STREAM_MODEL);
        const size_t with = position + (size_t)(segue_rng_uniform(&rng) * (double)(end - position));
        const size_t other = task[position];
        task[position] = task[with];
        task[with] = other;
    }
}

static void order_tasks(const play *p, size_t *task)
{
    const replay_setting *setting = p->setting;
    memcpy(task, setting->order, setting->n_tasks * sizeof *task);
    if (!setting->shuffled)
        return;
    shuffle(p, task, 0, setting->n_learned);
    shuffle(p, task, setting->n_learned, setting->n_tasks);
}

/* ---- one task ---------------------------------------------------------------------------- */

static size_t ask(const play *p)
{
    return p->task ? segue_task_ask(p->task) : p->candidate->arm;
}

static void tell(const play *p, size_t arm, double reward)
{
    const segue_status status = p->task ? segue_task_tell(p->task, arm, reward, NULL) : SEGUE_OK;
    assert(status == SEGUE_OK); /* rewards of a log are in range */
    (void)status;
}

/* Draw if a row may answer a pull. */
static bool is_accepted(const replay_rows *rows, size_t row, segue_rng *rng)
{
    return !rows->probability || segue_rng_uniform(rng) * rows->probability[row] < rows->rate;
}

/* Replay the rows of the task at a position; return the number of its steps. */
static uint64_t replay_rows_of(play *p, size_t position, size_t task, double *reward)
{
    const replay_rows *rows = p->setting->rows;
    uint64_t step = 0;
    size_t arm = ask(p);
    segue_rng rng;
    segue_rng_init(&rng, p->setting->seed, p->run, position, SEGUE_STREAM_THINNING);
    for (size_t i = rows->start[task]; i < rows->start[task + 1] && step < p->setting->steps; i++) {
        const segue_logged_reward *row = &rows->row[i];
        if (!is_accepted(rows, i, &rng) || row->arm != arm)
            continue;
        tell(p, arm, row->reward);
        *p->step++ = row->reward;
        *reward += row->reward;
        if (++step < p->setting->steps)
            arm = ask(p);
    }
    return step;
}

/* Play the task at a position with the urn. */
static void play_urn(play *p, size_t position, replay_run *out)
{
    const replay_setting *setting = p->setting;
    segue_urn_task *urn = &p->urn_task;
    segue_urn_task_begin(urn, out->task[position], setting->seed, p->run);
    for (uint64_t step = 0; step < setting->steps; step++) {
        const size_t arm = ask(p);
        tell(p, arm, segue_urn_task_pull(urn, arm));
    }
    out->steps[position] = setting->steps;
    out->reward[position] = urn->value;
    out->best[position] = urn->best;
    out->logged[position] = (double)urn->n_logged;
}

static void play_rows(play *p, size_t position, replay_run *out)
{
    const size_t task = out->task[position];
    out->reward[position] = 0.0;
    out->steps[position] = replay_rows_of(p, position, task, &out->reward[position]);
    out->best[position] = p->setting->best ? p->setting->best[task] : 0.0;
    out->logged[position] = (double)out->steps[position];
}

/* ---- one run ----------------------------------------------------------------------------- */

static segue_status create_task(play *p, segue_error *err)
{
    segue_task_config config = segue_task_defaults();
    config.policy = *p->candidate->policy;
    config.setting = (segue_setting){
        .n_arms = p->setting->n_arms, .horizon = p->setting->steps, .n_tasks = p->setting->n_tasks};
    return segue_task_create(&p->task, &config, err);
}

static segue_status create_learner(play *p, segue_error *err)
{
    segue_learner_config config = *p->candidate->learner;
    config.n_arms = p->setting->n_arms;
    config.horizon = p->setting->steps;
    config.n_tasks = p->setting->n_learned;
    config.seed = p->setting->seed;
    config.run = p->run;
    return segue_learner_create(&p->learner, &config, err);
}

static segue_status play_init(play *p, segue_error *err)
{
    if (p->setting->urn)
        SEGUE_TRY(segue_urn_task_init(&p->urn_task, p->setting->urn, err));
    if (p->candidate->policy)
        SEGUE_TRY(create_task(p, err));
    return p->candidate->learner ? create_learner(p, err) : SEGUE_OK;
}

static void play_fini(play *p)
{
    if (!p->learner)
        segue_task_destroy(p->task);
    segue_learner_destroy(p->learner);
    segue_urn_task_fini(&p->urn_task);
}

/* Begin a task.  A learner opens one per task that it learns from; held-out tasks share one more,
 * which is never closed and so never learned from. */
static segue_status begin(play *p, size_t position, segue_error *err)
{
    if (p->learner && position <= p->setting->n_learned)
        SEGUE_TRY(segue_learner_open_task(p->learner, &p->task, err));
    if (!p->task)
        return SEGUE_OK;
    segue_rng rng;
    segue_rng_init(&rng, p->setting->seed, p->run, position, SEGUE_STREAM_POLICY);
    segue_task_next(p->task, &rng, 0);
    return SEGUE_OK;
}

static segue_status end(play *p, size_t position, segue_error *err)
{
    const bool learns = p->learner && position < p->setting->n_learned;
    return learns ? segue_learner_close_task(p->learner, &p->task, err) : SEGUE_OK;
}

segue_status segue_replay_run_check(const replay_setting *setting,
                                    const replay_candidate *candidate, segue_error *err)
{
    play p = {.setting = setting, .candidate = candidate};
    const segue_status status = play_init(&p, err);
    play_fini(&p);
    return status;
}

segue_status segue_replay_run_play(const replay_setting *setting, const replay_candidate *candidate,
                                   uint64_t number, replay_run *out, segue_error *err)
{
    play p = {.setting = setting, .candidate = candidate, .run = number, .step = out->step};
    segue_status status = play_init(&p, err);
    if (status != SEGUE_OK)
        goto done;
    order_tasks(&p, out->task);
    for (size_t position = 0; position < setting->n_tasks && status == SEGUE_OK; position++) {
        status = begin(&p, position, err);
        if (status != SEGUE_OK)
            goto done;
        if (setting->urn)
            play_urn(&p, position, out);
        else
            play_rows(&p, position, out);
        status = end(&p, position, err);
        if (status == SEGUE_OK)
            status = segue_stop_check(setting->stop, err);
    }
done:
    play_fini(&p);
    return status;
}
