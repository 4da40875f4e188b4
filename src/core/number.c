/* number.c - strict reading of numbers.
 *
 * Up to fifteen digits and a power of ten up to 10^22 are exact in a double, so that one
 * multiplication or division rounds correctly (Clinger 1990) and needs no locale.  The rest goes
 * to strtod under the "C" locale.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/number.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"

#define EXACT_DIGITS 15
#define EXACT_POWER  22
#define SHOWN        40 /* characters of a wrong text in an error */

/* A number as written: digits * 10^power. */
typedef struct decimal {
    bool negative;
    uint64_t digits; /* the first EXACT_DIGITS significant ones */
    int n_digits;    /* all significant ones */
    long power;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void take_digit(decimal *d, char c)
{
    if (d->n_digits == 0 && c == '0')
        return; /* a leading zero */
    if (d->n_digits < EXACT_DIGITS)
        d->digits = d->digits * 10 + (uint64_t)(c - '0');
    d->n_digits++;
}

/* Read an exponent, cut at a size that is beyond any double. */
static const char *scan_exponent(const char *p, decimal *d)
{
    const bool negative = *p == '-';
    long exponent = 0;
    if (*p == '+' || *p == '-')
        p++;
    if (!is_digit(*p))
        return NULL;
    for (; is_digit(*p); p++)
        exponent = exponent < 1000000000 ? exponent * 10 + (*p - '0') : exponent;
    d->power += negative ? -exponent : exponent;
    return p;
}

/* Check the form and collect the digits; false if it is not a number. */
static bool scan(const char *p, decimal *d)
{
    bool any = false;
    *d = (decimal){.negative = *p == '-'};
    if (*p == '+' || *p == '-')
        p++;
    for (; is_digit(*p); p++, any = true)
        take_digit(d, *p);
    if (*p == '.')
        for (p++; is_digit(*p); p++, any = true) {
            take_digit(d, *p);
            d->power--;
        }
    if (any && (*p == 'e' || *p == 'E'))
        p = scan_exponent(p + 1, d);
    return any && p && *p == '\0';
}

static double exact(const decimal *d)
{
    static const double power_of_ten[EXACT_POWER + 1] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const double digits = (double)d->digits;
    const double x =
        d->power < 0 ? digits / power_of_ten[-d->power] : digits * power_of_ten[d->power];
    return d->negative ? -x : x;
}

/* strtod, whatever locale the program has set. */
static segue_status parse_slowly(const char *text, double *out, segue_error *err)
{
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory while reading a number");
    const locale_t before = uselocale(c_locale);
    *out = strtod(text, NULL);
    uselocale(before);
    freelocale(c_locale);
    return SEGUE_OK;
}

segue_status segue_number_parse_double(const char *text, double *out, segue_error *err)
{
    decimal d;
    if (!scan(text, &d))
        return segue_fail(err, SEGUE_EPARSE, "'%.*s' is not a finite decimal number", SHOWN, text);

    double value = 0.0;
    if (d.n_digits <= EXACT_DIGITS && labs(d.power) <= EXACT_POWER) {
        value = exact(&d);
    } else {
        SEGUE_TRY(parse_slowly(text, &value, err));
    }
    if (!isfinite(value))
        return segue_fail(err, SEGUE_EPARSE, "'%.*s' is too large for a number", SHOWN, text);
    *out = value;
    return SEGUE_OK;
}

segue_status segue_number_parse_integer(const char *text, uint64_t min, uint64_t max, uint64_t *out,
                                        segue_error *err)
{
    uint64_t value = 0;
    bool too_large = false;
    const char *p = text;
    for (; is_digit(*p); p++) {
        const uint64_t digit = (uint64_t)(*p - '0');
        too_large = too_large || value > (UINT64_MAX - digit) / 10;
        value = value * 10 + digit;
    }
    if (p == text || *p != '\0')
        return segue_fail(err, SEGUE_EPARSE,
                          "'%.*s' is not a whole number; need one from %" PRIu64 " to %" PRIu64,
                          SHOWN, text, min, max);
    if (too_large || value < min || value > max)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%.*s is out of range; need a whole number from %" PRIu64 " to %" PRIu64,
                          SHOWN, text, min, max);
    *out = value;
    return SEGUE_OK;
}
