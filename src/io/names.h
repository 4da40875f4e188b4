/* names.h - names to numbers, in the order they come.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_NAMES_H
#define SEGUE_IO_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

/* Which name has a hash. */
typedef struct names_slot {
    uint32_t hash;
    uint32_t number; /* plus 1; 0: none */
} names_slot;

/* A hash table with open addressing; texts are one behind the other in blocks.  All zeros: empty. */
typedef struct names {
    char **name; /* count, in the order they came */
    size_t count, capacity;
    names_slot *slot; /* n_slots, a power of two */
    size_t n_slots;
    char **block; /* n_blocks; the last has room from `used` to `size` */
    size_t n_blocks, used, size;
    size_t last; /* the number that was found last, which is often the next one too */
} names;

void segue_names_fini(names *n);

/* The number of a name, which is new if it was not there.  A NUL must follow the text, and be the
 * only one.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_names_find(names *n, const char *text, size_t length,
                                               size_t *number, segue_error *err);

#endif
