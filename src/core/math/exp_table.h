/* exp_table.h - powers of 2^(1/128).
 * Written by scripts/make-math-tables; docs/math.md says what it holds.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_MATH_EXP_TABLE_H
#define SEGUE_CORE_MATH_EXP_TABLE_H

#include <stdint.h>

/* clang-format off */
#define EXP_CELLS 128
#define EXP_INVERSE_STEP 0x1.71547652b82fep+7
#define EXP_STEP_HIGH 0x1.62e42fefc0000p-8
#define EXP_STEP_LOW -0x1.c610ca86c3899p-44
#define EXP_SHORT_0 0x1.fffffffffff58p-2
#define EXP_SHORT_1 0x1.5555555555525p-3
#define EXP_SHORT_2 0x1.55555accc1ca7p-5
#define EXP_SHORT_3 0x1.11111430bcc06p-7
#define EXP_FULL_0 0x1.0000000000000p-1
#define EXP_FULL_1 0x1.5555555555555p-3
#define EXP_FULL_2 0x1.55555555554e9p-5
#define EXP_FULL_3 0x1.11111111110e1p-7
#define EXP_FULL_4 0x1.6c16c61b98489p-10
#define EXP_FULL_5 0x1.a01a05ca543fbp-13

typedef struct exp_cell {
    double low;     /* 2^(j/128) = power (1 + low) */
    uint64_t power; /* bits of a double */
} exp_cell;

extern const exp_cell segue_exp_table[EXP_CELLS];
/* clang-format on */

#endif
