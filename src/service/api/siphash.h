/* siphash.h - SipHash-2-4 (Aumasson and Bernstein 2012): a keyed sum over bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_SIPHASH_H
#define SEGUE_SERVICE_API_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

/** The sum of 8 bytes, for tables. */
uint64_t segue_siphash(const unsigned char key[16], const void *data, size_t size);

/** The sum of 16 bytes, for signatures. */
void segue_siphash_128(const unsigned char key[16], const void *data, size_t size,
                       unsigned char out[16]);

#endif
