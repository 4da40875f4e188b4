/* results_read.c - results from their JSON.
 *
 * The file may have been changed by hand or by another program: whatever is missing or of another
 * kind is refused with its field.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "io/results.h"
#include "segue/internal.h"

/* A number, or NaN for null; no other kind. */
static bool number_of(const json_t *value, double *out)
{
    *out = json_is_null(value) ? NAN : json_number_value(value);
    return json_is_number(value) || json_is_null(value);
}

static segue_status wrong(const segue_json_location *place, const char *field, const char *need,
                          segue_error *err)
{
    return segue_json_fail(place, field, err, "need %s", need);
}

static segue_status read_number(const segue_json_location *place, const json_t *object,
                                const char *field, double *out, segue_error *err)
{
    return number_of(json_object_get(object, field), out)
               ? SEGUE_OK
               : wrong(place, field, "a number or null", err);
}

static segue_status read_count(const segue_json_location *place, const json_t *object,
                               const char *field, uint64_t least, uint64_t most, uint64_t *out,
                               segue_error *err)
{
    return segue_json_integer(place, field, json_object_get(object, field), least, most, out, err);
}

static segue_status read_text(const segue_json_location *place, const json_t *object,
                              const char *field, char **out, segue_error *err)
{
    const char *text = json_string_value(json_object_get(object, field));
    if (!text)
        return wrong(place, field, "a text", err);
    *out = strdup(text);
    return *out ? SEGUE_OK : segue_fail_no_memory(err, "the results");
}

static segue_status read_regret(const segue_json_location *place, const json_t *object,
                                const char *field, segue_regret *out, segue_error *err)
{
    if (!number_of(json_object_get(object, "mean"), &out->mean) ||
        !number_of(json_object_get(object, "se"), &out->se))
        return wrong(place, field, "an object with numbers mean and se", err);
    return SEGUE_OK;
}

static segue_status read_numbers(const segue_json_location *place, const json_t *list,
                                 const char *field, double *out, size_t count, segue_error *err)
{
    if (json_array_size(list) != count)
        return segue_json_fail(place, field, err, "need a list of %zu numbers", count);
    for (size_t i = 0; i < count; i++)
        if (!number_of(json_array_get(list, i), &out[i]))
            return wrong(place, field, "numbers", err);
    return SEGUE_OK;
}

static segue_status read_tracks(const segue_json_location *place, const json_t *tracks,
                                segue_cell *cell, segue_error *err)
{
    segue_status status = SEGUE_OK;
    for (size_t q = 0; q < SEGUE_N_TRACKS; q++) {
        const char *name = segue_cell_track_name((segue_track)q);
        if (!cell->track[q])
            continue;
        const json_t *runs = json_object_get(tracks, name);
        if (json_array_size(runs) != cell->runs)
            return wrong(place, name, "one list a run", err);
        for (uint64_t run = 0; run < cell->runs && status == SEGUE_OK; run++)
            status = read_numbers(place, json_array_get(runs, run), name,
                                  cell->track[q] + run * cell->n_points, cell->n_points, err);
    }
    return status;
}

static segue_track_set followed(const json_t *tracks)
{
    if (json_object_get(tracks, segue_cell_track_name(SEGUE_TRACK_COMPLEXITY)))
        return SEGUE_TRACK_SET_MODELS;
    return json_object_get(tracks, segue_cell_track_name(SEGUE_TRACK_TYPES))
               ? SEGUE_TRACK_SET_TYPES
               : SEGUE_TRACK_SET_REGRET;
}

static segue_status read_sizes(const segue_json_location *place, const json_t *object,
                               segue_cell *cell, segue_error *err)
{
    const json_t *tracks = json_object_get(object, "over_tasks");
    segue_status status =
        read_count(place, object, "steps", 1, SEGUE_MAX_HORIZON, &cell->steps, err);
    if (status == SEGUE_OK)
        status = read_count(place, object, "tasks", 0, SEGUE_MAX_TASKS, &cell->tasks, err);
    if (status == SEGUE_OK)
        status = read_count(place, object, "runs", 1, SEGUE_MAX_RUNS, &cell->runs, err);
    if (status == SEGUE_OK && tracks)
        status = read_count(place, tracks, "every", 1, SEGUE_MAX_TASKS, &cell->every, err);
    cell->n_models = json_array_size(json_object_get(object, "by_model"));
    /* the lists must be as long as they should be before so much memory is asked for */
    if (status == SEGUE_OK && cell->tasks &&
        json_array_size(json_object_get(object, "each_run")) != cell->runs)
        return wrong(place, "each_run", "one number a run", err);
    if (status == SEGUE_OK && tracks && cell->tasks / cell->every > 10000000 / cell->runs)
        return wrong(place, "every", "fewer points", err);
    return status;
}

static segue_status read_cell(const segue_json_location *place, const json_t *object,
                              segue_cell *cell, segue_error *err)
{
    const json_t *tracks = json_object_get(object, "over_tasks");
    segue_status status = read_sizes(place, object, cell, err);
    if (status == SEGUE_OK)
        status = segue_cell_reserve(cell, followed(tracks), err);
    if (status == SEGUE_OK)
        status = read_text(place, object, "environment", &cell->environment, err);
    if (status == SEGUE_OK)
        status = read_text(place, object, "policy", &cell->policy, err);
    if (status == SEGUE_OK)
        status =
            read_regret(place, json_object_get(object, "regret"), "regret", &cell->regret, err);
    if (status == SEGUE_OK)
        status = read_number(place, object, "no_model_left", &cell->no_model_left, err);
    if (status == SEGUE_OK)
        status = read_number(place, object, "violations", &cell->violations, err);
    if (status == SEGUE_OK)
        status = read_number(place, object, "skipped", &cell->left_out, err);
    if (status == SEGUE_OK)
        status = read_regret(place, json_object_get(object, "never_best"), "never_best",
                             &cell->never_best, err);
    for (size_t k = 0; k < cell->n_models && status == SEGUE_OK; k++)
        status = read_regret(place, json_array_get(json_object_get(object, "by_model"), k),
                             "by_model", &cell->by_model[k], err);
    if (status == SEGUE_OK && cell->tasks)
        status = read_numbers(place, json_object_get(object, "each_run"), "each_run",
                              cell->run_regret, (size_t)cell->runs, err);
    return status == SEGUE_OK ? read_tracks(place, tracks, cell, err) : status;
}

static segue_status read_cells(const segue_json_location *place, const json_t *cells,
                               segue_results *results, segue_error *err)
{
    segue_status status = SEGUE_OK;
    for (size_t i = 0; i < results->n_cells && status == SEGUE_OK; i++) {
        segue_json_location here = *place;
        (void)snprintf(here.within, sizeof here.within, "results[%zu].", i);
        status = read_cell(&here, json_array_get(cells, i), &results->cell[i], err);
    }
    return status;
}

segue_status segue_results_read(segue_results **out, const char *path, segue_error *err)
{
    json_t *root = NULL;
    segue_json_location place = {.path = path};
    *out = NULL;
    segue_status status = segue_json_read(&root, path, err);
    if (status != SEGUE_OK)
        return status;
    json_t *experiment = json_object_get(root, "experiment");
    const json_t *cells = json_object_get(root, "results");
    if (!json_is_object(experiment))
        status = wrong(&place, "experiment", "the experiment that was run, an object", err);
    else if (!json_is_array(cells) || json_array_size(cells) == 0)
        status = wrong(&place, "results", "a list of results", err);
    segue_results *results = NULL;
    if (status == SEGUE_OK)
        status =
            segue_results_create(&results, json_incref(experiment), json_array_size(cells), err);
    if (status == SEGUE_OK)
        free(results->version), results->version = NULL;
    if (status == SEGUE_OK)
        status = read_text(&place, root, "version", &results->version, err);
    if (status == SEGUE_OK)
        status = read_cells(&place, cells, results, err);
    json_decref(root);
    if (status != SEGUE_OK) {
        segue_results_destroy(results);
        return status;
    }
    *out = results;
    return SEGUE_OK;
}
