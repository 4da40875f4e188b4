/* task_window.h - the finished tasks that are remembered: the newest ones, up to a window.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_TYPES_TASK_WINDOW_H
#define SEGUE_ESTIMATE_TYPES_TASK_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bytes.h"
#include "segue/status.h"

/* Place 0 is the oldest task that is kept; what is done place by place does not show how the rows
 * lie in memory. */
typedef struct task_window {
    size_t n_arms, window;
    size_t capacity;  /* rows there is memory for, up to the window */
    size_t first;     /* row of the oldest task */
    size_t count;     /* tasks that are kept */
    double *row;      /* capacity x 2 n_arms: the sums of a task's rewards, then its pulls */
    uint64_t *number; /* capacity: a task's number, from 1 on */
} task_window;

void segue_task_window_init(task_window *r, size_t n_arms, size_t window);
void segue_task_window_fini(task_window *r);

/* Bytes of its arrays. */
size_t segue_task_window_bytes(const task_window *r);

/* Room for `more` tasks, as far as the window goes.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_task_window_reserve(task_window *r, size_t more,
                                                        segue_error *err);

/* Add a task, over the oldest one if the window is full; there must be room. */
void segue_task_window_add(task_window *r, uint64_t number, const double *sum, const double *pulls);

/* What is kept at a place. */
const double *segue_task_window_sum(const task_window *r, size_t index);
const double *segue_task_window_pulls(const task_window *r, size_t index);
uint64_t segue_task_window_number(const task_window *r, size_t index);

/* Forget the tasks of which `is_dropped` says so. */
typedef bool (*task_test)(const void *context, uint64_t number, const double *sum,
                          const double *pulls);
void segue_task_window_remove(task_window *r, task_test is_dropped, const void *context);

/* `to`, an empty ring of at least as many arms, takes the tasks of `from`; no pulls of arms that
 * `from` does not know.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_task_window_copy(task_window *to, const task_window *from,
                                                     segue_error *err);

/* To bytes, and back into an empty ring of the same sizes.  @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
void segue_task_window_serialize(const task_window *r, segue_bytes *b);
SEGUE_MUST_CHECK segue_status segue_task_window_deserialize(task_window *r,
                                                            segue_bytes_reader *from,
                                                            segue_error *err);

/* Whether these can be a task's sums and pulls: 0 <= sum <= pulls <= 1e15 on every arm. */
bool segue_task_window_accepts(size_t n_arms, const double *sum, const double *pulls);

#endif
