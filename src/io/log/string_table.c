/* string_table.c - intern names: each gets a number, in the order of first occurrence.
 *
 * A hash table with open addressing and linear probing, at most three quarters full.  Names of up
 * to 12 bytes are their own key and need no comparison of texts; longer ones have a hash as key.
 * Texts lie in blocks that never move.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/log/string_table.h"
#include "segue/internal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64
#define BLOCK_SIZE  65536

void segue_string_table_fini(names *n)
{
    for (size_t i = 0; i < n->n_blocks; i++)
        free(n->block[i]);
    free(n->block);
    free(n->name);
    free(n->slot);
    *n = (names){.count = 0};
}

/* Mix a word into a hash. */
static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ (h >> 32);
}

uint64_t segue_string_table_hash(const char *text, size_t length)
{
    uint64_t h = length;
    for (; length >= 8; text += 8, length -= 8)
        h = mix(h, segue_swar_load(text));
    return mix(h, segue_string_table_load(text, length));
}

/* Test whether a slot has this key and, if that is a hash, this text. */
static bool is_at(const names *n, const string_table_slot *slot, const string_table_slot *key,
                  const char *text, size_t length)
{
    if (slot->key != key->key || slot->key_end != key->key_end)
        return false;
    const char *name = n->name[slot->number - 1];
    return key->key_end != SEGUE_STRING_TABLE_HASHED ||
           (strncmp(name, text, length) == 0 && name[length] == '\0');
}

/* Return the slot where the search for a key starts. */
static size_t home_of(const string_table_slot *key, size_t n_slots)
{
    return (size_t)mix(mix(0, key->key), key->key_end) & (n_slots - 1);
}

/* Return the slot of a name, or the empty one for it. */
static size_t find_slot(const names *n, const string_table_slot *key, const char *text,
                        size_t length)
{
    size_t at = home_of(key, n->n_slots);
    while (n->slot[at].number != 0 && !is_at(n, &n->slot[at], key, text, length))
        at = (at + 1) & (n->n_slots - 1);
    return at;
}

static segue_status no_memory(segue_error *err)
{
    return segue_fail_no_memory(err, "names");
}

static segue_status grow(names *n, segue_error *err)
{
    const size_t n_slots = n->n_slots ? 2 * n->n_slots : FIRST_SLOTS;
    string_table_slot *slot = calloc(n_slots, sizeof *slot);
    char **grown = realloc(n->name, n_slots / 4 * 3 * sizeof *grown);
    if (grown)
        n->name = grown;
    if (!slot || !grown) {
        free(slot);
        return no_memory(err);
    }
    for (size_t i = 0; i < n->n_slots; i++) {
        if (n->slot[i].number == 0)
            continue;
        size_t at = home_of(&n->slot[i], n_slots);
        while (slot[at].number != 0)
            at = (at + 1) & (n_slots - 1);
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
    if ((n->n_blocks & (n->n_blocks - 1)) == 0) /* the capacity is a power of two */
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
    if (n->size - n->used < length + 1)
        SEGUE_TRY(add_block(n, length < BLOCK_SIZE ? BLOCK_SIZE : length + 1, err));
    char *copy = memcpy(n->block[n->n_blocks - 1] + n->used, text, length);
    copy[length] = '\0';
    n->name[n->count++] = copy;
    n->used += length + 1;
    return SEGUE_OK;
}

segue_status segue_string_table_intern_slow(names *n, string_table_slot key, const char *text,
                                            size_t length, size_t *number, segue_error *err)
{
    if (n->count == n->capacity)
        SEGUE_TRY(grow(n, err));
    string_table_slot *slot = &n->slot[find_slot(n, &key, text, length)];
    if (slot->number == 0) {
        SEGUE_TRY(add(n, text, length, err));
        key.number = (uint32_t)n->count;
        *slot = key;
    }
    n->last = *slot;
    *number = slot->number - 1;
    return SEGUE_OK;
}
