/* apply.c - operations that are on the disk: let them be seen, and answer.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "io/json_write.h"
#include "segue/internal.h"
#include "service/engine/damage.h"
#include "service/engine/service_internal.h"

#define DEBT_MOST 20000 /* rewards that a start may have to tell again */
#define DEBT_TASK 64    /* what a task costs besides, in rewards */

static void count(atomic_ullong *counter)
{
    (void)atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* ---- learners ---------------------------------------------------------------------------- */

static segue_status apply_create(segue_service *service, op *o, segue_error *err)
{
    if (o->is_new && !segue_service_register(service, o->live))
        return segue_fail_no_memory(err, "a learner");
    if (o->is_new)
        segue_learner_state_acquire(o->live); /* the table's, besides the operation's */
    segue_response_learner(o->live, o->is_new ? 201 : 200, o->reply);
    return SEGUE_OK;
}

static segue_status apply_delete(segue_service *service, op *o, segue_error *err)
{
    (void)err;
    if (o->live) {
        segue_service_unregister(service, o->live);
        (void)atomic_fetch_sub(&service->open_tasks, o->live->by_id.count);
        segue_service_release_memory(service, o->live);
        segue_learner_state_release(o->live); /* the table's */
    } else {
        segue_damage_remove(service, o->damaged);
    }
    segue_json_write_raw(&o->reply->body, "{");
    segue_json_write_text(&o->reply->body, "deleted", o->call.learner);
    segue_json_write_raw(&o->reply->body, "}");
    (void)segue_commit_queue_add_job(service, OP_PURGE, 0, 0);
    return SEGUE_OK;
}

static segue_status apply_add_arm(segue_service *service, op *o, segue_error *err)
{
    (void)service;
    learner_state *live = o->live;
    (void)pthread_mutex_lock(&live->lock);
    segue_status status = segue_learner_add_arm(live->learner, err);
    if (status == SEGUE_OK)
        status = segue_learner_state_add_arm(live, o->call.arm, false, err);
    if (status == SEGUE_OK)
        status = segue_model_history_add(&live->versions, live->learner, err);
    (void)pthread_mutex_unlock(&live->lock);
    live->seq = o->seq;
    live->debt++;
    if (status == SEGUE_OK)
        segue_response_learner(live, 201, o->reply);
    return status;
}

static segue_status apply_retire_arm(segue_service *service, op *o, segue_error *err)
{
    (void)service;
    learner_state *live = o->live;
    segue_status status = SEGUE_OK;
    if (o->is_new) {
        (void)pthread_mutex_lock(&live->lock);
        status = segue_learner_retire_arm(live->learner, o->arm, err);
        segue_learner_state_retire_arm(live, o->arm);
        if (status == SEGUE_OK)
            status = segue_model_history_add(&live->versions, live->learner, err);
        (void)pthread_mutex_unlock(&live->lock);
        live->seq = o->seq;
        live->debt++;
    }
    if (status == SEGUE_OK)
        segue_response_learner(live, 200, o->reply);
    return status;
}

/* ---- tasks ------------------------------------------------------------------------------- */

static void open_live(segue_service *service, op *o)
{
    (void)pthread_mutex_lock(&o->live->lock);
    segue_learner_state_insert_task(o->live, o->opened, o->row.id,
                                    segue_service_random_bits(service));
    o->opened->active = segue_service_time(service);
    (void)pthread_mutex_unlock(&o->live->lock);
    o->opened = NULL;
    count(&service->open_tasks);
}

static segue_status apply_open(segue_service *service, op *o, segue_error *err)
{
    (void)err;
    if (o->is_new)
        open_live(service, o);
    const task_state *task = segue_learner_state_task_by_key(o->live, o->call.task);
    if (task)
        o->row = segue_response_task_row(o->live, task);
    segue_response_stored_task(o->live, &o->row, o->call.task, o->is_new ? 201 : 200, o->reply);
    return SEGUE_OK;
}

/* What is counted of a task that is over. */
static void count_task(learner_state *live, const task_state *task)
{
    const double lowest = live->words.lowest, width = live->words.highest - lowest;
    const segue_task_summary info = segue_task_info(task->play);
    for (size_t i = 0; i < task->n_arms; i++) {
        live->arm[i]->pulls += info.pulls[i];
        live->arm[i]->total += lowest * (double)info.pulls[i] + width * info.sum[i];
    }
    segue_task_stats_add(&live->record, task->control, task->rewards, task->total);
}

/* The snapshot comes first: during a fit there is none. */
void segue_apply_enqueue_due(segue_service *service, learner_state *live)
{
    if (live->debt > DEBT_MOST && live->debt >= 2 * live->debt_refused && !live->refit)
        segue_commit_queue_add_job_once(service, live, OP_SNAPSHOT);
    if (!live->refit && segue_learner_refit_due(live->learner))
        segue_commit_queue_add_job_once(service, live, OP_REFIT_BEGIN);
}

static segue_status close_live(segue_service *service, op *o, segue_error *err)
{
    learner_state *live = o->live;
    const segue_status status =
        segue_recovery_learn_task(service->store, live->learner, o->task->id, &live->lock, err);
    if (status != SEGUE_OK)
        return status;
    live->debt += o->task->rewards + DEBT_TASK;
    live->seq = o->seq;
    (void)pthread_mutex_lock(&live->lock);
    count_task(live, o->task);
    segue_learner_state_close_task(live, o->task);
    const segue_status noted = segue_model_history_add(&live->versions, live->learner, err);
    (void)pthread_mutex_unlock(&live->lock);
    o->task = NULL;
    (void)atomic_fetch_sub(&service->open_tasks, 1);
    count(&service->metrics.closed);
    segue_apply_enqueue_due(service, live);
    return noted;
}

static segue_status apply_close(segue_service *service, op *o, segue_error *err)
{
    const double closed = o->row.closed;
    o->row = segue_response_task_row(o->live, o->task);
    o->row.open = false;
    o->row.closed = closed;
    const segue_status status = close_live(service, o, err);
    if (status == SEGUE_OK && o->reply)
        segue_response_stored_task(o->live, &o->row, o->call.task, 200, o->reply);
    return status;
}

/* ---- rewards ----------------------------------------------------------------------------- */

/* Tell what was told. */
static void answer_tell(segue_service *service, op *o, const char *key, bool closed)
{
    count(o->is_new ? &service->metrics.rewards : &service->metrics.duplicates);
    if (!o->reply)
        return;
    if (o->call.route == ROUTE_ASK) { /* which goes on */
        segue_response_reward(&o->told, o->is_new, key, closed);
        o->kind = OP_ASK;
        o->again = true;
    } else {
        segue_response_reward(&o->reply->body, o->is_new, key, closed);
    }
}

static void remember(learner_state *live, const task_state *task, const op *o, double now)
{
    recent_reward *d = segue_recent_rewards_add(&live->recent);
    *d = (recent_reward){.arm = o->decision.arm,
                         .reward = o->call.reward,
                         .time = now,
                         .version = task->version,
                         .control = task->control};
    memcpy(d->task, task->key, strlen(task->key) + 1);
}

static segue_status apply_tell(segue_service *service, op *o, segue_error *err)
{
    learner_state *live = o->live;
    task_state *task = segue_learner_state_task_by_id(live, o->decision.task);
    char key[SEGUE_MAX_NAME_SIZE + 1];
    const char *known = task ? task->key : o->key;
    memcpy(key, known, strlen(known) + 1);
    if (o->is_new && task) { /* what is told anew is told to an open task */
        (void)pthread_mutex_lock(&live->lock);
        segue_learner_state_tell(live, task, o->decision.arm, o->call.reward);
        task->active = segue_service_time(service);
        remember(live, task, o, segue_service_now(service));
        (void)pthread_mutex_unlock(&live->lock);
    }
    if (o->kind == OP_DEFAULT_REWARD)
        count(&service->metrics.defaults);
    const bool closed = o->closes || !task;
    const segue_status status = o->closes ? close_live(service, o, err) : SEGUE_OK;
    answer_tell(service, o, key, closed);
    return status;
}

/* ---- asks -------------------------------------------------------------------------------- */

static void answer_event(segue_service *service, op *o)
{
    if (o->is_new) {
        (void)pthread_mutex_lock(&o->live->lock);
        segue_decide_push_deadlines(o->live, &o->asked, true);
        (void)pthread_mutex_unlock(&o->live->lock);
    }
    segue_decide_respond(service, &o->call, &o->asked, &o->told, o->reply);
}

static segue_status apply_ask(segue_service *service, op *o, segue_error *err)
{
    (void)err;
    if (o->again) {
        open_live(service, o);
        return SEGUE_OK;
    }
    if (o->asked.n > 0) {
        answer_event(service, o);
        return SEGUE_OK;
    }
    const ask_outcome outcome = segue_decide_ask(service, o->live, &o->call, &o->told, o->reply);
    o->to_pool = outcome == ASK_IS_LONG;
    o->again = outcome == ASK_NOT_OPEN; /* it was closed just now: the store tells what then */
    return SEGUE_OK;
}

/* ---- of the service's own ---------------------------------------------------------------- */

static segue_status apply_keep(segue_service *service, op *o, segue_error *err)
{
    (void)err;
    (void)pthread_mutex_lock(&o->live->lock);
    segue_deadline_queue_mark_persisted(&o->live->line, o->place);
    const bool more = o->live->line.kept < o->live->line.next;
    (void)pthread_mutex_unlock(&o->live->lock);
    if (more)
        segue_commit_queue_add_job_once(service, o->live, OP_PERSIST_PENDING);
    return SEGUE_OK;
}

static segue_status apply_begin(segue_service *service, op *o, segue_error *err)
{
    learner_state *live = o->live;
    (void)pthread_mutex_lock(&live->lock);
    const segue_status status = segue_model_history_add(&live->versions, live->learner, err);
    (void)pthread_mutex_unlock(&live->lock);
    live->seq = o->seq;
    live->refit_staged = false;
    atomic_store(&live->refit_run, false);
    segue_refit_worker_enqueue(service, live);
    return status;
}

static segue_status apply_publish(segue_service *service, op *o, segue_error *err)
{
    learner_state *live = o->live;
    (void)pthread_mutex_lock(&live->lock);
    segue_status status = segue_learner_refit_publish(live->learner, &live->refit, err);
    if (status == SEGUE_OK)
        status = segue_model_history_add(&live->versions, live->learner, err);
    (void)pthread_mutex_unlock(&live->lock);
    atomic_store(&live->refit_run, false);
    live->refit_staged = false;
    live->seq = o->seq;
    live->debt++;
    count(&service->metrics.refits);
    if (status == SEGUE_OK)
        segue_apply_enqueue_due(service, live);
    return status;
}

static segue_status apply_snapshot(segue_service *service, op *o, segue_error *err)
{
    (void)err;
    o->live->debt = o->live->debt_refused = 0;
    count(&service->metrics.snapshots);
    return SEGUE_OK;
}

static segue_status apply_purge(segue_service *service, op *o, segue_error *err)
{
    (void)err;
    if (o->more)
        (void)segue_commit_queue_add_job(service, OP_PURGE, 0, 0);
    return SEGUE_OK;
}

static segue_status apply_nothing(segue_service *service, op *o, segue_error *err)
{
    (void)service;
    (void)o;
    (void)err;
    return SEGUE_OK;
}

/* Whether it changes how much memory a learner takes. */
static bool changes_memory(const op *o)
{
    switch (o->kind) {
    case OP_TELL:
    case OP_DEFAULT_REWARD:
        return o->closes;
    case OP_ASK:
        return o->is_new;
    case OP_PERSIST_PENDING:
    case OP_EXPIRE:
    case OP_SNAPSHOT:
    case OP_PURGE:
    case OP_PROBE:
        return false;
    default:
        return true;
    }
}

/* Count the memory anew, and have back what was lent. */
static void count_again(segue_service *service, const op *o)
{
    (void)pthread_mutex_lock(&o->live->lock);
    segue_service_count_memory(service, o->live);
    (void)pthread_mutex_unlock(&o->live->lock);
    segue_service_reserve_memory(service, o->live);
    (void)segue_memory_restore_spare(&service->memory);
}

/* An operation before it in the group has set the learner apart: its own change is stored, too. */
static void answer_set_apart(segue_service *service, op *o)
{
    char why[SEGUE_ERROR_SIZE] = "";
    int64_t id = o->live->id;
    o->again = false;
    segue_stage_undo_open(service, o);
    if (!o->reply)
        return;
    (void)segue_damage_find(service, NULL, &id, why);
    segue_response_fail(o->reply, 500, "it is stored, but the learner is damaged: %s", why);
}

void segue_apply(segue_service *service, op *o)
{
    static segue_status (*const applies[])(segue_service *, op *,
                                           segue_error *) = {[OP_CREATE] = apply_create,
                                                             [OP_DELETE] = apply_delete,
                                                             [OP_ADD_ARM] = apply_add_arm,
                                                             [OP_RETIRE_ARM] = apply_retire_arm,
                                                             [OP_OPEN] = apply_open,
                                                             [OP_CLOSE] = apply_close,
                                                             [OP_TELL] = apply_tell,
                                                             [OP_ASK] = apply_ask,
                                                             [OP_PERSIST_PENDING] = apply_keep,
                                                             [OP_EXPIRE] = apply_nothing,
                                                             [OP_DEFAULT_REWARD] = apply_tell,
                                                             [OP_REFIT_BEGIN] = apply_begin,
                                                             [OP_REFIT_PUBLISH] = apply_publish,
                                                             [OP_SNAPSHOT] = apply_snapshot,
                                                             [OP_PURGE] = apply_purge,
                                                             [OP_PROBE] = apply_nothing,
                                                             [OP_CHECKPOINT] = apply_nothing};
    segue_error err;
    if (o->live && o->live->is_gone) {
        answer_set_apart(service, o);
        return;
    }
    const bool counts = o->live && changes_memory(o);
    if (counts)
        segue_memory_free_spare(&service->memory);
    const segue_status status = applies[o->kind](service, o, &err);
    if (counts)
        count_again(service, o);
    if (status == SEGUE_OK)
        return;
    o->again = false;
    if (status == SEGUE_EFILE && o->live) {
        segue_damage_quarantine(service, o->live, &err);
        if (o->reply)
            segue_response_fail(o->reply, 500, "it is stored, but the learner is damaged: %s",
                                err.message);
        return;
    }
    segue_service_fail(service, &err);
    if (o->reply)
        segue_response_fail(o->reply, 503, "the service must be started again: %s", err.message);
}
