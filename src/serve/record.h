/* record.h - what is counted of the tasks that a learner has closed: both sides, and over time.
 *
 * It is part of a snapshot, so that a start need not look at every task that ever was.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVE_RECORD_H
#define SEGUE_SERVE_RECORD_H

#include <stdbool.h>

#include "core/bytes.h"
#include "segue/stats.h"

/** Closed tasks that were played with transfer, or those by `ts`. */
typedef struct record_side {
    segue_stats stats; /* over tasks with a reward, of a task's mean reward */
    uint64_t rewards;
} record_side;

typedef struct record_group {
    record_side side[2]; /* with transfer; control */
} record_group;

#define RECORD_GROUPS 100

/** All zeros: no tasks. */
typedef struct record {
    uint64_t closed[2]; /* tasks of each side, also those without a reward */
    record_group whole;
    uint64_t size; /* tasks of a group, which doubles when there are too many; 0 stands for 1 */
    record_group group[RECORD_GROUPS]; /* so many tasks each, in the order of closing */
} record;

/** Count a task that is closed: its rewards, and their sum. */
void segue_record_add(record *rec, bool control, uint64_t rewards, double total);

/** All closed tasks, how many make a group, and the groups; the last one may not be full. */
uint64_t segue_record_tasks(const record *rec);
uint64_t segue_record_size(const record *rec);
size_t segue_record_groups(const record *rec);

/** To bytes, and back.  @retval SEGUE_EFILE  they cannot be */
void segue_record_put(const record *rec, bytes *b);
SEGUE_MUST_CHECK segue_status segue_record_get(record *rec, reader *r, segue_error *err);

#endif
