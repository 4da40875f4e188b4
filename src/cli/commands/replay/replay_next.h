/* replay_next.h - commands to run after `segue replay`, for a shell.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_REPLAY_REPLAY_NEXT_H
#define SEGUE_CLI_COMMANDS_REPLAY_REPLAY_NEXT_H

#include "cli/log/log_options.h"
#include "replay/replay_result.h"

/* A quoted character of a path, which has at most 4,096 bytes, takes four of a shell. */
#define CLI_REPLAY_COMMAND_SIZE (4 * 4096 + CLI_LOG_OPTIONS_SIZE + 200)

/** A log, and the options that it was read with; borrowed. */
typedef struct cli_replay_source {
    const char *path;        /* "-": standard input */
    const char *log_options; /* for a shell, each with a blank before it */
} cli_replay_source;

/** Write "segue COMMAND" on this log; a log on standard input is named LOG. */
void cli_replay_next_command(const cli_replay_source *source, const char *command,
                             char out[CLI_REPLAY_COMMAND_SIZE]);

/** Write the command that learns what the verdict recommends; empty if that is one arm or nothing. */
void cli_replay_next_learn(const cli_replay_source *source, const segue_replay_result *result,
                           char out[CLI_REPLAY_COMMAND_SIZE]);

#endif
