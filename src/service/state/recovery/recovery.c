/* recovery.c - rebuild a learner from its snapshot and the event log.
 *
 * recovery.h states the invariant.  A snapshot is a serialized learner, its task statistics, the
 * effect of transfer, its steps of shadow mode and its model history, followed by a seal: the
 * learner's id, the event, and a checksum.  A damaged snapshot is ignored: the event log leads to the same learner, in more time.
 *
 * One learner is recovered by one thread, which owns its state: no other thread knows the learner
 * yet, and no lock is needed.  Cost: deserializing the snapshot, then one play of the rewards of
 * each task that closed after it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/recovery/recovery.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"
#include "service/api/learner_settings.h"
#include "service/state/keyed_hash.h"
#include "service/state/learn.h"
#include "service/state/merge.h"

/* ---- the event log ----------------------------------------------------------------------- */

typedef struct recovery {
    segue_store *store;
    segue_recovered_learner *out;
    learner_settings settings; /* they have the terms of each task */
    segue_refit *refit;        /* begun, not yet published */
    /* the snapshot to compare with on the way; NULL: none */
    uint64_t snapshot_seq;
    const void *snapshot;
    size_t snapshot_size;
    bool compared;
    uint64_t until; /* the last event to apply */
} recovery;

static segue_status begin_refit(recovery *r, segue_error *err)
{
    segue_refit_destroy(r->refit); /* the service stopped before it was published */
    r->refit = NULL;
    return segue_learner_refit_begin(r->out->learner, &r->refit, err);
}

static segue_status publish_refit(recovery *r, segue_error *err)
{
    if (!r->refit)
        return segue_fail(err, SEGUE_EFILE, "the event log publishes a refit that was not begun");
    SEGUE_TRY(segue_refit_run(r->refit, err));
    return segue_learner_refit_publish(r->out->learner, &r->refit, err);
}

/* Read the task that an event closed. */
static segue_status find_closed(recovery *r, const segue_stored_event *event,
                                segue_stored_task *row, segue_error *err)
{
    bool found = false;
    SEGUE_TRY(segue_store_read_task(r->store, event->subject, row, &found, err));
    return found && row->learner == event->learner && row->closed_seq == event->seq
               ? SEGUE_OK
               : segue_store_fail_damaged(err,
                                          "event %" PRIu64 " closes task %" PRId64
                                          ", which does not exist or names another closing event",
                                          event->seq, event->subject);
}

static segue_status close_task(recovery *r, const segue_stored_event *event, segue_error *err)
{
    segue_stored_task row;
    SEGUE_TRY(find_closed(r, event, &row, err));
    const task_terms *terms = segue_learner_settings_terms_of(&r->settings, row.id);
    SEGUE_TRY(
        segue_learn_task(r->store, r->out->learner, row.id, terms, &r->out->shadow, NULL, err));
    if (!terms->shadow) {
        segue_task_stats_add(&r->out->stats, row.control, row.rewards, row.total);
        segue_effect_state_add(&r->out->effect, &row);
    }
    r->out->recovery_cost += segue_learn_recovery_cost(event->kind, row.rewards);
    return SEGUE_OK;
}

/* Arms are added at the end; a gap means that an event is missing. */
static segue_status add_arm(recovery *r, int64_t index, segue_error *err)
{
    const size_t n_arms = segue_learner_get_config(r->out->learner)->n_arms;
    if (index != (int64_t)n_arms)
        return segue_store_fail_damaged(err, "the event log adds arm %" PRId64 "; need arm %zu",
                                        index, n_arms);
    return segue_learner_add_arm(r->out->learner, err);
}

/* Stops and resumptions take turns. */
static segue_status stop_transfer(recovery *r, segue_error *err)
{
    return segue_effect_state_stop(&r->out->effect)
               ? SEGUE_OK
               : segue_fail(err, SEGUE_EFILE, "the event log stops transfer that is stopped");
}

static segue_status resume_transfer(recovery *r, int64_t last_task, segue_error *err)
{
    return segue_effect_state_resume(&r->out->effect, last_task)
               ? SEGUE_OK
               : segue_fail(err, SEGUE_EFILE, "the event log resumes transfer that is not stopped");
}

/* Each event replaces the last change or adds one; the settings have it. */
static segue_status count_change(recovery *r, int64_t number, segue_error *err)
{
    r->out->n_changes = (uint64_t)number;
    return number >= 1 && number <= (int64_t)r->settings.n_changes
               ? SEGUE_OK
               : segue_store_fail_damaged(err, "the settings lack change %" PRId64, number);
}

static segue_status apply(recovery *r, const segue_stored_event *event, segue_error *err)
{
    segue_learner *learner = r->out->learner;
    switch (event->kind) {
    case SEGUE_EVENT_CLOSE:
        return close_task(r, event, err);
    case SEGUE_EVENT_REFIT_BEGIN:
        return begin_refit(r, err);
    case SEGUE_EVENT_REFIT_PUBLISH:
        return publish_refit(r, err);
    case SEGUE_EVENT_ADD_ARM:
        return add_arm(r, event->subject, err);
    case SEGUE_EVENT_RETIRE_ARM:
        return segue_learner_retire_arm(learner, (size_t)event->subject, err);
    case SEGUE_EVENT_STOP_TRANSFER:
        return stop_transfer(r, err);
    case SEGUE_EVENT_RESUME_TRANSFER:
        return resume_transfer(r, event->subject, err);
    case SEGUE_EVENT_SETTINGS: /* tasks have their terms by their id */
        return count_change(r, event->subject, err);
    case SEGUE_EVENT_PAUSE:
        r->out->paused = event->subject != 0;
        return SEGUE_OK;
    case SEGUE_EVENT_TRIM: /* rewards go, what was learned from them stays */
    case SEGUE_EVENT_ERASE:
        return SEGUE_OK;
    case SEGUE_EVENT_MERGE:
        return segue_merge_stored(r->store, event->learner, (uint64_t)event->subject, learner, err);
    }
    return segue_fail(err, SEGUE_EFILE, "the event log has an event of kind %d", (int)event->kind);
}

segue_status segue_recovery_compare(const segue_recovered_learner *rebuilt, const void *data,
                                    size_t size, const char *what, segue_error *err)
{
    segue_bytes b = {.data = NULL};
    segue_status status = SEGUE_OK;
    segue_recovery_serialize(rebuilt->learner, &rebuilt->stats, &rebuilt->effect,
                             &rebuilt->versions, &rebuilt->shadow, &b);
    if (b.failed)
        status = segue_fail(err, SEGUE_ENOMEM, "out of memory to compare a learner");
    else if (b.size != size || memcmp(b.data, data, size) != 0)
        status = segue_fail(err, SEGUE_EFILE, "the event log does not lead to %s", what);
    segue_bytes_fini(&b);
    return status;
}

/* Changes of settings and removals of rows leave the learner as it is. */
static bool changes_learner(segue_event_kind kind)
{
    return kind < SEGUE_EVENT_SETTINGS || kind == SEGUE_EVENT_MERGE;
}

/* Apply an event, and remember the version that it published, if any. */
static segue_status apply_and_record(recovery *r, const segue_stored_event *event, segue_error *err)
{
    SEGUE_TRY(apply(r, event, err));
    if (!changes_learner(event->kind))
        return SEGUE_OK;
    return segue_model_history_add(&r->out->versions, r->out->learner, err);
}

/* Apply an event, unless it comes too late. */
static segue_status apply_event(recovery *r, const segue_stored_event *event, segue_error *err)
{
    segue_error why;
    if (event->seq > r->until)
        return SEGUE_OK;
    const segue_status status = apply_and_record(r, event, &why);
    if (status != SEGUE_OK)
        return segue_fail(err, status == SEGUE_ENOMEM || status == SEGUE_EIO ? status : SEGUE_EFILE,
                          "event %" PRIu64 " of the event log: %s", event->seq, why.message);
    if (event->kind != SEGUE_EVENT_CLOSE)
        r->out->recovery_cost += segue_learn_recovery_cost(event->kind, 0);
    r->out->seq = event->seq;
    r->out->events++;
    if (!r->snapshot || event->seq != r->snapshot_seq)
        return SEGUE_OK;
    r->compared = true;
    return segue_recovery_compare(r->out, r->snapshot, r->snapshot_size, "its snapshot", err);
}

/* ---- snapshots --------------------------------------------------------------------------- */

#define SEAL 24 /* bytes at the end of a snapshot: learner, event, checksum */

static uint64_t checksum(const void *data, size_t size)
{
    static const unsigned char key[16]; /* it detects damage, not forgery */
    return segue_keyed_hash(key, data, size);
}

void segue_recovery_seal(segue_bytes *b, int64_t learner, uint64_t seq)
{
    segue_bytes_append_u64(b, (uint64_t)learner);
    segue_bytes_append_u64(b, seq);
    if (!b->failed)
        segue_bytes_append_u64(b, checksum(b->data, b->size));
}

/* Return whether the seal is of this learner and event, and remove it from *size. */
static bool is_sealed(const void *data, size_t *size, int64_t learner, uint64_t seq)
{
    segue_bytes_reader r = {.data = data, .size = *size};
    if (*size < SEAL)
        return false;
    *size -= SEAL;
    r.at = *size;
    const bool named =
        segue_bytes_read_u64(&r) == (uint64_t)learner && segue_bytes_read_u64(&r) == seq;
    return segue_bytes_read_u64(&r) == checksum(data, *size + SEAL - 8) && named;
}

/* Remove the seal of what was read from `table`; free it if the seal is wrong. */
static segue_status unseal(const char *table, int64_t learner, uint64_t seq, void **data,
                           size_t *size, segue_error *err)
{
    if (!*data || is_sealed(*data, size, learner, seq))
        return SEGUE_OK;
    free(*data);
    *data = NULL;
    return segue_store_fail_damaged(
        err, "table %s, learner %" PRId64 ", seq %" PRIu64 ", column bytes: the checksum is wrong",
        table, learner, seq);
}

segue_status segue_recovery_read_snapshot(segue_store *store, int64_t learner, uint64_t *seq,
                                          void **data, size_t *size, segue_error *err)
{
    SEGUE_TRY(segue_store_read_snapshot(store, learner, seq, data, size, err));
    return unseal("snapshot", learner, *seq, data, size, err);
}

void segue_recovery_serialize(const segue_learner *learner, const task_stats *counts,
                              const effect_state *effect, const segue_model_history *versions,
                              const shadow_state *shadow, segue_bytes *b)
{
    segue_bytes inside = {.data = NULL};
    segue_learner_serialize(learner, &inside);
    segue_bytes_append_u64(b, inside.size);
    segue_bytes_append(b, inside.data, inside.size);
    segue_task_stats_serialize(counts, b);
    segue_effect_state_serialize(effect, b);
    segue_shadow_state_serialize(shadow, b);
    segue_model_history_serialize(versions, b);
    b->failed = b->failed || inside.failed;
    segue_bytes_fini(&inside);
}

void segue_recovery_fini(segue_recovered_learner *rebuilt)
{
    segue_learner_destroy(rebuilt->learner);
    segue_model_history_fini(&rebuilt->versions);
    rebuilt->learner = NULL;
}

/* ---- recovery ---------------------------------------------------------------------------- */

/* Read the saved learner that the settings name; only they may have one. */
static segue_status read_saved(segue_store *store, const segue_stored_learner *row,
                               learner_settings *settings, segue_error *err)
{
    void *data = NULL;
    size_t size = 0;
    SEGUE_TRY(segue_store_read_initial(store, row->id, &data, &size, err));
    settings->saved = (segue_bytes){.data = data, .size = size, .capacity = size};
    return !data || settings->from[0]
               ? SEGUE_OK
               : segue_store_fail_damaged(
                     err, "table initial, learner %" PRId64 ": its settings name no saved learner",
                     row->id);
}

segue_status segue_recovery_create(segue_store *store, const segue_stored_learner *row,
                                   segue_learner **out, segue_error *err)
{
    learner_settings settings;
    *out = NULL;
    segue_status status = segue_learner_settings_parse(&settings, row->config, err);
    if (status == SEGUE_OK)
        status = read_saved(store, row, &settings, err);
    if (status == SEGUE_OK)
        status = segue_learner_settings_create_learner(&settings, out, err);
    segue_learner_settings_fini(&settings);
    return status;
}

/* A saved learner has a version already, which tasks start with. */
static segue_status start_new(segue_store *store, const segue_stored_learner *row,
                              segue_recovered_learner *out, segue_error *err)
{
    SEGUE_TRY(segue_recovery_create(store, row, &out->learner, err));
    return segue_learner_version(out->learner) > 0
               ? segue_model_history_add(&out->versions, out->learner, err)
               : SEGUE_OK;
}

/* The length of the learner's bytes, these bytes, then statistics and history. */
static segue_status deserialize(segue_recovered_learner *out, const void *data, size_t size,
                                segue_error *err)
{
    segue_bytes_reader r = {.data = data, .size = size};
    const uint64_t length = segue_bytes_read_u64(&r);
    if (r.failed || length > size - r.at)
        return segue_fail(err, SEGUE_EFILE, "the snapshot of a learner is damaged");
    SEGUE_TRY(segue_learner_deserialize(&out->learner, r.data + r.at, (size_t)length,
                                        "the snapshot of a learner", err));
    r.at += (size_t)length;
    SEGUE_TRY(segue_task_stats_deserialize(&out->stats, &r, err));
    SEGUE_TRY(segue_effect_state_deserialize(&out->effect, &r, err));
    SEGUE_TRY(segue_shadow_state_deserialize(&out->shadow, &r, err));
    return segue_model_history_deserialize(&out->versions, &r, err);
}

/* Start from the snapshot that replaces removed rewards, or else with a new learner. */
static segue_status start_first(segue_store *store, const segue_stored_learner *row,
                                segue_recovered_learner *out, segue_error *err)
{
    void *data = NULL;
    size_t size = 0;
    SEGUE_TRY(segue_store_read_base(store, row->id, &out->seq, &data, &size, err));
    if (!data)
        return start_new(store, row, out, err);
    segue_status status = unseal("base", row->id, out->seq, &data, &size, err);
    if (status == SEGUE_OK)
        status = deserialize(out, data, size, err);
    free(data);
    return status;
}

static segue_status start_from_snapshot(segue_store *store, const segue_stored_learner *row,
                                        segue_recovered_learner *out, segue_error *err)
{
    void *data = NULL;
    size_t size = 0;
    segue_status status =
        segue_recovery_read_snapshot(store, row->id, &out->seq, &data, &size, err);
    if (status == SEGUE_OK && data)
        status = deserialize(out, data, size, err);
    free(data);
    return status;
}

/* Apply the events after out->seq.  After a failure *out holds no memory. */
static segue_status apply_events(recovery *r, const segue_stored_learner *row, segue_error *err)
{
    segue_rows rows;
    segue_stored_event event;
    segue_status status = SEGUE_OK;
    segue_rows_open(
        &rows, r->store,
        &(segue_query){.kind = SEGUE_QUERY_EVENTS, .id = row->id, .number = r->out->seq}, err);
    while (status == SEGUE_OK && segue_rows_next_event(&rows, &event))
        status = apply_event(r, &event, err);
    status = segue_rows_close(&rows, status);
    segue_refit_destroy(r->refit);
    if (status == SEGUE_OK)
        return SEGUE_OK;
    segue_recovery_fini(r->out);
    return status;
}

/* Start from the snapshot, if there is one that can be read, else with a new learner. */
static segue_status start(segue_store *store, const segue_stored_learner *row, bool from_snapshot,
                          segue_recovered_learner *out, segue_error *err)
{
    segue_status status = from_snapshot ? start_from_snapshot(store, row, out, err) : SEGUE_OK;
    if (status == SEGUE_EFILE) { /* the event log leads to the same learner */
        segue_recovery_fini(out);
        *out = (segue_recovered_learner){.snapshot_damaged = true};
        status = SEGUE_OK;
    }
    SEGUE_TRY(status);
    return out->learner ? SEGUE_OK : start_first(store, row, out, err);
}

segue_status segue_recovery_run(segue_store *store, const segue_stored_learner *row,
                                bool from_snapshot, segue_recovered_learner *out, segue_error *err)
{
    return segue_recovery_run_until(store, row, from_snapshot, UINT64_MAX, out, err);
}

segue_status segue_recovery_run_until(segue_store *store, const segue_stored_learner *row,
                                      bool from_snapshot, uint64_t until,
                                      segue_recovered_learner *out, segue_error *err)
{
    recovery r = {.store = store, .out = out, .until = until};
    *out = (segue_recovered_learner){.learner = NULL};
    SEGUE_TRY(segue_learner_settings_parse(&r.settings, row->config, err));
    segue_status status = start(store, row, from_snapshot, out, err);
    if (status == SEGUE_OK)
        status = apply_events(&r, row, err);
    else
        segue_recovery_fini(out);
    segue_learner_settings_fini(&r.settings);
    return status;
}

/* Rebuild a learner from all its events, and compare it with the snapshot when that is reached. */
static segue_status verify_events(recovery *r, const segue_stored_learner *row, segue_error *err)
{
    SEGUE_TRY(start_first(r->store, row, r->out, err));
    const bool whole = r->out->seq == 0;
    if (r->snapshot && r->snapshot_seq == r->out->seq) {
        SEGUE_TRY(
            segue_recovery_compare(r->out, r->snapshot, r->snapshot_size, "its snapshot", err));
        r->compared = true;
    }
    SEGUE_TRY(apply_events(r, row, err));
    if (!r->compared)
        return segue_store_fail_damaged(err, "its snapshot belongs to no event of the event log");
    return !whole || (r->out->n_changes == r->settings.n_changes &&
                      r->out->paused == r->settings.paused)
               ? SEGUE_OK
               : segue_store_fail_damaged(
                     err, "its settings have changes that the event log lacks, or the reverse");
}

segue_status segue_recovery_verify(segue_store *store, const segue_stored_learner *row,
                                   segue_recovered_learner *out, segue_error *err)
{
    void *data = NULL;
    recovery r = {.store = store, .out = out, .until = UINT64_MAX};
    *out = (segue_recovered_learner){.learner = NULL};
    SEGUE_TRY(segue_learner_settings_parse(&r.settings, row->config, err));
    segue_status status =
        segue_recovery_read_snapshot(store, row->id, &r.snapshot_seq, &data, &r.snapshot_size, err);
    r.snapshot = data;
    r.compared = !data;
    if (status == SEGUE_OK)
        status = verify_events(&r, row, err);
    free(data);
    segue_learner_settings_fini(&r.settings);
    return status;
}
