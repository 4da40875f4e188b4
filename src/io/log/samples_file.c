/* samples_file.c - the rewards of a log as samples to draw from.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/log/samples_file.h"

#include <string.h>

#include "segue/internal.h"

segue_status segue_samples_file_group(segue_samples **out, const char *path,
                                      const segue_history *history, uint64_t min_rewards,
                                      segue_error *err)
{
    *out = NULL;
    segue_error why = {.status = SEGUE_OK};
    const segue_status status = segue_samples_create(
        out, history->n_tasks, history->n_arms, history->row, history->n_rows, min_rewards, &why);
    if (status == SEGUE_OK)
        return status;
    return segue_fail(err, status, "%s: %s",
                      strcmp(path, "-") == 0 ? SEGUE_STANDARD_INPUT : segue_path_tail(path),
                      why.message);
}

segue_status segue_samples_file_read(segue_samples **out, const char *path,
                                     const segue_samples_options *options, log_skipped *skipped,
                                     segue_error *err)
{
    segue_history history;
    *out = NULL;
    segue_status status = segue_history_read(&history, path, &options->log, err);
    if (skipped)
        *skipped = history.rows.skipped;
    if (status == SEGUE_OK)
        status = segue_samples_file_group(out, path, &history, options->min_rewards, err);
    segue_history_fini(&history);
    return status;
}
