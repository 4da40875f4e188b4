/* deadline_queue.h - decisions that get their learner's default when their wait is over, the oldest
 * first.
 *
 * Each has a place, and places only grow: who says "all before this place" is right whatever has
 * joined or left the line since it was looked at.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_DEADLINE_QUEUE_H
#define SEGUE_SERVICE_STATE_DEADLINE_QUEUE_H

#include <stdatomic.h>

#include "segue/status.h"
#include "service/api/decision_id.h"
#include "service/state/hash_map.h"

typedef struct waiting {
    uint64_t place;
    decision decision;
} waiting;

/** All zeros: nobody waits. */
typedef struct deadline_queue {
    waiting *entry;
    size_t first, count, capacity; /* a ring */
    uint64_t next;                 /* the place of the one that comes next */
    uint64_t kept;                 /* those before this place are on the disk */
    atomic_ullong *unstored; /* counts those that are not, of all learners; NULL: nobody counts */
} deadline_queue;

void segue_deadline_queue_fini(deadline_queue *line);

/** Let a decision wait; `open`: the tasks that are open, by id.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_deadline_queue_push(deadline_queue *line, const decision *d,
                                                        bool kept, const map *open,
                                                        segue_error *err);

/** Have room for so many more, so that they can join without fail; false: out of memory. */
bool segue_deadline_queue_reserve(deadline_queue *line, size_t more, const map *open);

/** The i-th of `count`. */
const waiting *segue_deadline_queue_at(const deadline_queue *line, size_t i);

/** The first at a place or after it; `count`: there is none.  Those from `kept` on are not stored.
 */
size_t segue_deadline_queue_find(const deadline_queue *line, uint64_t place);

/** Those before a place are on the disk; or wait no more. */
void segue_deadline_queue_mark_persisted(deadline_queue *line, uint64_t place);
void segue_deadline_queue_pop_before(deadline_queue *line, uint64_t place);

/** Let go of the first ones, as far as their tasks are closed: no reward is due to them. */
void segue_deadline_queue_pop_closed(deadline_queue *line, const map *open);

#endif
