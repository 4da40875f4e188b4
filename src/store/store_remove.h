/* store_remove.h - remove the rewards of closed tasks, and what identifies a task.
 *
 * The counts per arm and the digests of what is removed stay (table removed), so that the hash chain
 * still verifies.  The caller adds an event, SEGUE_EVENT_TRIM or SEGUE_EVENT_ERASE, in the same
 * transaction, and a base that the learner can be rebuilt from.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_STORE_REMOVE_H
#define SEGUE_STORE_STORE_REMOVE_H

#include "store/rows.h"

/** Make the newest snapshot of a learner its base. */
SEGUE_MUST_CHECK segue_status segue_store_set_base(segue_store *store, int64_t learner,
                                                   segue_error *err);

/** Remove the rewards and the decisions of a closed task. */
SEGUE_MUST_CHECK segue_status segue_store_remove_rewards(segue_store *store, int64_t task,
                                                         segue_error *err);

/** Remove the rewards, the decisions and the key of a closed task; it gets `key` and `tag`. */
SEGUE_MUST_CHECK segue_status segue_store_erase_task(segue_store *store, int64_t task,
                                                     const char *key, uint64_t tag,
                                                     segue_error *err);

/** Delete an open task with its rewards and decisions. */
SEGUE_MUST_CHECK segue_status segue_store_discard_task(segue_store *store, int64_t task,
                                                       segue_error *err);

/** The events that a removal is limited by. */
typedef struct segue_trim_limits {
    uint64_t trimmed;  /* rewards of tasks closed up to this event are gone */
    uint64_t base;     /* the learner can be rebuilt from this event on ... */
    uint64_t snapshot; /* ... or, once it is the base, from this one */
    double now;        /* by the system's clock, as the times of closing */
    double before;     /* tasks that closed before then are old */
} segue_trim_limits;

/** Read the events; the times are zero. */
SEGUE_MUST_CHECK segue_status segue_store_trim_limits(segue_store *store, int64_t learner,
                                                      segue_trim_limits *out, segue_error *err);

/** The result of a removal. */
typedef struct segue_trimmed {
    uint64_t tasks, rewards;
    uint64_t last;      /* the closing event of the last task; 0: none */
    double oldest;      /* time of closing of the first task with rewards that stay; 0: none */
    bool more;          /* there may be more such tasks */
    bool need_snapshot; /* the next one closed after the newest snapshot */
} segue_trimmed;

/** Remove rewards of some old tasks of a learner, in the order of closing.  A task whose time of
 * closing is yet to come closed while the clock was ahead: it is as old as the next one. */
SEGUE_MUST_CHECK segue_status segue_store_trim(segue_store *store, int64_t learner,
                                               const segue_trim_limits *limits, segue_trimmed *out,
                                               segue_error *err);

#endif
