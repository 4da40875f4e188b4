/* op_ask.c - asks that need a transaction: they open a task, carry an event id, or follow a reward.
 *
 *   store     no such task: open it, and ask in a later transaction;
 *             a repeated event id: read its decisions again;
 *             a new event id: choose, and store the decisions;
 *             a closed task: 409                      writer, in the transaction, learner's lock
 *   apply     make a new task visible (OP_REQUEUE);
 *             start the deadlines of the stored decisions;
 *             choose, without an event id             writer, after COMMIT, learner's lock
 *   respond   the stored decisions                    writer, no lock
 *   rollback  free the new task (task_change_open.c)  writer, after ROLLBACK
 *
 * An ask of an open task without an event id changes nothing on the disk: the thread that handles
 * the request responds (service_handle.c, decide.c).  An ask that takes long goes to the read pool
 * (long_ask.c), which returns the choices here to be stored.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"
#include "service/api/responses/response.h"
#include "service/engine/operations/task_change/task_change.h"
#include "service/engine/service_internal.h"
#include "service/jobs/reads.h"

/* ---- an event id that has decisions ------------------------------------------------------ */

/* The operation and its task, open or closed, whose decisions are read. */
typedef struct asked_task {
    operation *op;
    int64_t id;
    uint64_t tag;
    bool control;
} asked_task;

static segue_status add_decision(const asked_task *task, const segue_stored_decision *row,
                                 segue_error *err)
{
    const learner_state *state = task->op->state;
    decided *d = &task->op->ask.decided;
    if (row->arm >= state->n_arms)
        return segue_fail(err, SEGUE_EFILE,
                          "the store is damaged: a decision names an arm that does not exist");
    arm_choice *choices = realloc(d->choice, (d->n + 1) * sizeof *choices);
    if (!choices)
        return segue_fail_no_memory(err, "decisions");
    d->choice = choices;
    d->choice[d->n++] =
        (arm_choice){.decision = segue_decision_id_from_row(state->id, task->tag, row),
                     .arm = state->arm[row->arm]->name,
                     .probability = row->probability > 0.0 ? row->probability : NAN,
                     .exact = row->exact,
                     .would_choose = row->shadow.is_set && row->shadow.arm < state->n_arms
                                         ? state->arm[row->shadow.arm]->name
                                         : NULL};
    d->version = row->version;
    return SEGUE_OK;
}

/* Read the decisions that an earlier ask with this event id got, if there was one. */
static segue_status read_earlier_decisions(segue_service *service, asked_task task,
                                           segue_error *err)
{
    operation *op = task.op;
    segue_rows rows;
    segue_stored_decision row;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, service->store,
                    &(segue_query){.kind = SEGUE_QUERY_EVENT_DECISIONS,
                                   .id = task.id,
                                   .key = op->request.event_id},
                    err);
    while (status == SEGUE_OK && segue_rows_next_decision(&rows, &row))
        status = add_decision(&task, &row, err);
    SEGUE_TRY(segue_rows_close(&rows, status));
    const size_t n = op->ask.decided.n, wanted = segue_decide_count(&op->request);
    op->ask.decided.control = task.control;
    const char *chosen = op->request.chosen;
    if (n > 0 && n != wanted)
        segue_operation_reject(
            op, 409,
            "event '%.80s' has %zu decisions and the request asks for %zu; send the same count",
            op->request.event_id, n, wanted);
    else if (n > 0 && chosen[0] && strcmp(chosen, op->ask.decided.choice[0].arm) != 0)
        segue_operation_reject(
            op, 409, "event '%.80s' has the arm '%.80s' and 'chosen' is '%.80s'; send the same arm",
            op->request.event_id, op->ask.decided.choice[0].arm, chosen);
    return SEGUE_OK;
}

/* Explain earlier decisions with the posterior of now.  Holds the learner's lock. */
static void explain_again(operation *op, const task_state *task)
{
    if (!op->request.explain)
        return;
    if (segue_decide_is_long(task, &op->request))
        op->result = OP_TO_POOL;
    else
        segue_response_explanation(op->state, task, segue_learner_state_allowed_arms(op->state),
                                   &op->ask.decided.why);
}

/* ---- a new event id ---------------------------------------------------------------------- */

static segue_status store_decisions(segue_service *service, operation *op, segue_error *err)
{
    for (size_t i = 0; i < op->ask.decided.n; i++) {
        const arm_choice *choice = &op->ask.decided.choice[i];
        segue_stored_decision row = segue_decision_id_to_row(&choice->decision);
        row.event_id = op->request.event_id;
        row.exact = choice->exact;
        SEGUE_TRY(segue_store_add_decision(service->store, &row, err));
    }
    return SEGUE_OK;
}

/* Choose the decisions of a new event id: op->ask.is_new.  Else the ask is rejected or goes
 * to the pool.  Holds the learner's lock. */
static void choose(segue_service *service, operation *op, task_state *task)
{
    op->result = OP_RESPONDED;
    if (segue_decide_is_paused(op->state, op->response) ||
        !segue_decide_reserve_deadlines(service, op->state, task, &op->request, op->response))
        return;
    if (segue_long_ask_take_chosen(service, op, task))
        op->ask.is_new = true;
    else if (segue_decide_is_long(task, &op->request))
        op->result = OP_TO_POOL;
    else
        op->ask.is_new = segue_decide_choose(service, op->state, task, &op->request,
                                             &op->ask.decided, op->response);
    if (op->ask.is_new)
        op->result = OP_DONE;
}

static segue_status store_with_event_id(segue_service *service, operation *op, task_state *task,
                                        segue_error *err)
{
    const asked_task about = {op, task->id, task->tag, task->control};
    SEGUE_TRY(read_earlier_decisions(service, about, err));
    if (op->result == OP_RESPONDED)
        return SEGUE_OK;
    (void)pthread_mutex_lock(&op->state->lock);
    if (op->ask.decided.n > 0)
        explain_again(op, task);
    else
        choose(service, op, task);
    (void)pthread_mutex_unlock(&op->state->lock);
    return op->ask.is_new ? store_decisions(service, op, err) : SEGUE_OK;
}

/* ---- store ------------------------------------------------------------------------------- */

static segue_status store_closed(segue_service *service, operation *op, segue_error *err)
{
    const asked_task about = {op, op->row.id, op->row.tag, op->row.control};
    if (op->request.event_id[0])
        SEGUE_TRY(read_earlier_decisions(service, about, err));
    if (op->result == OP_RESPONDED || op->ask.decided.n > 0)
        return SEGUE_OK;
    if (op->reward_result.size > 0 && op->decision.task == op->row.id) {
        op->result =
            OP_RESPONDED; /* the reward that came with the ask closed it, or an earlier one */
        segue_decide_respond_closed(op);
    } else {
        segue_operation_reject(op, 409, "task '%.80s' is closed; ask with another key",
                               op->request.task);
    }
    return SEGUE_OK;
}

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    task_state *task = NULL;
    bool found = false;
    if (!segue_operation_find_learner(service, op))
        return SEGUE_OK;
    SEGUE_TRY(segue_task_change_find_open(service, op, &task, &found, err));
    if (task)
        return op->request.event_id[0] ? store_with_event_id(service, op, task, err) : SEGUE_OK;
    if (op->result == OP_REQUEUE)
        return SEGUE_OK;
    if (found)
        return store_closed(service, op, err);
    if (segue_decide_can_choose(op->state, &op->request, op->response))
        return segue_task_change_store_open(service, op, err);
    op->result = OP_RESPONDED;
    return SEGUE_OK;
}

/* ---- apply, respond ---------------------------------------------------------------------- */

static operation_result ask(segue_service *service, operation *op)
{
    switch (segue_decide_ask(service, op->state, &op->request, &op->reward_result, op->response)) {
    case ASK_IS_LONG:
        return OP_TO_POOL;
    case ASK_NOT_OPEN: /* it was closed just now: a later transaction finds how */
        return OP_REQUEUE;
    default:
        return OP_RESPONDED;
    }
}

static segue_status apply(segue_service *service, operation *op, segue_error *err)
{
    (void)err;
    if (op->opened) {
        segue_task_change_apply_open(service, op);
        op->result = OP_REQUEUE;
    } else if (op->ask.is_new) {
        (void)pthread_mutex_lock(&op->state->lock);
        segue_decide_push_deadlines(op->state, &op->ask.decided, true);
        (void)pthread_mutex_unlock(&op->state->lock);
    } else if (op->ask.decided.n == 0) {
        op->result = ask(service, op);
    }
    return SEGUE_OK;
}

static void respond(segue_service *service, operation *op)
{
    segue_decide_respond(service, &op->request, &op->ask.decided, &op->reward_result, op->response);
}

static void fini(operation *op)
{
    segue_decide_fini(&op->ask.decided);
}

static bool changes_memory_size(const operation *op)
{
    return op->opened || op->ask.is_new;
}

const operation_kind op_ask = {.name = "ask",
                               .store = store,
                               .apply = apply,
                               .respond = respond,
                               .fini = fini,
                               .changes_memory_size = changes_memory_size};
