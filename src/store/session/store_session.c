/* store_session.c - several servers on one store: what a backend with sessions does.
 *
 * A backend without sessions has none of these functions.  Only those that a service calls in any
 * mode are then allowed, and do nothing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/session/store_session.h"

#include "segue/internal.h"
#include "store/store_backend.h"

bool segue_store_has_sessions(const segue_store *store)
{
    return store->backend->sessions != NULL;
}

segue_status segue_store_lock_shared(segue_store *store, segue_error *err)
{
    return store->backend->sessions->lock_shared(store, err);
}

segue_status segue_store_register(segue_store *store, const segue_session *session,
                                  const char *address, double ttl, double *clock, segue_error *err)
{
    return store->backend->sessions->add(store, session, address, ttl, clock, err);
}

segue_status segue_store_renew(segue_store *store, const segue_session *session, double ttl,
                               double clock, bool *lives, segue_error *err)
{
    return store->backend->sessions->renew(store, session, ttl, clock, lives, err);
}

segue_status segue_store_end_session(segue_store *store, const segue_session *session,
                                     segue_error *err)
{
    return store->backend->sessions->end(store, session, err);
}

segue_status segue_store_end_expired(segue_store *store, uint64_t *ended, segue_error *err)
{
    return store->backend->sessions->end_expired(store, ended, err);
}

segue_status segue_store_find_lease(segue_store *store, const char *name, int64_t id,
                                    segue_lease *out, segue_error *err)
{
    return store->backend->sessions->find(store, name, id, out, err);
}

segue_status segue_store_take_lease(segue_store *store, const segue_session *session,
                                    const segue_lease *found, uint64_t *epoch, segue_error *err)
{
    return store->backend->sessions->take(store, session, found, epoch, err);
}

segue_status segue_store_servers(segue_store *store, const segue_session *session,
                                 char (*out)[SEGUE_MAX_ADDRESS + 1], size_t *count,
                                 segue_error *err)
{
    return store->backend->sessions->list_servers(store, session, out, count, err);
}

segue_status segue_store_free_lease(segue_store *store, int64_t learner, segue_error *err)
{
    return segue_store_has_sessions(store) ? store->backend->sessions->release(store, learner, err)
                                           : SEGUE_OK;
}

segue_status segue_store_hold_lease(segue_store *store, int64_t learner, uint64_t epoch, bool *owns,
                                    segue_error *err)
{
    *owns = segue_store_session(store)->id[0] == '\0'; /* a single server, on any backend */
    return *owns ? SEGUE_OK : store->backend->sessions->hold(store, learner, epoch, owns, err);
}

segue_status segue_store_claim_name(segue_store *store, const char *name, bool *is_free,
                                    segue_error *err)
{
    return store->backend->sessions->claim(store, name, is_free, err);
}

segue_status segue_store_add_lease(segue_store *store, int64_t learner, segue_error *err)
{
    return store->backend->sessions->add_lease(store, learner, err);
}

segue_status segue_store_leased_learners(segue_store *store, const segue_session *session, bool own,
                                         int64_t *out, size_t max, size_t *count, segue_error *err)
{
    return store->backend->sessions->list(store, session, own, out, max, count, err);
}

segue_status segue_store_shares(segue_store *store, const segue_session *session,
                                segue_lease_shares *out, segue_error *err)
{
    return store->backend->sessions->shares(store, session, out, err);
}

void segue_store_set_session(segue_store *store, const segue_session *session)
{
    store->session = *session;
    store->is_fenced = store->is_unresolved = store->is_lost = false;
}

const segue_session *segue_store_session(const segue_store *store)
{
    return &store->session;
}

bool segue_store_is_fenced(const segue_store *store)
{
    return store->is_fenced;
}

void segue_store_skip_events(segue_store *store, uint64_t seq)
{
    if (segue_store_has_sessions(store))
        store->backend->sessions->skip_events(store, seq);
}
