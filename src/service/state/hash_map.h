/* hash_map.h - a table from bytes to pointers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_HASH_MAP_H
#define SEGUE_SERVICE_STATE_HASH_MAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct hash_map_entry hash_map_entry;

/** Start from segue_hash_map_init, whose key keeps others from choosing keys that collide. */
typedef struct hash_map {
    hash_map_entry **slots;
    size_t n_slots, count;
    unsigned char key[16];
} hash_map;

void segue_hash_map_init(hash_map *m, const unsigned char key[16]);
void segue_hash_map_fini(hash_map *m); /* the values stay */

/** The value of a key, or NULL. */
void *segue_hash_map_find(const hash_map *m, const void *key, size_t size);

/** Set the value of a key, which is copied; false: out of memory, and nothing has changed. */
bool segue_hash_map_set(hash_map *m, const void *key, size_t size, void *value);

/** In two steps, the second of which cannot fail: an entry for a key of that size (NULL: out of
 * memory), which is linked to a key that the map has not got, or discarded. */
hash_map_entry *segue_hash_map_prepare(hash_map *m, size_t size);
void segue_hash_map_insert(hash_map *m, hash_map_entry *entry, const void *key, void *value);
void segue_hash_map_discard(hash_map_entry *entry); /* NULL is fine */

/** Return the bytes of `count` entries whose keys have `keys` bytes in total. */
size_t segue_hash_map_bytes(const hash_map *m, size_t keys);

void segue_hash_map_remove(hash_map *m, const void *key, size_t size);

/** The values one after the other: start with *slot = 0; NULL: there are no more.  Whatever was
 * given may be removed before the next one is taken. */
void *segue_hash_map_next(const hash_map *m, size_t *slot, const hash_map_entry **within);

#endif
