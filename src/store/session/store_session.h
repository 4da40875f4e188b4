/* store_session.h - several servers on one store: sessions, leases, and the fence of writes.
 *
 * docs/cluster-protocol.md has the states, the invariants and the reasons.  A backend that one
 * process serves, such as SQLite, has none of this: segue_store_has_sessions.
 *
 * Unless it says otherwise, a function runs a transaction of its own; the handle must not have one.
 * Each returns SEGUE_EIO or SEGUE_ENOMEM; after SEGUE_EIO it may have had its effect.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_SESSION_STORE_SESSION_H
#define SEGUE_STORE_SESSION_STORE_SESSION_H

#include "store/stored.h"

#define SEGUE_SESSION_SIZE 32  /* characters of a session's id */
#define SEGUE_MAX_ADDRESS  200 /* bytes of the URL of a server */
#define SEGUE_MAX_SERVERS  64  /* that share a store */

/** The id of a session: 128 random bits as hexadecimal digits; "": none. */
typedef struct segue_session {
    char id[SEGUE_SESSION_SIZE + 1];
} segue_session;

typedef enum segue_lease_state {
    SEGUE_LEASE_NONE, /* there is no such learner */
    SEGUE_LEASE_FREE, /* it has no owner that lives */
    SEGUE_LEASE_OWNED
} segue_lease_state;

typedef struct segue_lease {
    segue_lease_state state;
    int64_t learner;
    uint64_t epoch;
    segue_session owner;                 /* also of one whose session has expired */
    char address[SEGUE_MAX_ADDRESS + 1]; /* of the owner */
    bool is_expired;                     /* the owner's session may be ended */
} segue_lease;

/** How learners are spread over the servers that live. */
typedef struct segue_lease_shares {
    uint64_t learners, servers;
    uint64_t own; /* learners of this session */
} segue_lease_shares;

/** Return whether several servers can serve this store. */
bool segue_store_has_sessions(const segue_store *store);

/** Hold the store's lock in shared mode while this handle lives: a server that serves its store
 * alone cannot start meanwhile.  @retval SEGUE_EFILE  such a server has it */
SEGUE_MUST_CHECK segue_status segue_store_lock_shared(segue_store *store, segue_error *err);

/** Register a session that expires after `ttl` seconds; *clock: the stored service time, negative
 * without one. */
SEGUE_MUST_CHECK segue_status segue_store_register(segue_store *store, const segue_session *session,
                                                   const char *address, double ttl, double *clock,
                                                   segue_error *err);

/** Let a session expire `ttl` seconds from now, and store the service time unless the stored one is
 * later.  *lives: false if the session was ended. */
SEGUE_MUST_CHECK segue_status segue_store_renew(segue_store *store, const segue_session *session,
                                                double ttl, double clock, bool *lives,
                                                segue_error *err);

/** Free all learners of a session, and end it. */
SEGUE_MUST_CHECK segue_status segue_store_end_session(segue_store *store,
                                                      const segue_session *session,
                                                      segue_error *err);

/** End all sessions that have expired; *ended counts them.  Their connections are terminated. */
SEGUE_MUST_CHECK segue_status segue_store_end_expired(segue_store *store, uint64_t *ended,
                                                      segue_error *err);

/** Find the lease of a learner by its name, or by its id (name NULL). */
SEGUE_MUST_CHECK segue_status segue_store_find_lease(segue_store *store, const char *name,
                                                     int64_t id, segue_lease *out,
                                                     segue_error *err);

/** Take a learner that was found free, unless another server took it since.  *epoch: the new epoch;
 * 0: it was not taken, or the session ended. */
SEGUE_MUST_CHECK segue_status segue_store_take_lease(segue_store *store,
                                                     const segue_session *session,
                                                     const segue_lease *found, uint64_t *epoch,
                                                     segue_error *err);

/** The addresses of the other servers that live and have one, each once. */
SEGUE_MUST_CHECK segue_status segue_store_servers(segue_store *store, const segue_session *session,
                                                  char (*out)[SEGUE_MAX_ADDRESS + 1], size_t *count,
                                                  segue_error *err);

/** Free a learner of the session of the handle.  Inside a transaction; does nothing without
 * sessions. */
SEGUE_MUST_CHECK segue_status segue_store_free_lease(segue_store *store, int64_t learner,
                                                     segue_error *err);

/** Inside a transaction: find out whether the session of the handle owns a learner in this epoch, and
 * let no server change that until the end.  *owns: false also of a learner that was deleted; true
 * without a session, where one service has all learners. */
SEGUE_MUST_CHECK segue_status segue_store_hold_lease(segue_store *store, int64_t learner,
                                                     uint64_t epoch, bool *owns, segue_error *err);

/** Inside a transaction: find out whether a learner's name is free, and keep others from adding it
 * until the end; add the lease of a new learner, which the session of the handle owns, in epoch 1. */
SEGUE_MUST_CHECK segue_status segue_store_claim_name(segue_store *store, const char *name,
                                                     bool *is_free, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_store_add_lease(segue_store *store, int64_t learner,
                                                    segue_error *err);

/** Read up to `max` learners that are free, each session in an order of its own; `own`: that the
 * session owns, in any order.  Count learners and servers. */
SEGUE_MUST_CHECK segue_status segue_store_leased_learners(segue_store *store,
                                                          const segue_session *session, bool own,
                                                          int64_t *out, size_t max, size_t *count,
                                                          segue_error *err);
SEGUE_MUST_CHECK segue_status segue_store_shares(segue_store *store, const segue_session *session,
                                                 segue_lease_shares *out, segue_error *err);

/** From now on each write transaction of this handle checks that the session lives: then
 * segue_store_begin or segue_store_commit fails, and segue_store_is_fenced.  "": none does. */
void segue_store_set_session(segue_store *store, const segue_session *session);
const segue_session *segue_store_session(const segue_store *store);
bool segue_store_is_fenced(const segue_store *store);

/** The next event of this handle gets a number above `seq`. */
void segue_store_skip_events(segue_store *store, uint64_t seq);

#endif
