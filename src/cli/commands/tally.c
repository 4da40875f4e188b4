/* tally.c - `segue tally`: count the rewards of a log per task and arm.
 *
 * A log that is larger than one machine is tallied in parts, one command each; `segue merge` adds
 * the tallies (merge.c), and estimate and replay read the sum in place of the log.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"
#include "cli/log/log_tally.h"

typedef struct settings {
    const char *out, *format;
    cli_log_settings log;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)

static const cli_option options[] = {
    {"out", 'o', CLI_TEXT, FIELD(out), "FILE", "the tally ('-': standard output)", 0, 0},
    CLI_LOG_OPTIONS(settings, log),
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT", "summary: table (default), csv or json", 0,
     0},
};

/* Options are checked before the log is read, which may take long. */
static segue_status check(settings *set, const char *path, segue_error *err)
{
    const char *lost = set->log.time ? "time" : set->log.probability ? "probability" : NULL;
    if (!path)
        return segue_fail(err, SEGUE_EUSAGE, "give a log; see 'segue help tally'");
    if (!set->out)
        return segue_fail(err, SEGUE_EUSAGE,
                          "give --out FILE, the tally; '--out -' is the standard output");
    if (lost)
        return segue_fail(err, SEGUE_EUSAGE, "--%s: a tally has none of them; remove the option",
                          lost);
    set->out = cli_output_path(set->out);
    const cli_path paths[] = {{"out", set->out}, {NULL, path}};
    return cli_output_check_paths(paths, 1, 2, err);
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    settings set = {.format = "table"};
    cli_format format = CLI_TABLE;
    const char *path = NULL;
    log_read_options reading;
    segue_tally tally;
    SEGUE_TRY(cli_options_parse_operand(options, sizeof options / sizeof *options, argc, argv, &set,
                                        &path, err));
    SEGUE_TRY(cli_output_parse_format(set.format, &format, err));
    SEGUE_TRY(check(&set, path, err));
    SEGUE_TRY(cli_log_options_parse(&set.log, &reading, err));
    if (segue_tally_detect(path))
        return segue_fail(err, SEGUE_EUSAGE, "%.200s is a tally; 'segue merge' adds tallies",
                          segue_path_tail(path));
    SEGUE_TRY(segue_tally_read_log(&tally, path, &reading, err));
    cli_log_options_report(path, &tally.skipped);
    const segue_status status = cli_log_tally_write(&tally, set.out, format, err);
    segue_tally_fini(&tally);
    return status;
}

const cli_command cli_command_tally = {
    .name = "tally",
    .summary = "count a log per task and arm; the counts of parts can be merged",
    .usage = "tally LOG.csv --out FILE.tally [OPTIONS]",
    .details = "For logs that are larger than one machine: tally each part where it is, add the\n"
               "tallies with 'segue merge', and give the sum to 'segue estimate' and 'segue\n"
               "replay' in place of the log.  A task may be in several parts.  The sum has the\n"
               "same bytes however the rows are divided into parts and in whatever order they\n"
               "are added.  Memory grows with tasks and arms, not with rows.\n\n"
               "A tally has the number of rewards, their sum and the sum of their squares per\n"
               "task and arm.  Times, probabilities and the order of rewards are lost.\n"
               "All parts need the same --range.  'segue help logs' describes logs;\n"
               "docs/tally.md describes the file, and shows MPI, Slurm, xargs and GNU parallel.\n\n"
               "examples:\n"
               "  segue tally part-1.csv.zst --out part-1.tally\n"
               "  segue tally --task user --arm variant --reward click log.csv --out log.tally\n"
               "  segue merge part-*.tally --out whole.tally\n"
               "  segue estimate --method types whole.tally\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
