/* experiment.c - run an experiment, and write its result files.
 *
 * `segue run` and `segue paper` call segue_experiment_run. A single process plays all runs on its
 * threads; with several, distributed_run.c shares them. The order of runs does not change results:
 * each run has its own random streams.
 *
 * Files are replaced atomically, and never over the experiment, its model sets or its logs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/experiment.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiment/distributed_run.h"
#include "experiment/schedule.h"
#include "io/json_write.h"
#include "segue/internal.h"

/* ---- running ----------------------------------------------------------------------------- */

/* A stop by a signal becomes an error that names --resume. */
static segue_status run_local(segue_schedule *s, segue_error *err)
{
    SEGUE_TRY(segue_schedule_open_checkpoint(s, err));
    SEGUE_TRY(segue_schedule_add_shared(s, err));
    segue_schedule_assign(s, 0, 1);
    const segue_status status =
        segue_parallel_run(s->options->threads, s->n_todo, segue_schedule_play_item, NULL, s, err);
    return status == SEGUE_ESTOPPED ? segue_schedule_stopped_error(s, "", err) : status;
}

/* A shard has no results of its own: its checkpoint file is what 'segue merge' reads. */
segue_status segue_experiment_run(segue_results **out, const segue_experiment *ex,
                                  const segue_run_options *options, segue_error *err)
{
    segue_schedule s;
    *out = NULL;
    segue_status status = segue_schedule_init(&s, ex, options, err);
    if (options->processes)
        status = segue_distributed_run(&s, status, err);
    else if (status == SEGUE_OK)
        status = run_local(&s, err);
    if (status == SEGUE_OK && !options->shard.count &&
        segue_processes_is_coordinator(options->processes))
        status = segue_schedule_summarize(&s, out, err);
    segue_schedule_fini(&s);
    return status;
}

/* ---- files ------------------------------------------------------------------------------- */

segue_status segue_experiment_path(char *path, size_t size, const char *folder, const char *name,
                                   const char *end, segue_error *err)
{
    if (snprintf(path, size, "%s/%s%s", folder, name, end) >= (int)size)
        return segue_fail(err, SEGUE_EFILE, "%s: the path is too long; need less than 4096 bytes",
                          segue_path_tail(folder));
    return SEGUE_OK;
}

/* Compare by identity: a link to an input is an input too. */
static segue_status protect_file(const char *path, const char *file, segue_error *err)
{
    if (segue_path_is_same_file(path, file))
        return segue_fail(err, SEGUE_EUSAGE,
                          "%s: the results would overwrite it; name another folder with --out",
                          segue_path_tail(file));
    return SEGUE_OK;
}

/* Fail if `path` is a file that the experiment was read from. */
static segue_status check_inputs(const segue_experiment *ex, const char *path, const char *file,
                                 segue_error *err)
{
    SEGUE_TRY(protect_file(path, file, err));
    for (size_t i = 0; i < ex->n_environments; i++) {
        const segue_environment_spec *spec = &ex->environment[i];
        SEGUE_TRY(protect_file(path, spec->models_path, err));
        SEGUE_TRY(protect_file(path, spec->switch_path, err));
        SEGUE_TRY(protect_file(path, spec->log_path, err));
    }
    return SEGUE_OK;
}

segue_status segue_experiment_protect_inputs(const segue_experiment *ex, const char *folder,
                                             const char *file, segue_error *err)
{
    static const char *const ends[] = {".json", ".csv", "-curve.csv"};
    char path[4096];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        SEGUE_TRY(segue_experiment_path(path, sizeof path, folder, ex->name, ends[i], err));
        SEGUE_TRY(check_inputs(ex, path, file, err));
    }
    return SEGUE_OK;
}

/* The folder may exist; its parents must. */
segue_status segue_experiment_make_folder(const char *folder, segue_error *err)
{
    struct stat about;
    if (*folder == '\0')
        return segue_fail(err, SEGUE_EFILE,
                          "the name of the folder to write to is empty; need a path");
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return segue_fail(err, SEGUE_EFILE, "%s: the folder cannot be created: %s",
                          segue_path_tail(folder), strerror(errno));
    if (stat(folder, &about) == 0 && !S_ISDIR(about.st_mode))
        return segue_fail(err, SEGUE_EFILE, "%s: is not a folder; name another",
                          segue_path_tail(folder));
    return SEGUE_OK;
}

typedef segue_status (*print_function)(const segue_results *results, FILE *out, segue_error *err);

static segue_status print_json(const segue_results *results, FILE *out, segue_error *err)
{
    return segue_json_print(out, segue_results_to_json(results), err);
}

static segue_status print_csv(const segue_results *results, FILE *out, segue_error *err)
{
    (void)err;
    segue_results_print_csv(results, out);
    return SEGUE_OK;
}

static segue_status print_curve(const segue_results *results, FILE *out, segue_error *err)
{
    (void)err;
    segue_results_print_curve(results, out);
    return SEGUE_OK;
}

/* Print to memory first, then replace the file. */
static segue_status write_one(const segue_results *results, const char *folder, const char *end,
                              print_function print, segue_error *err)
{
    segue_output output;
    char path[4096];
    SEGUE_TRY(segue_experiment_path(path, sizeof path, folder, results->name, end, err));
    SEGUE_TRY(segue_output_init(&output, err));
    segue_status status = print(results, output.stream, err);
    if (status == SEGUE_OK)
        status = segue_output_write(&output, path, err);
    segue_output_fini(&output);
    return status;
}

/* Test whether the file at `path` is a curve: it has our header. */
static bool is_curve(const char *path)
{
    static const char header[] = SEGUE_RESULTS_CURVE_HEADER "\n";
    char line[sizeof header] = "";
    FILE *file = fopen(path, "r");
    const bool ours = file && fgets(line, sizeof line, file) && strcmp(line, header) == 0;
    if (file)
        (void)fclose(file);
    return ours;
}

/* Remove the curve of earlier results; another file of that name stays. */
static segue_status remove_curve(const segue_results *results, const char *folder, segue_error *err)
{
    char path[4096];
    SEGUE_TRY(segue_experiment_path(path, sizeof path, folder, results->name, "-curve.csv", err));
    if (is_curve(path))
        (void)unlink(path);
    return SEGUE_OK;
}

segue_status segue_experiment_write_results(const segue_results *results, const char *folder,
                                            segue_error *err)
{
    SEGUE_TRY(write_one(results, folder, ".json", print_json, err));
    SEGUE_TRY(write_one(results, folder, ".csv", print_csv, err));
    return results->cell[0].every ? write_one(results, folder, "-curve.csv", print_curve, err)
                                  : remove_curve(results, folder, err);
}
