/* schedule.c - the units of an experiment, their order, and their assignment to processes.
 *
 * Each unit has its own row of numbers in memory, so threads and processes share nothing but locks
 * for files and messages, and results are sums over rows in a fixed order.  Cells with the longest
 * runs come first in the order; shards and processes take its units in turns, so that they take
 * about the same time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/schedule.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/cost.h"
#include "experiment/measure/measure.h"
#include "experiment/suite/shared_runs.h"
#include "io/json_write.h"
#include "segue/internal.h"
#include "segue/version.h"

#define MAX_NUMBERS (double)(1 << 27) /* of all runs in memory: a gigabyte */

/* Test whether a learner estimates as many models as there are; 0 stands for that number. */
static bool estimates_all(const segue_simulation *sim)
{
    const size_t wanted = sim->learner->n_models;
    return wanted == 0 || wanted == segue_environment_models(sim->environment);
}

/* Return the tracks of a cell.  Estimated models are compared with the true ones where tasks come
 * from one set, and the learner estimates as many. */
static segue_track_set find_track_set(const segue_experiment *ex, const segue_simulation *sim)
{
    const segue_environment *env = sim->environment;
    if (!ex->every || !sim->tasks || !sim->learner)
        return SEGUE_TRACK_SET_REGRET;
    const segue_learner_method *method = segue_learner_method_find(sim->learner->method);
    if (method->has_types)
        return SEGUE_TRACK_SET_TYPES;
    const bool comparable = method->has_models && segue_environment_has_models(env) &&
                            !env->switch_to && estimates_all(sim);
    if (!comparable)
        return SEGUE_TRACK_SET_REGRET;
    /* with spread the control could not draw the same means again */
    return ex->fresh_rewards && !(env->spread > 0.0) ? SEGUE_TRACK_SET_FRESH
                                                     : SEGUE_TRACK_SET_MODELS;
}

size_t segue_schedule_tracks_offset(const schedule_cell *cell)
{
    return COLUMN_MODELS + 2 * cell->n_models;
}

/* Allocate the rows of all runs of a cell, within the limit for all cells. */
segue_status segue_schedule_cell_init(schedule_cell *c, const segue_experiment *ex, size_t number,
                                      segue_error *err)
{
    c->sim = segue_experiment_cell(ex, number);
    const bool single = c->sim.tasks == 0;
    const bool has_models = segue_environment_has_models(c->sim.environment);
    c->n_models = has_models ? segue_environment_models(c->sim.environment) : 0;
    c->track_set = find_track_set(ex, &c->sim);
    c->every = single ? 0 : ex->every;
    segue_measure measure;
    SEGUE_TRY(segue_measure_init(&measure, c->track_set, &c->sim, c->every, err));
    const size_t models = c->n_models ? c->n_models : 1;
    c->width = single ? models + SINGLE_COLUMNS
                      : segue_schedule_tracks_offset(c) + segue_measure_size(&measure);
    c->steps = (double)c->sim.steps * segue_cost_tasks(&c->sim);
    c->task_time = segue_cost_run(&c->sim, 1.0);
    if ((double)ex->runs * (double)c->width * (double)segue_experiment_cells(ex) > MAX_NUMBERS)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s: asks for too many runs, or points over tasks: %" PRIu64
                          " runs of %zu numbers in %zu cells",
                          ex->name, ex->runs, c->width, segue_experiment_cells(ex));
    c->values = calloc(ex->runs * c->width, sizeof *c->values);
    return c->values ? SEGUE_OK : segue_fail_no_memory(err, "the runs");
}

/* Also for a schedule whose init failed. */
void segue_schedule_fini(segue_schedule *s)
{
    for (size_t i = 0; s->cells && i < s->n_cells; i++)
        free(s->cells[i].values);
    free(s->cells);
    free(s->order);
    free(s->done);
    free(s->todo);
    segue_checkpoint_close(s->checkpoint);
    (void)pthread_mutex_destroy(&s->checkpoint_lock);
    (void)pthread_mutex_destroy(&s->progress_lock);
}

/* Sort cells by insertion, longest runs first; equal ones stay in their order. */
static void sort_cells(segue_schedule *s)
{
    for (size_t i = 0; i < s->n_cells; i++) {
        size_t at = i;
        for (; at > 0 && s->cells[s->order[at - 1]].steps < s->cells[i].steps; at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = i;
    }
    for (size_t i = 0; i < s->n_cells; i++)
        s->cells[s->order[i]].position = i;
}

segue_status segue_schedule_init(segue_schedule *s, const segue_experiment *ex,
                                 const segue_run_options *options, segue_error *err)
{
    *s = (segue_schedule){.ex = ex,
                          .options = options,
                          .shard = options->shard,
                          .n_cells = segue_experiment_cells(ex),
                          .checkpoint_lock = PTHREAD_MUTEX_INITIALIZER,
                          .progress_lock = PTHREAD_MUTEX_INITIALIZER};
    s->cells = calloc(s->n_cells, sizeof *s->cells);
    s->order = calloc(s->n_cells, sizeof *s->order);
    if (!s->cells || !s->order)
        return segue_fail_no_memory(err, "the cells");
    for (size_t i = 0; i < s->n_cells; i++)
        SEGUE_TRY(segue_schedule_cell_init(&s->cells[i], ex, i, err));
    sort_cells(s);
    s->n_units = s->n_cells * ex->runs;
    s->done = calloc(s->n_units, sizeof *s->done);
    s->todo = calloc(s->n_units, sizeof *s->todo);
    if (!s->done || !s->todo)
        return segue_fail_no_memory(err, "the runs");
    return SEGUE_OK;
}

/* ---- units ------------------------------------------------------------------------------- */

/* Shards take units in turns, in the order of the schedule. */
static bool is_of_shard(const segue_schedule *s, uint64_t unit)
{
    const uint64_t runs = s->ex->runs, at = s->cells[unit / runs].position * runs + unit % runs;
    return s->shard.count == 0 || at % s->shard.count + 1 == s->shard.number;
}

uint64_t segue_schedule_n_units(const segue_schedule *s)
{
    const uint64_t count = s->shard.count ? s->shard.count : 1;
    const uint64_t number = s->shard.count ? s->shard.number : 1;
    return (s->n_units + count - number) / count;
}

/* The row of a unit: one thread plays a unit, so rows need no lock. */
double *segue_schedule_values(const segue_schedule *s, uint64_t unit, size_t *count)
{
    const uint64_t runs = s->ex->runs;
    const schedule_cell *c = &s->cells[unit / runs];
    *count = c->width;
    return c->values + unit % runs * c->width;
}

bool segue_schedule_add_run(void *context, uint64_t unit, const double *values, size_t count)
{
    segue_schedule *s = context;
    size_t width = 0;
    if (unit >= s->n_units || s->done[unit] || !is_of_shard(s, unit))
        return false;
    double *row = segue_schedule_values(s, unit, &width);
    if (count != width)
        return false;
    memcpy(row, values, count * sizeof *values);
    s->done[unit] = true;
    s->n_done++;
    return true;
}

/* The total cost counts the units of all processes: the coordinator shows progress for all. */
void segue_schedule_assign(segue_schedule *s, size_t self, size_t count)
{
    const uint64_t runs = s->ex->runs;
    uint64_t turn = 0;
    for (uint64_t i = 0; i < s->n_units; i++) {
        const uint64_t unit = s->order[i / runs] * runs + i % runs;
        if (s->done[unit] || !is_of_shard(s, unit))
            continue;
        if (turn++ % count == self)
            s->todo[s->n_todo++] = unit;
        const schedule_cell *c = &s->cells[unit / runs];
        s->total += segue_cost_tasks(&c->sim) * c->task_time;
    }
}

/* ---- checkpoint file --------------------------------------------------------------------- */

segue_status segue_schedule_identity(const segue_schedule *s, segue_output *identity,
                                     segue_error *err)
{
    SEGUE_TRY(segue_output_init(identity, err));
    fprintf(identity->stream, "segue %s, %s\n", segue_version(), segue_version_build());
    if (s->shard.count)
        fprintf(identity->stream, "shard %" PRIu64 " of %" PRIu64 "\n", s->shard.number,
                s->shard.count);
    SEGUE_TRY(segue_json_print(identity->stream, json_incref(s->ex->json), err));
    return segue_output_finish(identity, err);
}

segue_status segue_schedule_open_checkpoint(segue_schedule *s, segue_error *err)
{
    segue_output identity;
    const segue_run_options *options = s->options;
    segue_status status = segue_schedule_identity(s, &identity, err);
    if (status == SEGUE_OK)
        status =
            segue_checkpoint_open(&s->checkpoint, options->checkpoint_path, identity.data,
                                  options->resume, options->fresh, segue_schedule_add_run, s, err);
    segue_output_fini(&identity);
    return status;
}

/* Shared runs go to the checkpoint file as if they had been played. */
segue_status segue_schedule_add_shared(segue_schedule *s, segue_error *err)
{
    const segue_run_options *options = s->options;
    for (uint64_t unit = 0; options->shared && unit < s->n_units; unit++) {
        const size_t cell = unit / s->ex->runs;
        const double *values =
            segue_shared_runs_find(options->shared, options->experiment, cell, unit % s->ex->runs);
        size_t count = 0;
        if (!values || s->done[unit])
            continue;
        memcpy(segue_schedule_values(s, unit, &count), values,
               s->cells[cell].width * sizeof *values);
        SEGUE_TRY(segue_schedule_save_run(s, unit, err));
    }
    return SEGUE_OK;
}

segue_status segue_schedule_stopped_error(const segue_schedule *s, const char *why,
                                          segue_error *err)
{
    return segue_fail(err, SEGUE_ESTOPPED,
                      "stopped%s; %" PRIu64 " of %" PRIu64
                      " runs of '%s' are saved; '--resume' continues with them",
                      why, s->n_done, segue_schedule_n_units(s), s->ex->name);
}
