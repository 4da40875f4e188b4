/* results.c - the results of an experiment in memory, and as JSON and CSV.
 *
 * The JSON holds everything that is needed to repeat the experiment, and segue_results_read reads
 * it back; numbers have 15 digits. CSV is for other programs: one row per cell and per model;
 * NAME-curve.csv has one row per point and run. 'segue help results' describes the fields.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/results/results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_build.h"
#include "io/output.h"
#include "segue/internal.h"
#include "segue/version.h"

/* ---- memory ------------------------------------------------------------------------------ */

static segue_status no_memory(segue_error *err)
{
    return segue_fail_no_memory(err, "the results");
}

/* Copy the fields of the experiment file, which was complete when it ran. */
static void name_results(segue_results *results)
{
    const json_t *experiment = results->experiment;
    const char *title = json_string_value(json_object_get(experiment, "title"));
    const char *variant = json_string_value(json_object_get(experiment, "variant"));
    const char *name = json_string_value(json_object_get(experiment, "name"));
    results->name = name ? name : "";
    results->title = title ? title : results->name;
    results->variant = variant ? variant : "";
    results->seed = (uint64_t)json_integer_value(json_object_get(experiment, "seed"));
}

/* Takes the reference to `experiment`, also if it fails. */
segue_status segue_results_create(segue_results **out, json_t *experiment, size_t n_cells,
                                  segue_error *err)
{
    *out = NULL;
    segue_results *results = calloc(1, sizeof *results);
    if (!results) {
        json_decref(experiment);
        return no_memory(err);
    }
    results->experiment = experiment;
    results->version = strdup(segue_version());
    results->cell = calloc(n_cells ? n_cells : 1, sizeof *results->cell);
    if (!results->version || !results->cell) {
        segue_results_destroy(results);
        return no_memory(err);
    }
    results->n_cells = n_cells;
    name_results(results);
    *out = results;
    return SEGUE_OK;
}

void segue_results_destroy(segue_results *results)
{
    if (!results)
        return;
    for (size_t i = 0; i < results->n_cells; i++)
        segue_cell_fini(&results->cell[i]);
    free(results->cell);
    free(results->version);
    json_decref(results->experiment);
    free(results);
}

/* `environment` may be NULL: any. */
static const segue_cell *find(const segue_results *results, const char *environment,
                              const char *policy, uint64_t steps, uint64_t tasks)
{
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        if (strcmp(cell->policy, policy) == 0 && cell->steps == steps && cell->tasks == tasks &&
            (!environment || strcmp(cell->environment, environment) == 0))
            return cell;
    }
    return NULL;
}

const segue_cell *segue_results_find(const segue_results *results, const char *policy,
                                     uint64_t steps, uint64_t tasks)
{
    return find(results, NULL, policy, steps, tasks);
}

const segue_cell *segue_results_find_in(const segue_results *results, const char *environment,
                                        const char *policy, uint64_t steps, uint64_t tasks)
{
    return find(results, environment, policy, steps, tasks);
}

/* ---- printing ---------------------------------------------------------------------------- */

/* json_pack with "o" takes the references, and fails if one is NULL. */
static json_t *json_of_regret(const segue_cell *cell, segue_regret regret)
{
    const double band = segue_cell_half_width(cell, regret);
    return json_pack("{s:o, s:o, s:o, s:o}", "mean", segue_json_number(regret.mean), "se",
                     segue_json_number(regret.se), "low", segue_json_number(regret.mean - band),
                     "high", segue_json_number(regret.mean + band));
}

static json_t *json_of_tracks(const segue_cell *cell)
{
    json_t *tracks = json_pack("{s:I}", "every", (json_int_t)cell->every);
    for (size_t q = 0; q < SEGUE_N_TRACKS; q++) {
        if (!cell->track[q])
            continue;
        json_t *runs = json_array();
        for (uint64_t run = 0; run < cell->runs; run++)
            runs = segue_json_append(
                runs, segue_json_numbers(cell->track[q] + run * cell->n_points, cell->n_points));
        tracks = segue_json_set(tracks, segue_cell_track_name((segue_track)q), runs);
    }
    return tracks;
}

static json_t *json_of_cell(const segue_cell *cell)
{
    json_t *object = json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "environment", cell->environment,
        "policy", cell->policy, "steps", (json_int_t)cell->steps, "tasks", (json_int_t)cell->tasks,
        "runs", (json_int_t)cell->runs, "regret", json_of_regret(cell, cell->regret),
        "no_model_left", segue_json_number(cell->no_model_left), "violations",
        segue_json_number(cell->violations), "skipped", segue_json_number(cell->skipped),
        "never_best", json_of_regret(cell, cell->never_best));
    json_t *by_model = json_array();
    for (size_t k = 0; k < cell->n_models; k++)
        by_model = segue_json_append(
            by_model, segue_json_set(json_of_regret(cell, cell->by_model[k]), "count",
                                     json_integer((json_int_t)cell->model_tasks[k])));
    object = segue_json_set(object, "by_model", by_model);
    if (cell->run_regret)
        object = segue_json_set(object, "each_run",
                                segue_json_numbers(cell->run_regret, (size_t)cell->runs));
    if (cell->every)
        object = segue_json_set(object, "over_tasks", json_of_tracks(cell));
    return object;
}

json_t *segue_results_to_json(const segue_results *results)
{
    json_t *cells = json_array();
    for (size_t i = 0; i < results->n_cells; i++)
        cells = segue_json_append(cells, json_of_cell(&results->cell[i]));
    return json_pack("{s:s, s:O, s:o}", "version", results->version, "experiment",
                     results->experiment, "results", cells);
}

/* Print the columns that identify a cell, the same in both CSV files. */
static void print_cell_key(const segue_results *results, const segue_cell *cell, FILE *out)
{
    fprintf(out, "%s,%s,%" PRIu64 ",", results->name, results->version, results->seed);
    segue_output_csv_text(out, cell->environment);
    fputc(',', out);
    segue_output_csv_text(out, cell->policy);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, cell->steps, cell->tasks, cell->runs);
}

/* Model 0 stands for all models: its column is empty. */
static void print_row(const segue_results *results, const segue_cell *cell, size_t model,
                      segue_regret regret, uint64_t count, FILE *out)
{
    const double band = segue_cell_half_width(cell, regret);
    const double numbers[] = {regret.mean, regret.se, regret.mean - band, regret.mean + band};
    print_cell_key(results, cell, out);
    fputc(',', out);
    if (model)
        fprintf(out, "%zu", model);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        fputc(',', out);
        segue_output_csv_number(out, numbers[i]);
    }
    fprintf(out, ",%" PRIu64 "\n", count);
}

void segue_results_print_csv(const segue_results *results, FILE *out)
{
    fputs("experiment,version,seed,environment,policy,steps,tasks,runs,model,mean,se,low,high,"
          "count\n",
          out);
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        print_row(results, cell, 0, cell->regret, segue_cell_count_tasks(cell), out);
        for (size_t k = 0; k < cell->n_models; k++)
            print_row(results, cell, k + 1, cell->by_model[k], cell->model_tasks[k], out);
    }
}

static void print_track(const segue_results *results, const segue_cell *cell, size_t track,
                        FILE *out)
{
    for (size_t point = 0; point < cell->n_points; point++)
        for (uint64_t run = 0; run < cell->runs; run++) {
            print_cell_key(results, cell, out);
            fprintf(out, ",%s,%" PRIu64 ",%" PRIu64 ",", segue_cell_track_name((segue_track)track),
                    segue_cell_last_task(cell, point), run + 1);
            segue_output_csv_number(out, cell->track[track][run * cell->n_points + point]);
            fputc('\n', out);
        }
}

void segue_results_print_curve(const segue_results *results, FILE *out)
{
    fputs(SEGUE_RESULTS_CURVE_HEADER "\n", out);
    for (size_t i = 0; i < results->n_cells; i++)
        for (size_t q = 0; q < SEGUE_N_TRACKS; q++)
            if (results->cell[i].track[q])
                print_track(results, &results->cell[i], q, out);
}
