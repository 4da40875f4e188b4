/* exp.h - exponentials whose bits do not depend on the processor, within 0.6 units of the last place.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_MATH_EXP_H
#define SEGUE_CORE_MATH_EXP_H

/** e^x. */
double segue_exp(double x);

/** e^x - 1, accurate near 0. */
double segue_expm1(double x);

/** x^y with all cases of C's pow. */
double segue_pow(double x, double y);

#endif
