/* map.h - a table from bytes to pointers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVE_MAP_H
#define SEGUE_SERVE_MAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct map_entry map_entry;

/** Start from segue_map_init, whose key keeps others from choosing keys that collide. */
typedef struct map {
    map_entry **slots;
    size_t n_slots, count;
    unsigned char key[16];
} map;

void segue_map_init(map *m, const unsigned char key[16]);
void segue_map_fini(map *m); /* the values stay */

/** The value of a key, or NULL. */
void *segue_map_find(const map *m, const void *key, size_t size);

/** Set the value of a key, which is copied; false: out of memory, and nothing has changed. */
bool segue_map_put(map *m, const void *key, size_t size, void *value);

/** In two steps, the second of which cannot fail: an entry for a key of that size (NULL: out of
 * memory), which is linked to a key that the map has not got, or discarded. */
map_entry *segue_map_prepare(map *m, size_t size);
void segue_map_link(map *m, map_entry *entry, const void *key, void *value);
void segue_map_discard(map_entry *entry); /* NULL is fine */

/** Bytes of memory of so many entries whose keys have `keys` bytes in all. */
size_t segue_map_bytes(const map *m, size_t keys);

void segue_map_remove(map *m, const void *key, size_t size);

/** The values one after the other: start with *place = 0; NULL: there are no more.  Whatever was
 * given may be removed before the next one is taken. */
void *segue_map_next(const map *m, size_t *place, const map_entry **within);

#endif
