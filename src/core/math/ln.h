/* ln.h - logarithms whose bits do not depend on the processor, within 0.9 units of the last place.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_MATH_LN_H
#define SEGUE_CORE_MATH_LN_H

/** ln x; -infinity at 0, NaN below. */
double segue_ln(double x);

/** ln(1 + x), accurate near 0; -infinity at -1, NaN below. */
double segue_log1p(double x);

#endif
