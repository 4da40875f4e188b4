/* text.c - the edit distance behind 'did you mean'.
 *
 * Damerau's distance in its restricted form: a swap of neighbours counts one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/text.h"

#include <string.h>

#define LONGEST 64 /* names are shorter; a longer text is nobody's typing error */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t segue_text_distance(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return LONGEST;

    size_t rows[3][LONGEST + 1];
    size_t *two_ago = rows[0], *ago = rows[1], *now = rows[2];
    for (size_t j = 0; j <= m; j++)
        ago[j] = j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const size_t change = ago[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = least(change, least(ago[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], two_ago[j - 2] + 1);
        }
        size_t *recycled = two_ago;
        two_ago = ago;
        ago = now;
        now = recycled;
    }
    return ago[m];
}

int segue_text_is_closer(const char *typed, const char *candidate, size_t *closest)
{
    const size_t distance = segue_text_distance(typed, candidate);
    const size_t bearable = 1 + strlen(candidate) / 3;
    if (distance > bearable || distance >= strlen(candidate) || distance >= *closest)
        return 0;
    *closest = distance;
    return 1;
}
