/* store_chain.c - a hash chain over the event log of each learner.
 *
 * One link per event, in table `chain`, and one with seq 0 for the learner's row at its creation.
 * Rows that change later are compared with the newest event that stands for them: settings with
 * the last change of settings, the base with the last removal, an arm with its last event.
 *
 * Appending reads the newest link and, for a closed task, its rewards: O(rewards of the task).
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/store_chain.h"

#include <inttypes.h>
#include <string.h>

#include "store/store_backend.h"
#include "store/store_digest.h"

/* ---- appending --------------------------------------------------------------------------- */

static segue_status add_link(segue_store *store, segue_stored_link *link, segue_error *err)
{
    return store->backend->insert(store, SEGUE_TABLE_CHAIN, link, NULL, err);
}

segue_status segue_store_chain_begin(segue_store *store, const segue_stored_learner *learner,
                                     segue_error *err)
{
    segue_stored_link link = {.learner = learner->id};
    segue_digest_learner(learner, link.digest);
    segue_digest_first(learner->id, link.digest, link.hash);
    return add_link(store, &link, err);
}

segue_status segue_store_chain_head(segue_store *store, int64_t learner, segue_stored_link *out,
                                    segue_error *err)
{
    segue_rows rows;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_LAST_LINK, .id = learner},
                    err);
    const bool found = segue_rows_next_link(&rows, out);
    SEGUE_TRY(segue_rows_close(&rows, SEGUE_OK));
    return found ? SEGUE_OK
                 : segue_store_fail_damaged(err, "learner %" PRId64 " has no hash chain", learner);
}

/* Damaged rows get the digest zero, which no rows have: the check names them, and the learner is set
 * apart when the event is applied. */
segue_status segue_store_chain_append(segue_store *store, const segue_stored_event *event,
                                      segue_error *err)
{
    segue_stored_link last, link = {.learner = event->learner, .seq = event->seq};
    SEGUE_TRY(segue_store_chain_head(store, event->learner, &last, err));
    const segue_status status = segue_digest_rows(store, event, link.digest, err);
    if (status != SEGUE_OK && status != SEGUE_EFILE)
        return status;
    segue_digest_event(event, last.hash, link.digest, link.hash);
    return add_link(store, &link, err);
}

/* ---- building ---------------------------------------------------------------------------- */

static segue_status build(segue_store *store, const segue_stored_learner *learner, segue_error *err)
{
    segue_rows rows;
    segue_stored_event event;
    segue_status status = segue_store_chain_begin(store, learner, err);
    if (status != SEGUE_OK)
        return status;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_EVENTS, .id = learner->id},
                    err);
    while (status == SEGUE_OK && segue_rows_next_event(&rows, &event))
        status = segue_store_chain_append(store, &event, err);
    return segue_rows_close(&rows, status);
}

segue_status segue_store_chain_build(segue_store *store, segue_error *err)
{
    segue_rows rows;
    segue_stored_learner learner;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_LEARNERS}, err);
    while (status == SEGUE_OK && segue_rows_next_learner(&rows, &learner)) {
        status = learner.damage ? SEGUE_OK : build(store, &learner, err);
        if (status == SEGUE_EFILE) /* the check that follows an upgrade reports it */
            status = SEGUE_OK;
    }
    return segue_rows_close(&rows, status);
}

/* ---- checking ---------------------------------------------------------------------------- */

/* The newest event that stands for rows which events change. */
typedef struct newest {
    segue_stored_event event;
    segue_digest digest;
    bool found;
} newest;

typedef struct verifier {
    segue_store *store;
    const segue_stored_learner *learner;
    segue_digest hash;     /* of the event before */
    newest settings, base; /* of the events so far */
} verifier;

static bool same(const segue_digest a, const segue_digest b)
{
    return memcmp(a, b, SEGUE_DIGEST_SIZE) == 0;
}

static const char *rows_of(segue_event_kind kind)
{
    switch (kind) {
    case SEGUE_EVENT_CLOSE:
        return "the task, its rewards or their counts";
    case SEGUE_EVENT_ADD_ARM:
    case SEGUE_EVENT_RETIRE_ARM:
        return "the arm";
    case SEGUE_EVENT_TRIM:
    case SEGUE_EVENT_ERASE:
        return "the snapshot that replaces removed rewards";
    case SEGUE_EVENT_MERGE:
        return "the learner that was merged, or its origins";
    default:
        return "the learner's name, settings or time of creation";
    }
}

/* Compare the rows of an event as they are with its digest. */
static segue_status check_rows(const verifier *v, const segue_stored_event *event,
                               const segue_digest expected, segue_error *err)
{
    segue_digest now;
    SEGUE_TRY(segue_digest_rows(v->store, event, now, err));
    return same(now, expected)
               ? SEGUE_OK
               : segue_store_fail_damaged(err,
                                          "hash chain: event %" PRIu64 " (kind %d, subject %" PRId64
                                          "): %s changed after it",
                                          event->seq, (int)event->kind, event->subject,
                                          rows_of(event->kind));
}

static void set_newest(newest *n, const segue_stored_event *event, const segue_digest digest)
{
    *n = (newest){.event = *event, .found = true};
    memcpy(n->digest, digest, SEGUE_DIGEST_SIZE);
}

/* Check one event; rows that later events may change wait for the last of these. */
static segue_status check_event(verifier *v, const segue_stored_event *event,
                                const segue_stored_link *link, segue_error *err)
{
    segue_digest hash;
    segue_digest_event(event, v->hash, link->digest, hash);
    if (!same(hash, link->hash))
        return segue_store_fail_damaged(err,
                                        "hash chain: event %" PRIu64
                                        " or its link was changed, or one before it is missing",
                                        event->seq);
    memcpy(v->hash, hash, sizeof hash);
    switch (event->kind) {
    case SEGUE_EVENT_SETTINGS:
    case SEGUE_EVENT_PAUSE:
        set_newest(&v->settings, event, link->digest);
        return SEGUE_OK;
    case SEGUE_EVENT_TRIM:
    case SEGUE_EVENT_ERASE:
        set_newest(&v->base, event, link->digest);
        return SEGUE_OK;
    default:
        return check_rows(v, event, link->digest, err);
    }
}

/* Events and links come in pairs. */
static segue_status check_pairs(verifier *v, segue_rows *links, segue_error *err)
{
    segue_rows events;
    segue_stored_event event;
    segue_stored_link link;
    segue_status status = SEGUE_OK;
    segue_rows_open(&events, v->store,
                    &(segue_query){.kind = SEGUE_QUERY_EVENTS, .id = v->learner->id}, err);
    while (status == SEGUE_OK && segue_rows_next_event(&events, &event)) {
        if (!segue_rows_next_link(links, &link) || link.seq > event.seq)
            status = segue_store_fail_damaged(err, "hash chain: event %" PRIu64 " has no link",
                                              event.seq);
        else if (link.seq < event.seq)
            status = segue_store_fail_damaged(
                err, "hash chain: event %" PRIu64 " is missing in the event log", link.seq);
        else
            status = check_event(v, &event, &link, err);
    }
    SEGUE_TRY(segue_rows_close(&events, status));
    return segue_rows_next_link(links, &link)
               ? segue_store_fail_damaged(
                     err, "hash chain: event %" PRIu64 " is missing in the event log", link.seq)
               : SEGUE_OK;
}

/* The first link is the learner at its creation. */
static segue_status check_first(verifier *v, segue_rows *links, segue_error *err)
{
    segue_stored_link link;
    if (!segue_rows_next_link(links, &link) || link.seq != 0)
        return segue_store_fail_damaged(err, "hash chain: its first link is missing");
    segue_digest_first(v->learner->id, link.digest, v->hash);
    if (!same(v->hash, link.hash))
        return segue_store_fail_damaged(err, "hash chain: its first link was changed");
    memcpy(v->settings.digest, link.digest, SEGUE_DIGEST_SIZE);
    return SEGUE_OK;
}

/* The settings as they are, and the base, belong to the newest events about them. */
static segue_status check_newest(const verifier *v, segue_error *err)
{
    segue_digest now;
    segue_digest_learner(v->learner, now);
    if (!same(now, v->settings.digest))
        return segue_store_fail_damaged(err, "hash chain: %s changed after event %" PRIu64,
                                        rows_of(SEGUE_EVENT_SETTINGS), v->settings.event.seq);
    return v->base.found ? check_rows(v, &v->base.event, v->base.digest, err) : SEGUE_OK;
}

segue_status segue_store_chain_verify(segue_store *store, const segue_stored_learner *learner,
                                      segue_error *err)
{
    verifier v = {.store = store, .learner = learner};
    segue_rows links;
    segue_rows_open(&links, store, &(segue_query){.kind = SEGUE_QUERY_CHAIN, .id = learner->id},
                    err);
    segue_status status = check_first(&v, &links, err);
    if (status == SEGUE_OK)
        status = check_pairs(&v, &links, err);
    if (links.status == SEGUE_OK && status == SEGUE_OK)
        status = check_newest(&v, err);
    if (links.status != SEGUE_OK)
        status = links.status; /* it says which row */
    return segue_rows_close(&links, status);
}
