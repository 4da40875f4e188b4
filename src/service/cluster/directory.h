/* directory.h - the owners of learners, as far as this server knows.
 *
 * An entry may be wrong: the owner then answers 421, and the entry is removed.  The database is the
 * truth.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_CLUSTER_DIRECTORY_H
#define SEGUE_SERVICE_CLUSTER_DIRECTORY_H

#include "service/state/hash_map.h"
#include "store/session/store_session.h"

#define SEGUE_MAX_DIRECTORY 100000 /* entries; then it is emptied */

/** Guarded by the lock of the cluster. */
typedef struct directory {
    hash_map by_key; /* addresses */
} directory;

/** The learner of a request, by its name or by its id (name ""). */
typedef struct directory_key {
    const char *name;
    int64_t id;
} directory_key;

void segue_directory_init(directory *d, const unsigned char key[16]);
void segue_directory_fini(directory *d);

/** Copy the address of the owner; false: it is unknown. */
bool segue_directory_find(const directory *d, directory_key key,
                          char address[SEGUE_MAX_ADDRESS + 1]);

/** Remember an owner, if there is memory. */
void segue_directory_set(directory *d, directory_key key, const char *address);
void segue_directory_remove(directory *d, directory_key key);
void segue_directory_clear(directory *d);

#endif
