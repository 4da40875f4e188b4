/* run.c - `segue run`: run an experiment that a file describes.
 *
 * Under mpirun or srun each process executes this command.  All read the experiment; the first one
 * is the coordinator, which alone checks the folder, writes and prints.  The processes exchange
 * their status before they play (segue_processes_agree), so that either all play or none does.
 *
 * The order is: parse, begin (read the experiment, find finished results), agree, play, print.
 * cli/run_experiment.c, shared with merge and paper, runs and prints; src/experiment plays.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/command.h"
#include "cli/commands/processes.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/run_experiment.h"
#include "report/gnuplot.h"
#include "report/plot_page.h"
#include "segue/internal.h"
#include "segue/number.h"

/* Options, as typed and as parsed; 0, NULL and NO_SEED stand for those that were not given. */
typedef struct settings {
    const char *variant, *out, *format_text, *shard_text, *html;
    uint64_t runs, seed, threads;
    bool resume, fresh, quiet;
    const char *path; /* of the experiment */
    segue_shard shard;
    cli_format format;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)
#define NO_SEED     CLI_RUN_EXPERIMENT_NO_SEED
#define PATH_SIZE   4096

static const cli_option options[] = {
    {"variant", 'v', CLI_TEXT, FIELD(variant), "NAME", "run this variant of the file", 0, 0},
    {"runs", 'r', CLI_INTEGER, FIELD(runs), "R", "runs (default: those of the file)", 1,
     (double)SEGUE_MAX_RUNS},
    {"seed", 's', CLI_INTEGER, FIELD(seed), "S", "seed (default: that of the file)", 0,
     9007199254740992.0},
    {"threads", 't', CLI_INTEGER, FIELD(threads), "T",
     "threads (default: one per CPU; with mpirun: one)", 1, SEGUE_MAX_THREADS},
    {"shard", 0, CLI_TEXT, FIELD(shard_text), "I/N", "play only part I of N, for 'segue merge'", 0,
     0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FOLDER", "folder of the results (default: this folder)", 0,
     0},
    {"resume", 0, CLI_FLAG, FIELD(resume), NULL,
     "continue an interrupted run; print a finished one", 0, 0},
    {"fresh", 0, CLI_FLAG, FIELD(fresh), NULL, "start again, and replace earlier results", 0, 0},
    {"format", 'f', CLI_TEXT, FIELD(format_text), "FORMAT", "output: table (default), csv or json",
     0, 0},
    {"html", 0, CLI_TEXT, FIELD(html), "FILE", "also write a page with figures (needs gnuplot)", 0,
     0},
    {"quiet", 'q', CLI_FLAG, FIELD(quiet), NULL, "no progress bar", 0, 0},
};

/* ---- options ----------------------------------------------------------------------------- */

/* Parse "I/N": the part before the slash, and the part after it. */
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
            "--shard: invalid shard '%.40s'; need I/N with I from 1 to N, and N up to %d", text,
            SEGUE_MAX_SHARDS);
    return SEGUE_OK;
}

/* Check what needs no file, before any file is opened. */
static segue_status check_settings(settings *set, segue_error *err)
{
    if (!set->path)
        return segue_fail(err, SEGUE_EUSAGE,
                          "give the file of an experiment; see 'segue help run'");
    if (set->resume && set->fresh)
        return segue_fail(err, SEGUE_EUSAGE, "--resume and --fresh exclude each other; give one");
    if (set->shard_text && set->format_text)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--shard prints no results; use --format with 'segue merge'");
    if (set->html && set->shard_text)
        return segue_fail(
            err, SEGUE_EUSAGE,
            "--shard has no results for --html; use 'segue plot' after 'segue merge'");
    if (set->html)
        SEGUE_TRY(segue_gnuplot_check(err));
    if (set->shard_text)
        SEGUE_TRY(parse_shard(set->shard_text, &set->shard, err));
    if (set->format_text)
        SEGUE_TRY(cli_output_parse_format(set->format_text, &set->format, err));
    return SEGUE_OK;
}

static segue_status parse(settings *set, int argc, char **argv, segue_error *err)
{
    *set = (settings){.out = ".", .seed = NO_SEED};
    SEGUE_TRY(cli_options_parse_operand(options, sizeof options / sizeof *options, argc, argv, set,
                                        &set->path, err));
    return check_settings(set, err);
}

/* Check the page of --html before the experiment is played: inputs and results have the other
 * endings. */
static segue_status check_page(const settings *set, segue_error *err)
{
    const cli_path path = {"html", set->html};
    const char *dot = set->html ? strrchr(set->html, '.') : NULL;
    if (dot && (strcmp(dot, ".json") == 0 || strcmp(dot, ".csv") == 0))
        return segue_fail(err, SEGUE_EUSAGE, "--html: is '%.60s'; need a page such as results.html",
                          segue_path_tail(set->html));
    return cli_output_check_paths(&path, 1, 1, err);
}

/* Read the experiment; the coordinator also prepares the folder, which others may not see. */
static segue_status prepare(const settings *set, const segue_processes *processes,
                            segue_experiment **experiment, segue_error *err)
{
    const segue_experiment_overrides changes = {.variant = set->variant,
                                                .runs = set->runs,
                                                .seed = set->seed == NO_SEED ? NULL : &set->seed};
    SEGUE_TRY(segue_experiment_read(experiment, set->path, &changes, err));
    if (!segue_processes_is_coordinator(processes))
        return SEGUE_OK;
    SEGUE_TRY(check_page(set, err));
    SEGUE_TRY(segue_experiment_protect_inputs(*experiment, set->out, set->path, err));
    return segue_experiment_make_folder(set->out, err);
}

/* ---- running and printing ---------------------------------------------------------------- */

/* Under a launcher one thread per process is the default: launchers start one process per core. */
static segue_run_options options_of(const settings *set, const segue_processes *processes)
{
    const uint64_t usual = processes ? 1 : cli_options_default_threads();
    return (segue_run_options){.threads = (size_t)(set->threads ? set->threads : usual),
                               .resume = set->resume,
                               .fresh = set->fresh,
                               .shard = set->shard,
                               .processes = processes};
}

/* From here on signals only set a flag, so that the checkpoint file stays complete. */
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

/* A shard has no results of its own to print. */
static segue_status print_shard(const settings *set, const segue_experiment *experiment,
                                segue_error *err)
{
    segue_output output;
    SEGUE_TRY(segue_output_init(&output, err));
    fprintf(output.stream,
            "%s: shard %" PRIu64 " of %" PRIu64 " is complete; run 'segue merge' when all are\n",
            experiment->name, set->shard.number, set->shard.count);
    const segue_status status = cli_output_send(&output, NULL, err);
    segue_output_fini(&output);
    return status;
}

/* Write the page of --html. */
static segue_status write_page(const settings *set, const segue_results *results, segue_error *err)
{
    return set->html ? segue_plot_page_write(results, set->html, err) : SEGUE_OK;
}

/* The checkpoint is removed only after the results are on the disk; a shard is its own checkpoint.
 */
static segue_status print_results(const settings *set, const segue_experiment *experiment,
                                  const segue_results *results, segue_error *err)
{
    if (set->shard.count)
        return print_shard(set, experiment, err);
    cli_run_experiment_remove_checkpoint(experiment, set->out);
    SEGUE_TRY(write_page(set, results, err));
    return cli_run_experiment_print(results, set->format, err);
}

/* Only the coordinator has results. */
static segue_status play(const settings *set, const segue_experiment *experiment,
                         const segue_processes *processes, segue_error *err)
{
    segue_results *results = NULL;
    segue_status status = run_experiment(set, experiment, processes, &results, err);
    if (status == SEGUE_OK && segue_processes_is_coordinator(processes))
        status = print_results(set, experiment, results, err);
    segue_results_destroy(results);
    return status;
}

/* Copy a file to the standard output, all of it or nothing; `path` is for errors. */
static segue_status copy_file(FILE *file, const char *path, segue_error *err)
{
    char block[65536];
    segue_output output;
    SEGUE_TRY(segue_output_init(&output, err));
    for (size_t size; (size = fread(block, 1, sizeof block, file)) > 0;)
        (void)fwrite(block, 1, size, output.stream);
    const segue_status status =
        ferror(file) ? segue_fail(err, SEGUE_EIO, "%s: reading failed; check the disk",
                                  segue_path_tail(path))
                     : cli_output_send(&output, NULL, err);
    segue_output_fini(&output);
    return status;
}

/* Print a file as it is: results that were read back have fewer digits. */
static segue_status print_file(const char *path, segue_error *err)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_path_tail(path),
                          strerror(errno));
    const segue_status status = copy_file(file, path, err);
    (void)fclose(file);
    return status;
}

/* A table shows few digits: the results that were read suffice for it. */
static segue_status print_finished(const settings *set, const segue_results *results,
                                   segue_error *err)
{
    if (!set->quiet)
        (void)fprintf(stderr, "segue: %s: is finished; --fresh plays it again\n", results->name);
    SEGUE_TRY(write_page(set, results, err));
    if (set->format == CLI_TABLE)
        return cli_run_experiment_print(results, set->format, err);
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s.%s", set->out, results->name,
                   set->format == CLI_CSV ? "csv" : "json");
    return print_file(path, err);
}

/* Read the experiment and, in the coordinator, the results if they are finished. */
static segue_status begin(const settings *set, const segue_processes *processes,
                          segue_experiment **experiment, segue_results **finished, segue_error *err)
{
    const segue_run_options run_options = options_of(set, processes);
    SEGUE_TRY(prepare(set, processes, experiment, err));
    if (!segue_processes_is_coordinator(processes))
        return SEGUE_OK;
    return cli_run_experiment_find_finished(finished, *experiment, set->out, &run_options, err);
}

/* Run in these processes (NULL: alone).  `status` is that of parsing the options; all processes
 * exchange it.  If results are finished, the coordinator prints them and the others stop. */
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

/* Run as one of several processes.  Only the first reports an error: if another failed, the
 * launcher would end the first before it printed. */
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

/* A wrong option does not return at once: under a launcher all processes must learn of it. */
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
    .summary = "run an experiment that a JSON file describes",
    .usage = "run FILE.json [OPTIONS]",
    .details = "Every policy is played in every environment, for every number of steps and of\n"
               "tasks.  The results go to NAME.json (which 'segue run' reads too, to repeat it),\n"
               "NAME.csv and NAME-curve.csv (with 'every').  Ctrl-C stops; NAME.unfinished has\n"
               "the finished runs, and --resume continues from them, to the same results.  With\n"
               "finished results --resume prints them.  Only --fresh replaces results.\n\n"
               "On many machines: 'mpirun -n P segue run FILE.json' distributes the runs over P\n"
               "processes, of which the first writes; each has --threads.  Or run the parts\n"
               "separately: --shard I/N writes NAME.shard-I-of-N, which --resume continues, and\n"
               "'segue merge FILE.json' merges them.  The bytes are always the same.\n\n"
               "Fields of the file:\n"
               "  name         of the result files: a-z, 0-9 and '-'\n"
               "  title        for people (default: the name)\n"
               "  environment  {\"models\": \"FILE.csv\"} (beside this file), or {\"models\":\n"
               "               {\"means\": [[0.9, 0.4], [0.2, 0.8]], \"weights\": [1, 1]}}, or\n"
               "               {\"uniform\": K}, or {\"log\": \"FILE.csv\", \"least\": 3}; with\n"
               "               rewards, spread, mixed, switch-at, switch-to and order as in\n"
               "               'segue help simulate'; of a log also lowest and highest, the\n"
               "               range of its rewards, task, arm and reward, the names of its\n"
               "               columns, and delimiter and missing as in 'segue help logs';\n"
               "               or a list of such, each with its \"name\".\n"
               "               Results have a log's name, not its rows, and a 'log_summary',\n"
               "               by which another log is rejected\n"
               "  policies     a list: [\"ucb\", \"tucb:C=1,views=symmetric\"]\n"
               "  steps        steps per task, a number or a list\n"
               "  tasks        tasks per run, a number or a list; without it: single tasks\n"
               "  runs         of each cell (of each model, with single tasks)\n"
               "  seed         of all random streams (default 1)\n"
               "  every        also record the regret over tasks, one point per 'every'\n"
               "               tasks; of tts, tla and auto also the types found; of tucb on one\n"
               "               model set that is not switched also complexity, error, eps, and\n"
               "               how many models have one arm only that may be best\n"
               "  fresh-rewards  true: with 'every', also the error of an estimate from as many\n"
               "               independent rewards per arm and task as tucb pulled\n"
               "  variants     {\"quick\": {\"runs\": 2}}: other policies, steps, tasks, runs,\n"
               "               seed or every, for --variant quick\n\n"
               "'segue help' prints where the experiments of the paper are installed.\n\n"
               "examples:\n"
               "  segue run experiments/lengths.json --out /tmp\n"
               "  segue run experiments/lengths.json --variant quick --out /tmp --format csv\n"
               "  segue run experiments/ours.json --variant quick --html ours.html\n"
               "  mpirun -n 4 segue run experiments/lengths.json --out /tmp\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
