/* siphash.c - SipHash-2-4: two rounds a word, four at the end; sums of 64 and of 128 bits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/siphash.h"

#include <string.h>

typedef struct state {
    uint64_t v0, v1, v2, v3;
} state;

static uint64_t turn(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static void mix(state *s)
{
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = turn(s->v1, 13) ^ s->v0;
    s->v3 = turn(s->v3, 16) ^ s->v2;
    s->v0 = turn(s->v0, 32);
    s->v2 += s->v1;
    s->v0 += s->v3;
    s->v1 = turn(s->v1, 17) ^ s->v2;
    s->v3 = turn(s->v3, 21) ^ s->v0;
    s->v2 = turn(s->v2, 32);
}

static uint64_t word(const unsigned char *at, size_t count)
{
    uint64_t x = 0;
    for (size_t i = 0; i < count; i++)
        x |= (uint64_t)at[i] << (8 * i);
    return x;
}

static void take(state *s, uint64_t m)
{
    s->v3 ^= m;
    mix(s);
    mix(s);
    s->v0 ^= m;
}

static uint64_t finish(state *s)
{
    for (int i = 0; i < 4; i++)
        mix(s);
    return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

/* All but the end. */
static state begin(const unsigned char key[16], const unsigned char *data, size_t size,
                   uint64_t wide)
{
    const uint64_t k0 = word(key, 8), k1 = word(key + 8, 8);
    state s = {k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d) ^ wide,
               k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573)};
    size_t at = 0;
    for (; at + 8 <= size; at += 8)
        take(&s, word(data + at, 8));
    take(&s, word(data + at, size - at) | (uint64_t)size << 56);
    return s;
}

uint64_t segue_siphash(const unsigned char key[16], const void *data, size_t size)
{
    state s = begin(key, data, size, 0);
    s.v2 ^= 0xff;
    return finish(&s);
}

void segue_siphash_128(const unsigned char key[16], const void *data, size_t size,
                       unsigned char out[16])
{
    state s = begin(key, data, size, 0xee);
    s.v2 ^= 0xee;
    const uint64_t first = finish(&s);
    s.v1 ^= 0xdd;
    const uint64_t second = finish(&s);
    for (unsigned i = 0; i < 8; i++) {
        out[i] = (unsigned char)(first >> (8 * i));
        out[8 + i] = (unsigned char)(second >> (8 * i));
    }
}
