/* deadline_queue.h - decisions whose reward has a deadline, the oldest first.
 *
 * A decision that has no reward at its deadline gets the learner's default reward.  Each entry has
 * a sequence number; sequence numbers only grow.  So "all entries before this one" stays correct
 * whatever was pushed or popped since.  The learner's lock guards the queue.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_DEADLINE_QUEUE_H
#define SEGUE_SERVICE_STATE_DEADLINE_QUEUE_H

#include <stdatomic.h>

#include "segue/status.h"
#include "service/api/decision_id.h"
#include "service/state/hash_map.h"

typedef struct pending_decision {
    uint64_t sequence;
    decision decision;
} pending_decision;

/** All zeros: empty. */
typedef struct deadline_queue {
    pending_decision *entry;
    size_t first, count, capacity; /* a circular buffer */
    uint64_t next;                 /* sequence number of the next entry */
    uint64_t persisted;            /* entries before this one are in the store */
    atomic_ullong *unstored;       /* entries of all learners that are not; NULL: not counted */
} deadline_queue;

void segue_deadline_queue_fini(deadline_queue *queue);

/** Append a decision; `open`: the open tasks by id.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_deadline_queue_push(deadline_queue *queue, const decision *d,
                                                        bool persisted, const hash_map *open,
                                                        segue_error *err);

/** Allocate for `more` entries, so that pushing them cannot fail; false: out of memory. */
bool segue_deadline_queue_reserve(deadline_queue *queue, size_t more, const hash_map *open);

/** The i-th of `count` entries. */
const pending_decision *segue_deadline_queue_at(const deadline_queue *queue, size_t i);

/** Index of the first entry with this sequence number or a later one; `count` without one. */
size_t segue_deadline_queue_find(const deadline_queue *queue, uint64_t sequence);

/** Mark the entries before `sequence` as stored; remove them. */
void segue_deadline_queue_mark_persisted(deadline_queue *queue, uint64_t sequence);
void segue_deadline_queue_pop_before(deadline_queue *queue, uint64_t sequence);

/** Remove one entry.  One that is not at the front stays as an entry of no task until it gets there.
 */
void segue_deadline_queue_remove(deadline_queue *queue, uint64_t sequence);

/** Remove entries of closed tasks from the front: their rewards do not count any more. */
void segue_deadline_queue_pop_closed(deadline_queue *queue, const hash_map *open);

#endif
