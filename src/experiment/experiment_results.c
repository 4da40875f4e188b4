/* experiment_results.c - read the results of an earlier run, if they are of this experiment.
 *
 * Results contain the description of their experiment. They are of this experiment if description
 * and version equal those that a run would write now. Commands call it before they play: finished
 * results are shown, others are never overwritten without --fresh.
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/experiment.h"
#include "io/json_write.h"
#include "io/output.h"
#include "io/utf8.h"
#include "segue/internal.h"
#include "segue/version.h"

/* ---- the description --------------------------------------------------------------------- */

/* Name a log by its absolute path, if that is UTF-8. */
static int describe_log(json_t *environment, const char *log)
{
    char *path = log ? realpath(log, NULL) : NULL;
    int code = log && !path && errno == ENOMEM ? -1 : 0;
    if (path && segue_utf8_is_valid(path, strlen(path)))
        code = json_object_set_new(environment, "log", json_string(path));
    free(path);
    return code;
}

/* Checkpoint files name logs as the experiment does, since machines may have other paths. */
segue_status segue_experiment_describe(const segue_experiment *ex, json_t **out, segue_error *err)
{
    json_t *environments = NULL;
    int code = 0;
    *out = json_deep_copy(ex->json);
    environments = json_object_get(*out, "environment");
    for (size_t i = 0; *out && i < ex->n_environments; i++)
        code |= describe_log(json_is_array(environments) ? json_array_get(environments, i)
                                                         : environments,
                             ex->environment[i].log_path);
    if (*out && code == 0)
        return SEGUE_OK;
    json_decref(*out);
    *out = NULL;
    return segue_fail_no_memory(err, "the results");
}

/* Print a JSON value to memory; the caller keeps its reference and releases the text. */
static segue_status print(json_t *json, segue_output *text, segue_error *err)
{
    SEGUE_TRY(segue_output_init(text, err));
    SEGUE_TRY(segue_json_print(text->stream, json_incref(json), err));
    return segue_output_finish(text, err);
}

/* Compare texts: a number may be read as 3 where it was 3.0. */
static segue_status is_same(json_t *a, json_t *b, bool *same, segue_error *err)
{
    segue_output first = {.stream = NULL}, second = {.stream = NULL};
    segue_status status = print(a, &first, err);
    if (status == SEGUE_OK)
        status = print(b, &second, err);
    *same = status == SEGUE_OK && strcmp(first.data, second.data) == 0;
    segue_output_fini(&first);
    segue_output_fini(&second);
    return status;
}

/* *same: the results are of this experiment, seed and version. */
static segue_status is_of(const segue_results *results, const segue_experiment *ex, bool *same,
                          segue_error *err)
{
    json_t *description = NULL;
    segue_status status = segue_experiment_describe(ex, &description, err);
    if (status == SEGUE_OK)
        status = is_same(description, results->experiment, same, err);
    json_decref(description);
    *same = *same && strcmp(results->version, segue_version()) == 0;
    return status;
}

/* ---- the files --------------------------------------------------------------------------- */

static const char *const ends[] = {".json", ".csv", "-curve.csv"};
enum { JSON, CSV, CURVE, FILES };

/* Build the path of a result file, and test that it exists. */
static segue_status is_there(const segue_experiment *ex, const char *folder, size_t which,
                             char path[4096], bool *there, segue_error *err)
{
    const segue_status status =
        segue_experiment_path(path, 4096, folder, ex->name, ends[which], err);
    *there = status == SEGUE_OK && access(path, F_OK) == 0;
    return status;
}

/* Test whether the CSV files are there: JSON has fewer digits, so they cannot be written from it.
 * `path` is then that of the missing one. */
static segue_status have_all(const segue_experiment *ex, const segue_results *results,
                             const char *folder, char path[4096], bool *all, segue_error *err)
{
    *all = true;
    for (size_t i = CSV; *all && i <= (results->cell[0].every ? CURVE : CSV); i++)
        SEGUE_TRY(is_there(ex, folder, i, path, all, err));
    return SEGUE_OK;
}

/* Read the results at `path` and compare them; *out stays NULL if they cannot be parsed. */
static segue_status read_state(segue_results **out, const segue_experiment *ex, const char *folder,
                               char path[4096], segue_results_state *state, segue_error *err)
{
    segue_error why;
    bool same = false, all = false;
    segue_status status = segue_results_read(out, path, &why);
    if (status == SEGUE_ENOMEM || status == SEGUE_EIO)
        return segue_fail(err, status, "%s", why.message);
    *state = SEGUE_RESULTS_FOREIGN;
    if (status != SEGUE_OK)
        return SEGUE_OK;
    SEGUE_TRY(is_of(*out, ex, &same, err));
    *state = SEGUE_RESULTS_OTHER;
    if (!same)
        return SEGUE_OK;
    SEGUE_TRY(have_all(ex, *out, folder, path, &all, err));
    *state = all ? SEGUE_RESULTS_SAME : SEGUE_RESULTS_INCOMPLETE;
    return SEGUE_OK;
}

/* Find the state, and the path of the file that it is of; *out only if it is SAME. */
static segue_status find(segue_results **out, const segue_experiment *ex, const char *folder,
                         char path[4096], segue_results_state *state, segue_error *err)
{
    bool there = false;
    *out = NULL;
    *state = SEGUE_RESULTS_NONE;
    SEGUE_TRY(is_there(ex, folder, JSON, path, &there, err));
    const segue_status status = there ? read_state(out, ex, folder, path, state, err) : SEGUE_OK;
    if (status == SEGUE_OK && *state == SEGUE_RESULTS_SAME)
        return SEGUE_OK;
    segue_results_destroy(*out);
    *out = NULL;
    return status;
}

segue_status segue_experiment_find_results(segue_results **out, const segue_experiment *ex,
                                           const char *folder, segue_results_state *state,
                                           segue_error *err)
{
    char path[4096];
    return find(out, ex, folder, path, state, err);
}

/* A file that cannot be parsed counts as a foreign one: it is not overwritten. */
segue_status segue_experiment_read_results(segue_results **out, const segue_experiment *ex,
                                           const char *folder, segue_error *err)
{
    char path[4096];
    segue_results_state state = SEGUE_RESULTS_NONE;
    SEGUE_TRY(find(out, ex, folder, path, &state, err));
    if (state == SEGUE_RESULTS_OTHER || state == SEGUE_RESULTS_FOREIGN)
        return segue_fail(err, SEGUE_EFILE,
                          "%s: is there already, and not of this experiment, seed and version; "
                          "'--fresh' replaces it, '--out' names another folder",
                          segue_path_tail(path));
    if (state == SEGUE_RESULTS_INCOMPLETE)
        return segue_fail(err, SEGUE_EFILE,
                          "%s: is missing beside finished results; '--fresh' plays it again",
                          segue_path_tail(path));
    return SEGUE_OK;
}

/* For --fresh.  A file that cannot be removed is replaced when results are written. */
void segue_experiment_remove_results(const segue_experiment *ex, const char *folder)
{
    const segue_shard all = {.count = 0};
    char path[4096];
    bool there = false;
    for (size_t i = 0; i < FILES; i++)
        if (is_there(ex, folder, i, path, &there, NULL) == SEGUE_OK && there)
            (void)unlink(path);
    if (segue_experiment_checkpoint_path(ex, folder, all, path, sizeof path, NULL) == SEGUE_OK)
        (void)unlink(path);
}
