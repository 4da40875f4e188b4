/* history.c - the rows of a log in memory, grouped by task.
 *
 * Rows are appended in the order of the file, with arms and tasks numbered by first occurrence.
 * Then arms get their final numbers, and a counting sort groups the rows by task; it is skipped if
 * the file is grouped already.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/log/history.h"

#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"

typedef struct collector {
    segue_history *out;
    size_t capacity;
} collector;

static segue_status no_memory(size_t n_rows, segue_error *err)
{
    return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu rewards", n_rows);
}

void segue_history_fini(segue_history *history)
{
    free(history->arm_name);
    free(history->start);
    free(history->row);
    free(history->time);
    free(history->probability);
    segue_log_rows_fini(&history->rows);
    *history = (segue_history){.n_rows = 0};
}

/* ---- collecting -------------------------------------------------------------------------- */

/* Grow a list of numbers to `capacity`, if the log has this column. */
static bool grow_numbers(double **list, bool has, size_t capacity)
{
    double *grown = has ? realloc(*list, capacity * sizeof *grown) : NULL;
    if (grown)
        *list = grown;
    return grown || !has;
}

static segue_status grow(collector *c, segue_error *err)
{
    segue_history *h = c->out;
    const size_t capacity = 2 * c->capacity + 1024;
    segue_logged_reward *grown = realloc(h->row, capacity * sizeof *grown);
    if (grown)
        h->row = grown;
    if (!grown || !grow_numbers(&h->time, h->rows.has_time, capacity) ||
        !grow_numbers(&h->probability, h->rows.has_probability, capacity))
        return no_memory(capacity, err);
    c->capacity = capacity;
    return SEGUE_OK;
}

static segue_status add_row(void *context, const log_row *row, segue_error *err)
{
    collector *c = context;
    segue_history *h = c->out;
    if (h->n_rows == c->capacity)
        SEGUE_TRY(grow(c, err));
    h->row[h->n_rows] = (segue_logged_reward){
        .task = (uint32_t)row->task, .arm = (uint32_t)row->arm, .reward = row->reward};
    if (h->time)
        h->time[h->n_rows] = row->time;
    if (h->probability)
        h->probability[h->n_rows] = row->probability;
    h->n_rows++;
    return SEGUE_OK;
}

/* ---- sorting ----------------------------------------------------------------------------- */

/* Renumber arms from the order of first rows to their final order, with their names. */
static segue_status sort_arms(segue_history *h, segue_error *err)
{
    uint32_t *number = calloc(h->n_arms, sizeof *number);
    h->arm_name = calloc(h->n_arms, sizeof *h->arm_name);
    if (!number || !h->arm_name) {
        free(number);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", h->n_arms);
    }
    for (size_t i = 0; i < h->n_arms; i++) {
        number[h->rows.arm_order[i]] = (uint32_t)i;
        h->arm_name[i] = h->rows.arms.name[h->rows.arm_order[i]];
    }
    for (size_t i = 0; i < h->n_rows; i++)
        h->row[i].arm = number[h->row[i].arm];
    free(number);
    return SEGUE_OK;
}

/* Compute where the rows of each task start; returns true if the rows are grouped already.  Tasks
 * are numbered by first occurrence, so they are grouped if their numbers never decrease. */
static bool find_starts(segue_history *h)
{
    bool sorted = true;
    size_t end = 0;
    for (size_t i = 0; i < h->n_rows; i++) {
        h->start[h->row[i].task]++;
        sorted = sorted && (i == 0 || h->row[i - 1].task <= h->row[i].task);
    }
    for (size_t task = 0; task <= h->n_tasks; task++) {
        const size_t count = h->start[task];
        h->start[task] = end;
        end += count;
    }
    return sorted;
}

/* Copy a list with `size` bytes per entry into the order of tasks; `next` is scratch, n_tasks.
 * Frees the old list; out of memory returns NULL and leaves it. */
static void *move(const segue_history *h, void *list, size_t size, size_t *next)
{
    char *sorted = malloc(h->n_rows * size);
    if (!sorted)
        return NULL;
    memcpy(next, h->start, h->n_tasks * sizeof *next);
    for (size_t i = 0; i < h->n_rows; i++)
        memcpy(sorted + next[h->row[i].task]++ * size, (const char *)list + i * size, size);
    free(list);
    return sorted;
}

/* The rows are moved last, since their tasks give the new positions. */
static bool move_lists(segue_history *h, size_t *next)
{
    double **const optional[] = {&h->time, &h->probability};
    for (size_t i = 0; i < 2; i++) {
        double *moved = *optional[i] ? move(h, *optional[i], sizeof **optional[i], next) : NULL;
        if (*optional[i] && !moved)
            return false;
        *optional[i] = moved;
    }
    segue_logged_reward *moved = move(h, h->row, sizeof *h->row, next);
    if (moved)
        h->row = moved;
    return moved != NULL;
}

static segue_status group_by_task(segue_history *h, segue_error *err)
{
    h->start = calloc(h->n_tasks + 1, sizeof *h->start);
    if (!h->start)
        return no_memory(h->n_rows, err);
    if (find_starts(h))
        return SEGUE_OK;
    size_t *next = malloc(h->n_tasks * sizeof *next);
    const bool moved = next && move_lists(h, next);
    free(next);
    return moved ? SEGUE_OK : no_memory(h->n_rows, err);
}

segue_status segue_history_group(segue_history *history, segue_error *err)
{
    history->n_arms = history->rows.arms.count;
    history->n_tasks = history->rows.tasks.count;
    history->task_name = history->rows.tasks.name;
    history->has_dates = history->rows.has_dates;
    SEGUE_TRY(sort_arms(history, err));
    return group_by_task(history, err);
}

segue_status segue_history_read(segue_history *out, const char *path,
                                const log_read_options *options, segue_error *err)
{
    collector c = {.out = out};
    *out = (segue_history){.n_rows = 0};
    segue_status status = segue_log_rows_read(&out->rows, path, options, add_row, &c, err);
    if (status == SEGUE_OK)
        status = segue_history_group(out, err);
    if (status != SEGUE_OK)
        segue_history_fini(out);
    return status;
}

/* ---- a sample ---------------------------------------------------------------------------- */

/* Move a task, with its name and rows, to the end of the `n` that stay; their rows come first. */
static void keep_task(segue_history *h, size_t task, size_t n)
{
    const size_t first = h->start[task], count = h->start[task + 1] - first, to = h->start[n];
    memmove(h->row + to, h->row + first, count * sizeof *h->row);
    for (size_t i = to; i < to + count; i++)
        h->row[i].task = (uint32_t)n;
    if (h->time)
        memmove(h->time + to, h->time + first, count * sizeof *h->time);
    if (h->probability)
        memmove(h->probability + to, h->probability + first, count * sizeof *h->probability);
    h->task_name[n] = h->task_name[task];
    h->start[n + 1] = to + count;
}

/* No run of a replay has the number of this stream. */
void segue_history_sample(segue_history *history, size_t wanted, uint64_t seed)
{
    const size_t count = history->n_tasks;
    size_t n = 0;
    segue_rng rng;
    if (count <= wanted)
        return;
    segue_rng_init(&rng, seed, UINT64_MAX, 0, SEGUE_STREAM_MODEL);
    for (size_t task = 0; task < count; task++)
        if (segue_history_draws_task(&rng, count - task, wanted - n))
            keep_task(history, task, n++);
    history->n_tasks = history->rows.tasks.count = n;
    history->n_rows = history->start[n];
    history->drawn_from = count;
}

/* ---- by time ----------------------------------------------------------------------------- */

typedef struct task_start {
    double time;
    size_t task;
} task_start;

static int by_time(const void *a, const void *b)
{
    const task_start *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->task > y->task) - (x->task < y->task);
}

segue_status segue_history_order_by_time(const segue_history *history, size_t *order,
                                         segue_error *err)
{
    task_start *list = calloc(history->n_tasks, sizeof *list);
    if (!list)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu tasks", history->n_tasks);
    for (size_t task = 0; task < history->n_tasks; task++) {
        const size_t first = history->start[task], end = history->start[task + 1];
        list[task] = (task_start){.time = history->time[first], .task = task};
        for (size_t i = first + 1; i < end; i++)
            if (history->time[i] < list[task].time)
                list[task].time = history->time[i];
    }
    qsort(list, history->n_tasks, sizeof *list, by_time);
    for (size_t i = 0; i < history->n_tasks; i++)
        order[i] = list[i].task;
    free(list);
    return SEGUE_OK;
}
