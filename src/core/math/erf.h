/* erf.h - the error function, whose bits do not depend on the processor, within 2 units of the last place.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_MATH_ERF_H
#define SEGUE_CORE_MATH_ERF_H

/** 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x. */
double segue_erf(double x);

/** 1 - erf(x), accurate where that is small. */
double segue_erfc(double x);

#endif
