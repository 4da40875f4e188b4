/* timestamp.c - times of a log: numbers, or ISO 8601 dates in the Gregorian calendar.
 *
 * Parsed by hand: strptime does not validate, depends on the locale, and is slower.  A leap second
 * counts as the first second of the next minute.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/log/timestamp.h"

#include <string.h>

#include "segue/number.h"

#define SHOWN 40 /* characters of a wrong text in its error */

/* Read exactly `digits` digits as a number from `min` to `max`. */
static bool take(const char **text, int digits, int min, int max, int *out)
{
    int value = 0;
    for (int i = 0; i < digits; i++, (*text)++) {
        if (**text < '0' || **text > '9')
            return false;
        value = 10 * value + (**text - '0');
    }
    *out = value;
    return value >= min && value <= max;
}

static bool take_mark(const char **text, char mark)
{
    const bool there = **text == mark;
    *text += there;
    return there;
}

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Read a date as days since 1970; leap days are those of the years before, and of this one. */
static bool take_day(const char **text, double *days)
{
    static const int length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = 0, month = 0, day = 0;
    if (!take(text, 4, 1, 9999, &year) || !take_mark(text, '-') || !take(text, 2, 1, 12, &month) ||
        !take_mark(text, '-') || !take(text, 2, 1, 31, &day))
        return false;
    const int before = year - 1;
    int sum = 365 * before + before / 4 - before / 100 + before / 400 - 719162; /* 1970-01-01 */
    for (int m = 0; m < month - 1; m++)
        sum += length[m] + (m == 1 && is_leap(year));
    *days = sum + day - 1;
    return day <= length[month - 1] + (month == 2 && is_leap(year));
}

/* Read the decimals of seconds. */
static bool take_fraction(const char **text, double *seconds)
{
    double value = 0.0, unit = 1.0;
    if (!take_mark(text, '.'))
        return true;
    const char *first = *text;
    for (; **text >= '0' && **text <= '9'; (*text)++) {
        if (*text - first >= 15) /* below the resolution of a double */
            continue;
        value = 10.0 * value + (**text - '0');
        unit *= 10.0;
    }
    *seconds += value / unit;
    return *text > first;
}

static bool take_clock(const char **text, double *seconds)
{
    int hour = 0, minute = 0, second = 0;
    if (!take(text, 2, 0, 23, &hour) || !take_mark(text, ':') || !take(text, 2, 0, 59, &minute))
        return false;
    const bool has_seconds = take_mark(text, ':');
    if (has_seconds && !take(text, 2, 0, 60, &second)) /* 60: a leap second */
        return false;
    *seconds = 3600.0 * hour + 60.0 * minute + second;
    return !has_seconds || take_fraction(text, seconds);
}

/* Read Z, an offset, or nothing. */
static bool take_offset(const char **text, double *seconds)
{
    int hours = 0, minutes = 0;
    if (**text == '\0' || take_mark(text, 'Z'))
        return true;
    const bool west = take_mark(text, '-');
    if ((!west && !take_mark(text, '+')) || !take(text, 2, 0, 23, &hours))
        return false;
    const bool colon = take_mark(text, ':');
    if ((colon || **text != '\0') && !take(text, 2, 0, 59, &minutes))
        return false;
    *seconds = (west ? -60.0 : 60.0) * (60 * hours + minutes);
    return true;
}

static bool parse_date(const char *text, double *seconds)
{
    double days = 0.0, clock = 0.0, offset = 0.0;
    if (!take_day(&text, &days))
        return false;
    const bool has_clock = take_mark(&text, 'T') || take_mark(&text, ' ');
    if (has_clock && (!take_clock(&text, &clock) || !take_offset(&text, &offset)))
        return false;
    *seconds = 86400.0 * days + clock - offset;
    return *text == '\0';
}

segue_status segue_timestamp_parse(const char *text, double *seconds, bool *is_date,
                                   segue_error *err)
{
    *is_date = strlen(text) >= 10 && text[4] == '-' && parse_date(text, seconds);
    if (*is_date)
        return SEGUE_OK;
    const segue_status status = segue_number_parse_double(text, seconds, err);
    if (status != SEGUE_EPARSE)
        return status;
    return segue_fail(err, status,
                      "'%.*s' is not a time; need a number, or a date such as 2024-05-31 or "
                      "2024-05-31T12:30:00Z",
                      SHOWN, text);
}
