/* bits.h - a double and its bits, and products in two parts.
 *
 * Everything in core/math/ is additions, products and quotients of doubles in the order that is written, with
 * constants.  IEEE 754 defines each to the last bit, so the results do not depend on the processor, on the
 * compiler or on its options, as long as none contracts or reorders them (CMakeLists.txt: -ffp-contract=off).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_MATH_BITS_H
#define SEGUE_CORE_MATH_BITS_H

#include <stdint.h>
#include <string.h>

#define BITS_EXPONENT   52                           /* where the exponent starts */
#define BITS_MIN_NORMAL UINT64_C(0x0010000000000000) /* of 2^-1022 */
#define BITS_INFINITY   UINT64_C(0x7ff0000000000000)
#define BITS_LOW_HALF   UINT64_C(0x0000000007ffffff) /* the lower 27 of 53 */

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double number_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A number as the sum of two, the second much smaller. */
typedef struct two_parts {
    double high, low;
} two_parts;

/* a + b exactly, for |a| >= |b| or a = 0 (Dekker 1971). */
static inline two_parts sum_of(double a, double b)
{
    const double sum = a + b;
    return (two_parts){sum, (a - sum) + b};
}

/* The upper 26 bits of x: products of two such halves are exact. */
static inline double upper_half(double x)
{
    return number_of(bits_of(x) & ~BITS_LOW_HALF);
}

/* a b to 2^-105 of it, unless it overflows or parts of it underflow (Dekker 1971). */
static inline two_parts product_of(double a, double b)
{
    const double product = a * b;
    const double a_high = upper_half(a), a_low = a - a_high;
    const double b_high = upper_half(b), b_low = b - b_high;
    return (two_parts){product, ((a_high * b_high - product) + (a_high * b_low + a_low * b_high)) +
                                    a_low * b_low};
}

#endif
