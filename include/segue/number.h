/* number.h - strict parsing of numbers, independent of the locale.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_NUMBER_H
#define SEGUE_NUMBER_H

#include <stdint.h>

#include "segue/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Parse a finite decimal number: [+-] digits [. digits] [e [+-] digits], with nothing before or
 * after.
 *
 * The result is the double nearest to the text. Hexadecimal forms, "nan", "inf", blanks and
 * numbers too large for a double are rejected.
 *
 * @retval SEGUE_EPARSE  `text` is not such a number; *out is unchanged
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_number_parse_double(const char *text, double *out,
                                                                  segue_error *err);

/**
 * Parse a whole number in [min, max], written with digits only.
 *
 * @retval SEGUE_EPARSE   `text` is not a whole number
 * @retval SEGUE_EDOMAIN  it lies outside the range; *out is unchanged in both cases
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_number_parse_integer(const char *text, uint64_t min,
                                                                   uint64_t max, uint64_t *out,
                                                                   segue_error *err);

#ifdef __cplusplus
}
#endif
#endif
