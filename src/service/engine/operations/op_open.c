/* op_open.c - open a task, or find that it exists.
 *
 *   store     find the task's row, or allocate the task
 *             and insert a row                               writer, in the transaction
 *   apply     make the task visible                          writer, after COMMIT, learner's lock
 *   respond   201 with the task, or 200 if it existed,
 *             open or closed                                 writer, no lock
 *   rollback  free the task (task_change_open.c)             writer, after ROLLBACK
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/responses/response.h"
#include "service/engine/operations/task_change/task_change.h"
#include "service/engine/service_internal.h"

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    return segue_operation_find_learner(service, op)
               ? segue_task_change_store_open(service, op, err)
               : SEGUE_OK;
}

static segue_status apply(segue_service *service, operation *op, segue_error *err)
{
    (void)err;
    op->open.is_new = op->opened != NULL;
    if (op->open.is_new)
        segue_task_change_apply_open(service, op);
    return SEGUE_OK;
}

static void respond(segue_service *service, operation *op)
{
    (void)service;
    const task_state *task = segue_learner_state_task_by_key(op->state, op->request.task);
    if (task)
        op->row = segue_response_task_row(op->state, task);
    segue_response_stored_task(op->state, &op->row, op->request.task, op->open.is_new ? 201 : 200,
                               op->response);
}

static bool changes_memory_size(const operation *op)
{
    (void)op;
    return true;
}

const operation_kind op_open = {.name = "open task",
                                .store = store,
                                .apply = apply,
                                .respond = respond,
                                .changes_memory_size = changes_memory_size};
