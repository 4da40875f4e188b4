/* mutate.h - damage for a store: bytes of its file, or rows of its tables.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TESTS_MUTATE_H
#define SEGUE_TESTS_MUTATE_H

#include "support.h"

/** A change of a store, as text. */
typedef struct mutation {
    char text[700];
    bool whole; /* the file, or a table that belongs to no learner */
} mutation;

/** Change some bytes of a file in memory. */
void mutate_bytes(segue_rng *rng, unsigned char *data, size_t size, mutation *done);

/** Change one row of the store at `path`; false: SQLite refused it, and nothing has changed. */
bool mutate_row(segue_rng *rng, const char *path, mutation *done);

/** A sum over all rows of a learner, by its id: which learners a mutation has changed. */
uint64_t digest_learner(const char *path, int64_t learner);

/** Let the tables of a store take NULL everywhere, so that rows can be mutated to it. */
void relax_schema(const char *path);

/** The bytes of a store, the caller's to free; a store of such bytes, and nothing beside it. */
unsigned char *read_store(const char *path, size_t *size);
void write_store(const char *path, const unsigned char *data, size_t size);
void remove_store(const char *path);

/** Write the pages of the -wal file into the store, so that its file is complete. */
void checkpoint(const char *path);

#endif
