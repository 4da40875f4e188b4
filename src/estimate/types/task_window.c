/* task_window.c - the newest finished tasks, in a circular buffer.
 *
 * Index 0 is the oldest task.  Memory grows by doubling up to the window; a full window overwrites
 * its oldest task.  Callers see indices only, never the position of a row in memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/types/task_window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MIN_ROWS  16
#define MAX_PULLS 1e15 /* integers up to here, and their sums, are exact */

void segue_task_window_init(task_window *r, size_t n_arms, size_t window)
{
    *r = (task_window){.n_arms = n_arms, .window = window};
}

void segue_task_window_fini(task_window *r)
{
    free(r->row);
    free(r->number);
    r->row = NULL;
    r->number = NULL;
}

static size_t row_of(const task_window *r, size_t index)
{
    const size_t at = r->first + index;
    return at < r->capacity ? at : at - r->capacity;
}

const double *segue_task_window_sum(const task_window *r, size_t index)
{
    assert(index < r->count);
    return r->row + row_of(r, index) * 2 * r->n_arms;
}

const double *segue_task_window_pulls(const task_window *r, size_t index)
{
    return segue_task_window_sum(r, index) + r->n_arms;
}

uint64_t segue_task_window_number(const task_window *r, size_t index)
{
    return r->number[row_of(r, index)];
}

/* ---- add --------------------------------------------------------------------------------- */

/* Write row `at`; arms from `n` on, if any, were not pulled. */
static void write_row(task_window *r, size_t at, uint64_t number, const double *sum,
                      const double *pulls, size_t n)
{
    double *row = r->row + at * 2 * r->n_arms;
    memcpy(row, sum, n * sizeof *row);
    memcpy(row + r->n_arms, pulls, n * sizeof *row);
    r->number[at] = number;
}

size_t segue_task_window_bytes(const task_window *r)
{
    return r->capacity * (2 * r->n_arms * sizeof *r->row + sizeof *r->number);
}

static void copy_rows(task_window *to, const task_window *from)
{
    for (size_t k = 0; k < from->count; k++)
        write_row(to, k, segue_task_window_number(from, k), segue_task_window_sum(from, k),
                  segue_task_window_pulls(from, k), from->n_arms);
    to->first = 0;
    to->count = from->count;
}

static segue_status allocate_rows(task_window *r, size_t capacity, segue_error *err)
{
    r->row = calloc(capacity * 2 * r->n_arms, sizeof *r->row);
    r->number = calloc(capacity, sizeof *r->number);
    if (!r->row || !r->number)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu finished tasks", capacity);
    r->capacity = capacity;
    return SEGUE_OK;
}

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

segue_status segue_task_window_reserve(task_window *r, size_t more, segue_error *err)
{
    const size_t wanted = min(r->window, r->count + more);
    if (wanted <= r->capacity)
        return SEGUE_OK;
    size_t capacity = r->capacity ? r->capacity : MIN_ROWS;
    while (capacity < wanted)
        capacity *= 2;
    task_window larger;
    segue_task_window_init(&larger, r->n_arms, r->window);
    const segue_status status = allocate_rows(&larger, min(capacity, r->window), err);
    if (status != SEGUE_OK) {
        segue_task_window_fini(&larger);
        return status;
    }
    copy_rows(&larger, r);
    task_window old = *r;
    *r = larger;
    segue_task_window_fini(&old);
    return SEGUE_OK;
}

void segue_task_window_add(task_window *r, uint64_t number, const double *sum, const double *pulls)
{
    assert(r->count < r->capacity || r->capacity == r->window);
    if (r->count == r->window) {
        r->first = row_of(r, 1);
        r->count--;
    }
    write_row(r, row_of(r, r->count), number, sum, pulls, r->n_arms);
    r->count++;
}

void segue_task_window_remove(task_window *r, task_test is_dropped, const void *context)
{
    size_t count = 0;
    for (size_t k = 0; k < r->count; k++) {
        if (is_dropped(context, segue_task_window_number(r, k), segue_task_window_sum(r, k),
                       segue_task_window_pulls(r, k)))
            continue;
        if (count != k)
            write_row(r, row_of(r, count), segue_task_window_number(r, k),
                      segue_task_window_sum(r, k), segue_task_window_pulls(r, k), r->n_arms);
        count++;
    }
    r->count = count;
}

segue_status segue_task_window_copy(task_window *to, const task_window *from, segue_error *err)
{
    assert(to->count == 0 && to->n_arms >= from->n_arms && to->window >= from->count);
    const segue_status status = segue_task_window_reserve(to, from->count, err);
    if (status == SEGUE_OK)
        copy_rows(to, from);
    return status;
}

/* ---- serialize --------------------------------------------------------------------------- */

bool segue_task_window_accepts(size_t n_arms, const double *sum, const double *pulls)
{
    for (size_t i = 0; i < n_arms; i++)
        if (!(sum[i] >= 0.0 && sum[i] <= pulls[i] && pulls[i] <= MAX_PULLS)) /* nor NaN */
            return false;
    return true;
}

void segue_task_window_serialize(const task_window *r, segue_bytes *b)
{
    segue_bytes_append_u64(b, r->count);
    for (size_t k = 0; k < r->count; k++) {
        segue_bytes_append_u64(b, segue_task_window_number(r, k));
        segue_bytes_append_f64(b, segue_task_window_sum(r, k), r->n_arms);
        segue_bytes_append_f64(b, segue_task_window_pulls(r, k), r->n_arms);
    }
}

/* One task; `before` is the number of the one before it. */
static bool deserialize_row(task_window *r, segue_bytes_reader *from, uint64_t before)
{
    double *row = r->row + r->count * 2 * r->n_arms;
    r->number[r->count] = segue_bytes_read_count(from);
    segue_bytes_read_f64(from, row, 2 * r->n_arms);
    const bool is_new = r->number[r->count] > before;
    r->count++;
    return is_new && segue_task_window_accepts(r->n_arms, row, row + r->n_arms);
}

segue_status segue_task_window_deserialize(task_window *r, segue_bytes_reader *from,
                                           segue_error *err)
{
    assert(r->count == 0);
    const uint64_t count = segue_bytes_read_u64(from);
    /* every task has bytes: reject a wrong count before allocating memory */
    if (count > r->window || count > (from->size - from->at) / (8 + 16 * r->n_arms))
        return segue_fail(err, SEGUE_EDOMAIN, "invalid number of finished tasks in saved learner");
    const segue_status status = segue_task_window_reserve(r, (size_t)count, err);
    uint64_t before = 0;
    for (uint64_t k = 0; k < count && status == SEGUE_OK; k++) {
        if (!deserialize_row(r, from, before))
            return segue_fail(err, SEGUE_EDOMAIN, "invalid finished task %llu in saved learner",
                              (unsigned long long)k + 1);
        before = r->number[k];
    }
    return status;
}
