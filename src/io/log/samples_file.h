/* samples_file.h - the rewards of a log as samples to draw from.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_SAMPLES_FILE_H
#define SEGUE_IO_LOG_SAMPLES_FILE_H

#include "io/log/history.h"
#include "segue/samples.h"

typedef struct segue_samples_options {
    uint64_t
        min_rewards; /* rewards that each arm of a task must have, 1 .. SEGUE_MAX_MIN_REWARDS */
    log_read_options log; /* columns, format and range */
} segue_samples_options;

/**
 * Read a log (history.h) and group its rewards by task and arm; *skipped, if it is not NULL, are the
 * rows that were skipped.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN  the message names the file
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_samples_file_read(segue_samples **out, const char *path,
                                                      const segue_samples_options *options,
                                                      log_skipped *skipped, segue_error *err);

/** Group the rewards of a log that was read from `path` by task and arm.
 * @retval SEGUE_EDOMAIN  no task has `min_rewards` rewards of every arm
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_samples_file_group(segue_samples **out, const char *path,
                                                       const segue_history *history,
                                                       uint64_t min_rewards, segue_error *err);

#endif
