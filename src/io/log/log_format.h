/* log_format.h - settings of a log's format as text, of an option or of a field of an experiment.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_LOG_FORMAT_H
#define SEGUE_IO_LOG_LOG_FORMAT_H

#include <stdbool.h>

#include "segue/status.h"

/** Read a delimiter: comma, tab, semicolon or pipe, or the character itself.
 * @retval SEGUE_ENAME */
SEGUE_MUST_CHECK segue_status segue_log_format_parse_delimiter(const char *text, char *out,
                                                               segue_error *err);

/** Read what happens to rows without a value: error, or skip.  @retval SEGUE_ENAME */
SEGUE_MUST_CHECK segue_status segue_log_format_parse_missing(const char *text, bool *skip,
                                                             segue_error *err);

#endif
