/* stage.c - operations, as far as the store goes: those of the service itself, and which is which.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/stage.h"

#include "segue/internal.h"
#include "service/engine/damage.h"

/* ---- what others need -------------------------------------------------------------------- */

bool segue_stage_find(segue_service *service, op *o)
{
    o->live = segue_service_find(service, o->call.learner);
    o->answered = !o->live;
    if (!o->live && o->reply)
        segue_damage_respond_missing(service, o->call.learner, o->reply);
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

/* A transaction stores decisions that wait for a default until none is left, or this many, or for
 * so long: others wait meanwhile.  The learner's lock is held for a chunk at a time. */
#define KEEP_CHUNK   256
#define KEEP_MOST    20000
#define KEEP_SECONDS 0.025

/* Copy a chunk of decisions that are not stored, from a place on; returns the place after the last.
 */
static uint64_t copy_chunk(learner_state *live, uint64_t from, decision *out, size_t *count)
{
    *count = 0;
    (void)pthread_mutex_lock(&live->lock);
    const deadline_queue *line = &live->line;
    uint64_t place = line->next;
    const uint64_t first = from > line->kept ? from : line->kept;
    for (size_t i = segue_deadline_queue_find(line, first); i < line->count; i++) {
        const waiting *w = segue_deadline_queue_at(line, i);
        if (*count == KEEP_CHUNK) {
            place = w->place;
            break;
        }
        out[(*count)++] = w->decision;
    }
    (void)pthread_mutex_unlock(&live->lock);
    return place;
}

static segue_status store_chunk(segue_service *service, const learner_state *live,
                                const decision *from, size_t count, segue_error *err)
{
    segue_status status = SEGUE_OK;
    for (size_t i = 0; i < count && status == SEGUE_OK; i++) {
        const segue_stored_decision row = segue_decision_id_to_row(&from[i]);
        const task_state *task = segue_learner_state_task_by_id(live, row.task);
        if (task && !task->staged_closed) /* else nothing is due any more */
            status = segue_store_add_decision(service->store, &row, err);
    }
    return status;
}

static segue_status stage_keep(segue_service *service, op *o, segue_error *err)
{
    decision chunk[KEEP_CHUNK];
    size_t count = 0, stored = 0;
    segue_status status = SEGUE_OK;
    if (!find_own(service, o))
        return SEGUE_OK;
    const double until = segue_service_time(service) + KEEP_SECONDS;
    o->place = 0;
    do {
        o->place = copy_chunk(o->live, o->place, chunk, &count);
        status = store_chunk(service, o->live, chunk, count, err);
        stored += count;
    } while (status == SEGUE_OK && count == KEEP_CHUNK && stored < KEEP_MOST &&
             segue_service_time(service) < until);
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
    if (o->answered)
        return SEGUE_OK;
    /* before it is stored: it takes memory */
    (void)pthread_mutex_lock(&o->live->lock);
    o->answered = segue_learner_refit_begin(o->live->learner, &o->live->refit, NULL) != SEGUE_OK;
    (void)pthread_mutex_unlock(&o->live->lock);
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
    learner_state *live = o->live;
    o->answered = live->refit || live->seq == 0 || live->debt == 0;
    if (o->answered)
        return SEGUE_OK;            /* while a fit is under way its beginning would be lost */
    segue_bytes b = {.data = NULL}; /* no lock: only this thread changes what is in it */
    segue_recovery_serialize(live->learner, &live->record, &live->versions, &b);
    segue_recovery_seal(&b, live->id, live->seq);
    const segue_status status = b.failed ? segue_fail_no_memory(err, "a snapshot")
                                         : segue_store_add_snapshot(service->store, live->id,
                                                                    live->seq, b.data, b.size, err);
    segue_bytes_fini(&b);
    return status;
}

static segue_status stage_purge(segue_service *service, op *o, segue_error *err)
{
    return segue_store_purge(service->store, &o->more, err);
}

/* The writer does it after the group. */
static segue_status stage_checkpoint(segue_service *service, op *o, segue_error *err)
{
    (void)service;
    (void)err;
    o->answered = true;
    return SEGUE_OK;
}

/* If the store's files are gone, the commit says so. */
static segue_status stage_probe(segue_service *service, op *o, segue_error *err)
{
    (void)o;
    return segue_store_set_clock(service->store, segue_service_time(service), err);
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
                                             [OP_PERSIST_PENDING] = stage_keep,
                                             [OP_EXPIRE] = stage_expire,
                                             [OP_DEFAULT_REWARD] = segue_stage_tell,
                                             [OP_REFIT_BEGIN] = stage_begin,
                                             [OP_REFIT_PUBLISH] = stage_publish,
                                             [OP_SNAPSHOT] = stage_snapshot,
                                             [OP_PURGE] = stage_purge,
                                             [OP_PROBE] = stage_probe,
                                             [OP_CHECKPOINT] = stage_checkpoint};
    return stages[o->kind](service, o, err);
}

void segue_stage_undo(segue_service *service, op *o)
{
    o->to_pool = false;
    segue_stage_undo_open(service, o);
    if (o->kind == OP_CREATE && o->is_new) { /* nobody has seen it */
        segue_learner_state_release(o->live);
        o->live = NULL;
    }
    if ((o->kind == OP_REFIT_BEGIN || o->kind == OP_REFIT_PUBLISH) && o->live)
        o->live->refit_staged = false;
    if (o->kind == OP_REFIT_BEGIN && o->live && !o->answered) {
        (void)pthread_mutex_lock(&o->live->lock);
        segue_refit_destroy(o->live->refit);
        o->live->refit = NULL;
        (void)pthread_mutex_unlock(&o->live->lock);
    }
    if (o->kind == OP_SNAPSHOT && o->live)
        o->live->debt_refused = o->live->debt;
    if (o->task) {
        o->task->staged_rewards = o->task->rewards;
        o->task->staged_total = o->task->total;
        segue_stage_closed(o->live, o->task, false);
    }
}
