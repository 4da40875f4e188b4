/* hash_map.c - a hash map with chained entries; the number of slots doubles as it fills.
 *
 * Keys come from clients, so they are hashed with a secret key (keyed_hash.c): a client cannot
 * choose keys that share a slot.  Lookup, insertion and removal take constant expected time.  The
 * caller's lock guards a map.
 *
 * What must not fail after a COMMIT is prepared before it: segue_hash_map_prepare allocates an
 * entry, and segue_hash_map_insert links it.  Without memory for more slots the chains grow longer.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/hash_map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "service/state/keyed_hash.h"

#define FIRST_SLOTS 16

struct hash_map_entry {
    hash_map_entry *next;
    uint64_t sum;
    void *value;
    size_t size;
    unsigned char key[];
};

void segue_hash_map_init(hash_map *m, const unsigned char key[16])
{
    *m = (hash_map){.slots = NULL};
    memcpy(m->key, key, sizeof m->key);
}

void segue_hash_map_fini(hash_map *m)
{
    for (size_t i = 0; i < m->n_slots; i++)
        while (m->slots[i]) {
            hash_map_entry *entry = m->slots[i];
            m->slots[i] = entry->next;
            free(entry);
        }
    free(m->slots);
    m->slots = NULL;
    m->n_slots = m->count = 0;
}

/* Return the link to the entry of a key, or the end of its chain; NULL: there are no slots yet. */
static hash_map_entry **find(const hash_map *m, const void *key, size_t size, uint64_t sum)
{
    if (m->n_slots == 0)
        return NULL;
    hash_map_entry **at = &m->slots[sum & (m->n_slots - 1)];
    while (*at && ((*at)->sum != sum || (*at)->size != size || memcmp((*at)->key, key, size) != 0))
        at = &(*at)->next;
    return at;
}

void *segue_hash_map_find(const hash_map *m, const void *key, size_t size)
{
    hash_map_entry **at = find(m, key, size, segue_keyed_hash(m->key, key, size));
    return at && *at ? (*at)->value : NULL;
}

/* Double the slots and move all entries: O(count), rare enough to be constant on average. */
static bool grow(hash_map *m)
{
    const size_t n_slots = m->n_slots ? 2 * m->n_slots : FIRST_SLOTS;
    hash_map_entry **slots = calloc(n_slots, sizeof(hash_map_entry *));
    if (!slots)
        return false;
    for (size_t i = 0; i < m->n_slots; i++)
        for (hash_map_entry *entry = m->slots[i], *next = NULL; entry; entry = next) {
            next = entry->next;
            entry->next = slots[entry->sum & (n_slots - 1)];
            slots[entry->sum & (n_slots - 1)] = entry;
        }
    free(m->slots);
    m->slots = slots;
    m->n_slots = n_slots;
    return true;
}

bool segue_hash_map_set(hash_map *m, const void *key, size_t size, void *value)
{
    const uint64_t sum = segue_keyed_hash(m->key, key, size);
    if (m->count >= m->n_slots && !grow(m))
        return false;
    hash_map_entry **at = find(m, key, size, sum);
    if (!*at) {
        hash_map_entry *entry = malloc(sizeof *entry + size);
        if (!entry)
            return false;
        *entry = (hash_map_entry){.sum = sum, .size = size};
        memcpy(entry->key, key, size);
        *at = entry;
        m->count++;
    }
    (*at)->value = value;
    return true;
}

hash_map_entry *segue_hash_map_prepare(hash_map *m, size_t size)
{
    if (m->n_slots == 0 && !grow(m))
        return NULL;
    hash_map_entry *entry = malloc(sizeof *entry + size);
    if (entry)
        *entry = (hash_map_entry){.size = size};
    return entry;
}

/* Without memory for more slots the chains grow longer. */
void segue_hash_map_insert(hash_map *m, hash_map_entry *entry, const void *key, void *value)
{
    if (m->count >= m->n_slots)
        (void)grow(m);
    memcpy(entry->key, key, entry->size);
    entry->sum = segue_keyed_hash(m->key, key, entry->size);
    entry->value = value;
    hash_map_entry **slot = &m->slots[entry->sum & (m->n_slots - 1)];
    entry->next = *slot;
    *slot = entry;
    m->count++;
}

void segue_hash_map_discard(hash_map_entry *entry)
{
    free(entry);
}

size_t segue_hash_map_bytes(const hash_map *m, size_t keys)
{
    return m->n_slots * sizeof(hash_map_entry *) + m->count * (sizeof(hash_map_entry) + 16) + keys;
}

void segue_hash_map_remove(hash_map *m, const void *key, size_t size)
{
    hash_map_entry **at = find(m, key, size, segue_keyed_hash(m->key, key, size));
    if (!at || !*at)
        return;
    hash_map_entry *entry = *at;
    *at = entry->next;
    free(entry);
    m->count--;
}

void *segue_hash_map_next(const hash_map *m, size_t *slot, const hash_map_entry **within)
{
    while (!*within && *slot < m->n_slots)
        *within = m->slots[(*slot)++];
    if (!*within)
        return NULL;
    void *value = (*within)->value;
    *within = (*within)->next;
    return value;
}
