/* task_stats.c - what is counted of the tasks that a learner has closed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/task_stats.h"

#include <string.h>

uint64_t segue_task_stats_tasks(const record *rec)
{
    return rec->closed[0] + rec->closed[1];
}

uint64_t segue_task_stats_group_size(const record *rec)
{
    return rec->size ? rec->size : 1;
}

size_t segue_task_stats_groups(const record *rec)
{
    return (size_t)((segue_task_stats_tasks(rec) + segue_task_stats_group_size(rec) - 1) /
                    segue_task_stats_group_size(rec));
}

/* ---- counting ---------------------------------------------------------------------------- */

static void join(task_stats_group *into, const task_stats_group *from)
{
    for (int i = 0; i < 2; i++) {
        segue_stats_merge(&into->side[i].stats, &from->side[i].stats);
        into->side[i].rewards += from->side[i].rewards;
    }
}

/* Groups of twice the size, two and two. */
static void halve(record *rec)
{
    for (size_t i = 0; i < TASK_STATS_GROUPS / 2; i++) {
        task_stats_group both = rec->group[2 * i];
        join(&both, &rec->group[2 * i + 1]);
        rec->group[i] = both;
    }
    memset(&rec->group[TASK_STATS_GROUPS / 2], 0, TASK_STATS_GROUPS / 2 * sizeof *rec->group);
    rec->size = 2 * segue_task_stats_group_size(rec);
}

void segue_task_stats_add(record *rec, bool control, uint64_t rewards, double total)
{
    if (segue_task_stats_tasks(rec) == TASK_STATS_GROUPS * segue_task_stats_group_size(rec))
        halve(rec);
    const size_t place = (size_t)(segue_task_stats_tasks(rec) / segue_task_stats_group_size(rec));
    task_stats_side *const sides[] = {&rec->whole.side[control], &rec->group[place].side[control]};
    rec->closed[control]++;
    for (size_t i = 0; i < 2 && rewards > 0; i++) {
        segue_stats_add(&sides[i]->stats, total / (double)rewards);
        sides[i]->rewards += rewards;
    }
}

/* ---- bytes ------------------------------------------------------------------------------- */

static void put_group(const task_stats_group *g, segue_bytes *b)
{
    for (int i = 0; i < 2; i++) {
        const segue_stats *stats = &g->side[i].stats;
        const double numbers[] = {stats->mean, stats->squares};
        segue_bytes_append_u64(b, stats->count);
        segue_bytes_append_f64(b, numbers, 2);
        segue_bytes_append_u64(b, g->side[i].rewards);
    }
}

void segue_task_stats_serialize(const record *rec, segue_bytes *b)
{
    segue_bytes_append_u64(b, rec->closed[0]);
    segue_bytes_append_u64(b, rec->closed[1]);
    segue_bytes_append_u64(b, segue_task_stats_group_size(rec));
    put_group(&rec->whole, b);
    for (size_t i = 0; i < segue_task_stats_groups(rec); i++)
        put_group(&rec->group[i], b);
}

static bool get_group(task_stats_group *g, segue_bytes_reader *r)
{
    bool fine = true;
    for (int i = 0; i < 2; i++) {
        segue_stats *stats = &g->side[i].stats;
        double numbers[2];
        stats->count = segue_bytes_read_count(r);
        fine = segue_bytes_read_finite(r, numbers, 2) && fine;
        stats->mean = numbers[0];
        stats->squares = numbers[1];
        g->side[i].rewards = segue_bytes_read_count(r);
    }
    return fine && !r->failed;
}

segue_status segue_task_stats_deserialize(record *rec, segue_bytes_reader *r, segue_error *err)
{
    *rec = (record){.size = 0};
    rec->closed[0] = segue_bytes_read_count(r);
    rec->closed[1] = segue_bytes_read_count(r);
    rec->size = segue_bytes_read_count(r);
    bool fine = get_group(&rec->whole, r) && rec->size > 0 &&
                segue_task_stats_tasks(rec) / rec->size <= TASK_STATS_GROUPS &&
                segue_task_stats_groups(rec) <= TASK_STATS_GROUPS;
    for (size_t i = 0; fine && i < segue_task_stats_groups(rec); i++)
        fine = get_group(&rec->group[i], r);
    return fine ? SEGUE_OK
                : segue_fail(err, SEGUE_EFILE,
                             "the counts in the snapshot of a learner are damaged");
}
