/* reads.h - requests that read much or decide long, a piece at a time.
 *
 * A thread of the pool (read_pool.c) gives a request a turn of some milliseconds, and then another
 * request; nothing but what is copied in a few hundred microseconds is done under a learner's lock.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_JOBS_READS_H
#define SEGUE_SERVICE_JOBS_READS_H

#include "service/api/response.h"
#include "service/engine/decide.h"
#include "service/engine/service_internal.h"

typedef enum read_result {
    READ_MORE,  /* it needs another turn */
    READ_DONE,  /* the reply is ready */
    READ_STORE, /* the queue's: it must be stored, or its task is not open */
} read_result;

/* A task of a list, as the store has it. */
typedef struct listed_task {
    segue_stored_task row;
    size_t key; /* where its key is in `keys` */
} listed_task;

/* How far a request has come. */
typedef struct read_state {
    bool begun;
    size_t at; /* pieces done */

    learner_state **all; /* of a list of learners, each held */
    size_t n_all;

    listed_task *task; /* of a list of tasks */
    size_t n_tasks, capacity;
    segue_bytes keys;

    learner_view learner;
    segue_model_history versions;
    model_version newest;

    task_copy copy; /* of an ask */
    bool *allowed;
    arm_distribution law;
    decided decided;
    bool copied, explained, has_law;
    bool chosen;                 /* decisions of an event that are to be stored ... */
    int64_t learner_id, task_id; /* ... are of this task */
} read_state;

/* Work on it for one turn, with a store of the thread's own. */
read_result segue_reads_turn(segue_service *service, operation *op, segue_store *store);

void segue_reads_fini(operation *op);

/* long_ask.c: one piece of an ask. */
read_result segue_long_ask_turn(segue_service *service, operation *op);
void segue_long_ask_drop(operation *op); /* the copy: what was chosen stays */
void segue_long_ask_fini(operation *op);
/* Take what the pool has chosen for an event as decisions of an open task, under the lock; false:
 * it has chosen nothing for this task. */
bool segue_long_ask_take_chosen(segue_service *service, operation *op, task_state *task);

#endif
