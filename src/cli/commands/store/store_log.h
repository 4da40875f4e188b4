/* store_log.h - the rewards of a served learner as a log.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_STORE_STORE_LOG_H
#define SEGUE_CLI_COMMANDS_STORE_STORE_LOG_H

#include "store/store.h"

/** Counts of a log that was written. */
typedef struct cli_store_log {
    uint64_t tasks, rewards;
    uint64_t with_probability; /* rewards */
    uint64_t unrewarded;       /* stored decisions without a reward, which are not in the log */
    double lowest, highest;    /* range of the rewards */
} cli_store_log;

/**
 * Write the rewards of a learner to a CSV file, "-" for the standard output: task, arm, reward,
 * time, control, and probability if every reward has one.
 *
 * @retval SEGUE_ENAME  there is no such learner
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM, SEGUE_ESTOPPED
 */
SEGUE_MUST_CHECK segue_status cli_store_log_write(segue_store *store, const char *learner,
                                                  const char *path, cli_store_log *out,
                                                  segue_error *err);

#endif
