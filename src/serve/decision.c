/* decision.c - 32 bytes of what was decided and 16 of signature (SipHash-2-4-128), in base64url.
 *
 *   u32 learner  u64 task  u64 number  u16 arm  u32 version  u48 milliseconds since 1970
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "serve/decision.h"

#include <string.h>

#include "serve/siphash.h"

#define PLAIN 32
#define WHOLE 48

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static unsigned char *put(unsigned char *at, uint64_t x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        *at++ = (unsigned char)(x >> (8 * i));
    return at;
}

static uint64_t get(const unsigned char **at, size_t count)
{
    uint64_t x = 0;
    for (size_t i = 0; i < count; i++)
        x |= (uint64_t) * (*at)++ << (8 * i);
    return x;
}

/* 48 bits of them: a clock may be before 1970, or far off. */
static uint64_t milliseconds(double seconds)
{
    const double x = seconds * 1000.0;
    if (!(x > 0.0)) /* also NaN */
        return 0;
    return x < 0x1p48 ? (uint64_t)x : (UINT64_C(1) << 48) - 1;
}

void segue_decision_write(const decision *d, const unsigned char key[16],
                          char text[DECISION_TEXT + 1])
{
    unsigned char raw[WHOLE], *at = raw;
    at = put(at, (uint64_t)d->learner, 4);
    at = put(at, (uint64_t)d->task, 8);
    at = put(at, d->number, 8);
    at = put(at, d->arm, 2);
    at = put(at, d->version, 4);
    (void)put(at, milliseconds(d->asked), 6);
    segue_siphash_128(key, raw, PLAIN, raw + PLAIN);
    for (size_t i = 0; i < WHOLE / 3; i++) {
        const unsigned x =
            (unsigned)raw[3 * i] << 16 | (unsigned)raw[3 * i + 1] << 8 | raw[3 * i + 2];
        for (unsigned j = 0; j < 4; j++)
            text[4 * i + j] = letters[x >> (18 - 6 * j) & 63];
    }
    text[DECISION_TEXT] = '\0';
}

/* Base64url back to bytes; false: a letter is none. */
static bool decode(const char *text, unsigned char raw[WHOLE])
{
    for (size_t i = 0; i < WHOLE / 3; i++) {
        unsigned x = 0;
        for (size_t j = 0; j < 4; j++) {
            const char *letter = memchr(letters, text[4 * i + j], sizeof letters - 1);
            if (!letter)
                return false;
            x = x << 6 | (unsigned)(letter - letters);
        }
        raw[3 * i] = (unsigned char)(x >> 16);
        raw[3 * i + 1] = (unsigned char)(x >> 8);
        raw[3 * i + 2] = (unsigned char)x;
    }
    return true;
}

bool segue_same_bytes(const void *a, const void *b, size_t size)
{
    const volatile unsigned char *x = a, *y = b;
    unsigned char differ = 0;
    for (size_t i = 0; i < size; i++)
        differ = (unsigned char)(differ | (x[i] ^ y[i]));
    return differ == 0;
}

bool segue_decision_read(decision *d, const unsigned char key[16], const char *text)
{
    unsigned char raw[WHOLE], signature[16];
    if (strlen(text) != DECISION_TEXT || !decode(text, raw))
        return false;
    segue_siphash_128(key, raw, PLAIN, signature);
    if (!segue_same_bytes(signature, raw + PLAIN, sizeof signature))
        return false;
    const unsigned char *at = raw;
    d->learner = (int64_t)get(&at, 4);
    d->task = (int64_t)get(&at, 8);
    d->number = get(&at, 8);
    d->arm = (size_t)get(&at, 2);
    d->version = get(&at, 4);
    d->asked = (double)get(&at, 6) / 1000.0;
    return true;
}

segue_stored_decision segue_decision_row(const decision *d)
{
    return (segue_stored_decision){.task = d->task,
                                   .number = d->number,
                                   .version = d->version,
                                   .arm = d->arm,
                                   .asked = d->asked};
}

decision segue_decision_of_row(int64_t learner, const segue_stored_decision *row)
{
    return (decision){.learner = learner,
                      .task = row->task,
                      .number = row->number,
                      .arm = row->arm,
                      .version = row->version,
                      .asked = row->asked};
}
