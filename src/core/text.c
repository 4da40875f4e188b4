/* text.c - edit distance and suggestions for mistyped names.
 *
 * Damerau's distance in its restricted form: a swap of neighbours counts one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/text.h"

#include <stdint.h>
#include <string.h>

#define MAX_NAME_LENGTH 64 /* all names are shorter; a longer text is no typing error */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Fold ASCII capitals; names are ASCII. */
static int lower_case(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

size_t segue_text_edit_distance(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    if (n > MAX_NAME_LENGTH || m > MAX_NAME_LENGTH)
        return MAX_NAME_LENGTH;

    size_t rows[3][MAX_NAME_LENGTH + 1];
    size_t *two_ago = rows[0], *ago = rows[1], *now = rows[2];
    for (size_t j = 0; j <= m; j++)
        ago[j] = j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const size_t change = ago[j - 1] + (lower_case(a[i - 1]) != lower_case(b[j - 1]));
            now[j] = smaller(change, smaller(ago[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && lower_case(a[i - 1]) == lower_case(b[j - 2]) &&
                lower_case(a[i - 2]) == lower_case(b[j - 1]))
                now[j] = smaller(now[j], two_ago[j - 2] + 1);
        }
        size_t *recycled = two_ago;
        two_ago = ago;
        ago = now;
        now = recycled;
    }
    return ago[m];
}

size_t segue_text_find(const char *name, const void *list, size_t count, name_function name_of)
{
    size_t i = 0;
    while (i < count && strcmp(name_of(list, i), name) != 0)
        i++;
    return i;
}

/* Return true if this distance is a likely typing error of `name`. */
static int is_close_enough(size_t distance, const char *name)
{
    return distance <= 1 + strlen(name) / 3 && distance < strlen(name);
}

const char *segue_text_closest(const char *typed, const void *list, size_t count,
                               name_function name_of)
{
    const char *closest = NULL;
    size_t smaller = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const char *name = name_of(list, i);
        const size_t distance = segue_text_edit_distance(typed, name);
        if (is_close_enough(distance, name) && distance < smaller) {
            smaller = distance;
            closest = name;
        }
    }
    return closest;
}
