/* apply.c - operations that are on the disk: let them be seen, and answer.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "io/json_write.h"
#include "segue/internal.h"
#include "service/api/response.h"
#include "service/engine/commit_queue.h"
#include "service/engine/damage.h"
#include "service/engine/decide.h"
#include "service/engine/service_internal.h"
#include "service/jobs/refit_worker.h"
#include "service/state/recovery.h"

#define DEBT_MOST 20000 /* rewards that a start may have to tell again */
#define DEBT_TASK 64    /* what a task costs besides, in rewards */

static void count(atomic_ullong *counter)
{
    (void)atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* ---- learners ---------------------------------------------------------------------------- */

static segue_status apply_create(segue_service *service, operation *op, segue_error *err)
{
    if (op->is_new && !segue_service_register(service, op->state))
        return segue_fail_no_memory(err, "a learner");
    if (op->is_new)
        segue_learner_state_acquire(op->state); /* the table's, besides the operation's */
    segue_response_learner(op->state, op->is_new ? 201 : 200, op->response);
    return SEGUE_OK;
}

static segue_status apply_delete(segue_service *service, operation *op, segue_error *err)
{
    (void)err;
    if (op->state) {
        segue_service_unregister(service, op->state);
        (void)atomic_fetch_sub(&service->open_tasks, op->state->by_id.count);
        segue_service_release_memory(service, op->state);
        segue_learner_state_release(op->state); /* the table's */
    } else {
        segue_damage_remove(service, op->damaged);
    }
    segue_json_write_raw(&op->response->body, "{");
    segue_json_write_text(&op->response->body, "deleted", op->request.learner);
    segue_json_write_raw(&op->response->body, "}");
    (void)segue_commit_queue_add_job(service, OP_PURGE, 0, 0);
    return SEGUE_OK;
}

static segue_status apply_add_arm(segue_service *service, operation *op, segue_error *err)
{
    (void)service;
    learner_state *state = op->state;
    (void)pthread_mutex_lock(&state->lock);
    segue_status status = segue_learner_add_arm(state->learner, err);
    if (status == SEGUE_OK)
        status = segue_learner_state_add_arm(state, op->request.arm, false, err);
    if (status == SEGUE_OK)
        status = segue_model_history_add(&state->versions, state->learner, err);
    (void)pthread_mutex_unlock(&state->lock);
    state->seq = op->seq;
    state->replay_cost++;
    if (status == SEGUE_OK)
        segue_response_learner(state, 201, op->response);
    return status;
}

static segue_status apply_retire_arm(segue_service *service, operation *op, segue_error *err)
{
    (void)service;
    learner_state *state = op->state;
    segue_status status = SEGUE_OK;
    if (op->is_new) {
        (void)pthread_mutex_lock(&state->lock);
        status = segue_learner_retire_arm(state->learner, op->arm, err);
        segue_learner_state_retire_arm(state, op->arm);
        if (status == SEGUE_OK)
            status = segue_model_history_add(&state->versions, state->learner, err);
        (void)pthread_mutex_unlock(&state->lock);
        state->seq = op->seq;
        state->replay_cost++;
    }
    if (status == SEGUE_OK)
        segue_response_learner(state, 200, op->response);
    return status;
}

/* ---- tasks ------------------------------------------------------------------------------- */

static void open_live(segue_service *service, operation *op)
{
    (void)pthread_mutex_lock(&op->state->lock);
    segue_learner_state_insert_task(op->state, op->opened, op->row.id,
                                    segue_service_random_bits(service));
    op->opened->active = segue_service_time(service);
    (void)pthread_mutex_unlock(&op->state->lock);
    op->opened = NULL;
    count(&service->open_tasks);
}

static segue_status apply_open(segue_service *service, operation *op, segue_error *err)
{
    (void)err;
    if (op->is_new)
        open_live(service, op);
    const task_state *task = segue_learner_state_task_by_key(op->state, op->request.task);
    if (task)
        op->row = segue_response_task_row(op->state, task);
    segue_response_stored_task(op->state, &op->row, op->request.task, op->is_new ? 201 : 200,
                               op->response);
    return SEGUE_OK;
}

/* What is counted of a task that is over. */
static void count_task(learner_state *state, const task_state *task)
{
    const double lowest = state->settings.lowest, width = state->settings.highest - lowest;
    const segue_task_summary info = segue_task_info(task->play);
    for (size_t i = 0; i < task->n_arms; i++) {
        state->arm[i]->pulls += info.pulls[i];
        state->arm[i]->total += lowest * (double)info.pulls[i] + width * info.sum[i];
    }
    segue_task_stats_add(&state->stats, task->control, task->rewards, task->total);
}

/* The snapshot comes first: during a fit there is none. */
void segue_apply_enqueue_due(segue_service *service, learner_state *state)
{
    if (state->replay_cost > DEBT_MOST && state->replay_cost >= 2 * state->replay_cost_refused &&
        !state->refit)
        segue_commit_queue_add_job_once(service, state, OP_SNAPSHOT);
    if (!state->refit && segue_learner_refit_due(state->learner))
        segue_commit_queue_add_job_once(service, state, OP_REFIT_BEGIN);
}

static segue_status close_live(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    const segue_status status =
        segue_recovery_learn_task(service->store, state->learner, op->task->id, &state->lock, err);
    if (status != SEGUE_OK)
        return status;
    state->replay_cost += op->task->rewards + DEBT_TASK;
    state->seq = op->seq;
    (void)pthread_mutex_lock(&state->lock);
    count_task(state, op->task);
    segue_learner_state_close_task(state, op->task);
    const segue_status noted = segue_model_history_add(&state->versions, state->learner, err);
    (void)pthread_mutex_unlock(&state->lock);
    op->task = NULL;
    (void)atomic_fetch_sub(&service->open_tasks, 1);
    count(&service->metrics.closed);
    segue_apply_enqueue_due(service, state);
    return noted;
}

static segue_status apply_close(segue_service *service, operation *op, segue_error *err)
{
    const double closed = op->row.closed;
    op->row = segue_response_task_row(op->state, op->task);
    op->row.open = false;
    op->row.closed = closed;
    const segue_status status = close_live(service, op, err);
    if (status == SEGUE_OK && op->response)
        segue_response_stored_task(op->state, &op->row, op->request.task, 200, op->response);
    return status;
}

/* ---- rewards ----------------------------------------------------------------------------- */

/* Tell what was told. */
static void answer_tell(segue_service *service, operation *op, const char *key, bool closed)
{
    count(op->is_new ? &service->metrics.rewards : &service->metrics.duplicates);
    if (!op->response)
        return;
    if (op->request.route == ROUTE_ASK) { /* which goes on */
        segue_response_reward(&op->told, op->is_new, key, closed);
        op->kind = OP_ASK;
        op->again = true;
    } else {
        segue_response_reward(&op->response->body, op->is_new, key, closed);
    }
}

static void remember(learner_state *state, const task_state *task, const operation *op, double now)
{
    recent_reward *d = segue_recent_rewards_add(&state->recent);
    *d = (recent_reward){.arm = op->decision.arm,
                         .reward = op->request.reward,
                         .time = now,
                         .version = task->version,
                         .control = task->control};
    memcpy(d->task, task->key, strlen(task->key) + 1);
}

static segue_status apply_tell(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    task_state *task = segue_learner_state_task_by_id(state, op->decision.task);
    char key[SEGUE_MAX_NAME_SIZE + 1];
    const char *known = task ? task->key : op->key;
    memcpy(key, known, strlen(known) + 1);
    if (op->is_new && task) { /* what is told anew is told to an open task */
        (void)pthread_mutex_lock(&state->lock);
        segue_learner_state_tell(state, task, op->decision.arm, op->request.reward);
        task->active = segue_service_time(service);
        remember(state, task, op, segue_service_now(service));
        (void)pthread_mutex_unlock(&state->lock);
    }
    if (op->kind == OP_DEFAULT_REWARD)
        count(&service->metrics.defaults);
    const bool closed = op->closes || !task;
    const segue_status status = op->closes ? close_live(service, op, err) : SEGUE_OK;
    answer_tell(service, op, key, closed);
    return status;
}

/* ---- asks -------------------------------------------------------------------------------- */

static void answer_event(segue_service *service, operation *op)
{
    if (op->is_new) {
        (void)pthread_mutex_lock(&op->state->lock);
        segue_decide_push_deadlines(op->state, &op->asked, true);
        (void)pthread_mutex_unlock(&op->state->lock);
    }
    segue_decide_respond(service, &op->request, &op->asked, &op->told, op->response);
}

static segue_status apply_ask(segue_service *service, operation *op, segue_error *err)
{
    (void)err;
    if (op->again) {
        open_live(service, op);
        return SEGUE_OK;
    }
    if (op->asked.n > 0) {
        answer_event(service, op);
        return SEGUE_OK;
    }
    const ask_outcome outcome =
        segue_decide_ask(service, op->state, &op->request, &op->told, op->response);
    op->to_pool = outcome == ASK_IS_LONG;
    op->again = outcome == ASK_NOT_OPEN; /* it was closed just now: the store tells what then */
    return SEGUE_OK;
}

/* ---- of the service's own ---------------------------------------------------------------- */

static segue_status apply_keep(segue_service *service, operation *op, segue_error *err)
{
    (void)err;
    (void)pthread_mutex_lock(&op->state->lock);
    segue_deadline_queue_mark_persisted(&op->state->deadlines, op->place);
    const bool more = op->state->deadlines.kept < op->state->deadlines.next;
    (void)pthread_mutex_unlock(&op->state->lock);
    if (more)
        segue_commit_queue_add_job_once(service, op->state, OP_PERSIST_PENDING);
    return SEGUE_OK;
}

static segue_status apply_begin(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    (void)pthread_mutex_lock(&state->lock);
    const segue_status status = segue_model_history_add(&state->versions, state->learner, err);
    (void)pthread_mutex_unlock(&state->lock);
    state->seq = op->seq;
    state->refit_staged = false;
    atomic_store(&state->refit_finished, false);
    segue_refit_worker_enqueue(service, state);
    return status;
}

static segue_status apply_publish(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    (void)pthread_mutex_lock(&state->lock);
    segue_status status = segue_learner_refit_publish(state->learner, &state->refit, err);
    if (status == SEGUE_OK)
        status = segue_model_history_add(&state->versions, state->learner, err);
    (void)pthread_mutex_unlock(&state->lock);
    atomic_store(&state->refit_finished, false);
    state->refit_staged = false;
    state->seq = op->seq;
    state->replay_cost++;
    count(&service->metrics.refits);
    if (status == SEGUE_OK)
        segue_apply_enqueue_due(service, state);
    return status;
}

static segue_status apply_snapshot(segue_service *service, operation *op, segue_error *err)
{
    (void)err;
    op->state->replay_cost = op->state->replay_cost_refused = 0;
    count(&service->metrics.snapshots);
    return SEGUE_OK;
}

static segue_status apply_purge(segue_service *service, operation *op, segue_error *err)
{
    (void)err;
    if (op->more)
        (void)segue_commit_queue_add_job(service, OP_PURGE, 0, 0);
    return SEGUE_OK;
}

static segue_status apply_nothing(segue_service *service, operation *op, segue_error *err)
{
    (void)service;
    (void)op;
    (void)err;
    return SEGUE_OK;
}

/* Whether it changes how much memory a learner takes. */
static bool changes_memory(const operation *op)
{
    switch (op->kind) {
    case OP_TELL:
    case OP_DEFAULT_REWARD:
        return op->closes;
    case OP_ASK:
        return op->is_new;
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
static void count_again(segue_service *service, const operation *op)
{
    (void)pthread_mutex_lock(&op->state->lock);
    segue_service_count_memory(service, op->state);
    (void)pthread_mutex_unlock(&op->state->lock);
    segue_service_reserve_memory(service, op->state);
    (void)segue_memory_restore_spare(&service->memory);
}

/* An operation before it in the group has set the learner apart: its own change is stored, too. */
static void answer_set_apart(segue_service *service, operation *op)
{
    char why[SEGUE_ERROR_SIZE] = "";
    int64_t id = op->state->id;
    op->again = false;
    segue_stage_undo_open(service, op);
    if (!op->response)
        return;
    (void)segue_damage_find(service, NULL, &id, why);
    segue_response_fail(op->response, 500, "it is stored, but the learner is damaged: %s", why);
}

void segue_apply(segue_service *service, operation *op)
{
    static segue_status (*const applies[])(segue_service *, operation *,
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
    if (op->state && op->state->is_gone) {
        answer_set_apart(service, op);
        return;
    }
    const bool counts = op->state && changes_memory(op);
    if (counts)
        segue_memory_free_spare(&service->memory);
    const segue_status status = applies[op->kind](service, op, &err);
    if (counts)
        count_again(service, op);
    if (status == SEGUE_OK)
        return;
    op->again = false;
    if (status == SEGUE_EFILE && op->state) {
        segue_damage_quarantine(service, op->state, &err);
        if (op->response)
            segue_response_fail(op->response, 500, "it is stored, but the learner is damaged: %s",
                                err.message);
        return;
    }
    segue_service_fail(service, &err);
    if (op->response)
        segue_response_fail(op->response, 503, "the service must be started again: %s",
                            err.message);
}
