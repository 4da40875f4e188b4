/* schedule_play.c - play one unit into its row of numbers, and save it.
 *
 * Any thread plays any unit; only saving takes a lock.  A stop is noticed after every task: the
 * unit is then lost, and played again when the experiment resumes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <time.h>

#include "experiment/cost.h"
#include "experiment/measure/measure.h"
#include "experiment/processes.h"
#include "experiment/schedule.h"
#include "experiment/suite/shared_runs.h"
#include "segue/internal.h"

typedef struct observer {
    segue_schedule *schedule;
    const schedule_cell *cell;
    size_t n_later; /* equal cells of later experiments */
    shared_cell *later[SEGUE_MAX_SHARED];
    segue_measure measure[1 + SEGUE_MAX_SHARED]; /* of the cell, and of the later ones */
    double *by_model;                            /* of a run of tasks: sum and count per model */
} observer;

/* A thread that finds the display busy skips it. */
void segue_schedule_progress(segue_schedule *s, const schedule_cell *cell, uint64_t tasks)
{
    const segue_run_options *options = s->options;
    atomic_fetch_add(&s->played, (uint64_t)(cell->task_time * (double)tasks));
    if (!options->progress || pthread_mutex_trylock(&s->progress_lock) != 0)
        return;
    options->progress(options->context, (double)atomic_load(&s->played), s->total);
    (void)pthread_mutex_unlock(&s->progress_lock);
}

static bool is_stopped(const segue_schedule *s)
{
    return atomic_load(&s->stop) || (s->options->stopped && s->options->stopped());
}

/* Called after each task of a run. */
static segue_status observe_task(void *context, const run_task *task, segue_error *err)
{
    observer *n = context;
    segue_schedule_progress(n->schedule, n->cell, 1);
    if (is_stopped(n->schedule))
        return segue_fail(err, SEGUE_ESTOPPED, "stopped");
    if (n->by_model && n->cell->n_models) {
        n->by_model[2 * task->model] += task->regret;
        n->by_model[2 * task->model + 1] += 1.0;
    }
    for (size_t i = 0; i <= n->n_later; i++)
        SEGUE_TRY(
            segue_measure_task(&n->measure[i], task, task->number + 1 == n->cell->sim.tasks, err));
    return SEGUE_OK;
}

/* Play one task per model.  The row has their regrets, then the steps without a model and the pulls
 * of arms that are best for none, both weighted by the models. */
static segue_status play_single(observer *n, segue_runner *runner, uint64_t run, double *values,
                                segue_error *err)
{
    const size_t models = n->cell->n_models ? n->cell->n_models : 1;
    segue_status status = SEGUE_OK;
    const double *weight = n->cell->n_models ? n->cell->sim.environment->models->weight : NULL;
    double *totals_of_run = values + models;
    totals_of_run[SINGLE_NO_MODEL] = totals_of_run[SINGLE_NEVER_BEST] = 0.0;
    for (size_t k = 0; k < models && status == SEGUE_OK; k++) {
        run_totals totals;
        status =
            segue_runner_play(runner, k * n->cell->sim.runs + run, &totals, observe_task, n, err);
        values[k] = totals.regret;
        totals_of_run[SINGLE_NO_MODEL] += (weight ? weight[k] : 1.0) * totals.no_model_left;
        totals_of_run[SINGLE_NEVER_BEST] += (weight ? weight[k] : 1.0) * totals.never_best;
    }
    return status;
}

/* Return the row of a run in a later cell. */
static double *later_row(const shared_cell *later, uint64_t run)
{
    return later->cell.values + run * later->cell.width;
}

/* Start the measures of a run of tasks; each has its own row for tracks. */
static segue_status begin_measures(observer *n, uint64_t run, double *values, segue_error *err)
{
    const size_t offset = segue_schedule_tracks_offset(n->cell);
    SEGUE_TRY(segue_measure_begin(&n->measure[0], run, values + offset, err));
    for (size_t i = 0; i < n->n_later; i++)
        SEGUE_TRY(segue_measure_begin(&n->measure[1 + i], run, later_row(n->later[i], run) + offset,
                                      err));
    return SEGUE_OK;
}

/* Play one run of tasks, whose learner carries what it learns from task to task. */
static segue_status play_tasks(observer *n, segue_runner *runner, uint64_t run, double *values,
                               segue_error *err)
{
    run_totals totals;
    n->by_model = values + COLUMN_MODELS;
    memset(n->by_model, 0, 2 * n->cell->n_models * sizeof *values);
    SEGUE_TRY(begin_measures(n, run, values, err));
    const segue_status status = segue_runner_play(runner, run, &totals, observe_task, n, err);
    values[COLUMN_REGRET] = totals.regret;
    values[COLUMN_NO_MODEL] = totals.no_model_left;
    values[COLUMN_VIOLATIONS] = totals.violations;
    values[COLUMN_SKIPPED] = totals.skipped;
    values[COLUMN_NEVER_BEST] = totals.never_best;
    return status;
}

static segue_status play_run(observer *n, segue_runner *runner, uint64_t run, double *values,
                             segue_error *err)
{
    const segue_simulation *sim = &n->cell->sim;
    for (size_t i = 0; i <= n->n_later; i++) {
        const schedule_cell *cell = i ? &n->later[i - 1]->cell : n->cell;
        SEGUE_TRY(segue_measure_init(&n->measure[i], cell->track_set, sim, cell->every, err));
    }
    return sim->tasks ? play_tasks(n, runner, run, values, err)
                      : play_single(n, runner, run, values, err);
}

static segue_status play(segue_schedule *s, uint64_t unit, segue_error *err)
{
    const schedule_cell *c = &s->cells[unit / s->ex->runs];
    const uint64_t run = unit % s->ex->runs;
    observer n = {.schedule = s, .cell = c};
    n.n_later = segue_shared_runs_later(s->options->shared, s->options->experiment,
                                        unit / s->ex->runs, run, n.later);
    segue_runner *runner = NULL;
    size_t width = 0;
    double *values = segue_schedule_values(s, unit, &width);
    SEGUE_TRY(segue_runner_create(&runner, &c->sim, err));
    const segue_status status = play_run(&n, runner, run, values, err);
    for (size_t i = 0; i <= n.n_later; i++)
        segue_measure_end(&n.measure[i]);
    segue_runner_destroy(runner);
    return status;
}

segue_status segue_schedule_save_run(segue_schedule *s, uint64_t unit, segue_error *err)
{
    size_t count = 0;
    const double *values = segue_schedule_values(s, unit, &count);
    SEGUE_TRY(s->checkpoint
                  ? segue_checkpoint_add(s->checkpoint, unit, values, count, err)
                  : segue_processes_send_run(s->options->processes, unit, values, count, err));
    s->done[unit] = true;
    s->n_done++;
    return SEGUE_OK;
}

/* Copy what does not depend on `every` to the rows of later experiments, which have it then. The
 * caller holds checkpoint_lock. */
static void share_run(const segue_schedule *s, uint64_t unit)
{
    const schedule_cell *c = &s->cells[unit / s->ex->runs];
    const uint64_t run = unit % s->ex->runs;
    shared_cell *later[SEGUE_MAX_SHARED];
    const size_t count = segue_shared_runs_later(s->options->shared, s->options->experiment,
                                                 unit / s->ex->runs, run, later);
    const size_t same = c->sim.tasks ? segue_schedule_tracks_offset(c) : c->width;
    for (size_t i = 0; i < count; i++) {
        memcpy(later_row(later[i], run), c->values + run * c->width, same * sizeof *c->values);
        later[i]->known[run] = true;
    }
}

static double cpu_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Play a unit and measure its time. */
static segue_status play_measured(segue_schedule *s, uint64_t unit, segue_error *err)
{
    const segue_simulation *sim = &s->cells[unit / s->ex->runs].sim;
    const double start = cpu_clock();
    SEGUE_TRY(play(s, unit, err));
    if (!s->options->meter)
        return SEGUE_OK;
    (void)pthread_mutex_lock(&s->progress_lock);
    segue_cost_meter_add(s->options->meter, sim, segue_cost_tasks(sim), cpu_clock() - start);
    (void)pthread_mutex_unlock(&s->progress_lock);
    return SEGUE_OK;
}

/* One item of the thread pool. */
segue_status segue_schedule_play_item(void *context, size_t worker, uint64_t item, segue_error *err)
{
    segue_schedule *s = context;
    const uint64_t unit = s->todo[item];
    (void)worker;
    SEGUE_TRY(play_measured(s, unit, err));
    (void)pthread_mutex_lock(&s->checkpoint_lock);
    const segue_status status = segue_schedule_save_run(s, unit, err);
    if (status == SEGUE_OK)
        share_run(s, unit);
    (void)pthread_mutex_unlock(&s->checkpoint_lock);
    return status;
}
