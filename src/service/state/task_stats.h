/* task_stats.h - statistics of the closed tasks of a learner: both groups, and over time.
 *
 * They are part of a snapshot, so that a start need not read every closed task.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_TASK_STATS_H
#define SEGUE_SERVICE_STATE_TASK_STATS_H

#include <stdbool.h>

#include "segue/internal.h"
#include "segue/stats.h"

/** Sides of the comparison.  The bit `control` of a task is its side. */
enum { SIDE_TRANSFER, SIDE_CONTROL, N_SIDES };

/** Closed tasks with transfer, or those of the control group. */
typedef struct task_stats_side {
    segue_stats stats; /* mean reward per step, over tasks with a reward */
    uint64_t rewards;
} task_stats_side;

typedef struct task_stats_group {
    task_stats_side side[N_SIDES];
} task_stats_group;

#define TASK_STATS_GROUPS 100

/** All zeros: no tasks. */
typedef struct task_stats {
    uint64_t closed[N_SIDES]; /* tasks of each side, also those without a reward */
    task_stats_group whole;
    uint64_t size; /* tasks of a group, which doubles when there are too many; 0 stands for 1 */
    task_stats_group group[TASK_STATS_GROUPS]; /* `size` tasks each, in the order of closing */
} task_stats;

/** Add a closed task: the number of its rewards, and their sum. */
void segue_task_stats_add(task_stats *stats, bool control, uint64_t rewards, double total);

/** The number of closed tasks, of tasks per group, and of groups; the last may not be full. */
uint64_t segue_task_stats_tasks(const task_stats *stats);
uint64_t segue_task_stats_group_size(const task_stats *stats);
size_t segue_task_stats_groups(const task_stats *stats);

/** @retval SEGUE_EFILE  the bytes are damaged */
void segue_task_stats_serialize(const task_stats *stats, segue_bytes *b);
SEGUE_MUST_CHECK segue_status segue_task_stats_deserialize(task_stats *stats, segue_bytes_reader *r,
                                                           segue_error *err);

#endif
