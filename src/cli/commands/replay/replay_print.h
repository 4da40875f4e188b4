/* replay_print.h - the result of `segue replay` as rows, table, CSV and JSON.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_REPLAY_REPLAY_PRINT_H
#define SEGUE_CLI_COMMANDS_REPLAY_REPLAY_PRINT_H

#include "cli/columns.h"
#include "cli/commands/replay/replay_next.h"
#include "replay/replay_result.h"

/** The result, and the file that the table is printed to. */
typedef struct cli_replay {
    segue_replay_result result;
    const char *out;                    /* NULL: the standard output */
    char next[CLI_REPLAY_COMMAND_SIZE]; /* the command that follows the verdict; empty: none */
} cli_replay;

extern const cli_printers cli_replay_printers;

/** Return "urn" or "rows". */
const char *cli_replay_method_name(const segue_replay_result *result);

/** Return the number of tasks that are scored. */
size_t cli_replay_n_scored(const segue_replay_result *result);

/** The rows of the policies; one row more than there are policies is "(best arms)". */
cli_columns cli_replay_candidates(const segue_replay_result *result, size_t n_rows);

/** The rows of the types. */
cli_columns cli_replay_types(const segue_replay_result *result);

/** Print the gains over ts as a table, one row per segment of the tasks. */
SEGUE_MUST_CHECK segue_status cli_replay_print_curve(const cli_replay *replay, FILE *out,
                                                     segue_error *err);

/** Write the curve as CSV: one row per policy and task.
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status cli_replay_write_curve(const segue_replay_result *result,
                                                     const char *path, segue_error *err);

#endif
