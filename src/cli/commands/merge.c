/* merge.c - `segue merge`: the results of shards.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>

#include "cli/command.h"
#include "cli/commands/run.h"
#include "cli/output.h"

typedef struct settings {
    const char *variant, *out, *format;
    uint64_t runs, seed;
    bool fresh;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)
#define NO_SEED     UINT64_MAX

static const cli_option options[] = {
    {"variant", 'v', CLI_TEXT, FIELD(variant), "NAME", "the variant that was run", 0, 0},
    {"runs", 'r', CLI_INTEGER, FIELD(runs), "R", "the runs that were asked for", 1,
     (double)SEGUE_MAX_RUNS},
    {"seed", 's', CLI_INTEGER, FIELD(seed), "S", "the seed that was given", 0, 9007199254740992.0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FOLDER", "of shards and results (default: this folder)", 0,
     0},
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT",
     "what is printed: table (default), csv or json", 0, 0},
    {"fresh", 0, CLI_FLAG, FIELD(fresh), NULL, "replace results of another experiment", 0, 0},
};

/* Results that are finished already come out the same; others are not replaced unasked. */
static segue_status keep_others(const settings *set, const segue_experiment *experiment,
                                segue_error *err)
{
    segue_results *there = NULL;
    if (set->fresh)
        return SEGUE_OK;
    const segue_status status = segue_experiment_read_results(&there, experiment, set->out, err);
    segue_results_destroy(there);
    return status;
}

static segue_status merge(const settings *set, const char *path, segue_results **out,
                          segue_error *err)
{
    const segue_experiment_overrides changes = {.variant = set->variant,
                                                .runs = set->runs,
                                                .seed = set->seed == NO_SEED ? NULL : &set->seed};
    segue_experiment *experiment = NULL;
    segue_status status = segue_experiment_read(&experiment, path, &changes, err);
    if (status == SEGUE_OK)
        status = segue_experiment_protect_inputs(experiment, set->out, path, err);
    if (status == SEGUE_OK)
        status = keep_others(set, experiment, err);
    if (status == SEGUE_OK)
        status = segue_experiment_merge(out, experiment, set->out, err);
    if (status == SEGUE_OK)
        status = segue_experiment_write_results(*out, set->out, err);
    segue_experiment_destroy(experiment);
    return status;
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    settings set = {.out = ".", .format = "table", .seed = NO_SEED};
    cli_format format = CLI_TABLE;
    const char *path = NULL;
    segue_results *results = NULL;
    segue_status status = cli_options_parse_operand(options, sizeof options / sizeof *options, argc,
                                                    argv, &set, &path, err);
    if (status == SEGUE_OK)
        status = cli_output_parse_format(set.format, &format, err);
    if (status == SEGUE_OK && !path)
        status = segue_fail(err, SEGUE_EUSAGE,
                            "give the file of an experiment; 'segue help merge' tells more");
    if (status == SEGUE_OK)
        status = merge(&set, path, &results, err);
    if (status == SEGUE_OK)
        status = cli_run_print_results(results, format, err);
    segue_results_destroy(results);
    return status;
}

const cli_command cli_command_merge = {
    .name = "merge",
    .summary = "makes the results of an experiment that was run in shards",
    .usage = "merge FILE.json [OPTIONS]",
    .details = "Give --variant, --runs, --seed and --out as 'segue run FILE.json --shard I/N'\n"
               "had them.  It finds NAME.shard-1-of-N to NAME.shard-N-of-N in FOLDER, and writes\n"
               "what 'segue run' would have written in one go, to the byte.  Shards that are\n"
               "missing, incomplete, damaged, doubled, or of another experiment, version or\n"
               "build are refused, and named.  The shards stay; remove them when the results are\n"
               "as you want them.\n\n"
               "examples:\n"
               "  segue run experiments/lengths.json --shard 1/2 --out /tmp\n"
               "  segue run experiments/lengths.json --shard 2/2 --out /tmp\n"
               "  segue merge experiments/lengths.json --out /tmp\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
