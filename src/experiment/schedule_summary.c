/* schedule_summary.c - compute results from the numbers of all runs.
 *
 * Sums go over the rows of a cell in the order of the runs: the same bytes for any number of
 * threads, processes and resumptions.  A row of a cell without tasks has a regret per model, then
 * the columns SINGLE_*; a row of a run of tasks has the columns COLUMN_*, two sums per model, then
 * the points of its tracks (schedule.h).
 *
 * Runs in one thread, after all runs have ended.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "experiment/schedule.h"
#include "segue/internal.h"

static segue_stats stats_of(const schedule_cell *c, size_t column)
{
    segue_stats stats = {.count = 0};
    for (uint64_t run = 0; run < c->sim.runs; run++)
        segue_stats_add(&stats, c->values[run * c->width + column]);
    return stats;
}

/* The mean over models is stratified: its error has no share from the draw of the model. */
static void summarize_single(const schedule_cell *c, segue_cell *out)
{
    const size_t models = c->n_models ? c->n_models : 1;
    const double *weight = c->n_models ? c->sim.environment->models->weight : NULL;
    segue_stats stats = stats_of(c, 0);
    const segue_regret only = segue_summary_regret(&stats);
    for (size_t k = 0; k < c->n_models; k++) {
        stats = stats_of(c, k);
        out->by_model[k] = segue_summary_regret(&stats);
        out->model_tasks[k] = c->sim.runs;
    }
    out->regret = segue_summary_stratified(weight, weight ? out->by_model : &only, models);
    out->no_model_left = stats_of(c, models + SINGLE_NO_MODEL).mean;
    stats = stats_of(c, models + SINGLE_NEVER_BEST);
    out->never_best = segue_summary_regret(&stats);
}

/* Runs differ in how many tasks of a model they have: the mean is a ratio of two sums. */
static segue_regret regret_of_model(const schedule_cell *c, size_t model, uint64_t *n_tasks)
{
    segue_ratio ratio = {.runs = 0.0};
    for (uint64_t run = 0; run < c->sim.runs; run++) {
        const double *sums = c->values + run * c->width + COLUMN_MODELS + 2 * model;
        segue_summary_ratio_add(&ratio, sums[0], sums[1]);
    }
    *n_tasks = (uint64_t)ratio.count;
    return segue_summary_ratio_regret(&ratio);
}

/* Tracks that the cell does not measure have no memory, and no points in a row. */
static void summarize_tasks(const schedule_cell *c, segue_cell *out)
{
    const segue_stats stats = stats_of(c, COLUMN_REGRET), rest = stats_of(c, COLUMN_NEVER_BEST);
    out->never_best = segue_summary_regret(&rest);
    out->regret = segue_summary_regret(&stats);
    out->no_model_left = stats_of(c, COLUMN_NO_MODEL).mean;
    out->violations = stats_of(c, COLUMN_VIOLATIONS).mean;
    out->skipped = stats_of(c, COLUMN_SKIPPED).mean;
    for (size_t k = 0; k < c->n_models; k++)
        out->by_model[k] = regret_of_model(c, k, &out->model_tasks[k]);
    for (uint64_t run = 0; run < c->sim.runs; run++) {
        const double *values = c->values + run * c->width;
        out->run_regret[run] = values[COLUMN_REGRET];
        const double *points = values + segue_schedule_tracks_offset(c);
        for (size_t q = 0; q < SEGUE_N_TRACKS; q++)
            if (out->track[q]) {
                memcpy(out->track[q] + run * out->n_points, points, out->n_points * sizeof *values);
                points += out->n_points;
            }
    }
}

static segue_status summarize(const segue_schedule *s, size_t number, segue_cell *out,
                              segue_error *err)
{
    const segue_experiment *ex = s->ex;
    const schedule_cell *c = &s->cells[number];
    out->environment = strdup(ex->environment[segue_experiment_environment(ex, number)].name);
    out->policy = strdup(ex->policies.text[segue_experiment_policy(ex, number)]);
    if (!out->environment || !out->policy)
        return segue_fail_no_memory(err, "the results");
    out->steps = c->sim.steps;
    out->tasks = c->sim.tasks;
    out->runs = c->sim.runs;
    out->n_models = c->n_models;
    out->every = c->every;
    SEGUE_TRY(segue_cell_reserve(out, c->track_set, err));
    if (c->sim.tasks)
        summarize_tasks(c, out);
    else
        summarize_single(c, out);
    return SEGUE_OK;
}

static segue_status fill(const segue_schedule *s, segue_results **results, segue_error *err)
{
    json_t *experiment = NULL;
    SEGUE_TRY(segue_experiment_describe(s->ex, &experiment, err));
    SEGUE_TRY(segue_results_create(results, experiment, s->n_cells, err)); /* owns `experiment` */
    for (size_t i = 0; i < s->n_cells; i++)
        SEGUE_TRY(summarize(s, i, &(*results)->cell[i], err));
    return SEGUE_OK;
}

segue_status segue_schedule_summarize(const segue_schedule *s, segue_results **out,
                                      segue_error *err)
{
    segue_results *results = NULL;
    const segue_status status = fill(s, &results, err);
    if (status != SEGUE_OK) {
        segue_results_destroy(results);
        return status;
    }
    *out = results;
    return SEGUE_OK;
}
