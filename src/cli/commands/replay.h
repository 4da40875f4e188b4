/* replay.h - what the parts of `segue replay` share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_REPLAY_H
#define SEGUE_CLI_COMMANDS_REPLAY_H

#include "cli/output.h"
#include "replay/replay_result.h"

/** What the printers print. */
typedef struct cli_replay {
    segue_replay_result found;
    const char *out; /* where the table goes, or NULL: the standard output */
} cli_replay;

extern const cli_printers cli_replay_printers;

/** The curve: one row a player and task; @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status cli_replay_write_curve(const segue_replay_result *found,
                                                     const char *path, segue_error *err);

#endif
