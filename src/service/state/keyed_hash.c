/* keyed_hash.c - SipHash-2-4 through libsodium.
 *
 * Signatures of decisions, shares of control tasks and checksums of snapshots are stored, so the
 * hash must give the same bytes forever: a test compares it with the published vectors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/keyed_hash.h"

#include <sodium.h>

_Static_assert(crypto_shorthash_siphash24_KEYBYTES == SEGUE_KEYED_HASH_KEY_SIZE, "key of 64 bits");
_Static_assert(crypto_shorthash_siphashx24_KEYBYTES == SEGUE_KEYED_HASH_KEY_SIZE, "key of 128");

uint64_t segue_keyed_hash(const unsigned char key[SEGUE_KEYED_HASH_KEY_SIZE], const void *data,
                          size_t size)
{
    unsigned char bytes[crypto_shorthash_siphash24_BYTES];
    (void)crypto_shorthash_siphash24(bytes, data, size, key);
    uint64_t hash = 0; /* little-endian, as SipHash defines it */
    for (unsigned i = 0; i < sizeof bytes; i++)
        hash |= (uint64_t)bytes[i] << (8 * i);
    return hash;
}

void segue_keyed_hash_128(const unsigned char key[SEGUE_KEYED_HASH_KEY_SIZE], const void *data,
                          size_t size, unsigned char out[16])
{
    (void)crypto_shorthash_siphashx24(out, data, size, key);
}
