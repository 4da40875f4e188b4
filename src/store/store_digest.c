/* store_digest.c - digests of rows, for the hash chain.
 *
 * The digest of a closed task is made of parts, so that it can be computed again when its rewards
 * or its key are gone: table `removed` then has the digest of the rewards' rows, that of the key,
 * and the counts per arm.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/store_digest.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

_Static_assert(crypto_generichash_blake2b_BYTES == SEGUE_DIGEST_SIZE, "BLAKE2b-256");

/* ---- fields ------------------------------------------------------------------------------ */

typedef crypto_generichash_blake2b_state hasher;

/* The first field of each digest says of what it is. */
static void begin(hasher *h, const char *what)
{
    (void)crypto_generichash_blake2b_init(h, NULL, 0, SEGUE_DIGEST_SIZE);
    (void)crypto_generichash_blake2b_update(h, (const unsigned char *)what, strlen(what) + 1);
}

static void add_u64(hasher *h, uint64_t x)
{
    unsigned char bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(x >> (8 * i));
    (void)crypto_generichash_blake2b_update(h, bytes, sizeof bytes);
}

static void add_real(hasher *h, double x)
{
    uint64_t bits = 0;
    memcpy(&bits, &x, sizeof bits);
    add_u64(h, bits);
}

/* NULL differs from an empty text. */
static void add_text(hasher *h, const char *text)
{
    const size_t size = text ? strlen(text) : 0;
    add_u64(h, text ? size : UINT64_MAX);
    (void)crypto_generichash_blake2b_update(h, (const unsigned char *)text, size);
}

static void add_digest(hasher *h, const segue_digest digest)
{
    (void)crypto_generichash_blake2b_update(h, digest, SEGUE_DIGEST_SIZE);
}

static void end(hasher *h, segue_digest out)
{
    (void)crypto_generichash_blake2b_final(h, out, SEGUE_DIGEST_SIZE);
}

/* ---- events and learners ----------------------------------------------------------------- */

void segue_digest_event(const segue_stored_event *event, const segue_digest before,
                        const segue_digest rows, segue_digest out)
{
    hasher h;
    begin(&h, "event");
    add_digest(&h, before);
    add_u64(&h, event->seq);
    add_u64(&h, (uint64_t)event->learner);
    add_u64(&h, (uint64_t)event->kind);
    add_u64(&h, (uint64_t)event->subject);
    add_real(&h, event->created);
    add_digest(&h, rows);
    end(&h, out);
}

void segue_digest_first(int64_t learner, const segue_digest row, segue_digest out)
{
    hasher h;
    begin(&h, "chain");
    add_u64(&h, (uint64_t)learner);
    add_digest(&h, row);
    end(&h, out);
}

void segue_digest_learner(const segue_stored_learner *learner, segue_digest out)
{
    hasher h;
    begin(&h, "learner");
    add_u64(&h, (uint64_t)learner->id);
    add_text(&h, learner->name);
    add_text(&h, learner->config);
    add_real(&h, learner->created);
    end(&h, out);
}

static segue_status digest_learner(segue_store *store, int64_t learner, segue_digest out,
                                   segue_error *err)
{
    segue_rows rows;
    segue_stored_learner row;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_LEARNER, .id = learner}, err);
    const bool found = segue_rows_next_learner(&rows, &row);
    segue_status status = SEGUE_OK;
    if (found && row.damage)
        status = segue_fail(err, SEGUE_EFILE, "%s", row.damage);
    else if (found)
        segue_digest_learner(&row, out);
    SEGUE_TRY(segue_rows_close(&rows, status));
    return found ? SEGUE_OK
                 : segue_store_fail_damaged(err, "learner %" PRId64 " does not exist", learner);
}

/* An arm's name and times; its counts are those of the rewards. */
static segue_status digest_arm(segue_store *store, const segue_stored_event *event,
                               segue_digest out, segue_error *err)
{
    segue_rows rows;
    segue_stored_arm arm = {.position = SIZE_MAX};
    hasher h;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_ARMS, .id = event->learner},
                    err);
    while (segue_rows_next_arm(&rows, &arm) && (int64_t)arm.position != event->subject) {
    }
    const bool retires = event->kind == SEGUE_EVENT_RETIRE_ARM;
    begin(&h, retires ? "retired arm" : "arm");
    add_u64(&h, arm.position);
    add_text(&h, arm.position == SIZE_MAX ? NULL : arm.name);
    add_real(&h, arm.added);
    if (retires)
        add_u64(&h, arm.retired);
    end(&h, out);
    return segue_rows_close(&rows, SEGUE_OK);
}

/* ---- closed tasks ------------------------------------------------------------------------ */

typedef struct arm_count {
    uint64_t pulls;
    double sum;
} arm_count;

static void write_counts(const arm_count *count, size_t n_arms, segue_bytes *out)
{
    char text[80];
    bool first = true;
    segue_bytes_append(out, "{", 1);
    for (size_t i = 0; i < n_arms; i++) {
        if (count[i].pulls == 0)
            continue;
        const int size = snprintf(text, sizeof text, "%s\"%zu\":[%" PRIu64 ",%.17g]",
                                  first ? "" : ",", i, count[i].pulls, count[i].sum);
        segue_bytes_append(out, text, (size_t)size);
        first = false;
    }
    segue_bytes_append(out, "}", 2);
}

static void add_reward(hasher *h, const segue_stored_reward *r)
{
    add_u64(h, r->number);
    add_u64(h, r->position);
    add_u64(h, r->arm);
    add_real(h, r->value);
    add_real(h, r->created);
    add_u64(h, r->by_default);
    add_real(h, r->probability);
    add_text(h, r->asks);
    add_u64(h, r->shadow.is_set ? r->shadow.arm : UINT64_MAX);
    add_real(h, r->shadow.probability);
}

static segue_status count_reward(arm_count *count, size_t n_arms, const segue_stored_reward *r,
                                 segue_error *err)
{
    if (r->arm >= n_arms)
        return segue_store_fail_damaged(err, "task %" PRId64 " has a reward of no arm", r->task);
    count[r->arm].pulls++;
    count[r->arm].sum += r->value;
    return SEGUE_OK;
}

/* Several rewards of one decision; most learners take one. */
static segue_status add_parts(hasher *h, segue_store *store, int64_t task, segue_error *err)
{
    segue_rows rows;
    segue_stored_reward_part part;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_TASK_PARTS, .id = task}, err);
    while (segue_rows_next_reward_part(&rows, &part)) {
        add_u64(h, part.number);
        add_text(h, part.event_id);
        add_u64(h, part.position);
        add_real(h, part.value);
        add_real(h, part.created);
    }
    return segue_rows_close(&rows, SEGUE_OK);
}

segue_status segue_digest_rewards(segue_store *store, int64_t task, size_t n_arms,
                                  segue_reward_digest *out, segue_error *err)
{
    segue_rows rows;
    segue_stored_reward reward;
    segue_status status = SEGUE_OK;
    hasher h;
    arm_count *count = calloc(n_arms, sizeof *count);
    *out = (segue_reward_digest){.counts = {.data = NULL}};
    if (!count)
        return segue_fail_no_memory(err, "the counts of a task");
    begin(&h, "rewards");
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_REWARDS, .id = task}, err);
    while (status == SEGUE_OK && segue_rows_next_reward(&rows, &reward)) {
        add_reward(&h, &reward);
        status = count_reward(count, n_arms, &reward, err);
    }
    status = segue_rows_close(&rows, status);
    if (status == SEGUE_OK)
        status = add_parts(&h, store, task, err);
    end(&h, out->rows);
    write_counts(count, n_arms, &out->counts);
    free(count);
    return status == SEGUE_OK && out->counts.failed ? segue_fail_no_memory(err, "counts of a task")
                                                    : status;
}

void segue_digest_key(const segue_stored_task *task, segue_digest out)
{
    hasher h;
    begin(&h, "key");
    add_u64(&h, task->tag);
    add_text(&h, task->key);
    add_text(&h, task->features);
    end(&h, out);
}

static void digest_task(const segue_stored_task *t, const segue_digest key, const char *counts,
                        const segue_digest rewards, segue_digest out)
{
    hasher h;
    begin(&h, "task");
    add_u64(&h, (uint64_t)t->id);
    add_u64(&h, (uint64_t)t->learner);
    add_u64(&h, t->control);
    add_real(&h, t->control_share);
    add_u64(&h, t->version);
    add_u64(&h, t->n_arms);
    add_real(&h, t->opened);
    add_real(&h, t->closed);
    add_u64(&h, t->closed_seq);
    add_u64(&h, t->rewards);
    add_real(&h, t->total);
    add_digest(&h, key);
    add_text(&h, counts);
    add_digest(&h, rewards);
    end(&h, out);
}

/* The key is that of the row unless the task is erased. */
static void digest_removed(const segue_stored_task *task, const segue_stored_removed *removed,
                           segue_digest out)
{
    segue_digest key;
    segue_digest_key(task, key);
    digest_task(task, removed->erased ? removed->key : key, removed->counts, removed->rewards, out);
}

/* *found: the rewards are gone, and `out` is filled. */
static segue_status find_removed(segue_store *store, const segue_stored_task *task, bool *found,
                                 segue_digest out, segue_error *err)
{
    segue_rows rows;
    segue_stored_removed removed;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_REMOVED, .id = task->id}, err);
    *found = segue_rows_next_removed(&rows, &removed);
    if (*found)
        digest_removed(task, &removed, out);
    return segue_rows_close(&rows, SEGUE_OK);
}

static segue_status digest_row(segue_store *store, const segue_stored_task *task, segue_digest out,
                               segue_error *err)
{
    bool found = false;
    segue_reward_digest rewards;
    segue_digest key;
    SEGUE_TRY(find_removed(store, task, &found, out, err));
    if (found)
        return SEGUE_OK;
    const segue_status status = segue_digest_rewards(store, task->id, task->n_arms, &rewards, err);
    segue_digest_key(task, key);
    if (status == SEGUE_OK)
        digest_task(task, key, (const char *)rewards.counts.data, rewards.rows, out);
    segue_bytes_fini(&rewards.counts);
    return status;
}

segue_status segue_digest_closed_task(segue_store *store, int64_t task, segue_digest out,
                                      segue_error *err)
{
    segue_rows rows;
    segue_stored_task row;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_TASK_BY_ID, .id = task}, err);
    const bool found = segue_rows_next_task(&rows, &row);
    if (found)
        status = digest_row(store, &row, out, err);
    SEGUE_TRY(segue_rows_close(&rows, status));
    return found ? SEGUE_OK
                 : segue_store_fail_damaged(err, "task %" PRId64 " does not exist", task);
}

/* ---- the base ---------------------------------------------------------------------------- */

/* The snapshot that replaces removed rewards; without one, its event and bytes are zero. */
static segue_status digest_base(segue_store *store, int64_t learner, segue_digest out,
                                segue_error *err)
{
    segue_rows rows;
    segue_stored_snapshot base;
    hasher h;
    begin(&h, "base");
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_BASE, .id = learner}, err);
    if (segue_rows_next_base(&rows, &base)) {
        add_u64(&h, base.seq);
        add_u64(&h, base.size);
        (void)crypto_generichash_blake2b_update(&h, base.bytes, base.size);
    }
    end(&h, out);
    return segue_rows_close(&rows, SEGUE_OK);
}

/* The saved learner that was merged. */
static segue_status digest_merged(segue_store *store, const segue_stored_event *event,
                                  segue_digest out, segue_error *err)
{
    segue_rows rows;
    segue_stored_merged merged;
    hasher h;
    begin(&h, "merged");
    segue_rows_open(&rows, store,
                    &(segue_query){.kind = SEGUE_QUERY_MERGED,
                                   .id = event->learner,
                                   .number = (uint64_t)event->subject},
                    err);
    if (segue_rows_next_merged(&rows, &merged)) {
        add_text(&h, merged.origins);
        add_u64(&h, merged.size);
        (void)crypto_generichash_blake2b_update(&h, merged.bytes, merged.size);
    }
    end(&h, out);
    return segue_rows_close(&rows, SEGUE_OK);
}

segue_status segue_digest_rows(segue_store *store, const segue_stored_event *event,
                               segue_digest out, segue_error *err)
{
    memset(out, 0, SEGUE_DIGEST_SIZE); /* also after a failure */
    switch (event->kind) {
    case SEGUE_EVENT_CLOSE:
        return segue_digest_closed_task(store, event->subject, out, err);
    case SEGUE_EVENT_ADD_ARM:
    case SEGUE_EVENT_RETIRE_ARM:
        return digest_arm(store, event, out, err);
    case SEGUE_EVENT_SETTINGS:
    case SEGUE_EVENT_PAUSE:
        return digest_learner(store, event->learner, out, err);
    case SEGUE_EVENT_MERGE:
        return digest_merged(store, event, out, err);
    case SEGUE_EVENT_TRIM:
    case SEGUE_EVENT_ERASE:
        return digest_base(store, event->learner, out, err);
    default: /* the event is all there is */
        return SEGUE_OK;
    }
}
