/* bytes.h - numbers to bytes and back: little-endian, IEEE 754, on every machine.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_BYTES_H
#define SEGUE_CORE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A growing array of bytes. All zeros: empty. After a failed allocation `failed` is true and
 * appends do nothing. */
typedef struct segue_bytes {
    unsigned char *data;
    size_t size, capacity;
    bool failed;
} segue_bytes;

void segue_bytes_fini(segue_bytes *b);
void segue_bytes_append(segue_bytes *b, const void *data, size_t size);
void segue_bytes_append_u64(segue_bytes *b, uint64_t x);
void segue_bytes_append_f64(segue_bytes *b, const double *x, size_t count);
void segue_bytes_append_f32(segue_bytes *b, const float *x, size_t count);

/** A position in an array of bytes. After a read past the end `failed` is true and reads give
 * zeros. */
typedef struct segue_bytes_reader {
    const unsigned char *data;
    size_t size, at;
    bool failed;
} segue_bytes_reader;

void segue_bytes_read(segue_bytes_reader *r, void *data, size_t size);
uint64_t segue_bytes_read_u64(segue_bytes_reader *r);

/** Read a count of at most 2^53, so that sums and products of counts stay exact in doubles. A
 * larger one sets `failed` and gives 0. */
uint64_t segue_bytes_read_count(segue_bytes_reader *r);

void segue_bytes_read_f64(segue_bytes_reader *r, double *x, size_t count);
void segue_bytes_read_f32(segue_bytes_reader *r, float *x, size_t count);

/** Read `count` numbers; returns true if all are finite. */
bool segue_bytes_read_finite(segue_bytes_reader *r, double *x, size_t count);

/** The CRC-32 of IEEE 802.3. */
uint32_t segue_bytes_crc32(const void *data, size_t size);

#endif
