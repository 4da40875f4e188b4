/* timestamp.h - times of a log: numbers, or ISO 8601 dates.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_TIMESTAMP_H
#define SEGUE_IO_LOG_TIMESTAMP_H

#include <stdbool.h>

#include "segue/status.h"

/**
 * Parse a finite number; or YYYY-MM-DD, optionally followed by T or a blank and HH:MM,
 * HH:MM:SS or HH:MM:SS.fraction, then Z or an offset from UTC (+HH, +HHMM, +HH:MM, or with -).
 * Without an offset it is UTC.
 *
 * @param seconds  the number, or seconds since 1970 began, without leap seconds
 * @param is_date  true for a date
 * @retval SEGUE_EPARSE  it is neither, or there is no such day or time
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_timestamp_parse(const char *text, double *seconds,
                                                    bool *is_date, segue_error *err);

#endif
