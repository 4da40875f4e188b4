/* decision_id.c - 36 bytes of content and 12 of signature (SipHash-2-4-128), in base64url.
 *
 *   u32 learner  u64 task  u64 number  u16 arm  u48 milliseconds of service time  u64 tag
 *
 * Ids of tasks repeat when a store is restored from a backup.  The tag, random bits in the task's
 * row, does not: a decision for a task that was lost with the restore matches no other task.
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

#include <sodium.h>
#include <string.h>

#include "service/state/keyed_hash.h"

#define PLAIN     36 /* bytes of content */
#define PLAIN_OLD 32 /* of a task without a tag */
#define WHOLE     48
#define LATEST    0xffffffffffff /* milliseconds that fit */
#define BASE64URL sodium_base64_VARIANT_URLSAFE_NO_PADDING

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

/* Clamp: a cast of a number out of range is undefined. */
static uint64_t milliseconds(double seconds)
{
    const double ms = seconds * 1000.0;
    return ms >= (double)LATEST ? LATEST : ms > 0.0 ? (uint64_t)ms : 0;
}

/* Write the content; returns its length. */
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
    segue_keyed_hash_128(key, raw, plain, signature);
    memcpy(raw + plain, signature, WHOLE - plain);
    (void)sodium_bin2base64(text, SEGUE_DECISION_ID_LENGTH + 1, raw, WHOLE, BASE64URL);
}

/* Decode base64url; false: `text` is not exactly one id long or has a character outside the
 * alphabet. */
static bool decode(const char *text, unsigned char raw[WHOLE])
{
    size_t size = 0;
    return strlen(text) == SEGUE_DECISION_ID_LENGTH &&
           sodium_base642bin(raw, WHOLE, text, SEGUE_DECISION_ID_LENGTH, NULL, &size, NULL,
                             BASE64URL) == 0 &&
           size == WHOLE;
}

static bool is_signed(const unsigned char key[16], const unsigned char raw[WHOLE], size_t plain)
{
    unsigned char signature[16];
    segue_keyed_hash_128(key, raw, plain, signature);
    return sodium_memcmp(signature, raw + plain, WHOLE - plain) == 0;
}

bool segue_decision_id_decode(decision *d, const unsigned char key[16], const char *text)
{
    unsigned char raw[WHOLE];
    if (!decode(text, raw))
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
                                   .created = d->asked};
}

decision segue_decision_id_from_row(int64_t learner, uint64_t tag, const segue_stored_decision *row)
{
    return (decision){.learner = learner,
                      .task = row->task,
                      .tag = tag,
                      .number = row->number,
                      .arm = row->arm,
                      .version = row->version,
                      .asked = row->created};
}
