/* reads.h - requests that read much or decide long, in pieces.
 *
 * A thread of the read pool gives a request a turn of some milliseconds, then another request.
 * Under a learner's lock a piece only copies, which takes a few hundred microseconds at most.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_JOBS_READS_H
#define SEGUE_SERVICE_JOBS_READS_H

#include "service/api/responses/response.h"
#include "service/engine/decide.h"
#include "service/engine/service_internal.h"

typedef enum read_result {
    READ_MORE,  /* it needs another turn */
    READ_DONE,  /* the response is ready */
    READ_STORE, /* for the commit queue: it must be stored, or its task is not open */
} read_result;

/* A stored task of a list. */
typedef struct listed_task {
    segue_stored_task row;
    size_t key; /* offset of its key in `keys` */
} listed_task;

/* The progress of a request. */
typedef struct read_state {
    bool begun;
    size_t at; /* pieces done */

    learner_state **all; /* a list of learners, each acquired */
    size_t n_all;

    listed_task *task; /* a list of tasks */
    size_t n_tasks, capacity;
    segue_bytes keys;

    learner_view learner;
    segue_model_history versions;
    model_version newest;

    task_copy copy;       /* of an ask */
    uint32_t copy_number; /* in the ask_log of its task */
    ask_limits limits;
    arm_distribution distribution;
    decided decided;
    bool copied, explained, has_distribution;
    bool chosen;                 /* choices of an event id that must be stored ... */
    int64_t learner_id, task_id; /* ... are of this task */
} read_state;

/* Work on a request for one turn, with the thread's own connection. */
read_result segue_reads_turn(segue_service *service, operation *op, segue_store *store);

void segue_reads_fini(operation *op);

/* ---- long_ask.c -------------------------------------------------------------------------- */

/* One piece of a long ask. */
read_result segue_long_ask_turn(segue_service *service, operation *op);
void segue_long_ask_drop(operation *op); /* free the copy of the task; the choices stay */
void segue_long_ask_fini(operation *op);
/* Make the pool's choices for an event id decisions of an open task; false: it has none for this
 * task.  The caller holds the learner's lock. */
bool segue_long_ask_take_chosen(segue_service *service, operation *op, task_state *task);

#endif
