/* amount.h - an amount in a sentence: three digits, and no exponent.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_AMOUNT_H
#define SEGUE_IO_AMOUNT_H

/** Bytes that hold any finite amount. */
#define SEGUE_AMOUNT_SIZE 330

/** Round to that number of significant digits. */
double segue_amount_round(double x, int digits);

/** Write an amount with three significant digits: "0.012", "1.83", "18.3", "134000". */
void segue_amount_format(double x, char out[SEGUE_AMOUNT_SIZE]);

#endif
