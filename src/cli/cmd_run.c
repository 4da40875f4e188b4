/* cmd_run.c - `segue run`: an experiment that a file describes.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "cli/table.h"

typedef struct settings {
    const char *variant, *out, *format;
    uint64_t runs, seed, threads;
    bool resume, fresh, quiet;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)
#define NO_SEED     UINT64_MAX

static const cli_option options[] = {
    {"variant", 'v', CLI_TEXT, FIELD(variant), "NAME", "run this variant that the file describes",
     0, 0},
    {"runs", 'r', CLI_WHOLE, FIELD(runs), "R", "so many runs, whatever the file says", 1,
     (double)SEGUE_MAX_RUNS},
    {"seed", 's', CLI_WHOLE, FIELD(seed), "S", "this seed, whatever the file says", 0,
     9007199254740992.0},
    {"threads", 't', CLI_WHOLE, FIELD(threads), "T", "threads (default: one a processor)", 1,
     SEGUE_MAX_THREADS},
    {"out", 'o', CLI_TEXT, FIELD(out), "FOLDER", "where results go (default: this folder)", 0, 0},
    {"resume", 0, CLI_FLAG, FIELD(resume), NULL, "go on where an earlier run was stopped", 0, 0},
    {"fresh", 0, CLI_FLAG, FIELD(fresh), NULL, "begin again; forget what was stopped", 0, 0},
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT",
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
    return segue_results_json(found);
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
    cli_table_number(table, row, 6, segue_cell_band(cell, cell->regret), 2);
}

static segue_status print_table(const void *found, FILE *out, segue_error *err)
{
    static const char *const headings[] = {"environment", "policy", "steps",  "tasks",
                                           "runs",        "regret", "+- 95 %"};
    enum { COLUMNS = sizeof headings / sizeof *headings };
    const segue_results *results = found;
    cli_table table;
    segue_status status = cli_table_init(&table, results->n_cells + 1, COLUMNS, err);
    if (status != SEGUE_OK)
        return status;
    for (size_t c = 0; c < COLUMNS; c++)
        cli_table_set(&table, 0, c, "%s", headings[c]);
    for (size_t i = 0; i < results->n_cells; i++)
        fill_row(&table, i + 1, &results->cell[i]);
    fprintf(out, "%s: regret per task, seed %" PRIu64 "\n\n", results->title, results->seed);
    status = cli_table_print(&table, COLUMNS, out, cli_bold_for(NULL), err);
    cli_table_fini(&table);
    return status;
}

static const cli_printers printers = {.table = print_table, .csv = print_csv, .json = make_json};

/* ---- running ----------------------------------------------------------------------------- */

segue_status cli_run_experiment(segue_results **out, const segue_experiment *experiment,
                                const char *folder, segue_conduct conduct, segue_error *err)
{
    char journal[4096];
    if (snprintf(journal, sizeof journal, "%s/%s.unfinished", folder, experiment->name) >=
        (int)sizeof journal)
        return segue_fail(err, SEGUE_EFILE, "the path of the folder is too long");
    conduct.journal = journal;
    conduct.stopped = cli_interrupted;
    conduct.progress = cli_progress_show;
    segue_status status = segue_experiment_run(out, experiment, &conduct, err);
    return status == SEGUE_OK ? segue_experiment_write(*out, folder, err) : status;
}

void cli_remove_journal(const segue_experiment *experiment, const char *folder)
{
    char journal[4096];
    (void)snprintf(journal, sizeof journal, "%s/%s.unfinished", folder, experiment->name);
    (void)unlink(journal);
}

static segue_status conduct(const settings *set, const segue_experiment *experiment,
                            segue_results **out, segue_error *err)
{
    cli_progress progress;
    cli_interrupt_catch();
    cli_progress_init(&progress, set->quiet);
    cli_progress_part(&progress, experiment->name, 0.0, 1.0);
    const segue_conduct how = {.threads = (size_t)set->threads,
                               .resume = set->resume,
                               .fresh = set->fresh,
                               .context = &progress};
    const segue_status status = cli_run_experiment(out, experiment, set->out, how, err);
    cli_progress_fini(&progress);
    return status;
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    settings set = {.out = ".", .format = "table", .seed = NO_SEED, .threads = cli_processors()};
    cli_format format = CLI_TABLE;
    const char *path = NULL;
    segue_status status =
        cli_parse_operand(options, sizeof options / sizeof *options, argc, argv, &set, &path, err);
    if (status == SEGUE_OK)
        status = cli_parse_format(set.format, &format, err);
    if (status == SEGUE_OK && !path)
        status = segue_fail(err, SEGUE_EUSAGE,
                            "give the file of an experiment; 'segue help run' tells more");
    if (status == SEGUE_OK && set.resume && set.fresh)
        status = segue_fail(err, SEGUE_EUSAGE, "--resume and --fresh exclude each other");
    if (status != SEGUE_OK)
        return status;
    segue_experiment *experiment = NULL;
    segue_results *results = NULL;
    const segue_changes changes = {
        .variant = set.variant, .runs = set.runs, .seed = set.seed == NO_SEED ? NULL : &set.seed};
    status = segue_experiment_read(&experiment, path, &changes, err);
    if (status == SEGUE_OK)
        status = segue_experiment_keep(experiment, set.out, path, err);
    if (status == SEGUE_OK)
        status = segue_experiment_folder(set.out, err);
    if (status == SEGUE_OK)
        status = conduct(&set, experiment, &results, err);
    if (status == SEGUE_OK)
        cli_remove_journal(experiment, set.out);
    if (status == SEGUE_OK)
        status = cli_print(&printers, results, format, NULL, err);
    segue_results_destroy(results);
    segue_experiment_destroy(experiment);
    return status;
}

const cli_command cli_command_run = {
    .name = "run",
    .summary = "runs an experiment that a JSON file describes",
    .usage = "run FILE.json [OPTIONS]",
    .details = "Every policy is played in every environment, for every number of steps and of\n"
               "tasks.  The results go to NAME.json (which 'segue run' takes too, to repeat it),\n"
               "NAME.csv and NAME-curve.csv (with 'every').  Ctrl-C stops; what is finished is\n"
               "kept in NAME.unfinished, and --resume goes on with it, to the same results.\n\n"
               "Fields of the file:\n"
               "  name         of the result files: a-z, 0-9 and '-'\n"
               "  title        for people (default: the name)\n"
               "  environment  {\"models\": \"FILE.csv\"} (beside this file), or {\"models\":\n"
               "               {\"means\": [[0.9, 0.4], [0.2, 0.8]], \"weights\": [1, 1]}}, or\n"
               "               {\"uniform\": K}; with rewards, spread, mixed, switch-at and\n"
               "               switch-to as in 'segue help simulate'; or a list of such, each\n"
               "               with its \"name\"\n"
               "  policies     a list: [\"ucb\", \"tucb:C=1,views=symmetric\"]\n"
               "  steps        steps a task, a number or a list\n"
               "  tasks        tasks a run, a number or a list; without it: single tasks\n"
               "  runs         of each cell (of each model, with single tasks)\n"
               "  seed         of all random streams (default 1)\n"
               "  every        also follow the regret over tasks, a point every so many; of a\n"
               "               learner also its complexity, error and eps\n"
               "  variants     {\"quick\": {\"runs\": 2}}: other policies, steps, tasks, runs,\n"
               "               seed or every, for --variant quick\n\n"
               "examples:\n"
               "  segue run experiments/lengths.json --out /tmp\n"
               "  segue run experiments/lengths.json --variant quick --out /tmp --format csv\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
