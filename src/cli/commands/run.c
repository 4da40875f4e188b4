/* run.c - `segue run`: an experiment that a file describes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/commands/processes.h"
#include "cli/commands/run.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "segue/internal.h"
#include "segue/number.h"

typedef struct settings {
    const char *variant, *out, *format_text, *shard_text;
    uint64_t runs, seed, threads;
    bool resume, fresh, quiet;
    const char *path; /* of the experiment */
    segue_shard shard;
    cli_format format;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)
#define NO_SEED     UINT64_MAX
#define PATH_SIZE   4096

static const cli_option options[] = {
    {"variant", 'v', CLI_TEXT, FIELD(variant), "NAME", "run this variant that the file describes",
     0, 0},
    {"runs", 'r', CLI_INTEGER, FIELD(runs), "R", "so many runs, whatever the file says", 1,
     (double)SEGUE_MAX_RUNS},
    {"seed", 's', CLI_INTEGER, FIELD(seed), "S", "this seed, whatever the file says", 0,
     9007199254740992.0},
    {"threads", 't', CLI_INTEGER, FIELD(threads), "T",
     "threads (default: one a processor; with mpirun: one)", 1, SEGUE_MAX_THREADS},
    {"shard", 0, CLI_TEXT, FIELD(shard_text), "I/N", "play only part I of N, for 'segue merge'", 0,
     0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FOLDER", "where results go (default: this folder)", 0, 0},
    {"resume", 0, CLI_FLAG, FIELD(resume), NULL,
     "go on with what was stopped; show what is finished", 0, 0},
    {"fresh", 0, CLI_FLAG, FIELD(fresh), NULL, "begin again; replace what is there", 0, 0},
    {"format", 'f', CLI_TEXT, FIELD(format_text), "FORMAT",
     "what is printed: table (default), csv or json", 0, 0},
    {"quiet", 'q', CLI_FLAG, FIELD(quiet), NULL, "no progress bar", 0, 0},
};

/* ---- what is printed --------------------------------------------------------------------- */

static void print_csv(const void *found, FILE *out)
{
    segue_results_print_csv(found, out);
}

static json_t *make_json(const void *found)
{
    return segue_results_to_json(found);
}

static const char *const headings[] = {"environment", "policy", "steps",  "tasks",
                                       "runs",        "regret", "+- 95 %"};
enum { FIXED = sizeof headings / sizeof *headings };

static size_t most_models(const segue_results *results)
{
    size_t most = 0;
    for (size_t i = 0; i < results->n_cells; i++)
        most = results->cell[i].n_models > most ? results->cell[i].n_models : most;
    return most;
}

static void fill_row(cli_table *table, size_t row, const segue_cell *cell)
{
    cli_table_name(table, row, 0, cell->environment, 14);
    cli_table_name(table, row, 1, cell->policy, 24);
    cli_table_set(table, row, 2, "%" PRIu64, cell->steps);
    if (cell->tasks)
        cli_table_set(table, row, 3, "%" PRIu64, cell->tasks);
    else
        cli_table_set(table, row, 3, "single");
    cli_table_set(table, row, 4, "%" PRIu64, cell->runs);
    cli_table_number(table, row, 5, cell->regret.mean, 2);
    cli_table_number(table, row, 6, segue_cell_half_width(cell, cell->regret), 2);
    for (size_t k = 0; k < cell->n_models; k++)
        cli_table_number(table, row, FIXED + k, cell->by_model[k].mean, 2);
}

static void fill_table(cli_table *table, const segue_results *results)
{
    for (size_t c = 0; c < FIXED; c++)
        cli_table_set(table, 0, c, "%s", headings[c]);
    for (size_t k = 0; k + FIXED < table->columns; k++)
        cli_table_set(table, 0, FIXED + k, "model %zu", k + 1);
    for (size_t i = 0; i < results->n_cells; i++)
        fill_row(table, i + 1, &results->cell[i]);
}

static segue_status print_table(const void *found, FILE *out, segue_error *err)
{
    const segue_results *results = found;
    cli_table table;
    segue_status status =
        cli_table_init(&table, results->n_cells + 1, FIXED + most_models(results), err);
    if (status != SEGUE_OK)
        return status;
    fill_table(&table, results);
    const bool cut = cli_table_width(&table, table.columns) > CLI_TERMINAL_WIDTH;
    fprintf(out, "%s: regret per task, seed %" PRIu64 "\n\n", results->title, results->seed);
    status = cli_table_print(&table, cut ? FIXED : table.columns, out, cli_output_bold(NULL), err);
    if (cut)
        fputs("\n(--format csv also prints the regret by model)\n", out);
    cli_table_fini(&table);
    return status;
}

static const cli_printers printers = {.table = print_table, .csv = print_csv, .json = make_json};

segue_status cli_run_print_results(const segue_results *results, cli_format format,
                                   segue_error *err)
{
    return cli_output_print(&printers, results, format, NULL, err);
}

/* ---- running ----------------------------------------------------------------------------- */

static void print_error(void *context, const segue_error *err)
{
    cli_progress_fini(context);
    (void)fprintf(stderr, "segue: %s\n", err->message);
}

static bool is_unfinished(const segue_experiment *experiment, const char *folder)
{
    const segue_shard all = {.count = 0};
    char checkpoint[PATH_SIZE];
    return segue_experiment_checkpoint_path(experiment, folder, all, checkpoint, sizeof checkpoint,
                                            NULL) == SEGUE_OK &&
           access(checkpoint, F_OK) == 0;
}

segue_status cli_run_find_finished(segue_results **out, const segue_experiment *experiment,
                                   const char *folder, const segue_run_options *run_options,
                                   segue_error *err)
{
    *out = NULL;
    if (run_options->fresh || run_options->shard.count || is_unfinished(experiment, folder))
        return SEGUE_OK;
    const segue_status status = segue_experiment_read_results(out, experiment, folder, err);
    if (status != SEGUE_OK || !*out || run_options->resume)
        return status;
    segue_results_destroy(*out);
    *out = NULL;
    return segue_fail(err, SEGUE_EFILE,
                      "%.200s/%s.json: is finished; '--resume' shows it, '--fresh' plays it again",
                      segue_path_tail(folder), experiment->name);
}

segue_status cli_run_experiment(segue_results **out, const segue_experiment *experiment,
                                const char *folder, segue_run_options run_options, segue_error *err)
{
    char checkpoint[PATH_SIZE];
    segue_status status = segue_experiment_checkpoint_path(experiment, folder, run_options.shard,
                                                           checkpoint, sizeof checkpoint, err);
    if (status != SEGUE_OK)
        return status;
    run_options.checkpoint_path = checkpoint;
    run_options.stopped = cli_interrupt_requested;
    run_options.print_error = print_error;
    if (segue_processes_is_coordinator(run_options.processes))
        run_options.progress = cli_progress_show_time;
    status = segue_experiment_run(out, experiment, &run_options, err);
    return status == SEGUE_OK && *out ? segue_experiment_write_results(*out, folder, err) : status;
}

void cli_run_remove_checkpoint(const segue_experiment *experiment, const char *folder)
{
    const segue_shard all = {.count = 0};
    char checkpoint[PATH_SIZE];
    if (segue_experiment_checkpoint_path(experiment, folder, all, checkpoint, sizeof checkpoint,
                                         NULL) == SEGUE_OK)
        (void)unlink(checkpoint);
}

/* ---- what is asked for ------------------------------------------------------------------- */

static segue_status parse_shard(const char *text, segue_shard *out, segue_error *err)
{
    char number[32] = "";
    const char *slash = strchr(text, '/');
    if (slash && slash - text < (ptrdiff_t)sizeof number)
        memcpy(number, text, (size_t)(slash - text));
    if (!slash ||
        segue_number_parse_integer(slash + 1, 1, SEGUE_MAX_SHARDS, &out->count, NULL) != SEGUE_OK ||
        segue_number_parse_integer(number, 1, out->count, &out->number, NULL) != SEGUE_OK)
        return segue_fail(
            err, SEGUE_EDOMAIN,
            "--shard: invalid shard '%.40s'; need I/N with I from 1 to N, and N up to %d",
            text, SEGUE_MAX_SHARDS);
    return SEGUE_OK;
}

static segue_status check_settings(settings *set, segue_error *err)
{
    if (!set->path)
        return segue_fail(err, SEGUE_EUSAGE,
                          "give the file of an experiment; 'segue help run' tells more");
    if (set->resume && set->fresh)
        return segue_fail(err, SEGUE_EUSAGE, "--resume and --fresh exclude each other");
    if (set->shard_text && set->format_text)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--shard has no results to print; --format goes with 'segue merge'");
    segue_status status = SEGUE_OK;
    if (set->shard_text)
        status = parse_shard(set->shard_text, &set->shard, err);
    if (status == SEGUE_OK && set->format_text)
        status = cli_output_parse_format(set->format_text, &set->format, err);
    return status;
}

static segue_status parse(settings *set, int argc, char **argv, segue_error *err)
{
    *set = (settings){.out = ".", .seed = NO_SEED};
    const segue_status status = cli_options_parse_operand(options, sizeof options / sizeof *options,
                                                          argc, argv, set, &set->path, err);
    return status == SEGUE_OK ? check_settings(set, err) : status;
}

/* The first process looks after the folder; others may have disks of their own. */
static segue_status prepare(const settings *set, const segue_processes *processes,
                            segue_experiment **experiment, segue_error *err)
{
    const segue_experiment_overrides changes = {.variant = set->variant,
                                                .runs = set->runs,
                                                .seed = set->seed == NO_SEED ? NULL : &set->seed};
    segue_status status = segue_experiment_read(experiment, set->path, &changes, err);
    if (status != SEGUE_OK || !segue_processes_is_coordinator(processes))
        return status;
    status = segue_experiment_protect_inputs(*experiment, set->out, set->path, err);
    return status == SEGUE_OK ? segue_experiment_make_folder(set->out, err) : status;
}

/* ---- all of it --------------------------------------------------------------------------- */

static segue_run_options options_of(const settings *set, const segue_processes *processes)
{
    const uint64_t usual = processes ? 1 : cli_options_default_threads();
    return (segue_run_options){.threads = (size_t)(set->threads ? set->threads : usual),
                               .resume = set->resume,
                               .fresh = set->fresh,
                               .shard = set->shard,
                               .processes = processes};
}

static segue_status run_experiment(const settings *set, const segue_experiment *experiment,
                                   const segue_processes *processes, segue_results **out,
                                   segue_error *err)
{
    cli_progress progress;
    segue_run_options run_options = options_of(set, processes);
    cli_interrupt_catch();
    cli_progress_init(&progress, set->quiet);
    cli_progress_part(&progress, experiment->name, 0.0, 1.0);
    run_options.context = &progress;
    const segue_status status = cli_run_experiment(out, experiment, set->out, run_options, err);
    cli_progress_fini(&progress);
    return status;
}

static segue_status print_shard(const settings *set, const segue_experiment *experiment,
                                segue_error *err)
{
    segue_output output;
    segue_status status = segue_output_init(&output, err);
    if (status != SEGUE_OK)
        return status;
    fprintf(output.stream,
            "%s: shard %" PRIu64 " of %" PRIu64 " is complete; 'segue merge' makes the results of "
            "all\n",
            experiment->name, set->shard.number, set->shard.count);
    status = cli_output_send(&output, NULL, err);
    segue_output_fini(&output);
    return status;
}

static segue_status print_outcome(const settings *set, const segue_experiment *experiment,
                                  const segue_results *results, segue_error *err)
{
    if (set->shard.count)
        return print_shard(set, experiment, err);
    cli_run_remove_checkpoint(experiment, set->out);
    return cli_run_print_results(results, set->format, err);
}

static segue_status play(const settings *set, const segue_experiment *experiment,
                         const segue_processes *processes, segue_error *err)
{
    segue_results *results = NULL;
    segue_status status = run_experiment(set, experiment, processes, &results, err);
    if (status == SEGUE_OK && segue_processes_is_coordinator(processes))
        status = print_outcome(set, experiment, results, err);
    segue_results_destroy(results);
    return status;
}

/* Files are printed as they are: results that were read have fewer digits. */
static segue_status print_file(const char *path, segue_error *err)
{
    char block[65536];
    segue_output output = {.stream = NULL};
    FILE *file = fopen(path, "r");
    if (!file)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_path_tail(path),
                          strerror(errno));
    segue_status status = segue_output_init(&output, err);
    for (size_t size; status == SEGUE_OK && (size = fread(block, 1, sizeof block, file)) > 0;)
        (void)fwrite(block, 1, size, output.stream);
    if (status == SEGUE_OK && ferror(file))
        status = segue_fail(err, SEGUE_EIO, "%s: reading failed", segue_path_tail(path));
    if (status == SEGUE_OK)
        status = cli_output_send(&output, NULL, err);
    segue_output_fini(&output);
    (void)fclose(file);
    return status;
}

static segue_status print_finished(const settings *set, const segue_results *results,
                                   segue_error *err)
{
    if (!set->quiet)
        (void)fprintf(stderr, "segue: %s: is finished; nothing is left to play\n", results->name);
    if (set->format == CLI_TABLE)
        return cli_run_print_results(results, set->format, err);
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s.%s", set->out, results->name,
                   set->format == CLI_CSV ? "csv" : "json");
    return print_file(path, err);
}

/* Read the experiment and, in the first process, the results if they are finished. */
static segue_status begin(const settings *set, const segue_processes *processes,
                          segue_experiment **experiment, segue_results **finished, segue_error *err)
{
    const segue_run_options run_options = options_of(set, processes);
    const segue_status status = prepare(set, processes, experiment, err);
    return status == SEGUE_OK && segue_processes_is_coordinator(processes)
               ? cli_run_find_finished(finished, *experiment, set->out, &run_options, err)
               : status;
}

/* `status` is how reading the options went.  All processes learn it; where results are finished,
 * the others stop. */
static segue_status run_with(const segue_processes *processes, const settings *set,
                             segue_status status, segue_error *err)
{
    segue_experiment *experiment = NULL;
    segue_results *finished = NULL;
    if (status == SEGUE_OK)
        status = begin(set, processes, &experiment, &finished, err);
    status = segue_processes_agree(processes, finished ? SEGUE_ESTOPPED : status, 0, err);
    if (finished)
        status = print_finished(set, finished, err);
    else if (status == SEGUE_OK && experiment)
        status = play(set, experiment, processes, err);
    segue_results_destroy(finished);
    segue_experiment_destroy(experiment);
    return status;
}

/* The first process answers for all: the others end in silence and without an error, lest the
 * launcher ends the first before it has spoken. */
static segue_status run_launched(cli_launch launch, const settings *set, segue_status status,
                                 segue_error *err)
{
    segue_processes processes;
    segue_error why;
    const segue_status joined = cli_processes_open(&processes, launch, &why);
    if (joined != SEGUE_OK)
        return launch.self == 0 ? segue_fail(err, joined, "%s", why.message) : SEGUE_OK;
    status = run_with(&processes, set, status, err);
    cli_processes_close();
    return processes.self == 0 ? status : SEGUE_OK;
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    settings set;
    const segue_status status = parse(&set, argc, argv, err);
    const cli_launch launch = cli_launch_detect();
    if (launch.count > 1 && !set.shard_text)
        return run_launched(launch, &set, status, err);
    return run_with(NULL, &set, status, err);
}

const cli_command cli_command_run = {
    .name = "run",
    .summary = "runs an experiment that a JSON file describes",
    .usage = "run FILE.json [OPTIONS]",
    .details = "Every policy is played in every environment, for every number of steps and of\n"
               "tasks.  The results go to NAME.json (which 'segue run' takes too, to repeat it),\n"
               "NAME.csv and NAME-curve.csv (with 'every').  Ctrl-C stops; finished runs stay\n"
               "in NAME.unfinished, and --resume goes on with them, to the same results.  With\n"
               "finished results it plays nothing, and prints them.  Only --fresh replaces\n"
               "results.\n\n"
               "On many machines: 'mpirun -n P segue run FILE.json' deals the runs out to P\n"
               "processes, of which the first writes; each has --threads.  Or play the parts\n"
               "apart: --shard I/N leaves NAME.shard-I-of-N, which --resume goes on with, and\n"
               "'segue merge FILE.json' makes the results.  The bytes are always the same.\n\n"
               "Fields of the file:\n"
               "  name         of the result files: a-z, 0-9 and '-'\n"
               "  title        for people (default: the name)\n"
               "  environment  {\"models\": \"FILE.csv\"} (beside this file), or {\"models\":\n"
               "               {\"means\": [[0.9, 0.4], [0.2, 0.8]], \"weights\": [1, 1]}}, or\n"
               "               {\"uniform\": K}, or {\"log\": \"FILE.csv\", \"least\": 3}; with\n"
               "               rewards, spread, mixed, switch-at, switch-to, order, lowest and\n"
               "               highest as in 'segue help simulate'; or a list of such, each\n"
               "               with its \"name\".  Results hold a log's name, not its rows, and\n"
               "               what was 'found' in it: another log is refused then\n"
               "  policies     a list: [\"ucb\", \"tucb:C=1,views=symmetric\"]\n"
               "  steps        steps a task, a number or a list\n"
               "  tasks        tasks a run, a number or a list; without it: single tasks\n"
               "  runs         of each cell (of each model, with single tasks)\n"
               "  seed         of all random streams (default 1)\n"
               "  every        also follow the regret over tasks, a point every so many; of\n"
               "               tts, tla and auto also the types found; of tucb on one model set\n"
               "               that is not switched also complexity, error, eps, and how many\n"
               "               models are settled: one arm alone may be their best\n"
               "  variants     {\"quick\": {\"runs\": 2}}: other policies, steps, tasks, runs,\n"
               "               seed or every, for --variant quick\n\n"
               "Experiments of the paper came with segue; 'segue help' prints where they are.\n\n"
               "examples:\n"
               "  segue run experiments/lengths.json --out /tmp\n"
               "  segue run experiments/lengths.json --variant quick --out /tmp --format csv\n"
               "  mpirun -n 4 segue run experiments/lengths.json --out /tmp\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
