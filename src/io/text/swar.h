/* swar.h - search eight bytes at once, as one word (SIMD within a register).
 *
 * For a byte 0 in a word see "Hacker's Delight", section 6-1.  Only the lowest mark is
 * reliable: those above it may be wrong.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_TEXT_SWAR_H
#define SEGUE_IO_TEXT_SWAR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SEGUE_SWAR_ONES UINT64_C(0x0101010101010101)

/* Load eight bytes; the first becomes the lowest. */
static inline uint64_t segue_swar_load(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Mark the bytes that are less than `bound`, 1 to 128. */
static inline uint64_t segue_swar_mark_less(uint64_t word, unsigned char bound)
{
    return (word - SEGUE_SWAR_ONES * bound) & ~word & (SEGUE_SWAR_ONES << 7);
}

/* Mark the bytes that equal `byte`. */
static inline uint64_t segue_swar_mark(uint64_t word, char byte)
{
    return segue_swar_mark_less(word ^ (SEGUE_SWAR_ONES * (unsigned char)byte), 1);
}

/* Return the index of the first marked byte; there must be one. */
static inline size_t segue_swar_first(uint64_t marks)
{
    return (size_t)__builtin_ctzll(marks) / 8;
}

#endif
