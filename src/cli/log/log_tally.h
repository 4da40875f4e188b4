/* log_tally.h - tallies on the command line: as input in place of a log, and as output.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_LOG_LOG_TALLY_H
#define SEGUE_CLI_LOG_LOG_TALLY_H

#include "cli/log/log_options.h"
#include "cli/output.h"
#include "io/tally/tally.h"

/**
 * Read a tally in place of a log.  It knows its range, which goes to `reading`; options of logs
 * are refused.
 *
 * @retval SEGUE_EUSAGE  an option of logs is given
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN, SEGUE_EIO, SEGUE_ENOMEM  as segue_tally_add_file
 */
SEGUE_MUST_CHECK segue_status cli_log_tally_read(segue_tally *out, const char *path,
                                                 const cli_log_settings *set,
                                                 log_read_options *reading, segue_error *err);

/**
 * Read the rows of a log, or of a tally in its place (segue_tally_make_history), and report skipped
 * rows.  Range and options are those of cli_log_tally_read.
 *
 * @retval SEGUE_EUSAGE, SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status cli_log_tally_read_history(segue_history *out, const char *path,
                                                         const cli_log_settings *set,
                                                         log_read_options *reading, uint64_t seed,
                                                         segue_error *err);

/**
 * Refuse an order of tasks if the path names a tally, which has none.  `instead`: what to give.
 *
 * @retval SEGUE_EUSAGE
 */
SEGUE_MUST_CHECK segue_status cli_log_tally_check_order(const char *path, const char *order,
                                                        const char *instead, segue_error *err);

/** Print on standard error that tasks of a tally were drawn, if not all of them fit. */
void cli_log_tally_report(const char *path, const segue_history *history);

/** Write a tally to the file `out`, and print a summary of it; NULL: write it to the standard output
 * alone.  @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status cli_log_tally_write(const segue_tally *tally, const char *out,
                                                  cli_format format, segue_error *err);

#endif
