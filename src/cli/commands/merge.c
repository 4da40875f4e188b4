/* merge.c - `segue merge`: merge the shards of an experiment into its results, or add tallies.
 *
 * The first file says which: a tally starts with bytes of its own (merge_tallies.c).
 *
 * Shards are checkpoint files NAME.shard-I-of-N that 'segue run --shard' wrote. experiment_merge.c
 * reads and checks them; this file reads the options, protects files from being overwritten, and
 * prints the results.
 *
 * The options must be those of the shards: shards of another seed or number of runs are rejected.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>

#include "cli/command.h"
#include "cli/commands/merge_tallies.h"
#include "cli/run_experiment.h"
#include "io/tally/tally.h"

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
    {"out", 'o', CLI_TEXT, FIELD(out), "PATH", "folder of shards (default: this); the sum", 0, 0},
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT", "output: table (default), csv or json", 0,
     0},
    {"fresh", 0, CLI_FLAG, FIELD(fresh), NULL, "replace results of another experiment", 0, 0},
};

/* Fail if the folder has results of another experiment, unless --fresh replaces them. */
static segue_status check_results(const settings *set, const segue_experiment *experiment,
                                  const char *folder, segue_error *err)
{
    segue_results *there = NULL;
    if (set->fresh)
        return SEGUE_OK;
    const segue_status status = segue_experiment_read_results(&there, experiment, folder, err);
    segue_results_destroy(there);
    return status;
}

/* Both checks come before the shards are read, which may take long. */
static segue_status merge(const settings *set, const char *path, segue_results **out,
                          segue_error *err)
{
    const char *folder = set->out ? set->out : ".";
    const segue_experiment_overrides changes = {.variant = set->variant,
                                                .runs = set->runs,
                                                .seed = set->seed == NO_SEED ? NULL : &set->seed};
    segue_experiment *experiment = NULL;
    SEGUE_TRY(segue_experiment_read(&experiment, path, &changes, err));
    segue_status status = segue_experiment_protect_inputs(experiment, folder, path, err);
    if (status != SEGUE_OK)
        goto done;
    status = check_results(set, experiment, folder, err);
    if (status != SEGUE_OK)
        goto done;
    status = segue_experiment_merge(out, experiment, folder, err);
    if (status == SEGUE_OK)
        status = segue_experiment_write_results(*out, folder, err);
done:
    segue_experiment_destroy(experiment);
    return status;
}

/* Results are written to the folder before they are printed. */
static segue_status merge_shards(const settings *set, char *const *paths, size_t count,
                                 cli_format format, segue_error *err)
{
    segue_results *results = NULL;
    if (count > 1)
        return segue_fail(err, SEGUE_EUSAGE,
                          "'%.100s' is no tally; give one experiment, or tallies alone", paths[0]);
    segue_status status = merge(set, paths[0], &results, err);
    if (status == SEGUE_OK)
        status = cli_run_experiment_print(results, format, err);
    segue_results_destroy(results);
    return status;
}

/* Reject the options of shards. */
static segue_status merge_tallies(const settings *set, char *const *paths, size_t count,
                                  cli_format format, segue_error *err)
{
    const char *option = set->variant           ? "variant"
                         : set->runs            ? "runs"
                         : set->seed != NO_SEED ? "seed"
                         : set->fresh           ? "fresh"
                                                : NULL;
    if (option)
        return segue_fail(err, SEGUE_EUSAGE, "--%s is for shards, and '%.100s' is a tally", option,
                          paths[0]);
    return cli_merge_tallies(paths, count, set->out, format, err);
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    settings set = {.format = "table", .seed = NO_SEED};
    cli_format format = CLI_TABLE;
    char *const *paths = NULL;
    size_t count = 0;
    SEGUE_TRY(cli_options_parse_operands(options, sizeof options / sizeof *options, argc, argv,
                                         &set, &paths, &count, err));
    SEGUE_TRY(cli_output_parse_format(set.format, &format, err));
    if (count == 0)
        return segue_fail(err, SEGUE_EUSAGE,
                          "give the file of an experiment, or tallies; see 'segue help merge'");
    return segue_tally_detect(paths[0]) ? merge_tallies(&set, paths, count, format, err)
                                        : merge_shards(&set, paths, count, format, err);
}

const cli_command cli_command_merge = {
    .name = "merge",
    .summary = "merge the shards of an experiment, or the tallies of a log",
    .usage = "merge (FILE.json | FILE.tally ...) [OPTIONS]",
    .details = "Shards of 'segue run FILE.json --shard I/N': give the same --variant, --runs,\n"
               "and --seed.  It reads NAME.shard-1-of-N to NAME.shard-N-of-N in the folder\n"
               "of --out, and writes the files that 'segue run' writes without shards, to the\n"
               "byte.  Shards that are missing, incomplete, damaged, duplicate, or of another\n"
               "experiment, version or build are rejected, and named.  The shards remain; remove\n"
               "them when the results are as you want them.\n\n"
               "Tallies ('segue tally'): add the counts of any number of parts of a log, and\n"
               "write the sum to --out FILE, which is needed.  A task may be in several parts.\n"
               "The order of the files does not matter, and sums can be added again.  The\n"
               "parts remain.\n\n"
               "examples:\n"
               "  segue run experiments/lengths.json --shard 1/2 --out /tmp\n"
               "  segue run experiments/lengths.json --shard 2/2 --out /tmp\n"
               "  segue merge experiments/lengths.json --out /tmp\n"
               "  segue merge part-*.tally --out whole.tally\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
