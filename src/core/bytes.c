/* bytes.c - numbers to bytes and back.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/bytes.h"

#include <stdlib.h>
#include <string.h>

void segue_bytes_fini(bytes *b)
{
    free(b->data);
    *b = (bytes){.data = NULL};
}

static bool reserve(bytes *b, size_t more)
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

void segue_bytes_put(bytes *b, const void *data, size_t size)
{
    if (!reserve(b, size))
        return;
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

void segue_bytes_put_u64(bytes *b, uint64_t x)
{
    unsigned char little[8];
    for (size_t i = 0; i < 8; i++)
        little[i] = (unsigned char)(x >> (8 * i));
    segue_bytes_put(b, little, sizeof little);
}

void segue_bytes_put_f64(bytes *b, const double *x, size_t count)
{
    if (!reserve(b, 8 * count))
        return;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        segue_bytes_put_u64(b, bits);
    }
}

void segue_reader_get(reader *r, void *data, size_t size)
{
    if (r->failed || size > r->size - r->at) {
        r->failed = true;
        memset(data, 0, size);
        return;
    }
    memcpy(data, r->data + r->at, size);
    r->at += size;
}

uint64_t segue_reader_u64(reader *r)
{
    unsigned char little[8];
    uint64_t x = 0;
    segue_reader_get(r, little, sizeof little);
    for (size_t i = 0; i < 8; i++)
        x |= (uint64_t)little[i] << (8 * i);
    return x;
}

void segue_reader_f64(reader *r, double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = segue_reader_u64(r);
        memcpy(&x[i], &bits, sizeof bits);
    }
}

uint32_t segue_crc32(const void *data, size_t size)
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
