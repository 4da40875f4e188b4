/* string_table.h - names to numbers, in the order they come.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_STRING_TABLE_H
#define SEGUE_IO_LOG_STRING_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "io/log/swar.h"
#include "segue/status.h"

#define SEGUE_STRING_TABLE_SLACK   16
#define SEGUE_STRING_TABLE_MAX_KEY 12
#define SEGUE_STRING_TABLE_HASHED                                                                  \
    UINT32_MAX /* the end of a key that is a hash: UTF-8 has no such bytes                         \
                */

/* A name of up to 12 bytes is its own key, so that the table tells whether it is there; of a longer
 * one the key is a hash. */
typedef struct string_table_slot {
    uint64_t key;
    uint32_t key_end;
    uint32_t number; /* plus 1; 0: the slot is empty */
} string_table_slot;

/* A hash table with open addressing; texts are one behind the other in blocks.  All zeros: empty.
 */
typedef struct names {
    char **name; /* count, in the order they came */
    size_t count, capacity;
    string_table_slot *slot; /* n_slots, a power of two */
    size_t n_slots;
    char **block; /* n_blocks; the last has room from `used` to `size` */
    size_t n_blocks, used, size;
    string_table_slot last; /* what was found last, which is often the next one too */
} names;

void segue_string_table_fini(names *n);

/* The parts of segue_string_table_intern that are not for every row. */
uint64_t segue_string_table_hash(const char *text, size_t length);
SEGUE_MUST_CHECK segue_status segue_string_table_intern_slow(names *n, string_table_slot key,
                                                             const char *text, size_t length,
                                                             size_t *number, segue_error *err);

/* The first bytes of the eight at `text`, 0 to 8 of them. */
static inline uint64_t segue_string_table_load(const char *text, size_t count)
{
    return count == 0 ? 0 : segue_swar_load(text) & (UINT64_MAX >> (64 - 8 * count));
}

static inline string_table_slot segue_string_table_key(const char *text, size_t length)
{
    if (length <= 8)
        return (string_table_slot){.key = segue_string_table_load(text, length)};
    if (length <= SEGUE_STRING_TABLE_MAX_KEY)
        return (string_table_slot){.key = segue_swar_load(text),
                                   .key_end =
                                       (uint32_t)segue_string_table_load(text + 8, length - 8)};
    return (string_table_slot){.key = segue_string_table_hash(text, length),
                               .key_end = SEGUE_STRING_TABLE_HASHED};
}

/* The number of a name, which is new if it was not there.  It has no NUL in it, and
 * SEGUE_STRING_TABLE_SLACK bytes from its end on can be read.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK static inline segue_status segue_string_table_intern(names *n, const char *text,
                                                                      size_t length, size_t *number,
                                                                      segue_error *err)
{
    const string_table_slot key = segue_string_table_key(text, length);
    if (key.key != n->last.key || key.key_end != n->last.key_end || n->last.number == 0 ||
        key.key_end == SEGUE_STRING_TABLE_HASHED)
        return segue_string_table_intern_slow(n, key, text, length, number, err);
    *number = n->last.number - 1;
    return SEGUE_OK;
}

#endif
