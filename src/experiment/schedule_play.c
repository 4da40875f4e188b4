/* schedule_play.c - one run of a cell, into its own place and to where it is kept.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "experiment/measure.h"
#include "experiment/processes.h"
#include "experiment/schedule.h"
#include "segue/internal.h"

typedef struct notes {
    plan *plan;
    const schedule_cell *cell;
    segue_measure measure;
    double *by_model; /* of a run of tasks: sum and count of each model */
} notes;

/* Whoever finds another telling goes on: that one will do. */
void segue_schedule_progress(plan *p, const schedule_cell *cell, uint64_t tasks)
{
    const segue_run_options *conduct = p->conduct;
    atomic_fetch_add(&p->played, (uint64_t)(cell->task_time * (double)tasks));
    if (!conduct->progress || pthread_mutex_trylock(&p->telling) != 0)
        return;
    conduct->progress(conduct->context, (double)atomic_load(&p->played), p->total);
    (void)pthread_mutex_unlock(&p->telling);
}

static bool is_stopped(const plan *p)
{
    return atomic_load(&p->stop) || (p->conduct->stopped && p->conduct->stopped());
}

static segue_status note_task(void *context, const run_task *task, segue_error *err)
{
    notes *n = context;
    segue_schedule_progress(n->plan, n->cell, 1);
    if (is_stopped(n->plan))
        return segue_fail(err, SEGUE_ESTOPPED, "stopped");
    if (n->by_model && n->cell->n_models) {
        n->by_model[2 * task->model] += task->regret;
        n->by_model[2 * task->model + 1] += 1.0;
    }
    return segue_measure_task(&n->measure, task, task->number + 1 == n->cell->sim.tasks, err);
}

/* Single tasks: the regret of one task of each model, then the steps without a model and the pulls
 * of arms that are best for none, both by the weights. */
static segue_status play_single(notes *n, segue_runner *runner, uint64_t run, double *values,
                                segue_error *err)
{
    const size_t models = n->cell->n_models ? n->cell->n_models : 1;
    segue_status status = SEGUE_OK;
    const double *weight = n->cell->n_models ? n->cell->sim.environment->models->weight : NULL;
    double *behind = values + models;
    behind[SINGLE_NO_MODEL] = behind[SINGLE_NEVER_BEST] = 0.0;
    for (size_t k = 0; k < models && status == SEGUE_OK; k++) {
        run_totals totals;
        status = segue_runner_play(runner, k * n->cell->sim.runs + run, &totals, note_task, n, err);
        values[k] = totals.regret;
        behind[SINGLE_NO_MODEL] += (weight ? weight[k] : 1.0) * totals.no_model_left;
        behind[SINGLE_NEVER_BEST] += (weight ? weight[k] : 1.0) * totals.never_best;
    }
    return status;
}

static segue_status play_tasks(notes *n, segue_runner *runner, uint64_t run, double *values,
                               segue_error *err)
{
    run_totals totals;
    n->by_model = values + COLUMN_MODELS;
    memset(n->by_model, 0, 2 * n->cell->n_models * sizeof *values);
    segue_measure_begin(&n->measure, values + segue_schedule_tracks_offset(n->cell));
    const segue_status status = segue_runner_play(runner, run, &totals, note_task, n, err);
    values[COLUMN_REGRET] = totals.regret;
    values[COLUMN_NO_MODEL] = totals.no_model_left;
    values[COLUMN_VIOLATIONS] = totals.violations;
    values[COLUMN_LEFT_OUT] = totals.excluded;
    values[COLUMN_NEVER_BEST] = totals.never_best;
    return status;
}

static segue_status play(plan *p, uint64_t unit, segue_error *err)
{
    const schedule_cell *c = &p->cells[unit / p->ex->runs];
    const uint64_t run = unit % p->ex->runs;
    notes n = {.plan = p, .cell = c};
    segue_runner *runner = NULL;
    size_t width = 0;
    double *values = segue_schedule_values(p, unit, &width);
    segue_status status = segue_runner_create(&runner, &c->sim, err);
    if (status == SEGUE_OK)
        status = segue_measure_init(&n.measure, c->follow, &c->sim, c->sim.tasks ? p->ex->every : 0,
                                    err);
    if (status == SEGUE_OK)
        status = c->sim.tasks ? play_tasks(&n, runner, run, values, err)
                              : play_single(&n, runner, run, values, err);
    segue_runner_destroy(runner);
    return status;
}

/* On the disk, or with the process that writes there. */
static segue_status keep(plan *p, uint64_t unit, segue_error *err)
{
    size_t count = 0;
    const double *values = segue_schedule_values(p, unit, &count);
    return p->journal ? segue_checkpoint_add(p->journal, unit, values, count, err)
                      : segue_processes_send_run(p->conduct->ranks, unit, values, count, err);
}

segue_status segue_schedule_play_item(void *context, size_t worker, uint64_t item, segue_error *err)
{
    plan *p = context;
    const uint64_t unit = p->todo[item];
    (void)worker;
    segue_status status = play(p, unit, err);
    if (status != SEGUE_OK)
        return status;
    (void)pthread_mutex_lock(&p->writing);
    status = keep(p, unit, err);
    p->done[unit] = status == SEGUE_OK;
    p->kept += p->done[unit];
    (void)pthread_mutex_unlock(&p->writing);
    return status;
}
