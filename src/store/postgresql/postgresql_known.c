/* postgresql_known.c - which decisions of a transaction have a reward: a hash table.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/postgresql/postgresql_known.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 1024

/* Task ids and decision numbers are consecutive: they are mixed by odd constants. */
static size_t hash_of(int64_t task, int64_t number)
{
    uint64_t x = (uint64_t)task * UINT64_C(0x9e3779b97f4a7c15) ^
                 (uint64_t)number * UINT64_C(0xc2b2ae3d27d4eb4f);
    x ^= x >> 29;
    return (size_t)(x * UINT64_C(0xbf58476d1ce4e5b9) >> 20);
}

/* The slot of a decision, or the free one where it belongs. */
static uint32_t *slot_of(const postgresql_known *known, int64_t task, int64_t number)
{
    const size_t mask = 2 * known->capacity - 1;
    size_t i = hash_of(task, number) & mask;
    for (; known->slot[i] != 0; i = (i + 1) & mask) {
        const postgresql_known_entry *entry = &known->entry[known->slot[i] - 1];
        if (entry->task == task && entry->number == number)
            break;
    }
    return &known->slot[i];
}

static bool grow(postgresql_known *known)
{
    const size_t capacity = known->capacity ? 2 * known->capacity : FIRST_CAPACITY;
    uint32_t *slot = calloc(2 * capacity, sizeof *slot);
    postgresql_known_entry *entry = realloc(known->entry, capacity * sizeof *entry);
    if (entry)
        known->entry = entry;
    if (!slot || !entry) {
        free(slot);
        return false;
    }
    free(known->slot);
    known->slot = slot;
    known->capacity = capacity;
    for (size_t i = 0; i < known->n; i++)
        *slot_of(known, entry[i].task, entry[i].number) = (uint32_t)(i + 1);
    return true;
}

postgresql_known_entry *segue_postgresql_known_find(postgresql_known *known, int64_t task,
                                                    int64_t number, bool add)
{
    if (known->n == known->capacity && add && !grow(known))
        return NULL;
    if (known->capacity == 0)
        return NULL;
    uint32_t *slot = slot_of(known, task, number);
    if (*slot == 0 && add) {
        known->entry[known->n] =
            (postgresql_known_entry){.task = task, .number = number, .what = POSTGRESQL_EXPECTED};
        *slot = (uint32_t)++known->n;
    }
    return *slot == 0 ? NULL : &known->entry[*slot - 1];
}

void segue_postgresql_known_clear(postgresql_known *known)
{
    if (known->n > 0)
        memset(known->slot, 0, 2 * known->capacity * sizeof *known->slot);
    known->n = known->n_found = 0;
}

void segue_postgresql_known_fini(postgresql_known *known)
{
    free(known->entry);
    free(known->slot);
    *known = (postgresql_known){.entry = NULL};
}
