/* figure_names.c - names that fit into a figure.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "io/utf8.h"
#include "report/figure.h"

enum { HEAD = 9, TAIL = 6 }; /* characters of a long name that stay: with the mark 16 */

/* Return where the character of this number begins; the text is well-formed and has as many. */
static const char *find_character(const char *text, size_t number)
{
    for (; number > 0 && *text; number--)
        text += segue_utf8_length(text) ? segue_utf8_length(text) : 1;
    return text;
}

static size_t count_characters(const char *text)
{
    size_t count = 0;
    for (; *text; count++)
        text = find_character(text, 1);
    return count;
}

/* Leave out the middle of a long name. */
static void shorten(const char *name, char out[SEGUE_FIGURE_NAME_SIZE])
{
    const size_t count = count_characters(name);
    if (count <= HEAD + 1 + TAIL)
        (void)snprintf(out, SEGUE_FIGURE_NAME_SIZE, "%s", name);
    else
        (void)snprintf(out, SEGUE_FIGURE_NAME_SIZE, "%.*s\u2026%s",
                       (int)(find_character(name, HEAD) - name), name,
                       find_character(name, count - TAIL));
}

/* True if another name of the list is the same text when it is short. */
static bool is_repeated(const char *const *name, size_t count, size_t index, const char *text)
{
    char other[SEGUE_FIGURE_NAME_SIZE];
    for (size_t i = 0; i < count; i++) {
        shorten(name[i], other);
        if (i != index && strcmp(other, text) == 0)
            return true;
    }
    return false;
}

void segue_figure_names_shorten(const char *const *name, size_t count, size_t index,
                                char out[SEGUE_FIGURE_NAME_SIZE])
{
    shorten(name[index], out);
    if (is_repeated(name, count, index, out))
        (void)snprintf(out, SEGUE_FIGURE_NAME_SIZE, "%.*s\u2026 (%zu)",
                       (int)(find_character(name[index], HEAD) - name[index]), name[index],
                       index + 1);
}
