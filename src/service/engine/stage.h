/* stage.h - operations, as far as the store goes.
 *
 * What is staged is seen by nobody before the transaction is through.  What the next operation of
 * the same transaction must know of a task stands in the task's staged fields.  A failure is the
 * store's, and fails the whole transaction; what is refused is answered, and the others go on.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_STAGE_H
#define SEGUE_SERVICE_ENGINE_STAGE_H

#include "service/engine/service_internal.h"

#define REFUSE(op, status, ...)                                                                    \
    do {                                                                                           \
        (op)->answered = true;                                                                     \
        if ((op)->response)                                                                        \
            segue_response_fail((op)->response, status, __VA_ARGS__);                              \
    } while (0)

typedef segue_status stage_function(segue_service *service, operation *op, segue_error *err);

/* stage_learner.c */
stage_function segue_stage_create, segue_stage_delete, segue_stage_add_arm, segue_stage_retire_arm;
/* stage_task.c */
stage_function segue_stage_open, segue_stage_close, segue_stage_tell;
/* stage_ask.c */
stage_function segue_stage_ask;

/* The learner that a call names: op->state; false: there is none, and it is refused. */
bool segue_stage_find(segue_service *service, operation *op);

/* Add to the journal of op->state: op->seq. */
SEGUE_MUST_CHECK segue_status segue_stage_event(segue_service *service, operation *op,
                                                segue_event_kind kind, int64_t subject,
                                                segue_error *err);

/* A task is closed by this transaction, or is not. */
void segue_stage_closed(learner_state *state, task_state *task, bool closed);

/* Find or add the task of a key: op->row, and whether it is new. */
stage_function segue_stage_task;

/* The task that an operation is about, if it is open and stays so; `op->row`, found: it is not. */
SEGUE_MUST_CHECK segue_status segue_stage_find_open(segue_service *service, operation *op,
                                                    task_state **task, bool *found,
                                                    segue_error *err);

#endif
