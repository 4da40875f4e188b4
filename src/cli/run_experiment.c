/* run_experiment.c - run an experiment and print its results: shared by run, merge and paper.
 *
 * While an experiment runs, its folder has a checkpoint file with the finished runs. The results
 * replace it: a folder has either the checkpoint of unfinished work or complete results. The caller
 * removes the checkpoint after the results are on the disk, so that a crash between loses nothing.
 *
 * Under MPI all processes call cli_run_experiment; only the coordinator gets results and shows
 * progress.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_experiment.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/columns.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "segue/internal.h"

#define PATH_SIZE 4096

/* ---- running ----------------------------------------------------------------------------- */

/* The checkpoint of the whole experiment, not of a shard. */
static bool find_checkpoint(const segue_experiment *experiment, const char *folder,
                            char path[PATH_SIZE])
{
    const segue_shard all = {.count = 0};
    return segue_experiment_checkpoint_path(experiment, folder, all, path, PATH_SIZE, NULL) ==
           SEGUE_OK;
}

/* Results beside a checkpoint do not count: they may be older. */
static bool is_unfinished(const segue_experiment *experiment, const char *folder)
{
    char checkpoint[PATH_SIZE];
    return find_checkpoint(experiment, folder, checkpoint) && access(checkpoint, F_OK) == 0;
}

/* Results that are found without --resume are an error: a second start must not replace them. */
segue_status cli_run_experiment_find_finished(segue_results **out,
                                              const segue_experiment *experiment,
                                              const char *folder,
                                              const segue_run_options *run_options,
                                              segue_error *err)
{
    *out = NULL;
    if (run_options->fresh || run_options->shard.count || is_unfinished(experiment, folder))
        return SEGUE_OK;
    SEGUE_TRY(segue_experiment_read_results(out, experiment, folder, err));
    if (!*out || run_options->resume)
        return SEGUE_OK;
    segue_results_destroy(*out);
    *out = NULL;
    return segue_fail(err, SEGUE_EFILE,
                      "%.200s/%s.json: is finished; '--resume' shows it, '--fresh' plays it again",
                      segue_path_tail(folder), experiment->name);
}

/* Erase the bar first, so that the message has its own line. */
static void print_error(void *context, const segue_error *err)
{
    cli_progress_fini(context);
    (void)fprintf(stderr, "segue: %s\n", err->message);
}

/* A shard has its own checkpoint file, which stays: it is the input of `segue merge`. */
segue_status cli_run_experiment(segue_results **out, const segue_experiment *experiment,
                                const char *folder, segue_run_options run_options, segue_error *err)
{
    char checkpoint[PATH_SIZE];
    SEGUE_TRY(segue_experiment_checkpoint_path(experiment, folder, run_options.shard, checkpoint,
                                               sizeof checkpoint, err));
    run_options.checkpoint_path = checkpoint;
    run_options.stopped = cli_interrupt_requested;
    if (run_options.processes) /* the context is a cli_progress; segue paper has another */
        run_options.print_error = print_error;
    if (segue_processes_is_coordinator(run_options.processes))
        run_options.progress = run_options.progress ? run_options.progress : cli_progress_show_time;
    SEGUE_TRY(segue_experiment_run(out, experiment, &run_options, err));
    return *out ? segue_experiment_write_results(*out, folder, err) : SEGUE_OK;
}

/* A file that is missing, or cannot be removed, is no error: the results are complete. */
void cli_run_experiment_remove_checkpoint(const segue_experiment *experiment, const char *folder)
{
    char checkpoint[PATH_SIZE];
    if (find_checkpoint(experiment, folder, checkpoint))
        (void)unlink(checkpoint);
}

/* ---- printing ---------------------------------------------------------------------------- */

static const segue_cell *cell_of(const void *data, size_t row)
{
    return &((const segue_results *)data)->cell[row];
}

/* Give the environment or the policy. */
static cli_value get_name(const void *data, size_t row, size_t index)
{
    const segue_cell *cell = cell_of(data, row);
    return cli_value_text(index ? cell->policy : cell->environment);
}

/* Give steps, tasks or runs. */
static cli_value get_setting(const void *data, size_t row, size_t index)
{
    const segue_cell *cell = cell_of(data, row);
    const uint64_t settings[] = {cell->steps, cell->tasks, cell->runs};
    const bool is_single = index == 1 && cell->tasks == 0;
    return is_single ? cli_value_text("single") : cli_value_integer(settings[index]);
}

/* Give the regret, or the half width of its confidence interval. */
static cli_value get_regret(const void *data, size_t row, size_t index)
{
    const segue_cell *cell = cell_of(data, row);
    return cli_value_number(index ? segue_cell_half_width(cell, cell->regret) : cell->regret.mean);
}

/* Cells of other environments may have fewer models; their columns stay empty. */
static size_t count_models(const void *data)
{
    const segue_results *results = data;
    size_t count = 0;
    for (size_t i = 0; i < results->n_cells; i++)
        count = results->cell[i].n_models > count ? results->cell[i].n_models : count;
    return count;
}

static cli_value get_model_regret(const void *data, size_t row, size_t index)
{
    const segue_cell *cell = cell_of(data, row);
    return index < cell->n_models ? cli_value_number(cell->by_model[index].mean)
                                  : cli_value_missing();
}

/* CSV and JSON are those of the result files, which src/io writes. */
static const cli_column columns[] = {
    {NULL, NULL, "environment", .get = get_name, .digits = 14, .index = 0},
    {NULL, NULL, "policy", .get = get_name, .digits = 24, .index = 1},
    {NULL, NULL, "steps", .get = get_setting, .index = 0},
    {NULL, NULL, "tasks", .get = get_setting, .index = 1},
    {NULL, NULL, "runs", .get = get_setting, .index = 2},
    {NULL, NULL, "regret", .get = get_regret, .digits = 2, .index = 0},
    {NULL, NULL, "+- 95 %", .get = get_regret, .digits = 2, .index = 1},
    {NULL, NULL, NULL, .get = get_model_regret, .digits = 2, .repeat = count_models,
     .title = cli_columns_model_title},
};

/* If the columns per model do not fit the terminal, a sentence names the format that has them. */
static segue_status print_table(const void *data, FILE *out, segue_error *err)
{
    const segue_results *results = data;
    const cli_columns cells = CLI_COLUMNS(columns, results, results->n_cells);
    size_t n_omitted = 0;
    fprintf(out, "%s: regret per task, seed %" PRIu64 "\n\n", results->title, results->seed);
    SEGUE_TRY(cli_columns_print_table(&cells, CLI_FIT_DROP_REPEATED, &n_omitted, out,
                                      cli_output_bold(NULL), err));
    if (n_omitted > 0)
        fputs("\n(--format csv also prints the regret by model)\n", out);
    return SEGUE_OK;
}

static void print_csv(const void *data, FILE *out)
{
    segue_results_print_csv(data, out);
}

static json_t *make_json(const void *data)
{
    return segue_results_to_json(data);
}

static const cli_printers printers = {.table = print_table, .csv = print_csv, .json = make_json};

segue_status cli_run_experiment_print(const segue_results *results, cli_format format,
                                      segue_error *err)
{
    return cli_output_print(&printers, results, format, NULL, err);
}
