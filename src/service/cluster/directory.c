/* directory.c - the owners of learners, as far as this server knows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/cluster/directory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void segue_directory_init(directory *d, const unsigned char key[16])
{
    segue_hash_map_init(&d->by_key, key);
}

void segue_directory_clear(directory *d)
{
    unsigned char key[16];
    size_t index = 0;
    const hash_map_entry *within = NULL;
    memcpy(key, d->by_key.key, sizeof key);
    for (char *address; (address = segue_hash_map_next(&d->by_key, &index, &within));)
        free(address);
    segue_hash_map_fini(&d->by_key);
    segue_hash_map_init(&d->by_key, key);
}

void segue_directory_fini(directory *d)
{
    segue_directory_clear(d);
    segue_hash_map_fini(&d->by_key);
}

/* The bytes of a key: those of the name, or of the id.  A name of 8 bytes may look like an id: then
 * its owner answers 421, and the database is asked. */
static const void *bytes_of(const directory_key *key, size_t *size)
{
    *size = *key->name ? strlen(key->name) : sizeof key->id;
    return *key->name ? (const void *)key->name : (const void *)&key->id;
}

bool segue_directory_find(const directory *d, directory_key key,
                          char address[SEGUE_MAX_ADDRESS + 1])
{
    size_t size = 0;
    const void *bytes = bytes_of(&key, &size);
    const char *found = segue_hash_map_find(&d->by_key, bytes, size);
    if (found)
        (void)snprintf(address, SEGUE_MAX_ADDRESS + 1, "%s", found);
    return found != NULL;
}

void segue_directory_remove(directory *d, directory_key key)
{
    size_t size = 0;
    const void *bytes = bytes_of(&key, &size);
    char *found = segue_hash_map_find(&d->by_key, bytes, size);
    if (!found)
        return;
    segue_hash_map_remove(&d->by_key, bytes, size);
    free(found);
}

void segue_directory_set(directory *d, directory_key key, const char *address)
{
    size_t size = 0;
    const void *bytes = bytes_of(&key, &size);
    if (d->by_key.count >= SEGUE_MAX_DIRECTORY)
        segue_directory_clear(d);
    segue_directory_remove(d, key);
    char *copy = strdup(address);
    if (copy && !segue_hash_map_set(&d->by_key, bytes, size, copy))
        free(copy);
}
