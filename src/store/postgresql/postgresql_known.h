/* postgresql_known.h - which decisions of a transaction have a reward.
 *
 * A tell must know whether its decision has a reward.  A query per tell would cost a round trip, so
 * the decisions of a group are announced, and one query finds out about all of them.  A hash table
 * with open addressing; it is emptied with each transaction.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_POSTGRESQL_POSTGRESQL_KNOWN_H
#define SEGUE_STORE_POSTGRESQL_POSTGRESQL_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum postgresql_knowledge {
    POSTGRESQL_EXPECTED = 1, /* announced, and not looked up yet */
    POSTGRESQL_ABSENT,
    POSTGRESQL_PRESENT
} postgresql_knowledge;

typedef struct postgresql_known_entry {
    int64_t task;
    int64_t number; /* of the decision */
    postgresql_knowledge what;
} postgresql_known_entry;

typedef struct postgresql_known {
    postgresql_known_entry *entry; /* in the order of the first announcement */
    uint32_t *slot;                /* 1 + index of an entry, by hash; 0: free */
    size_t n, capacity;            /* of the entries; there are twice as many slots */
    size_t n_found;                /* entries before this one are not EXPECTED */
} postgresql_known;

/* Find a decision; with `add` a new one is EXPECTED.  NULL: it is not there, or out of memory. */
postgresql_known_entry *segue_postgresql_known_find(postgresql_known *known, int64_t task,
                                                    int64_t number, bool add);
void segue_postgresql_known_clear(postgresql_known *known);
void segue_postgresql_known_fini(postgresql_known *known);

#endif
