/* merge.c - `segue merge`: merge the shards of an experiment into its results.
 *
 * Shards are checkpoint files NAME.shard-I-of-N that 'segue run --shard' wrote. experiment_merge.c
 * reads and checks them; this file reads the options, protects files from being overwritten, and
 * prints the results.
 *
 * The options must be those of the shards: shards of another seed or number of runs are rejected.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>

#include "cli/command.h"
#include "cli/run_experiment.h"
#include "segue/internal.h"

/* Options; 0, NULL and NO_SEED stand for those of the file. */
typedef struct settings {
    const char *variant, *out, *format;
    uint64_t runs, seed;
    bool fresh;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)
#define NO_SEED     CLI_RUN_EXPERIMENT_NO_SEED

static const cli_option options[] = {
    {"variant", 'v', CLI_TEXT, FIELD(variant), "NAME", "the variant of 'segue run'", 0, 0},
    {"runs", 'r', CLI_INTEGER, FIELD(runs), "R", "the runs of 'segue run'", 1,
     (double)SEGUE_MAX_RUNS},
    {"seed", 's', CLI_INTEGER, FIELD(seed), "S", "the seed of 'segue run'", 0, 9007199254740992.0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FOLDER", "of shards and results (default: this folder)", 0,
     0},
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT", "output: table (default), csv or json", 0,
     0},
    {"fresh", 0, CLI_FLAG, FIELD(fresh), NULL, "replace results of another experiment", 0, 0},
};

/* Fail if the folder has results of another experiment, unless --fresh replaces them. */
static segue_status check_results(const settings *set, const segue_experiment *experiment,
                                  segue_error *err)
{
    segue_results *there = NULL;
    if (set->fresh)
        return SEGUE_OK;
    const segue_status status = segue_experiment_read_results(&there, experiment, set->out, err);
    segue_results_destroy(there);
    return status;
}

/* Both checks come before the shards are read, which may take long. */
static segue_status merge(const settings *set, const char *path, segue_results **out,
                          segue_error *err)
{
    const segue_experiment_overrides changes = {.variant = set->variant,
                                                .runs = set->runs,
                                                .seed = set->seed == NO_SEED ? NULL : &set->seed};
    segue_experiment *experiment = NULL;
    SEGUE_TRY(segue_experiment_read(&experiment, path, &changes, err));
    segue_status status = segue_experiment_protect_inputs(experiment, set->out, path, err);
    if (status != SEGUE_OK)
        goto done;
    status = check_results(set, experiment, err);
    if (status != SEGUE_OK)
        goto done;
    status = segue_experiment_merge(out, experiment, set->out, err);
    if (status == SEGUE_OK)
        status = segue_experiment_write_results(*out, set->out, err);
done:
    segue_experiment_destroy(experiment);
    return status;
}

/* Results are written to the folder before they are printed. */
static segue_status run(int argc, char **argv, segue_error *err)
{
    settings set = {.out = ".", .format = "table", .seed = NO_SEED};
    cli_format format = CLI_TABLE;
    const char *path = NULL;
    segue_results *results = NULL;
    SEGUE_TRY(cli_options_parse_operand(options, sizeof options / sizeof *options, argc, argv, &set,
                                        &path, err));
    SEGUE_TRY(cli_output_parse_format(set.format, &format, err));
    if (!path)
        return segue_fail(err, SEGUE_EUSAGE,
                          "give the file of an experiment; see 'segue help merge'");
    segue_status status = merge(&set, path, &results, err);
    if (status == SEGUE_OK)
        status = cli_run_experiment_print(results, format, err);
    segue_results_destroy(results);
    return status;
}

const cli_command cli_command_merge = {
    .name = "merge",
    .summary = "merge the shards of an experiment into its results",
    .usage = "merge FILE.json [OPTIONS]",
    .details = "Give --variant, --runs, --seed and --out as for 'segue run FILE.json --shard\n"
               "I/N'.  It reads NAME.shard-1-of-N to NAME.shard-N-of-N in FOLDER, and writes the\n"
               "files that 'segue run' writes without shards, to the byte.  Shards that are\n"
               "missing, incomplete, damaged, duplicate, or of another experiment, version or\n"
               "build are rejected, and named.  The shards remain; remove them when the results\n"
               "are as you want them.\n\n"
               "examples:\n"
               "  segue run experiments/lengths.json --shard 1/2 --out /tmp\n"
               "  segue run experiments/lengths.json --shard 2/2 --out /tmp\n"
               "  segue merge experiments/lengths.json --out /tmp\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
