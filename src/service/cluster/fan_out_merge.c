/* fan_out_merge.c - the items of lists in JSON, as text.
 *
 * The bodies are those of other servers: they are divided at braces outside of texts and not parsed,
 * so that each number keeps its digits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/cluster/fan_out_merge.h"

#include <stdlib.h>
#include <string.h>

static void add_item(segue_fan_out_merge *m, const char *data, size_t size)
{
    if (m->n == m->capacity) {
        const size_t capacity = m->capacity ? 2 * m->capacity : 16;
        segue_fan_out_item *item = realloc(m->item, capacity * sizeof *item);
        m->failed = m->failed || !item;
        if (!item)
            return;
        m->item = item;
        m->capacity = capacity;
    }
    m->item[m->n++] = (segue_fan_out_item){.data = data, .size = size};
}

/* Skip a text, from its first quote to the place after its last. */
static size_t skip_text(const char *s, size_t i, size_t size)
{
    for (i++; i < size && s[i] != '"'; i++)
        i += s[i] == '\\';
    return i + 1;
}

void segue_fan_out_merge_add(segue_fan_out_merge *m, const segue_bytes *body)
{
    const char *s = (const char *)body->data;
    size_t depth = 0, begin = 0;
    for (size_t i = 0; i < body->size;) {
        if (s[i] == '"') {
            i = skip_text(s, i, body->size);
            continue;
        }
        if (s[i] == '{' || s[i] == '[') {
            if (++depth == 3)
                begin = i;
        } else if (s[i] == '}' || s[i] == ']') {
            if (depth-- == 3)
                add_item(m, s + begin, i + 1 - begin);
            if (depth == 1)
                return; /* the end of the array */
        }
        i++;
    }
}

static int compare(const void *a, const void *b)
{
    const segue_fan_out_item *x = a, *y = b;
    const int order = memcmp(x->data, y->data, x->size < y->size ? x->size : y->size);
    return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

void segue_fan_out_merge_sort(segue_fan_out_merge *m)
{
    if (m->n > 1)
        qsort(m->item, m->n, sizeof *m->item, compare);
}

void segue_fan_out_merge_fini(segue_fan_out_merge *m)
{
    free(m->item);
    *m = (segue_fan_out_merge){.item = NULL};
}
