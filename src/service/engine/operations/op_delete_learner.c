/* op_delete_learner.c - delete a learner, or one that is damaged and not served.
 *
 *   store    mark its row as deleted; 404 without it       writer, in the transaction
 *   apply    remove it from the table, release its memory,
 *            enqueue op_purge                              writer, after COMMIT
 *   respond  the name                                      writer, no lock
 *
 * Its other rows stay for op_purge, which deletes them in small transactions: a learner may have
 * millions of rewards, and requests do not wait for them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/json_write.h"
#include "service/engine/damage.h"
#include "service/engine/operation.h"
#include "service/engine/service_internal.h"

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    const char *name = op->request.learner;
    op->state = segue_service_find(service, name);
    if (op->state)
        return segue_store_delete_learner(service->store, op->state->id, err);
    if (segue_damage_find(service, name, &op->damaged_id, NULL))
        return segue_store_delete_learner(service->store, op->damaged_id, err);
    op->result = OP_RESPONDED;
    segue_damage_respond_missing(service, name, op->response);
    return SEGUE_OK;
}

static segue_status apply(segue_service *service, operation *op, segue_error *err)
{
    (void)err;
    if (op->state) {
        segue_service_drop(service, op->state);
    } else {
        segue_damage_remove(service, op->damaged_id);
    }
    (void)segue_commit_queue_add_job(service, &op_purge, 0, 0);
    return SEGUE_OK;
}

static void respond(segue_service *service, operation *op)
{
    (void)service;
    segue_bytes *b = &op->response->body;
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "deleted", op->request.learner);
    segue_json_write_raw(b, "}");
}

static bool changes_memory_size(const operation *op)
{
    (void)op;
    return true;
}

const operation_kind op_delete_learner = {.name = "delete learner",
                                          .store = store,
                                          .apply = apply,
                                          .respond = respond,
                                          .changes_memory_size = changes_memory_size,
                                          .is_alone = true};
