/* shared_runs.c - find equal cells of several experiments, and hold the numbers of their runs.
 *
 * A cell has a key, a text of everything that its runs depend on.  Cells whose key occurs in one
 * experiment only are dropped, so that only shared runs take memory.  schedule_play.c
 * fills the rows of later experiments; schedule.c takes them when such an experiment begins.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/suite/shared_runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_write.h"
#include "io/output.h"
#include "segue/internal.h"

/* ---- keys -------------------------------------------------------------------------------- */

/* Print the options of a policy or learner; a default that the table has counts as given. */
static void print_options(FILE *out, const segue_option *options, size_t count, const double *value,
                          bool has_defaults)
{
    for (size_t i = 0; i < count; i++) {
        const double x = isnan(value[i]) && has_defaults ? options[i].default_value : value[i];
        fprintf(out, " %s=%.17g", options[i].key, x);
    }
}

static void print_policy(FILE *out, const segue_simulation *sim)
{
    const segue_policy *policy = sim->policy.policy;
    if (!sim->learner) {
        fprintf(out, "%s", policy->name);
        print_options(out, policy->options, policy->n_options, sim->policy.option, false);
        return;
    }
    const segue_learner_method *method = segue_learner_method_find(sim->learner->method);
    fprintf(out, "%s m=%zu", method->name, sim->learner->n_models);
    print_options(out, method->options, method->n_options, sim->learner->option, true);
}

/* The name of an environment does not change its tasks. */
static segue_status print_environment(FILE *out, const segue_experiment *ex, size_t cell,
                                      segue_error *err)
{
    const json_t *all = json_object_get(ex->json, "environment");
    const size_t i = segue_experiment_environment(ex, cell);
    json_t *copy = json_copy((json_t *)(json_is_array(all) ? json_array_get(all, i) : all));
    (void)json_object_del(copy, "name");
    return segue_json_print_line(out, copy, err);
}

/* The streams of single tasks depend on the number of runs; those of runs of tasks do not. */
static segue_status print_key(segue_output *key, const segue_experiment *ex, size_t cell,
                              segue_error *err)
{
    const segue_simulation sim = segue_experiment_cell(ex, cell);
    SEGUE_TRY(segue_output_init(key, err));
    print_policy(key->stream, &sim);
    fprintf(key->stream, "\n%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", sim.steps,
            sim.tasks, sim.seed, sim.tasks ? 0 : sim.runs);
    SEGUE_TRY(print_environment(key->stream, ex, cell, err));
    return segue_output_finish(key, err);
}

/* ---- equal cells ------------------------------------------------------------------------- */

typedef struct candidate {
    size_t experiment, number, group;
    bool shared; /* an equal cell is in another experiment */
    segue_output key;
} candidate;

/* Put a cell into the group of the first equal one. */
static void find_group(candidate *all, size_t i)
{
    all[i].group = i;
    for (size_t k = 0; k < i && all[i].group == i; k++)
        if (strcmp(all[k].key.data, all[i].key.data) == 0)
            all[i].group = all[k].group;
    for (size_t k = 0; k < i; k++)
        if (all[k].group == all[i].group && all[k].experiment != all[i].experiment)
            all[k].shared = all[i].shared = true;
}

static segue_status collect(candidate *all, segue_experiment *const *experiment, size_t count,
                            segue_error *err)
{
    size_t n = 0;
    for (size_t e = 0; e < count; e++)
        for (size_t c = 0; c < segue_experiment_cells(experiment[e]); c++, n++) {
            all[n].experiment = e;
            all[n].number = c;
            SEGUE_TRY(print_key(&all[n].key, experiment[e], c, err));
            find_group(all, n);
        }
    return SEGUE_OK;
}

static segue_status add_cell(segue_shared_runs *shared, const candidate *from,
                             const segue_experiment *ex, segue_error *err)
{
    shared_cell *cell = &shared->cells[shared->n_cells++];
    cell->experiment = from->experiment;
    cell->number = from->number;
    cell->group = from->group;
    SEGUE_TRY(segue_schedule_cell_init(&cell->cell, ex, from->number, err));
    cell->known = calloc(ex->runs, sizeof *cell->known);
    return cell->known ? SEGUE_OK : segue_fail_no_memory(err, "the runs");
}

static segue_status fill(segue_shared_runs *shared, candidate *all, size_t n,
                         segue_experiment *const *experiment, size_t count, segue_error *err)
{
    SEGUE_TRY(collect(all, experiment, count, err));
    for (size_t i = 0; i < n; i++)
        if (all[i].shared)
            SEGUE_TRY(add_cell(shared, &all[i], experiment[all[i].experiment], err));
    return SEGUE_OK;
}

segue_status segue_shared_runs_create(segue_shared_runs **out, segue_experiment *const *experiment,
                                      size_t count, segue_error *err)
{
    size_t n = 0;
    *out = NULL;
    for (size_t e = 0; e < count; e++)
        n += segue_experiment_cells(experiment[e]);
    segue_shared_runs *shared = calloc(1, sizeof *shared);
    candidate *all = calloc(n + 1, sizeof *all);
    if (shared)
        shared->cells = calloc(n + 1, sizeof *shared->cells);
    const segue_status status = shared && shared->cells && all
                                    ? fill(shared, all, n, experiment, count, err)
                                    : segue_fail_no_memory(err, "the runs");
    for (size_t i = 0; all && i < n; i++)
        segue_output_fini(&all[i].key);
    free(all);
    if (status == SEGUE_OK)
        *out = shared;
    else
        segue_shared_runs_destroy(shared);
    return status;
}

void segue_shared_runs_destroy(segue_shared_runs *shared)
{
    if (!shared)
        return;
    for (size_t i = 0; shared->cells && i < shared->n_cells; i++) {
        free(shared->cells[i].cell.values);
        free(shared->cells[i].known);
    }
    free(shared->cells);
    free(shared);
}

/* ---- looking up -------------------------------------------------------------------------- */

static const shared_cell *find(const segue_shared_runs *shared, size_t experiment, size_t number)
{
    for (size_t i = 0; shared && i < shared->n_cells; i++)
        if (shared->cells[i].experiment == experiment && shared->cells[i].number == number)
            return &shared->cells[i];
    return NULL;
}

size_t segue_shared_runs_later(const segue_shared_runs *shared, size_t experiment, size_t number,
                               uint64_t run, shared_cell *found[SEGUE_MAX_SHARED])
{
    const shared_cell *self = find(shared, experiment, number);
    size_t count = 0;
    for (size_t i = 0; self && i < shared->n_cells && count < SEGUE_MAX_SHARED; i++) {
        shared_cell *other = &shared->cells[i];
        if (other->group == self->group && other->experiment > experiment &&
            run < other->cell.sim.runs)
            found[count++] = other;
    }
    return count;
}

const double *segue_shared_runs_find(const segue_shared_runs *shared, size_t experiment,
                                     size_t number, uint64_t run)
{
    const shared_cell *self = find(shared, experiment, number);
    return self && self->known[run] ? self->cell.values + run * self->cell.width : NULL;
}

bool segue_shared_runs_is_repeated(const segue_shared_runs *shared, size_t experiment,
                                   size_t number)
{
    const shared_cell *self = find(shared, experiment, number);
    for (size_t i = 0; self && i < shared->n_cells; i++) {
        const shared_cell *other = &shared->cells[i];
        if (other->group == self->group && other->experiment < experiment &&
            other->cell.sim.runs >= self->cell.sim.runs)
            return true;
    }
    return false;
}
