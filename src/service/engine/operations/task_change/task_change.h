/* task_change.h - opening, closing and rewarding a task: steps that several operations share.
 *
 * All of them run in the writer.  The staged fields of a task hold what it will be after this
 * transaction; segue_task_change_rollback resets them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_OPERATIONS_TASK_CHANGE_H
#define SEGUE_SERVICE_ENGINE_OPERATIONS_TASK_CHANGE_H

#include "service/engine/operation.h"

/* ---- task_change_open.c ------------------------------------------------------------------ */

/* Find the stored task of the request's key, or store a new one: op->row, and op->opened if it is
 * new.  A request without a key gets a random one. */
SEGUE_MUST_CHECK segue_status segue_task_change_store_open(segue_service *service, operation *op,
                                                           segue_error *err);
/* Make op->opened visible. */
void segue_task_change_apply_open(segue_service *service, operation *op);
/* Free op->opened, if there is one. */
void segue_task_change_discard_opened(segue_service *service, operation *op);

/* Find the open task of the request's key: *task.  NULL: it is not open, and *found says if the
 * store has it (op->row).  A task that this transaction opened is not in memory yet: OP_REQUEUE.
 * @retval SEGUE_EFILE  the store says that it is open, and it is never in memory */
SEGUE_MUST_CHECK segue_status segue_task_change_find_open(segue_service *service, operation *op,
                                                          task_state **task, bool *found,
                                                          segue_error *err);

/* ---- op_snapshot.c ----------------------------------------------------------------------- */

/* Store the learner as it is after state->seq.  There must be no refit. */
SEGUE_MUST_CHECK segue_status segue_op_snapshot_add(segue_service *service,
                                                    const learner_state *state, segue_error *err);

/* ---- op_persist_pending.c ---------------------------------------------------------------- */

/* Store all decisions of a learner that are not stored and have a deadline. */
SEGUE_MUST_CHECK segue_status segue_op_persist_pending_all(segue_service *service,
                                                           learner_state *state, segue_error *err);

/* ---- task_change_close.c ----------------------------------------------------------------- */

/* Store the end of a task; apply it: learn from the task and free it. */
SEGUE_MUST_CHECK segue_status segue_task_change_store_close(segue_service *service, operation *op,
                                                            task_state *task, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_task_change_apply_close(segue_service *service, operation *op,
                                                            segue_error *err);
/* Reset the staged fields of op->task. */
void segue_task_change_rollback(operation *op);

/* ---- task_change_reward.c ---------------------------------------------------------------- */

/* Store the reward of op->decision, unless the store has one: op->reward.is_new.  With the task's
 * last reward the task closes. */
SEGUE_MUST_CHECK segue_status segue_task_change_store_reward(segue_service *service, operation *op,
                                                             task_state *task, bool by_default,
                                                             segue_error *err);
/* Replace a stored reward of op->decision by op->reward.value. */
SEGUE_MUST_CHECK segue_status segue_task_change_store_correction(segue_service *service,
                                                                 operation *op, task_state *task,
                                                                 const segue_stored_reward *reward,
                                                                 segue_error *err);
/* Give a new reward to its task, and close the task if it was the last. */
SEGUE_MUST_CHECK segue_status segue_task_change_apply_reward(segue_service *service, operation *op,
                                                             segue_error *err);

#endif
