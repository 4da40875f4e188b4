/* replay_page.h - the result of a replay as an HTML page.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_REPLAY_PAGE_H
#define SEGUE_REPORT_REPLAY_PAGE_H

#include <stdio.h>

#include "replay/replay_result.h"

/** Print in one sentence how the log was played. */
void segue_replay_page_print_method(const segue_replay_result *result, FILE *out);

/**
 * Write a self-contained page.  The figures are also stored in the folder `figures`; NULL: they are
 * drawn in a temporary folder.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_replay_page_write(const segue_replay_result *result,
                                                      const char *path, const char *figures,
                                                      segue_error *err);

#endif
