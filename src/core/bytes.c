/* bytes.c - numbers to bytes and back.
 *
 * Numbers are written byte by byte, least significant first, so that files are the same on every
 * machine. Errors are sticky: a caller checks `failed` once, after the last append or read.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/bytes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COUNT (UINT64_C(1) << 53)

void segue_bytes_fini(segue_bytes *b)
{
    free(b->data);
    *b = (segue_bytes){.data = NULL};
}

static bool reserve(segue_bytes *b, size_t more)
{
    if (b->failed || b->size + more <= b->capacity)
        return !b->failed;
    const size_t capacity = 2 * (b->size + more);
    unsigned char *data = realloc(b->data, capacity);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->capacity = capacity;
    return true;
}

void segue_bytes_append(segue_bytes *b, const void *data, size_t size)
{
    if (!reserve(b, size))
        return;
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

/* The lowest `size` bytes of x, the least significant first. */
static void append_little_endian(segue_bytes *b, uint64_t x, size_t size)
{
    unsigned char little[8];
    for (size_t i = 0; i < size; i++)
        little[i] = (unsigned char)(x >> (8 * i));
    segue_bytes_append(b, little, size);
}

void segue_bytes_append_u64(segue_bytes *b, uint64_t x)
{
    append_little_endian(b, x, 8);
}

void segue_bytes_append_f64(segue_bytes *b, const double *x, size_t count)
{
    if (!reserve(b, 8 * count))
        return;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        segue_bytes_append_u64(b, bits);
    }
}

void segue_bytes_append_f32(segue_bytes *b, const float *x, size_t count)
{
    if (!reserve(b, 4 * count))
        return;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        append_little_endian(b, bits, 4);
    }
}

void segue_bytes_read(segue_bytes_reader *r, void *data, size_t size)
{
    if (r->failed || size > r->size - r->at) {
        r->failed = true;
        memset(data, 0, size);
        return;
    }
    memcpy(data, r->data + r->at, size);
    r->at += size;
}

static uint64_t read_little_endian(segue_bytes_reader *r, size_t size)
{
    unsigned char little[8];
    uint64_t x = 0;
    segue_bytes_read(r, little, size);
    for (size_t i = 0; i < size; i++)
        x |= (uint64_t)little[i] << (8 * i);
    return x;
}

uint64_t segue_bytes_read_u64(segue_bytes_reader *r)
{
    return read_little_endian(r, 8);
}

uint64_t segue_bytes_read_count(segue_bytes_reader *r)
{
    const uint64_t count = segue_bytes_read_u64(r);
    r->failed = r->failed || count > MAX_COUNT;
    return r->failed ? 0 : count;
}

void segue_bytes_read_f64(segue_bytes_reader *r, double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = segue_bytes_read_u64(r);
        memcpy(&x[i], &bits, sizeof bits);
    }
}

void segue_bytes_read_f32(segue_bytes_reader *r, float *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = (uint32_t)read_little_endian(r, 4);
        memcpy(&x[i], &bits, sizeof bits);
    }
}

bool segue_bytes_read_finite(segue_bytes_reader *r, double *x, size_t count)
{
    segue_bytes_read_f64(r, x, count);
    size_t i = 0;
    while (i < count && isfinite(x[i]))
        i++;
    return i == count;
}

uint32_t segue_bytes_crc32(const void *data, size_t size)
{
    const unsigned char *p = data;
    uint32_t crc = ~UINT32_C(0);
    for (size_t i = 0; i < size; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (UINT32_C(0xedb88320) & (~(crc & 1) + 1));
    }
    return ~crc;
}
