/* decision_id.c - 36 bytes of what was decided and 12 of signature (SipHash-2-4-128), in base64url.
 *
 *   u32 learner  u64 task  u64 number  u16 arm  u48 milliseconds of service time  u64 tag
 *
 * Ids of tasks repeat when a store is restored from a backup.  The tag, random bits that the task's
 * row holds, does not: a decision of a task that was lost with the restore fits no other task.
 *
 * A task that an older program opened has no tag.  Its ids are as that program wrote them, with 16
 * bytes of signature, so that those it gave out still count and an event gives the same id again:
 *
 *   u32 learner  u64 task  u64 number  u16 arm  u32 version  u48 milliseconds of service time
 *
 * The signed lengths differ, so an id of one layout is never one of the other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/decision_id.h"

#include <string.h>

#include "service/api/siphash.h"

#define PLAIN     36 /* bytes before the signature */
#define PLAIN_OLD 32 /* without a tag */
#define WHOLE     48
#define LATEST    0xffffffffffff /* milliseconds that fit */

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

/* A clock may say anything; the cast may not. */
static uint64_t milliseconds(double seconds)
{
    const double ms = seconds * 1000.0;
    return ms >= (double)LATEST ? LATEST : ms > 0.0 ? (uint64_t)ms : 0;
}

/* Write the plain part; returns its length. */
static size_t write_plain(const decision *d, unsigned char *raw)
{
    unsigned char *at = raw;
    at = put(at, (uint64_t)d->learner, 4);
    at = put(at, (uint64_t)d->task, 8);
    at = put(at, d->number, 8);
    at = put(at, d->arm, 2);
    if (d->tag == 0)
        at = put(at, d->version, 4);
    at = put(at, milliseconds(d->asked), 6);
    if (d->tag != 0)
        at = put(at, d->tag, 8);
    return (size_t)(at - raw);
}

void segue_decision_id_encode(const decision *d, const unsigned char key[16],
                              char text[SEGUE_DECISION_ID_LENGTH + 1])
{
    unsigned char raw[WHOLE], signature[16];
    const size_t plain = write_plain(d, raw);
    segue_siphash_128(key, raw, plain, signature);
    memcpy(raw + plain, signature, WHOLE - plain);
    for (size_t i = 0; i < WHOLE / 3; i++) {
        const unsigned x =
            (unsigned)raw[3 * i] << 16 | (unsigned)raw[3 * i + 1] << 8 | raw[3 * i + 2];
        for (unsigned j = 0; j < 4; j++)
            text[4 * i + j] = letters[x >> (18 - 6 * j) & 63];
    }
    text[SEGUE_DECISION_ID_LENGTH] = '\0';
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

bool segue_decision_id_equal_bytes(const void *a, const void *b, size_t size)
{
    const volatile unsigned char *x = a, *y = b;
    unsigned char differ = 0;
    for (size_t i = 0; i < size; i++)
        differ = (unsigned char)(differ | (x[i] ^ y[i]));
    return differ == 0;
}

static bool is_signed(const unsigned char key[16], const unsigned char raw[WHOLE], size_t plain)
{
    unsigned char signature[16];
    segue_siphash_128(key, raw, plain, signature);
    return segue_decision_id_equal_bytes(signature, raw + plain, WHOLE - plain);
}

bool segue_decision_id_decode(decision *d, const unsigned char key[16], const char *text)
{
    unsigned char raw[WHOLE];
    if (strlen(text) != SEGUE_DECISION_ID_LENGTH || !decode(text, raw))
        return false;
    const bool has_tag = is_signed(key, raw, PLAIN), is_old = is_signed(key, raw, PLAIN_OLD);
    if (!has_tag && !is_old)
        return false;
    const unsigned char *at = raw;
    d->learner = (int64_t)get(&at, 4);
    d->task = (int64_t)get(&at, 8);
    d->number = get(&at, 8);
    d->arm = (size_t)get(&at, 2);
    d->version = has_tag ? 0 : get(&at, 4);
    d->asked = (double)get(&at, 6) / 1000.0;
    d->tag = has_tag ? get(&at, 8) : 0;
    return true;
}

segue_stored_decision segue_decision_id_to_row(const decision *d)
{
    return (segue_stored_decision){.task = d->task,
                                   .number = d->number,
                                   .version = d->version,
                                   .arm = d->arm,
                                   .asked = d->asked};
}

decision segue_decision_id_from_row(int64_t learner, uint64_t tag, const segue_stored_decision *row)
{
    return (decision){.learner = learner,
                      .task = row->task,
                      .tag = tag,
                      .number = row->number,
                      .arm = row->arm,
                      .version = row->version,
                      .asked = row->asked};
}
