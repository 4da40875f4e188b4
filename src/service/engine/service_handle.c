/* service_handle.c - one request: who may ask, what is asked, and who answers it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "io/json_write.h"
#include "service/engine/commit_queue.h"
#include "service/engine/damage.h"
#include "service/engine/decide.h"
#include "service/engine/service_internal.h"
#include "service/jobs/read_pool.h"
#include "service/jobs/timer.h"
#include "service/state/effect.h"

/* ---- answered at once -------------------------------------------------------------------- */

/* It is, but something may need attention. */
static void answer_is_ready(segue_service *service, segue_response *reply)
{
    const unsigned long long damaged = segue_damage_count(service);
    segue_json_write_raw(&reply->body, "{\"status\":\"ready\"");
    if (atomic_load(&service->wal_large))
        segue_json_write_text(
            &reply->body, "warning",
            "the WAL is large: a reader or a failing disk keeps it from being emptied");
    if (damaged > 0)
        segue_json_write_integer(&reply->body, "damaged", damaged);
    segue_json_write_raw(&reply->body, "}");
}

static void answer_ready(segue_service *service, segue_response *reply)
{
    if (segue_service_has_failed(service))
        segue_response_fail(reply, 503, "the service failed, restart it: %s", service->why);
    else if (atomic_load(&service->failing))
        segue_response_fail(
            reply, 503, "the store cannot be written now; check the disk, requests are retried");
    else
        answer_is_ready(service, reply);
}

/* As /readyz tells. */
static bool is_ready(const segue_service *service)
{
    return !segue_service_has_failed(service) && !atomic_load(&service->failing);
}

static void answer_metrics(segue_service *service, segue_response *reply)
{
    segue_wal_info wal;
    segue_store_wal_info(service->store, &wal);
    const segue_gauges now = {.open_tasks = atomic_load(&service->open_tasks),
                              .unstored = atomic_load(&service->unstored),
                              .queued = segue_commit_queue_length(&service->queue),
                              .wal_bytes = wal.file_size,
                              .ready = is_ready(service)};
    segue_metrics_write(&service->metrics, &now, &reply->body);
    segue_damage_write_metric(service, &reply->body);
    segue_metrics_write_memory(&service->memory, segue_read_pool_length(&service->pool),
                               &reply->body);
    if (segue_effect_write_metrics(service, &reply->body))
        reply->type = "text/plain; version=0.0.4";
    else
        segue_response_fail(reply, 503, "out of memory for the list of learners; retry later");
}

/* A browser that has it asks whether it is still the same. */
static void answer_page(const segue_request *request, const segue_static_file *page,
                        segue_response *reply)
{
    reply->type = page->type;
    reply->page = page;
    if (request->if_none_match && strstr(request->if_none_match, page->etag))
        reply->status = 304;
}

/* Who answers a call. */
typedef enum answered_by { BY_NOW, BY_POOL, BY_QUEUE } answered_by;

/* Ask a task that is open, which changes nothing on the disk. */
static answered_by ask(segue_service *service, const segue_parsed_request *call,
                       segue_response *reply)
{
    if (call->tells || call->event[0])
        return BY_QUEUE;
    learner_state *state = segue_service_find(service, call->learner);
    if (!state) {
        segue_damage_respond_missing(service, call->learner, reply);
        return BY_NOW;
    }
    const ask_outcome outcome = segue_decide_ask(service, state, call, NULL, reply);
    segue_learner_state_release(state);
    return outcome == ASK_ANSWERED ? BY_NOW : outcome == ASK_IS_LONG ? BY_POOL : BY_QUEUE;
}

/* Answer a call, if that takes no time. */
static answered_by answer(segue_service *service, const segue_request *request,
                          const segue_parsed_request *call, segue_response *reply)
{
    switch (call->route) {
    case ROUTE_PAGE:
        answer_page(request, call->page, reply);
        return BY_NOW;
    case ROUTE_HEALTH:
        segue_json_write_raw(&reply->body, "{\"status\":\"ok\"}");
        return BY_NOW;
    case ROUTE_READY:
        answer_ready(service, reply);
        return BY_NOW;
    case ROUTE_METRICS:
        answer_metrics(service, reply);
        return BY_NOW;
    case ROUTE_LIST:
    case ROUTE_INSPECT:
    case ROUTE_HISTORY:
    case ROUTE_VERSIONS:
    case ROUTE_DECISIONS:
    case ROUTE_TASKS:
    case ROUTE_TASK:
        return BY_POOL;
    case ROUTE_ASK:
        return ask(service, call, reply);
    default:
        return BY_QUEUE;
    }
}

/* ---- put into the queue ------------------------------------------------------------------ */

/* The operation that a request becomes.  Reads and asks that the pool answers are never stored. */
static operation *create_operation(const segue_parsed_request *call)
{
    static const operation_kind *const kinds[N_ROUTES] = {[ROUTE_CREATE] = &op_create_learner,
                                                          [ROUTE_DELETE] = &op_delete_learner,
                                                          [ROUTE_ADD_ARM] = &op_add_arm,
                                                          [ROUTE_RETIRE_ARM] = &op_retire_arm,
                                                          [ROUTE_OPEN] = &op_open,
                                                          [ROUTE_CLOSE] = &op_close,
                                                          [ROUTE_TELL] = &op_tell,
                                                          [ROUTE_ASK] = &op_ask};
    const bool tells_first = call->route == ROUTE_ASK && call->tells;
    const operation_kind *kind = kinds[call->route] ? kinds[call->route] : &op_read;
    operation *op = segue_operation_create(tells_first ? &op_tell : kind);
    if (op && tells_first)
        op->follow_up = &op_ask;
    return op;
}

static bool put(segue_service *service, operation *op, answered_by by, segue_response *reply)
{
    if (by == BY_POOL) {
        if (segue_read_pool_push(service, op))
            return true;
        segue_response_busy(reply);
        return false;
    }
    if (op->kind->validate && !op->kind->validate(service, op))
        return false;
    if (segue_commit_queue_push(&service->queue, op, false))
        return true;
    segue_response_fail(reply, 503, "the service is shutting down; retry later");
    return false;
}

/* The call becomes the operation's; false: the reply is ready, it could not be put there. */
static bool enqueue(segue_service *service, segue_parsed_request *call, answered_by by,
                    segue_response *reply, segue_completion done, void *context)
{
    operation *op = create_operation(call);
    if (!op) {
        segue_response_fail(reply, 503, "out of memory");
        return false;
    }
    op->request = *call;
    *call = (segue_parsed_request){.route = call->route};
    op->response = reply;
    op->done = done;
    op->context = context;
    if (put(service, op, by, reply))
        return true;
    segue_operation_destroy(op);
    return false;
}

/* ---- all --------------------------------------------------------------------------------- */

static bool needs_no_token(const segue_parsed_request *call)
{
    return call->route == ROUTE_HEALTH || call->route == ROUTE_READY || call->route == ROUTE_PAGE;
}

static void count_refusal(segue_service *service, const segue_request *request)
{
    (void)atomic_fetch_add(&service->metrics.refused, 1);
    segue_auth_count_rejected(&service->auth, request->address);
    segue_timer_report_rejections(service);
}

/* Whether it may be answered; who may not learns nothing about what is there. */
static bool allow(segue_service *service, const segue_request *request,
                  const segue_parsed_request *call, bool understood, segue_response *reply)
{
    segue_response gate = {.status = 200};
    memcpy(gate.id, reply->id, sizeof gate.id);
    const bool any_host = service->auth.count > 0; /* else what is meant for this one */
    const bool open = understood && needs_no_token(call);
    reply->authorized = !open;
    if (request->own)
        return true;
    if (segue_auth_allow_origin(request, any_host, &gate) &&
        segue_auth_allow(&service->auth, request, open, segue_service_time(service), &gate))
        return true;
    gate.route = reply->route;
    gate.type = reply->type;
    if (gate.status == 401)
        count_refusal(service, request);
    segue_response_fini(reply);
    *reply = gate;
    return false;
}

bool segue_service_handle(segue_service *service, const segue_request *request,
                          segue_response *reply, segue_completion done, void *context)
{
    segue_parsed_request call;
    *reply = (segue_response){.status = 200, .type = "application/json"};
    (void)snprintf(reply->id, sizeof reply->id, "%s", request->id ? request->id : "");
    const bool understood = segue_routes_parse(request, &call, reply);
    const bool allowed = allow(service, request, &call, understood, reply) && understood;
    const answered_by by = allowed ? answer(service, request, &call, reply) : BY_NOW;
    const bool ready = by == BY_NOW || !enqueue(service, &call, by, reply, done, context);
    segue_request_fini(&call);
    if (ready && reply->body.failed)
        segue_response_fail(reply, 503, "out of memory for the response; retry later");
    return ready;
}

void segue_service_count_request(segue_service *service, const segue_response *reply,
                                 double seconds)
{
    segue_metrics_count(&service->metrics, reply->route, reply->status, seconds);
}

/* ---- and wait ---------------------------------------------------------------------------- */

typedef struct bell {
    pthread_mutex_t lock;
    pthread_cond_t rung;
    bool is_rung;
} bell;

static void ring(void *context)
{
    bell *b = context;
    (void)pthread_mutex_lock(&b->lock);
    b->is_rung = true;
    (void)pthread_cond_signal(&b->rung);
    (void)pthread_mutex_unlock(&b->lock);
}

void segue_service_handle_and_wait(segue_service *service, const segue_request *request,
                                   segue_response *reply)
{
    bell b = {.lock = PTHREAD_MUTEX_INITIALIZER, .rung = PTHREAD_COND_INITIALIZER};
    if (segue_service_handle(service, request, reply, ring, &b))
        return;
    if (!service->started)
        segue_service_run_pending(service);
    (void)pthread_mutex_lock(&b.lock);
    while (!b.is_rung)
        (void)pthread_cond_wait(&b.rung, &b.lock);
    (void)pthread_mutex_unlock(&b.lock);
    (void)pthread_mutex_destroy(&b.lock);
    (void)pthread_cond_destroy(&b.rung);
}
