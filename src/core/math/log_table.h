/* log_table.h - 1/c and ln c of 128 cells.
 * Written by scripts/make-math-tables; docs/math.md says what it holds.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_MATH_LOG_TABLE_H
#define SEGUE_CORE_MATH_LOG_TABLE_H

#include <stdint.h>

/* clang-format off */
#define LOG_START UINT64_C(0x3fe6900000000000) /* the bits of the least z */
#define LOG_CELLS 128
#define LN2_HIGH 0x1.62e42fefa3800p-1
#define LN2_LOW 0x1.ef35793c76730p-45
#define LOG_SHORT_0 0x1.5555555555555p-2
#define LOG_SHORT_1 -0x1.fffffffe4ceefp-3
#define LOG_SHORT_2 0x1.9999999816dfbp-3
#define LOG_SHORT_3 -0x1.55583f96be012p-3
#define LOG_SHORT_4 0x1.2494e07b44576p-3
#define LOG_FULL_0 0x1.5555555555555p-2
#define LOG_FULL_1 -0x1.0000000000009p-2
#define LOG_FULL_2 0x1.99999999999aap-3
#define LOG_FULL_3 -0x1.5555555186c59p-3
#define LOG_FULL_4 0x1.249249211c51ep-3
#define LOG_FULL_5 -0x1.000343d037cabp-3
#define LOG_FULL_6 0x1.c722617074dbfp-4

typedef struct log_cell {
    double centre, inverse, log, log_low; /* c; 1/c; ln c in two parts */
} log_cell;

extern const log_cell segue_log_table[LOG_CELLS];
/* clang-format on */

#endif
