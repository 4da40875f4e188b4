/* stage.c - operations, as far as the store goes: those of the service itself, and which is which.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "serve/stage.h"

#include "serve/damage.h"
#include "transfer/play.h"

/* ---- what others need -------------------------------------------------------------------- */

bool segue_stage_find(segue_service *service, op *o)
{
    o->live = segue_service_find(service, o->call.learner);
    o->answered = !o->live;
    if (!o->live && o->reply)
        segue_damage_answer_missing(service, o->call.learner, o->reply);
    return o->live != NULL;
}

segue_status segue_stage_event(segue_service *service, op *o, segue_event_kind kind,
                               int64_t subject, segue_error *err)
{
    segue_stored_event event = {.learner = o->live->id,
                                .kind = kind,
                                .subject = subject,
                                .when = segue_service_now(service)};
    const segue_status status = segue_store_add_event(service->store, &event, err);
    o->seq = event.seq;
    return status;
}

/* ---- of the service's own ---------------------------------------------------------------- */

static bool find_own(segue_service *service, op *o)
{
    o->live = segue_service_find_id(service, o->learner_id);
    o->answered = !o->live;
    return o->live != NULL;
}

/* Up to so many decisions that wait and are not on the disk; the lock is not held meanwhile. */
#define KEEP_MOST 128

/* Copy them; the place behind the last. */
static uint64_t copy_unkept(live_learner *live, decision *out, size_t *count)
{
    (void)pthread_mutex_lock(&live->lock);
    const waiting_line *line = &live->line;
    uint64_t place = line->next;
    for (size_t i = segue_line_unkept(line); i < line->count; i++) {
        const waiting *w = segue_line_at(line, i);
        if (*count == KEEP_MOST) {
            place = w->place;
            break;
        }
        out[(*count)++] = w->decision;
    }
    (void)pthread_mutex_unlock(&live->lock);
    return place;
}

static segue_status stage_keep(segue_service *service, op *o, segue_error *err)
{
    decision unkept[KEEP_MOST];
    size_t count = 0;
    segue_status status = SEGUE_OK;
    if (!find_own(service, o))
        return SEGUE_OK;
    o->place = copy_unkept(o->live, unkept, &count);
    for (size_t i = 0; i < count && status == SEGUE_OK; i++) {
        const segue_stored_decision row = segue_decision_row(&unkept[i]);
        const live_task *task = segue_live_by_id(o->live, row.task);
        if (task && !task->staged_closed) /* else nothing is due any more */
            status = segue_store_add_decision(service->store, &row, err);
    }
    return status;
}

/* What it stands for follows it. */
static segue_status stage_expire(segue_service *service, op *o, segue_error *err)
{
    (void)service;
    (void)err;
    o->answered = true;
    return SEGUE_OK;
}

static segue_status stage_refit(segue_service *service, op *o, segue_event_kind kind,
                                segue_error *err)
{
    o->live->refit_staged = true;
    return segue_stage_event(service, o, kind, 0, err);
}

static segue_status stage_begin(segue_service *service, op *o, segue_error *err)
{
    if (!find_own(service, o))
        return SEGUE_OK;
    o->answered =
        o->live->refit_staged || o->live->refit || !segue_learner_refit_due(o->live->learner);
    return o->answered ? SEGUE_OK : stage_refit(service, o, SEGUE_EVENT_REFIT_BEGIN, err);
}

static segue_status stage_publish(segue_service *service, op *o, segue_error *err)
{
    if (!find_own(service, o))
        return SEGUE_OK;
    o->answered = o->live->refit_staged || !o->live->refit || !atomic_load(&o->live->refit_run);
    return o->answered ? SEGUE_OK : stage_refit(service, o, SEGUE_EVENT_REFIT_PUBLISH, err);
}

static segue_status stage_snapshot(segue_service *service, op *o, segue_error *err)
{
    if (!find_own(service, o))
        return SEGUE_OK;
    live_learner *live = o->live;
    o->answered = live->refit || live->seq == 0 || live->debt == 0;
    if (o->answered)
        return SEGUE_OK; /* while a fit is under way its beginning would be lost */
    bytes b = {.data = NULL};
    (void)pthread_mutex_lock(&live->lock);
    segue_snapshot_put(live->learner, &live->record, &live->versions, &b);
    (void)pthread_mutex_unlock(&live->lock);
    segue_snapshot_seal(&b, live->id, live->seq);
    const segue_status status =
        b.failed
            ? segue_fail(err, SEGUE_ENOMEM, "out of memory for a snapshot")
            : segue_store_add_snapshot(service->store, live->id, live->seq, b.data, b.size, err);
    segue_bytes_fini(&b);
    return status;
}

static segue_status stage_purge(segue_service *service, op *o, segue_error *err)
{
    return segue_store_purge(service->store, &o->more, err);
}

static segue_status stage_probe(segue_service *service, op *o, segue_error *err)
{
    segue_error gone;
    if (!segue_store_is_there(service->store)) {
        (void)segue_fail(&gone, SEGUE_EIO, "the store's file was moved or removed");
        segue_service_break(service, &gone);
        o->answered = true;
        return SEGUE_OK;
    }
    return segue_store_probe(service->store, segue_service_now(service), err);
}

segue_status segue_stage(segue_service *service, op *o, segue_error *err)
{
    static stage_function *const stages[] = {[OP_CREATE] = segue_stage_create,
                                             [OP_DELETE] = segue_stage_delete,
                                             [OP_ADD_ARM] = segue_stage_add_arm,
                                             [OP_RETIRE_ARM] = segue_stage_retire_arm,
                                             [OP_OPEN] = segue_stage_open,
                                             [OP_CLOSE] = segue_stage_close,
                                             [OP_TELL] = segue_stage_tell,
                                             [OP_ASK] = segue_stage_ask,
                                             [OP_KEEP] = stage_keep,
                                             [OP_EXPIRE] = stage_expire,
                                             [OP_FALL_BACK] = segue_stage_tell,
                                             [OP_BEGIN] = stage_begin,
                                             [OP_PUBLISH] = stage_publish,
                                             [OP_SNAPSHOT] = stage_snapshot,
                                             [OP_PURGE] = stage_purge,
                                             [OP_PROBE] = stage_probe};
    return stages[o->kind](service, o, err);
}

void segue_undo(op *o)
{
    if ((o->kind == OP_BEGIN || o->kind == OP_PUBLISH) && o->live)
        o->live->refit_staged = false;
    if (o->kind == OP_SNAPSHOT && o->live)
        o->live->debt_refused = o->live->debt;
    if (o->task) {
        o->task->staged_rewards = o->task->rewards;
        o->task->staged_total = o->task->total;
        segue_stage_closed(o->live, o->task, false);
    }
}
