/* names.c - names to numbers: a hash of words, open addressing, at most three quarters full.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "io/bytes8.h"

#define FIRST_SLOTS 64
#define BLOCK_SIZE  65536

void segue_names_fini(names *n)
{
    for (size_t i = 0; i < n->n_blocks; i++)
        free(n->block[i]);
    free(n->block);
    free(n->name);
    free(n->slot);
    *n = (names){.count = 0};
}

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ (h >> 32);
}

/* The last bytes of a text of fewer than eight, some of them twice. */
static uint64_t short_word(const char *text, size_t length)
{
    if (length < 4)
        return length == 0 ? 0
                           : (uint64_t)(unsigned char)text[0] |
                                 (uint64_t)(unsigned char)text[length / 2] << 8 |
                                 (uint64_t)(unsigned char)text[length - 1] << 16;
    uint32_t first, last;
    memcpy(&first, text, sizeof first);
    memcpy(&last, text + length - sizeof last, sizeof last);
    return first | (uint64_t)last << 32;
}

static uint32_t hash(const char *text, size_t length)
{
    uint64_t h = length;
    for (; length >= 8; text += 8, length -= 8)
        h = mix(h, segue_load8(text));
    return (uint32_t)mix(mix(h, short_word(text, length)), 0);
}

static bool is_name(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && name[length] == '\0';
}

/* Where a name is, or would be. */
static size_t place_of(const names *n, uint32_t h, const char *text, size_t length)
{
    size_t at = h & (n->n_slots - 1);
    while (n->slot[at].number != 0 &&
           (n->slot[at].hash != h || !is_name(n->name[n->slot[at].number - 1], text, length)))
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
    names_slot *slot = calloc(n_slots, sizeof *slot);
    char **grown = realloc(n->name, n_slots / 4 * 3 * sizeof *grown);
    if (grown)
        n->name = grown;
    if (!slot || !grown) {
        free(slot);
        return no_memory(err);
    }
    for (size_t i = 0; i < n->n_slots; i++) {
        size_t at = n->slot[i].hash & (n_slots - 1);
        while (n->slot[i].number != 0 && slot[at].number != 0)
            at = (at + 1) & (n_slots - 1);
        if (n->slot[i].number != 0)
            slot[at] = n->slot[i];
    }
    free(n->slot);
    n->slot = slot;
    n->n_slots = n_slots;
    n->capacity = n_slots / 4 * 3;
    return SEGUE_OK;
}

static segue_status add_block(names *n, size_t size, segue_error *err)
{
    char **grown = n->block;
    if ((n->n_blocks & (n->n_blocks - 1)) == 0) /* room for a power of two of them */
        grown = realloc(n->block, (n->n_blocks ? 2 * n->n_blocks : 1) * sizeof *grown);
    if (!grown)
        return no_memory(err);
    n->block = grown;
    char *block = malloc(size);
    if (!block)
        return no_memory(err);
    n->block[n->n_blocks++] = block;
    n->used = 0;
    n->size = size;
    return SEGUE_OK;
}

static segue_status add(names *n, const char *text, size_t length, segue_error *err)
{
    segue_status status = SEGUE_OK;
    if (n->size - n->used < length + 1)
        status = add_block(n, length < BLOCK_SIZE ? BLOCK_SIZE : length + 1, err);
    if (status != SEGUE_OK)
        return status;
    n->name[n->count++] = memcpy(n->block[n->n_blocks - 1] + n->used, text, length + 1);
    n->used += length + 1;
    return SEGUE_OK;
}

segue_status segue_names_find(names *n, const char *text, size_t length, size_t *number,
                              segue_error *err)
{
    segue_status status = SEGUE_OK;
    *number = n->last;
    if (n->count > 0 && is_name(n->name[n->last], text, length))
        return SEGUE_OK;
    if (n->count == n->capacity)
        status = grow(n, err);
    if (status != SEGUE_OK)
        return status;
    const uint32_t h = hash(text, length);
    const size_t at = place_of(n, h, text, length);
    if (n->slot[at].number == 0) {
        status = add(n, text, length, err);
        if (status != SEGUE_OK)
            return status;
        n->slot[at] = (names_slot){.hash = h, .number = (uint32_t)n->count};
    }
    *number = n->last = n->slot[at].number - 1;
    return SEGUE_OK;
}
