/* timing.c - read and write FOLDER/timing.json, one entry per experiment.
 *
 * `segue paper` writes the entry of an experiment before it plays, so that a killed program leaves
 * the build that its checkpoint file is of, and again after it.  The report shows the times.  A
 * damaged file counts as missing: the experiments are then played again, which writes a new one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/suite/timing.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io/json.h"
#include "io/json_build.h"
#include "io/json_write.h"
#include "io/output.h"
#include "segue/internal.h"

static segue_status path_of(char path[4096], const char *folder, segue_error *err)
{
    if (snprintf(path, 4096, "%s/timing.json", folder) >= 4096)
        return segue_fail(err, SEGUE_EFILE, "%s: the path is too long; need less than 4096 bytes",
                          segue_path_tail(folder));
    return SEGUE_OK;
}

/* Read the whole file; *out is NULL if it is missing or damaged. */
static segue_status read_all(json_t **out, const char *path, segue_error *err)
{
    segue_error why;
    const segue_status status = segue_json_read(out, path, &why);
    if (status == SEGUE_ENOMEM || status == SEGUE_EIO)
        return segue_fail(err, status, "%s", why.message);
    return SEGUE_OK;
}

static void copy_text(char *out, size_t size, const json_t *value)
{
    const char *text = json_string_value(value);
    (void)snprintf(out, size, "%s", text ? text : "");
}

static void read_entry(segue_timing *out, const json_t *entry)
{
    out->finished = json_is_true(json_object_get(entry, "finished"));
    copy_text(out->played, sizeof out->played, json_object_get(entry, "played"));
    copy_text(out->key, sizeof out->key, json_object_get(entry, "key"));
    copy_text(out->results, sizeof out->results, json_object_get(entry, "results"));
    const json_int_t threads = json_integer_value(json_object_get(entry, "threads"));
    out->threads = threads > 0 ? (uint64_t)threads : 0;
    out->wall_seconds = json_number_value(json_object_get(entry, "wall_seconds"));
    out->cpu_seconds = json_number_value(json_object_get(entry, "cpu_seconds"));
}

segue_status segue_timing_read(segue_timing *out, const char *folder, const char *name, bool *found,
                               segue_error *err)
{
    char path[4096];
    json_t *all = NULL;
    *out = (segue_timing){.finished = false};
    *found = false;
    SEGUE_TRY(path_of(path, folder, err));
    SEGUE_TRY(read_all(&all, path, err));
    const json_t *entry = json_object_get(all, name);
    *found = json_is_object(entry);
    if (*found)
        read_entry(out, entry);
    json_decref(all);
    return SEGUE_OK;
}

static json_t *json_of(const segue_timing *timing)
{
    return json_pack("{s:b, s:s, s:s, s:s, s:I, s:o, s:o}", "finished", timing->finished, "played",
                     timing->played, "key", timing->key, "results", timing->results, "threads",
                     (json_int_t)timing->threads, "wall_seconds",
                     segue_json_number(timing->wall_seconds), "cpu_seconds",
                     segue_json_number(timing->cpu_seconds));
}

static segue_status write_all(json_t *all, const char *path, segue_error *err)
{
    segue_output output;
    segue_status status = segue_output_init(&output, err);
    if (status != SEGUE_OK) {
        json_decref(all);
        return status;
    }
    status = segue_json_print(output.stream, all, err);
    if (status == SEGUE_OK)
        status = segue_output_write(&output, path, err);
    segue_output_fini(&output);
    return status;
}

segue_status segue_timing_write(const segue_timing *timing, const char *folder, const char *name,
                                segue_error *err)
{
    char path[4096];
    json_t *all = NULL;
    SEGUE_TRY(path_of(path, folder, err));
    SEGUE_TRY(read_all(&all, path, err));
    if (!all)
        all = json_object();
    return write_all(segue_json_set(all, name, json_of(timing)), path, err);
}

/* ---- keys ------------------------------------------------------------------------------- */

/* The text is the one that identifies a checkpoint file: variant, seed and models are in it. */
segue_status segue_timing_key(char key[SEGUE_BUILD_ID_SIZE], const segue_experiment *ex,
                              uint64_t build, segue_error *err)
{
    segue_bytes text = {.data = NULL};
    const bool written = segue_json_write_value(&text, ex->json);
    if (written) {
        segue_build_id_add(&build, text.data, text.size);
        segue_build_id_print(key, build);
    }
    segue_bytes_fini(&text);
    return written ? SEGUE_OK : segue_fail_no_memory(err, "an experiment");
}

/* ---- result files ------------------------------------------------------------------------ */

static void write_now(char text[24])
{
    struct tm fields;
    const time_t now = time(NULL);
    *text = '\0';
    if (gmtime_r(&now, &fields))
        (void)strftime(text, 24, "%Y-%m-%dT%H:%M:%SZ", &fields);
}

/* Hash the result files that exist; a results folder may have no curve. */
static segue_status hash_results(char hash[SEGUE_BUILD_ID_SIZE], const char *folder,
                                 const char *name, segue_error *err)
{
    static const char *const ends[] = {".json", ".csv", "-curve.csv"};
    uint64_t sum = SEGUE_BUILD_ID_EMPTY;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char path[4096];
        SEGUE_TRY(segue_experiment_path(path, sizeof path, folder, name, ends[i], err));
        if (access(path, F_OK) == 0)
            SEGUE_TRY(segue_build_id_add_file(&sum, path, err));
    }
    segue_build_id_print(hash, sum);
    return SEGUE_OK;
}

segue_status segue_timing_sign(segue_timing *timing, const char *folder, const char *name,
                               segue_error *err)
{
    write_now(timing->played);
    return hash_results(timing->results, folder, name, err);
}

segue_status segue_timing_verify(const segue_timing *timing, const char *folder, const char *name,
                                 bool *is_of, segue_error *err)
{
    char hash[SEGUE_BUILD_ID_SIZE];
    SEGUE_TRY(hash_results(hash, folder, name, err));
    *is_of = strcmp(hash, timing->results) == 0;
    return SEGUE_OK;
}
