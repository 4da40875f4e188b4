/* writer.c - the one thread that stores: a group in one transaction, then its answers.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "serve/inside.h"

static segue_status stage_all(segue_service *service, op *group, segue_error *err)
{
    segue_status status = segue_store_begin(service->store, err);
    service->staged_open = 0;
    for (op *o = group; o && status == SEGUE_OK; o = o->next)
        status = segue_stage(service, o, err);
    return status == SEGUE_OK ? segue_store_commit(service->store, err) : status;
}

/* Nothing of it is stored, and nothing has changed. */
static void refuse_all(segue_service *service, op *group, const segue_error *why)
{
    segue_store_rollback(service->store);
    segue_store_make_room(service->store);
    for (op *o = group; o; o = o->next) {
        segue_undo(o);
        o->again = false;
        if (o->reply)
            segue_reply_fail(o->reply, 503,
                             o->told.size > 0 ? "the ask cannot be stored now: %s"
                                              : "it cannot be stored now, and nothing has changed: "
                                                "%s",
                             why->message);
    }
    atomic_store(&service->failing, true);
    (void)atomic_fetch_add(&service->metrics.failures, 1);
}

static void apply_all(segue_service *service, op *group)
{
    unsigned long long count = 0;
    for (op *o = group; o; o = o->next, count++)
        if (!o->answered)
            segue_apply(service, o);
    atomic_store(&service->failing, false);
    (void)atomic_fetch_add(&service->metrics.groups, 1);
    (void)atomic_fetch_add(&service->metrics.grouped, count);
}

static void finish(segue_service *service, op *o)
{
    if (o->again) {
        segue_live_release(o->live);
        o->live = NULL;
        o->task = NULL;
        o->again = o->answered = o->is_new = o->closes = false;
        (void)segue_queue_put(&service->queue, o, true);
        return;
    }
    if (o->reply && o->reply->status >= 400 && o->told.size > 0)
        segue_reply_add_told(o->reply, &o->told);
    const segue_done done = o->done;
    void *context = o->context;
    segue_op_destroy(o);
    if (done)
        done(context);
}

void segue_writer_group(segue_service *service, op *group)
{
    segue_error err = {.status = SEGUE_OK};
    if (atomic_load(&service->broken))
        (void)segue_fail(&err, SEGUE_EIO, "the service must be started again: %s", service->why);
    if (err.status == SEGUE_OK)
        (void)stage_all(service, group, &err);
    if (err.status == SEGUE_OK)
        apply_all(service, group);
    else
        refuse_all(service, group, &err);
    for (op *next = NULL; group; group = next) {
        next = group->next;
        finish(service, group);
    }
}

void *segue_writer_thread(void *context)
{
    segue_service *service = context;
    for (op *group; (group = segue_queue_take(&service->queue, true));)
        segue_writer_group(service, group);
    return NULL;
}
