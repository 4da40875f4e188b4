/* schedule.c - which runs there are, in which order they are played, and who plays them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/schedule.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/cost.h"
#include "experiment/measure.h"
#include "io/json_write.h"
#include "segue/internal.h"
#include "segue/version.h"

#define MAX_NUMBERS (double)(1 << 27) /* kept of all runs: a gigabyte */

/* Whether a learner looks for as many models as there are; 0: it is told. */
static bool looks_for_all(const segue_simulation *sim)
{
    const size_t wanted = sim->learner->n_models;
    return wanted == 0 || wanted == segue_environment_models(sim->environment);
}

/* Estimated models can be compared where there is one set, of which each task has a model, and as
 * many of them are looked for. */
static segue_track_set followed(const segue_experiment *ex, const segue_simulation *sim)
{
    const segue_environment *env = sim->environment;
    if (!ex->every || !sim->tasks || !sim->learner)
        return SEGUE_TRACK_SET_REGRET;
    const segue_learner_method *method = segue_learner_method_find(sim->learner->method);
    if (method->has_types)
        return SEGUE_TRACK_SET_TYPES;
    const bool comparable = method->has_models && segue_environment_has_models(env) &&
                            !env->switch_to && looks_for_all(sim);
    return comparable ? SEGUE_TRACK_SET_MODELS : SEGUE_TRACK_SET_REGRET;
}

static double tasks_of(const segue_simulation *sim)
{
    return sim->tasks ? (double)sim->tasks : (double)segue_runner_runs(sim) / (double)sim->runs;
}

double segue_cost_experiment(const segue_experiment *ex)
{
    double cost = 0.0;
    for (size_t i = 0; i < segue_experiment_cells(ex); i++) {
        const segue_simulation sim = segue_experiment_cell(ex, i);
        cost += segue_cost_run(&sim, tasks_of(&sim)) * (double)ex->runs;
    }
    return cost;
}

size_t segue_schedule_tracks_offset(const schedule_cell *cell)
{
    return COLUMN_MODELS + 2 * cell->n_models;
}

static segue_status cell_init(schedule_cell *c, const segue_experiment *ex, size_t number,
                              segue_error *err)
{
    c->sim = segue_experiment_cell(ex, number);
    const bool single = c->sim.tasks == 0;
    const bool has_models = segue_environment_has_models(c->sim.environment);
    c->n_models = has_models ? segue_environment_models(c->sim.environment) : 0;
    c->follow = followed(ex, &c->sim);
    segue_measure measure;
    const segue_status status =
        segue_measure_init(&measure, c->follow, &c->sim, single ? 0 : ex->every, err);
    if (status != SEGUE_OK)
        return status;
    const size_t models = c->n_models ? c->n_models : 1;
    c->width = single ? models + SINGLE_COLUMNS
                      : segue_schedule_tracks_offset(c) + segue_measure_size(&measure);
    c->steps = (double)c->sim.steps * tasks_of(&c->sim);
    c->task_time = segue_cost_run(&c->sim, 1.0);
    if ((double)ex->runs * (double)c->width * (double)segue_experiment_cells(ex) > MAX_NUMBERS)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s: asks for too many runs, or points over tasks: %" PRIu64
                          " runs of %zu numbers in %zu cells",
                          ex->name, ex->runs, c->width, segue_experiment_cells(ex));
    c->values = calloc(ex->runs * c->width, sizeof *c->values);
    return c->values ? SEGUE_OK : segue_fail_no_memory(err, "the runs");
}

void segue_schedule_fini(plan *p)
{
    for (size_t i = 0; p->cells && i < p->n_cells; i++)
        free(p->cells[i].values);
    free(p->cells);
    free(p->order);
    free(p->done);
    free(p->todo);
    segue_checkpoint_close(p->journal);
    (void)pthread_mutex_destroy(&p->writing);
    (void)pthread_mutex_destroy(&p->telling);
}

/* By insertion: the longest first, and of equals the first. */
static void put_in_order(plan *p)
{
    for (size_t i = 0; i < p->n_cells; i++) {
        size_t at = i;
        for (; at > 0 && p->cells[p->order[at - 1]].steps < p->cells[i].steps; at--)
            p->order[at] = p->order[at - 1];
        p->order[at] = i;
    }
    for (size_t i = 0; i < p->n_cells; i++)
        p->cells[p->order[i]].place = i;
}

segue_status segue_schedule_init(plan *p, const segue_experiment *ex,
                                 const segue_run_options *conduct, segue_error *err)
{
    *p = (plan){.ex = ex,
                .conduct = conduct,
                .shard = conduct->shard,
                .n_cells = segue_experiment_cells(ex),
                .writing = PTHREAD_MUTEX_INITIALIZER,
                .telling = PTHREAD_MUTEX_INITIALIZER};
    p->cells = calloc(p->n_cells, sizeof *p->cells);
    p->order = calloc(p->n_cells, sizeof *p->order);
    if (!p->cells || !p->order)
        return segue_fail_no_memory(err, "the cells");
    segue_status status = SEGUE_OK;
    for (size_t i = 0; i < p->n_cells && status == SEGUE_OK; i++)
        status = cell_init(&p->cells[i], ex, i, err);
    if (status != SEGUE_OK)
        return status;
    put_in_order(p);
    p->n_units = p->n_cells * ex->runs;
    p->done = calloc(p->n_units, sizeof *p->done);
    p->todo = calloc(p->n_units, sizeof *p->todo);
    if (!p->done || !p->todo)
        return segue_fail_no_memory(err, "the runs");
    return SEGUE_OK;
}

/* ---- units ------------------------------------------------------------------------------- */

static bool is_of_shard(const plan *p, uint64_t unit)
{
    const uint64_t runs = p->ex->runs, place = p->cells[unit / runs].place * runs + unit % runs;
    return p->shard.count == 0 || place % p->shard.count + 1 == p->shard.number;
}

uint64_t segue_schedule_n_units(const plan *p)
{
    const uint64_t count = p->shard.count ? p->shard.count : 1;
    const uint64_t number = p->shard.count ? p->shard.number : 1;
    return (p->n_units + count - number) / count;
}

double *segue_schedule_values(const plan *p, uint64_t unit, size_t *count)
{
    const uint64_t runs = p->ex->runs;
    const schedule_cell *c = &p->cells[unit / runs];
    *count = c->width;
    return c->values + unit % runs * c->width;
}

bool segue_schedule_add_run(void *context, uint64_t unit, const double *values, size_t count)
{
    plan *p = context;
    size_t width = 0;
    if (unit >= p->n_units || p->done[unit] || !is_of_shard(p, unit))
        return false;
    double *place = segue_schedule_values(p, unit, &width);
    if (count != width)
        return false;
    memcpy(place, values, count * sizeof *values);
    p->done[unit] = true;
    p->kept++;
    return true;
}

void segue_schedule_assign(plan *p, size_t self, size_t count)
{
    const uint64_t runs = p->ex->runs;
    uint64_t turn = 0;
    for (uint64_t place = 0; place < p->n_units; place++) {
        const uint64_t unit = p->order[place / runs] * runs + place % runs;
        if (p->done[unit] || !is_of_shard(p, unit))
            continue;
        if (turn++ % count == self)
            p->todo[p->n_todo++] = unit;
        const schedule_cell *c = &p->cells[unit / runs];
        p->total += tasks_of(&c->sim) * c->task_time;
    }
}

/* ---- words ------------------------------------------------------------------------------- */

segue_status segue_schedule_identity(const plan *p, segue_output *identity, segue_error *err)
{
    segue_status status = segue_output_init(identity, err);
    if (status != SEGUE_OK)
        return status;
    fprintf(identity->stream, "segue %s, %s\n", segue_version(), segue_version_build());
    if (p->shard.count)
        fprintf(identity->stream, "shard %" PRIu64 " of %" PRIu64 "\n", p->shard.number,
                p->shard.count);
    status = segue_json_print(identity->stream, json_incref(p->ex->json), err);
    return status == SEGUE_OK ? segue_output_finish(identity, err) : status;
}

segue_status segue_schedule_open_checkpoint(plan *p, segue_error *err)
{
    segue_output identity;
    const segue_run_options *conduct = p->conduct;
    segue_status status = segue_schedule_identity(p, &identity, err);
    if (status == SEGUE_OK)
        status =
            segue_checkpoint_open(&p->journal, conduct->journal, identity.data, conduct->resume,
                                  conduct->fresh, segue_schedule_add_run, p, err);
    segue_output_fini(&identity);
    return status;
}

segue_status segue_schedule_stopped_error(const plan *p, const char *why, segue_error *err)
{
    return segue_fail(err, SEGUE_ESTOPPED,
                      "stopped%s; %" PRIu64 " of %" PRIu64
                      " runs of '%s' are kept, and '--resume' goes on from there",
                      why, p->kept, segue_schedule_n_units(p), p->ex->name);
}
