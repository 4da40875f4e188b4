/* string_table.h - intern names: each gets a number, in the order of first occurrence.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_STRING_TABLE_H
#define SEGUE_IO_LOG_STRING_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "io/text/swar.h"
#include "segue/status.h"

#define SEGUE_STRING_TABLE_SLACK   16
#define SEGUE_STRING_TABLE_MAX_KEY 12
/* key_end of a key that is a hash; no UTF-8 has these bytes. */
#define SEGUE_STRING_TABLE_HASHED UINT32_MAX

/* A name of up to 12 bytes is its own key; the key of a longer one is a hash. */
typedef struct string_table_slot {
    uint64_t key;
    uint32_t key_end;
    uint32_t number; /* plus 1; 0: the slot is empty */
} string_table_slot;

/* All zeros: an empty table. */
typedef struct names {
    char **name; /* count, by number */
    size_t count, capacity;
    string_table_slot *slot; /* n_slots, a power of two */
    size_t n_slots;
    char **block; /* n_blocks; the last is free from `used` to `size` */
    size_t n_blocks, used, size;
    string_table_slot last; /* the last one found, which is often the next one too */
} names;

void segue_string_table_fini(names *n);

/* The parts of segue_string_table_intern that few rows need. */
uint64_t segue_string_table_hash(const char *text, size_t length);
SEGUE_MUST_CHECK segue_status segue_string_table_intern_slow(names *n, string_table_slot key,
                                                             const char *text, size_t length,
                                                             size_t *number, segue_error *err);

/* Return the first `count` bytes at `text`, 0 to 8, as a word; reads eight. */
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

/* Return the number of a name, a new one for a new name.  The name contains no NUL, and
 * SEGUE_STRING_TABLE_SLACK bytes after its end must be readable.  @retval SEGUE_ENOMEM */
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
