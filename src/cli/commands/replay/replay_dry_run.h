/* replay_dry_run.h - `segue replay --dry-run`: describe a log without playing it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_REPLAY_REPLAY_DRY_RUN_H
#define SEGUE_CLI_COMMANDS_REPLAY_REPLAY_DRY_RUN_H

#include "cli/commands/replay/replay_next.h"
#include "cli/output.h"
#include "replay/replay_summary.h"

/** A log that was read with its times and probabilities; all but the results is borrowed. */
typedef struct cli_replay_dry_run {
    cli_replay_source source;
    const log_read_options *reading;
    const segue_history *history;
    uint64_t seed;
    segue_replay_summary summary;
    char next[CLI_REPLAY_COMMAND_SIZE], plan[CLI_REPLAY_COMMAND_SIZE]; /* commands; empty: none */
} cli_replay_dry_run;

/** Summarise the log, and print the summary.  @retval SEGUE_EDOMAIN, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status cli_replay_dry_run_print(cli_replay_dry_run *dry_run,
                                                       cli_format format, const char *out,
                                                       segue_error *err);

#endif
