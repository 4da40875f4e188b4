/* decade.h - powers of ten, exact where logarithms would not be.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_MATH_DECADE_H
#define SEGUE_CORE_MATH_DECADE_H

/** The largest n for which segue_decade_power(n) is not above |x|; 0 for 0, infinity and NaN. */
int segue_decade(double x);

/** The double nearest to 10^exponent; -400 <= exponent <= 400. */
double segue_decade_power(int exponent);

#endif
