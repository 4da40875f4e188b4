/* decision_id.c - 36 bytes of content and 12 of signature (SipHash-2-4-128), in base64url.
 *
 *   u32 learner  u64 task  u64 number  u16 arm  u48 milliseconds of service time  u64 tag
 *
 * If the ask requested the probability of its arm, the bits of that double follow: the reward is
 * stored with it, and no row is written when the decision is made.  In shadow mode there follow
 * that probability or 0, which is then the caller's, Segue's arm (u16), and the probability that
 * Segue gave to the caller's arm.
 *
 * Ids of tasks repeat when a store is restored from a backup.  The tag, random bits in the task's
 * row, does not: a decision for a task that was lost with the restore matches no other task.
 *
 * The store's key signs ids, so that a client cannot make one up or change the arm of another.
 * The functions have no state: any thread calls them without a lock.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/decision_id.h"

#include <sodium.h>
#include <string.h>

#include "service/state/keyed_hash.h"

#define PLAIN     36 /* bytes of content */
#define LONG      44 /* ... with a probability */
#define SHADOWED  54 /* ... and with what Segue would have done */
#define SIGNATURE 12
#define WHOLE     (SHADOWED + SIGNATURE)
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

static unsigned char *put_double(unsigned char *at, double x)
{
    uint64_t bits = 0;
    memcpy(&bits, &x, sizeof bits);
    return put(at, bits, 8);
}

/* Returns the size. */
static size_t write_plain(const decision *d, unsigned char *raw)
{
    unsigned char *at = raw;
    at = put(at, (uint64_t)d->learner, 4);
    at = put(at, (uint64_t)d->task, 8);
    at = put(at, d->number, 8);
    at = put(at, d->arm, 2);
    at = put(at, milliseconds(d->asked_at), 6);
    at = put(at, d->tag, 8);
    if (!(d->probability > 0.0) && !d->shadow.is_set)
        return PLAIN;
    at = put_double(at, d->probability);
    if (!d->shadow.is_set)
        return LONG;
    at = put(at, d->shadow.arm, 2);
    (void)put_double(at, d->shadow.probability);
    return SHADOWED;
}

void segue_decision_id_encode(const decision *d, const unsigned char key[16], char *text)
{
    unsigned char raw[WHOLE], signature[16];
    const size_t size = write_plain(d, raw);
    segue_keyed_hash_128(key, raw, size, signature);
    memcpy(raw + size, signature, SIGNATURE);
    /* the length is exact: sodium fills the rest of its buffer with zeros */
    (void)sodium_bin2base64(text, sodium_base64_ENCODED_LEN(size + SIGNATURE, BASE64URL), raw,
                            size + SIGNATURE, BASE64URL);
}

bool segue_decision_id_has_length(size_t length)
{
    return length == SEGUE_DECISION_ID_LENGTH || length == SEGUE_LONG_DECISION_ID_LENGTH ||
           length == SEGUE_MAX_DECISION_ID_LENGTH;
}

/* Decode base64url, and return the size of the content; 0: `text` does not have the length of an id,
 * or has a character outside the alphabet. */
static size_t decode(const char *text, unsigned char raw[WHOLE])
{
    const size_t length = strlen(text);
    size_t size = 0;
    if (!segue_decision_id_has_length(length) ||
        sodium_base642bin(raw, WHOLE, text, length, NULL, &size, NULL, BASE64URL) != 0)
        return 0;
    const size_t need = length == SEGUE_DECISION_ID_LENGTH        ? PLAIN
                        : length == SEGUE_LONG_DECISION_ID_LENGTH ? LONG
                                                                  : SHADOWED;
    return size == need + SIGNATURE ? need : 0;
}

static bool is_signed(const unsigned char key[16], const unsigned char *raw, size_t size)
{
    unsigned char signature[16];
    segue_keyed_hash_128(key, raw, size, signature);
    return sodium_memcmp(signature, raw + size, SIGNATURE) == 0;
}

/* Only what this service signed is read, so the bits are those of a probability. */
static double read_probability(const unsigned char **at)
{
    double probability;
    const uint64_t bits = get(at, 8);
    memcpy(&probability, &bits, sizeof probability);
    return probability;
}

bool segue_decision_id_decode(decision *d, const unsigned char key[16], const char *text)
{
    unsigned char raw[WHOLE];
    const size_t size = decode(text, raw);
    if (size == 0 || !is_signed(key, raw, size))
        return false;
    const unsigned char *at = raw;
    d->learner = (int64_t)get(&at, 4);
    d->task = (int64_t)get(&at, 8);
    d->number = get(&at, 8);
    d->arm = (size_t)get(&at, 2);
    d->version = 0;
    d->asked_at = (double)get(&at, 6) / 1000.0;
    d->tag = get(&at, 8);
    d->probability = size > PLAIN ? read_probability(&at) : 0.0;
    d->shadow = (segue_stored_shadow){.is_set = size == SHADOWED};
    if (d->shadow.is_set) {
        d->shadow.arm = (size_t)get(&at, 2);
        d->shadow.probability = read_probability(&at);
    }
    return true;
}

segue_stored_decision segue_decision_id_to_row(const decision *d)
{
    return (segue_stored_decision){.task = d->task,
                                   .number = d->number,
                                   .version = d->version,
                                   .arm = d->arm,
                                   .created = d->asked_at,
                                   .probability = d->probability,
                                   .shadow = d->shadow};
}

decision segue_decision_id_from_row(int64_t learner, uint64_t tag, const segue_stored_decision *row)
{
    return (decision){.learner = learner,
                      .task = row->task,
                      .tag = tag,
                      .number = row->number,
                      .arm = row->arm,
                      .version = row->version,
                      .asked_at = row->created,
                      .probability = row->probability,
                      .shadow = row->shadow};
}
