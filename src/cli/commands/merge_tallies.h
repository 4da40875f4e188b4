/* merge_tallies.h - the part of `segue merge` that adds tallies.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_MERGE_TALLIES_H
#define SEGUE_CLI_COMMANDS_MERGE_TALLIES_H

#include "cli/output.h"

/**
 * Add the tallies in `count` files, at least one, and write the sum to `out`; "-" is the standard
 * output.
 *
 * @retval SEGUE_EUSAGE  a file is given twice, would be overwritten, or is no tally
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status cli_merge_tallies(char *const *paths, size_t count, const char *out,
                                                cli_format format, segue_error *err);

#endif
