/* task_stats.c - statistics of the closed tasks of a learner.
 *
 * The history is a list of at most TASK_STATS_GROUPS groups of consecutive tasks.  When the list is
 * full, neighbours are merged in pairs and the group size doubles.  Merging is deterministic, so
 * the service and recovery compute the same bytes.
 *
 * Each group has two sides, transfer and control, with the number, mean and variance of the tasks'
 * rewards per step.  Adding a task costs O(1) amortized.  The learner's lock guards them; only the
 * writer changes them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/task_stats.h"

#include <string.h>

uint64_t segue_task_stats_tasks(const task_stats *stats)
{
    return stats->closed[SIDE_TRANSFER] + stats->closed[SIDE_CONTROL];
}

uint64_t segue_task_stats_group_size(const task_stats *stats)
{
    return stats->size ? stats->size : 1;
}

size_t segue_task_stats_groups(const task_stats *stats)
{
    return (size_t)((segue_task_stats_tasks(stats) + segue_task_stats_group_size(stats) - 1) /
                    segue_task_stats_group_size(stats));
}

/* ---- counting ---------------------------------------------------------------------------- */

static void join(task_stats_group *into, const task_stats_group *from)
{
    for (int i = 0; i < N_SIDES; i++) {
        segue_stats_merge(&into->side[i].stats, &from->side[i].stats);
        into->side[i].rewards += from->side[i].rewards;
    }
}

/* Merge neighbours: half as many groups of twice the size. */
static void merge_pairs(task_stats *stats)
{
    for (size_t i = 0; i < TASK_STATS_GROUPS / 2; i++) {
        task_stats_group both = stats->group[2 * i];
        join(&both, &stats->group[2 * i + 1]);
        stats->group[i] = both;
    }
    memset(&stats->group[TASK_STATS_GROUPS / 2], 0, TASK_STATS_GROUPS / 2 * sizeof *stats->group);
    stats->size = 2 * segue_task_stats_group_size(stats);
}

void segue_task_stats_add(task_stats *stats, bool control, uint64_t rewards, double total)
{
    if (segue_task_stats_tasks(stats) == TASK_STATS_GROUPS * segue_task_stats_group_size(stats))
        merge_pairs(stats);
    const size_t last =
        (size_t)(segue_task_stats_tasks(stats) / segue_task_stats_group_size(stats));
    task_stats_side *const sides[] = {&stats->whole.side[control],
                                      &stats->group[last].side[control]};
    stats->closed[control]++;
    for (size_t i = 0; i < 2 && rewards > 0; i++) {
        segue_stats_add(&sides[i]->stats, total / (double)rewards);
        sides[i]->rewards += rewards;
    }
}

/* ---- bytes ------------------------------------------------------------------------------- */

static void serialize_group(const task_stats_group *g, segue_bytes *b)
{
    for (int i = 0; i < N_SIDES; i++) {
        const segue_stats *side = &g->side[i].stats;
        const double numbers[] = {side->mean, side->squares};
        segue_bytes_append_u64(b, side->count);
        segue_bytes_append_f64(b, numbers, 2);
        segue_bytes_append_u64(b, g->side[i].rewards);
    }
}

void segue_task_stats_serialize(const task_stats *stats, segue_bytes *b)
{
    segue_bytes_append_u64(b, stats->closed[SIDE_TRANSFER]);
    segue_bytes_append_u64(b, stats->closed[SIDE_CONTROL]);
    segue_bytes_append_u64(b, segue_task_stats_group_size(stats));
    serialize_group(&stats->whole, b);
    for (size_t i = 0; i < segue_task_stats_groups(stats); i++)
        serialize_group(&stats->group[i], b);
}

static bool deserialize_group(task_stats_group *g, segue_bytes_reader *r)
{
    bool fine = true;
    for (int i = 0; i < N_SIDES; i++) {
        segue_stats *side = &g->side[i].stats;
        double numbers[2];
        side->count = segue_bytes_read_count(r);
        fine = segue_bytes_read_finite(r, numbers, 2) && fine;
        side->mean = numbers[0];
        side->squares = numbers[1];
        g->side[i].rewards = segue_bytes_read_count(r);
    }
    return fine && !r->failed;
}

segue_status segue_task_stats_deserialize(task_stats *stats, segue_bytes_reader *r,
                                          segue_error *err)
{
    *stats = (task_stats){.size = 0};
    stats->closed[SIDE_TRANSFER] = segue_bytes_read_count(r);
    stats->closed[SIDE_CONTROL] = segue_bytes_read_count(r);
    stats->size = segue_bytes_read_count(r);
    bool fine = deserialize_group(&stats->whole, r) && stats->size > 0 &&
                segue_task_stats_tasks(stats) / stats->size <= TASK_STATS_GROUPS &&
                segue_task_stats_groups(stats) <= TASK_STATS_GROUPS;
    for (size_t i = 0; fine && i < segue_task_stats_groups(stats); i++)
        fine = deserialize_group(&stats->group[i], r);
    return fine ? SEGUE_OK
                : segue_fail(err, SEGUE_EFILE,
                             "the task statistics in the snapshot of a learner are damaged");
}
