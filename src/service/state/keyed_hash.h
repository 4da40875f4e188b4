/* keyed_hash.h - a hash over bytes that depends on a secret key (SipHash-2-4, from libsodium).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_KEYED_HASH_H
#define SEGUE_SERVICE_STATE_KEYED_HASH_H

#include <stddef.h>
#include <stdint.h>

#define SEGUE_KEYED_HASH_KEY_SIZE 16 /* bytes of a key, and of the long hash */

/** Hash to 64 bits, for tables and draws. */
uint64_t segue_keyed_hash(const unsigned char key[SEGUE_KEYED_HASH_KEY_SIZE], const void *data,
                          size_t size);

/** Hash to 128 bits, for signatures. */
void segue_keyed_hash_128(const unsigned char key[SEGUE_KEYED_HASH_KEY_SIZE], const void *data,
                          size_t size, unsigned char out[16]);

#endif
