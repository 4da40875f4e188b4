/* log_header.h - find columns in the header of a CSV log.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_LOG_HEADER_H
#define SEGUE_IO_LOG_LOG_HEADER_H

#include "io/log/csv.h"

/**
 * Find the field of the current row, the header, with this name; *field is the number of fields if
 * there is none and the column is not required.
 *
 * @retval SEGUE_EPARSE  a required column is missing, or two have this name; the message suggests
 *                       what is wrong with the file
 */
SEGUE_MUST_CHECK segue_status segue_log_header_find(const segue_csv *csv, const char *column,
                                                    bool is_required, size_t *field,
                                                    segue_error *err);

#endif
