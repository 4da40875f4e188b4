/* results_read.c - read results from their JSON.
 *
 * The file may have been edited, or be of another program: a field that is missing or of another
 * kind is an error that names it.  Lists must have the expected length before memory is allocated.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "io/results/results.h"
#include "segue/internal.h"

/* Read a number, or NaN for null; false for other kinds. */
static bool number_of(const json_t *value, double *out)
{
    *out = json_is_null(value) ? NAN : json_number_value(value);
    return json_is_number(value) || json_is_null(value);
}

/* Fail because a field is missing or of another kind. */
static segue_status wrong(const segue_json_location *at, const char *field, const char *need,
                          segue_error *err)
{
    return segue_json_fail(at, field, err, "need %s", need);
}

static segue_status read_number(const segue_json_location *at, const json_t *object,
                                const char *field, double *out, segue_error *err)
{
    return number_of(json_object_get(object, field), out)
               ? SEGUE_OK
               : wrong(at, field, "a number or null", err);
}

static segue_status read_count(const segue_json_location *at, const json_t *object,
                               const char *field, uint64_t min, uint64_t max, uint64_t *out,
                               segue_error *err)
{
    return segue_json_integer(at, field, json_object_get(object, field), min, max, out, err);
}

static segue_status read_text(const segue_json_location *at, const json_t *object,
                              const char *field, char **out, segue_error *err)
{
    const char *text = json_string_value(json_object_get(object, field));
    if (!text)
        return wrong(at, field, "a text", err);
    *out = strdup(text);
    return *out ? SEGUE_OK : segue_fail_no_memory(err, "the results");
}

static segue_status read_regret(const segue_json_location *at, const json_t *object,
                                const char *field, segue_regret *out, segue_error *err)
{
    if (!number_of(json_object_get(object, "mean"), &out->mean) ||
        !number_of(json_object_get(object, "se"), &out->se))
        return wrong(at, field, "an object with numbers mean and se", err);
    return SEGUE_OK;
}

static segue_status read_numbers(const segue_json_location *at, const json_t *list,
                                 const char *field, double *out, size_t count, segue_error *err)
{
    if (json_array_size(list) != count)
        return segue_json_fail(at, field, err, "need a list of %zu numbers", count);
    for (size_t i = 0; i < count; i++)
        if (!number_of(json_array_get(list, i), &out[i]))
            return wrong(at, field, "numbers", err);
    return SEGUE_OK;
}

static segue_status read_tracks(const segue_json_location *at, const json_t *tracks,
                                segue_cell *cell, segue_error *err)
{
    for (size_t q = 0; q < SEGUE_N_TRACKS; q++) {
        const char *name = segue_cell_track_name((segue_track)q);
        if (!cell->track[q])
            continue;
        const json_t *runs = json_object_get(tracks, name);
        if (json_array_size(runs) != cell->runs)
            return wrong(at, name, "one list per run", err);
        for (uint64_t run = 0; run < cell->runs; run++)
            SEGUE_TRY(read_numbers(at, json_array_get(runs, run), name,
                                   cell->track[q] + run * cell->n_points, cell->n_points, err));
    }
    return SEGUE_OK;
}

static segue_track_set find_track_set(const json_t *tracks)
{
    if (json_object_get(tracks, segue_cell_track_name(SEGUE_TRACK_FRESH)))
        return SEGUE_TRACK_SET_FRESH;
    if (json_object_get(tracks, segue_cell_track_name(SEGUE_TRACK_COMPLEXITY)))
        return SEGUE_TRACK_SET_MODELS;
    return json_object_get(tracks, segue_cell_track_name(SEGUE_TRACK_TYPES))
               ? SEGUE_TRACK_SET_TYPES
               : SEGUE_TRACK_SET_REGRET;
}

static segue_status read_sizes(const segue_json_location *at, const json_t *object,
                               segue_cell *cell, segue_error *err)
{
    const json_t *tracks = json_object_get(object, "over_tasks");
    SEGUE_TRY(read_count(at, object, "steps", 1, SEGUE_MAX_HORIZON, &cell->steps, err));
    SEGUE_TRY(read_count(at, object, "tasks", 0, SEGUE_MAX_TASKS, &cell->tasks, err));
    SEGUE_TRY(read_count(at, object, "runs", 1, SEGUE_MAX_RUNS, &cell->runs, err));
    if (tracks)
        SEGUE_TRY(read_count(at, tracks, "every", 1, SEGUE_MAX_TASKS, &cell->every, err));
    cell->n_models = json_array_size(json_object_get(object, "by_model"));
    if (cell->tasks && json_array_size(json_object_get(object, "each_run")) != cell->runs)
        return wrong(at, "each_run", "one number per run", err);
    if (tracks && cell->tasks / cell->every > 10000000 / cell->runs)
        return wrong(at, "every", "fewer points", err);
    return SEGUE_OK;
}

static segue_status read_models(const segue_json_location *at, const json_t *list, segue_cell *cell,
                                segue_error *err)
{
    const uint64_t max = segue_cell_count_tasks(cell);
    for (size_t k = 0; k < cell->n_models; k++) {
        const json_t *model = json_array_get(list, k);
        SEGUE_TRY(read_regret(at, model, "by_model", &cell->by_model[k], err));
        SEGUE_TRY(read_count(at, model, "count", 0, max, &cell->model_tasks[k], err));
    }
    return SEGUE_OK;
}

static segue_status read_cell(const segue_json_location *at, const json_t *object, segue_cell *cell,
                              segue_error *err)
{
    const json_t *tracks = json_object_get(object, "over_tasks");
    SEGUE_TRY(read_sizes(at, object, cell, err));
    SEGUE_TRY(segue_cell_reserve(cell, find_track_set(tracks), err));
    SEGUE_TRY(read_text(at, object, "environment", &cell->environment, err));
    SEGUE_TRY(read_text(at, object, "policy", &cell->policy, err));
    SEGUE_TRY(read_regret(at, json_object_get(object, "regret"), "regret", &cell->regret, err));
    SEGUE_TRY(read_number(at, object, "no_model_left", &cell->no_model_left, err));
    SEGUE_TRY(read_number(at, object, "violations", &cell->violations, err));
    SEGUE_TRY(read_number(at, object, "skipped", &cell->skipped, err));
    SEGUE_TRY(read_regret(at, json_object_get(object, "never_best"), "never_best",
                          &cell->never_best, err));
    SEGUE_TRY(read_models(at, json_object_get(object, "by_model"), cell, err));
    if (cell->tasks)
        SEGUE_TRY(read_numbers(at, json_object_get(object, "each_run"), "each_run",
                               cell->run_regret, (size_t)cell->runs, err));
    return read_tracks(at, tracks, cell, err);
}

static segue_status read_cells(const segue_json_location *at, const json_t *cells,
                               segue_results *results, segue_error *err)
{
    for (size_t i = 0; i < results->n_cells; i++) {
        segue_json_location here = *at;
        (void)snprintf(here.within, sizeof here.within, "results[%zu].", i);
        SEGUE_TRY(read_cell(&here, json_array_get(cells, i), &results->cell[i], err));
    }
    return SEGUE_OK;
}

/* Read `results` from the fields of `root`; the caller releases both. */
static segue_status read_results(const segue_json_location *at, json_t *root, segue_results **out,
                                 segue_error *err)
{
    json_t *experiment = json_object_get(root, "experiment");
    const json_t *cells = json_object_get(root, "results");
    if (!json_is_object(experiment))
        return wrong(at, "experiment", "the experiment that was run, an object", err);
    if (!json_is_array(cells) || json_array_size(cells) == 0)
        return wrong(at, "results", "a list of results", err);
    SEGUE_TRY(segue_results_create(out, json_incref(experiment), json_array_size(cells), err));
    free((*out)->version);
    (*out)->version = NULL;
    SEGUE_TRY(read_text(at, root, "version", &(*out)->version, err));
    return read_cells(at, cells, *out, err);
}

segue_status segue_results_read(segue_results **out, const char *path, segue_error *err)
{
    const segue_json_location at = {.path = path};
    json_t *root = NULL;
    *out = NULL;
    SEGUE_TRY(segue_json_read(&root, path, err));
    const segue_status status = read_results(&at, root, out, err);
    json_decref(root);
    if (status != SEGUE_OK) {
        segue_results_destroy(*out);
        *out = NULL;
    }
    return status;
}
