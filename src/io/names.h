/* names.h - names to numbers, in the order they come.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_NAMES_H
#define SEGUE_IO_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

/* A hash table with open addressing.  All zeros: empty. */
typedef struct names {
    char **name; /* count, in the order they came */
    size_t count, capacity;
    uint32_t *slot; /* n_slots, a power of two: the number of a name plus 1, or 0 */
    size_t n_slots;
} names;

void segue_names_fini(names *n);

/* The number of a name, which is new if it was not there.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_names_find(names *n, const char *name, size_t *number,
                                               segue_error *err);

#endif
