/* timestamp.h - times: numbers, or dates as ISO 8601 writes them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_TIMESTAMP_H
#define SEGUE_IO_LOG_TIMESTAMP_H

#include <stdbool.h>

#include "segue/status.h"

/**
 * Read a finite number, as it is; or YYYY-MM-DD, which may go on with T or a blank and HH:MM,
 * HH:MM:SS or HH:MM:SS.fraction, and then Z or an offset from UTC (+HH, +HHMM, +HH:MM, or with -).
 * Without an offset it is UTC.
 *
 * @param seconds  the number, or seconds since 1970 began, without leap seconds
 * @param is_date  which of the two it was
 * @retval SEGUE_EPARSE  it is neither, or there is no such day or time
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_timestamp_parse(const char *text, double *seconds,
                                                    bool *is_date, segue_error *err);

#endif
