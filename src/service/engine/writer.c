/* writer.c - the one thread that stores: a group in one transaction, then its answers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "service/engine/damage.h"
#include "service/engine/service_internal.h"

/* `failed`: the operation that the store refused; NULL: none, or it was the whole. */
static segue_status stage_all(segue_service *service, op *group, op **failed, segue_error *err)
{
    segue_status status = segue_checkpoint_allow_write(service, err);
    service->staged_open = 0;
    if (status == SEGUE_OK)
        status = segue_store_begin(service->store, err);
    for (op *o = group; o && status == SEGUE_OK; o = o->next) {
        status = segue_stage(service, o, err);
        *failed = status == SEGUE_OK ? NULL : o;
    }
    if (status == SEGUE_OK)
        status = segue_clock_stage(&service->clock, service->store, err);
    if (status == SEGUE_OK)
        status = segue_store_commit(service->store, err);
    if (status == SEGUE_OK)
        segue_clock_commit(&service->clock);
    return status;
}

/* Nothing of it is stored. */
static void refuse_all(segue_service *service, op *group, const segue_error *why)
{
    segue_store_rollback(service->store);
    segue_checkpoint_for_space(service);
    for (op *o = group; o; o = o->next) {
        segue_stage_undo(service, o);
        o->again = false;
        if (o->reply)
            segue_response_fail(o->reply, 503,
                                o->resumed ? "it cannot be stored now: %s"
                                           : "it cannot be stored now, and nothing has changed: %s",
                                why->message);
    }
    if (!atomic_exchange(&service->failing, true))
        segue_service_report(service, "nothing can be stored, and asks go on: %s", why->message);
    (void)atomic_fetch_add(&service->metrics.failures, 1);
}

/* The service ends: what is on the disk is known only when it is read again. */
static void abandon_all(segue_service *service, op *group, const segue_error *why)
{
    segue_service_fail(service, why);
    segue_store_rollback(service->store);
    for (op *o = group; o; o = o->next) {
        segue_stage_undo(service, o);
        o->again = false;
        if (o->reply)
            segue_response_fail(
                o->reply, 503,
                "it is not known whether this was stored: %.300s; the service must be "
                "started again; repeat it then: a reward counts once",
                why->message);
    }
    atomic_store(&service->failing, true);
    (void)atomic_fetch_add(&service->metrics.failures, 1);
}

void segue_writer_enqueue_due(segue_service *service)
{
    size_t count = 0;
    learner_state **all = segue_service_learners(service, &count);
    for (size_t i = 0; all && i < count; i++) {
        segue_apply_enqueue_due(service, all[i]);
        segue_learner_state_release(all[i]);
    }
    free(all);
    (void)segue_commit_queue_add_job(service, OP_PURGE, 0, 0);
}

/* Whatever became of it: nobody waits for the default of this decision any more. */
static void leave_line(op *o)
{
    (void)pthread_mutex_lock(&o->live->lock);
    segue_deadline_queue_pop_before(&o->live->line, o->place + 1);
    (void)pthread_mutex_unlock(&o->live->lock);
}

static void apply_all(segue_service *service, op *group)
{
    unsigned long long count = 0;
    for (op *o = group; o; o = o->next, count++) {
        if (o->kind == OP_DEFAULT_REWARD && o->live)
            leave_line(o);
        if (!o->answered)
            segue_apply(service, o);
    }
    if (atomic_exchange(&service->failing, false)) { /* the disk is back */
        segue_service_report(service, "the store can be written again");
        segue_writer_enqueue_due(service);
    }
    (void)atomic_fetch_add(&service->metrics.groups, 1);
    (void)atomic_fetch_add(&service->metrics.grouped, count);
}

/* Its decisions take long: let the pool make them.  False: it cannot, and the reply says so. */
static bool give_to_pool(segue_service *service, op *o)
{
    o->to_pool = o->answered = o->is_new = false;
    o->task = NULL;
    segue_reads_fini(o); /* it begins anew */
    if (segue_read_pool_push(service, o))
        return true;
    segue_response_busy(o->reply);
    return false;
}

static void finish(segue_service *service, op *o)
{
    if (o->to_pool && give_to_pool(service, o))
        return;
    if (o->again) {
        segue_learner_state_release(o->live);
        o->live = NULL;
        o->task = NULL;
        o->again = o->answered = o->is_new = o->closes = false;
        o->resumed = true;
        (void)segue_commit_queue_push(&service->queue, o, true);
        return;
    }
    if (o->reply && o->reply->status >= 400 && o->told.size > 0)
        segue_response_add_reward(o->reply, &o->told);
    const segue_completion done = o->done;
    void *context = o->context;
    segue_operation_destroy(o);
    if (done)
        done(context);
}

/* It is taken up: from now on it may be wished again, also if it comes to nothing. */
static void take_up(segue_service *service, op *o)
{
    learner_state *live = o->learner_id ? segue_service_find_id(service, o->learner_id) : NULL;
    if (live)
        atomic_store(&live->wished[o->kind], false);
    if (live && o->task_id)
        segue_timer_clear_close_pending(live, o->task_id);
    if (o->kind == OP_PROBE)
        atomic_store(&service->probes, false);
    if (o->kind == OP_CHECKPOINT)
        atomic_store(&service->checkpoints, false);
    segue_learner_state_release(live);
    if (o->kind == OP_EXPIRE) {
        op *rest = o->next, **end = &o->next;
        for (*end = segue_timer_expired(service, o->learner_id); *end;)
            end = &(*end)->next;
        *end = rest;
    }
}

void segue_writer_commit(segue_service *service, op *group)
{
    segue_error err;
    segue_status status = SEGUE_OK;
    op *failed = NULL;
    for (op *o = group; o; o = o->next)
        take_up(service, o);
    if (atomic_load(&service->broken))
        status = segue_fail(&err, SEGUE_EIO, "%s", service->why);
    if (service->memory.is_tight)
        segue_memory_free_spare(&service->memory);
    if (status == SEGUE_OK)
        status = stage_all(service, group, &failed, &err);
    if (status == SEGUE_OK)
        apply_all(service, group);
    else if (atomic_load(&service->broken) || segue_store_is_lost(service->store))
        abandon_all(service, group, &err);
    else if (status == SEGUE_EFILE && failed)
        segue_damage_refuse(service, group, failed, &err);
    else
        refuse_all(service, group, &err);
    const bool oversized = group->kind == OP_CHECKPOINT;
    service->memory.is_tight = service->memory.is_tight || status == SEGUE_ENOMEM;
    (void)segue_memory_restore_spare(&service->memory);
    for (op *next = NULL; group; group = next) {
        next = group->next;
        finish(service, group);
    }
    if (!atomic_load(&service->broken))
        segue_checkpoint_if_due(service, oversized); /* nobody waits for it */
}

void *segue_writer_main(void *context)
{
    segue_service *service = context;
    for (op *group; (group = segue_commit_queue_pop_group(&service->queue, true));)
        segue_writer_commit(service, group);
    return NULL;
}
