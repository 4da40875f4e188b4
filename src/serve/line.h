/* line.h - decisions that get their learner's default when their wait is over, the oldest first.
 *
 * Each has a place, and places only grow: who says "all before this place" is right whatever has
 * joined or left the line since it was looked at.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVE_LINE_H
#define SEGUE_SERVE_LINE_H

#include <stdatomic.h>

#include "segue/status.h"
#include "serve/decision.h"
#include "serve/map.h"

typedef struct waiting {
    uint64_t place;
    decision decision;
} waiting;

/** All zeros: nobody waits. */
typedef struct waiting_line {
    waiting *entry;
    size_t first, count, capacity; /* a ring */
    uint64_t next;                 /* the place of the one that comes next */
    uint64_t kept;                 /* those before this place are on the disk */
    atomic_ullong *unstored; /* counts those that are not, of all learners; NULL: nobody counts */
} waiting_line;

void segue_line_fini(waiting_line *line);

/** Let a decision wait; `open`: the tasks that are open, by id.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_line_join(waiting_line *line, const decision *d, bool kept,
                                              const map *open, segue_error *err);

/** Have room for so many more, so that they can join without fail; false: out of memory. */
bool segue_line_reserve(waiting_line *line, size_t more, const map *open);

/** The i-th of `count`. */
const waiting *segue_line_at(const waiting_line *line, size_t i);

/** The first at a place or after it; `count`: there is none.  Those from `kept` on are not stored.
 */
size_t segue_line_find(const waiting_line *line, uint64_t place);

/** Those before a place are on the disk; or wait no more. */
void segue_line_keep(waiting_line *line, uint64_t place);
void segue_line_leave(waiting_line *line, uint64_t place);

/** Let go of the first ones, as far as their tasks are closed: no reward is due to them. */
void segue_line_leave_closed(waiting_line *line, const map *open);

#endif
