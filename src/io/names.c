/* names.c - names to numbers: FNV-1a hashing, open addressing, at most half full.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "io/names.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64

void segue_names_fini(names *n)
{
    for (size_t i = 0; i < n->count; i++)
        free(n->name[i]);
    free(n->name);
    free(n->slot);
    *n = (names){.count = 0};
}

static uint64_t hash(const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h ^ (h >> 32);
}

/* Where a name is, or would be. */
static size_t place_of(const names *n, const char *name)
{
    size_t at = (size_t)hash(name) & (n->n_slots - 1);
    while (n->slot[at] != 0 && strcmp(n->name[n->slot[at] - 1], name) != 0)
        at = (at + 1) & (n->n_slots - 1);
    return at;
}

static segue_status no_memory(segue_error *err)
{
    return segue_fail(err, SEGUE_ENOMEM, "out of memory for names");
}

static segue_status grow(names *n, segue_error *err)
{
    const size_t n_slots = n->n_slots ? 2 * n->n_slots : FIRST_SLOTS;
    uint32_t *slot = calloc(n_slots, sizeof *slot);
    char **grown = realloc(n->name, n_slots / 2 * sizeof *grown);
    if (grown)
        n->name = grown;
    if (!slot || !grown) {
        free(slot);
        return no_memory(err);
    }
    free(n->slot);
    n->slot = slot;
    n->n_slots = n_slots;
    n->capacity = n_slots / 2;
    for (size_t i = 0; i < n->count; i++)
        n->slot[place_of(n, n->name[i])] = (uint32_t)(i + 1);
    return SEGUE_OK;
}

segue_status segue_names_find(names *n, const char *name, size_t *number, segue_error *err)
{
    if (n->count == n->capacity) {
        const segue_status status = grow(n, err);
        if (status != SEGUE_OK)
            return status;
    }
    const size_t at = place_of(n, name);
    if (n->slot[at] == 0) {
        char *copy = strdup(name);
        if (!copy)
            return no_memory(err);
        n->name[n->count++] = copy;
        n->slot[at] = (uint32_t)n->count;
    }
    *number = n->slot[at] - 1;
    return SEGUE_OK;
}
