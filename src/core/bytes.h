/* bytes.h - numbers to bytes and back: little-endian, IEEE 754, on every machine.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_BYTES_H
#define SEGUE_CORE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes that grow.  All zeros: none.  Once memory ran out, `failed`, and nothing more is added. */
typedef struct bytes {
    unsigned char *data;
    size_t size, capacity;
    bool failed;
} bytes;

void segue_bytes_fini(bytes *b);
void segue_bytes_put(bytes *b, const void *data, size_t size);
void segue_bytes_put_u64(bytes *b, uint64_t x);
void segue_bytes_put_f64(bytes *b, const double *x, size_t count);
void segue_bytes_put_f32(bytes *b, const float *x, size_t count);

/** Bytes to read from.  Past the end, `failed`, and zeros are read. */
typedef struct reader {
    const unsigned char *data;
    size_t size, at;
    bool failed;
} reader;

void segue_reader_get(reader *r, void *data, size_t size);
uint64_t segue_reader_u64(reader *r);

/** Read a count of things, which may be added to and multiplied without care: at most 2^53, where
 * doubles are still exact.  Beyond that, `failed`, and 0. */
uint64_t segue_reader_count(reader *r);

void segue_reader_f64(reader *r, double *x, size_t count);
void segue_reader_f32(reader *r, float *x, size_t count);

/** Read numbers; whether all of them are finite. */
bool segue_reader_finite(reader *r, double *x, size_t count);

/** The CRC-32 of IEEE 802.3. */
uint32_t segue_crc32(const void *data, size_t size);

#endif
