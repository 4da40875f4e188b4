/* task_stats.h - what is counted of the tasks that a learner has closed: both sides, and over time.
 *
 * It is part of a snapshot, so that a start need not look at every task that ever was.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_TASK_STATS_H
#define SEGUE_SERVICE_STATE_TASK_STATS_H

#include <stdbool.h>

#include "segue/internal.h"
#include "segue/stats.h"

/** Closed tasks that were played with transfer, or those by `ts`. */
typedef struct task_stats_side {
    segue_stats stats; /* over tasks with a reward, of a task's mean reward */
    uint64_t rewards;
} task_stats_side;

typedef struct task_stats_group {
    task_stats_side side[2]; /* with transfer; control */
} task_stats_group;

#define TASK_STATS_GROUPS 100

/** All zeros: no tasks. */
typedef struct record {
    uint64_t closed[2]; /* tasks of each side, also those without a reward */
    task_stats_group whole;
    uint64_t size; /* tasks of a group, which doubles when there are too many; 0 stands for 1 */
    task_stats_group group[TASK_STATS_GROUPS]; /* so many tasks each, in the order of closing */
} record;

/** Count a task that is closed: its rewards, and their sum. */
void segue_task_stats_add(record *rec, bool control, uint64_t rewards, double total);

/** All closed tasks, how many make a group, and the groups; the last one may not be full. */
uint64_t segue_task_stats_tasks(const record *rec);
uint64_t segue_task_stats_group_size(const record *rec);
size_t segue_task_stats_groups(const record *rec);

/** To bytes, and back.  @retval SEGUE_EFILE  they cannot be */
void segue_task_stats_serialize(const record *rec, segue_bytes *b);
SEGUE_MUST_CHECK segue_status segue_task_stats_deserialize(record *rec, segue_bytes_reader *r,
                                                           segue_error *err);

#endif
