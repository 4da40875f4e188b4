/* task_window.h - the newest finished tasks, up to a window.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_TYPES_TASK_WINDOW_H
#define SEGUE_ESTIMATE_TYPES_TASK_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../core/bytes.h"
#include "segue/status.h"

/* Index 0 is the oldest task. */
typedef struct task_window {
    size_t n_arms, window;
    size_t capacity;  /* allocated rows, up to the window */
    size_t first;     /* row of the oldest task */
    size_t count;     /* tasks in it */
    double *row;      /* capacity x 2 n_arms: the sums of a task's rewards, then its pulls */
    uint64_t *number; /* capacity: a task's number, from 1 on */
} task_window;

void segue_task_window_init(task_window *r, size_t n_arms, size_t window);
void segue_task_window_fini(task_window *r);

/* Bytes of its arrays. */
size_t segue_task_window_bytes(const task_window *r);

/* Reserve memory for `more` tasks, up to the window.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_task_window_reserve(task_window *r, size_t more,
                                                        segue_error *err);

/* Add a task, over the oldest one if the window is full; memory must be reserved. */
void segue_task_window_add(task_window *r, uint64_t number, const double *sum, const double *pulls);

/* The task at an index. */
const double *segue_task_window_sum(const task_window *r, size_t index);
const double *segue_task_window_pulls(const task_window *r, size_t index);
uint64_t segue_task_window_number(const task_window *r, size_t index);

/* Remove the tasks for which `is_dropped` returns true. */
typedef bool (*task_test)(const void *context, uint64_t number, const double *sum,
                          const double *pulls);
void segue_task_window_remove(task_window *r, task_test is_dropped, const void *context);

/* Copy the tasks of `from` into an empty window with at least as many arms; added arms have no
 * pulls.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_task_window_copy(task_window *to, const task_window *from,
                                                     segue_error *err);

/* Write as bytes, and read into an empty window of the same sizes.  @retval SEGUE_ENOMEM,
 * SEGUE_EDOMAIN */
void segue_task_window_serialize(const task_window *r, segue_bytes *b);
SEGUE_MUST_CHECK segue_status segue_task_window_deserialize(task_window *r,
                                                            segue_bytes_reader *from,
                                                            segue_error *err);

/* True if 0 <= sum <= pulls <= 1e15 on every arm. */
bool segue_task_window_accepts(size_t n_arms, const double *sum, const double *pulls);

#endif
