/* handle.c - one request: who may ask, what is asked, and who answers it.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>

#include "serve/damage.h"
#include "serve/inside.h"
#include "serve/out.h"

/* ---- answered at once -------------------------------------------------------------------- */

/* It is, but perhaps not for all learners. */
static void answer_is_ready(segue_service *service, segue_reply *reply)
{
    const unsigned long long damaged = segue_damage_count(service);
    segue_out(&reply->body, "{\"status\":\"ready\"");
    if (damaged > 0)
        segue_out_whole(&reply->body, "damaged", damaged);
    segue_out(&reply->body, "}");
}

static void answer_ready(segue_service *service, segue_reply *reply)
{
    if (segue_service_is_broken(service))
        segue_reply_fail(reply, 503, "the service must be started again: %s", service->why);
    else if (atomic_load(&service->failing))
        segue_reply_fail(reply, 503, "the store cannot be written to just now");
    else
        answer_is_ready(service, reply);
}

/* As /readyz tells. */
static bool is_ready(const segue_service *service)
{
    return !segue_service_is_broken(service) && !atomic_load(&service->failing);
}

static void answer_metrics(segue_service *service, segue_reply *reply)
{
    reply->type = "text/plain; version=0.0.4";
    segue_metrics_write(&service->metrics, atomic_load(&service->open_tasks),
                        segue_queue_length(&service->queue), is_ready(service), &reply->body);
    segue_damage_write_metric(service, &reply->body);
}

/* A browser that has it asks whether it is still the same. */
static void answer_page(const segue_request *request, const segue_page *page, segue_reply *reply)
{
    reply->type = page->type;
    reply->page = page;
    if (request->if_none_match && strstr(request->if_none_match, page->etag))
        reply->status = 304;
}

/* What is about one learner, and only looks. */
static void look(segue_service *service, const segue_call *call, segue_reply *reply)
{
    live_learner *live = segue_service_find(service, call->learner);
    if (!live)
        segue_damage_answer_missing(service, call->learner, reply);
    else if (call->route == ROUTE_INSPECT)
        segue_answer_learner(live, 200, reply);
    else if (call->route == ROUTE_HISTORY)
        segue_answer_history(live, reply);
    else if (call->route == ROUTE_VERSIONS)
        segue_answer_versions(live, reply);
    else if (call->route == ROUTE_DECISIONS)
        segue_answer_decisions(live, reply);
    else if (call->route == ROUTE_TASKS)
        segue_answer_tasks(service, live, call, reply);
    else
        segue_answer_task(service, live, call->task, reply);
    segue_live_release(live);
}

/* Ask a task that is open, which changes nothing on the disk; false: it takes more. */
static bool ask(segue_service *service, const segue_call *call, segue_reply *reply)
{
    if (call->tells || call->event[0])
        return false;
    live_learner *live = segue_service_find(service, call->learner);
    if (!live) {
        segue_damage_answer_missing(service, call->learner, reply);
        return true;
    }
    const bool is_open = segue_ask_now(service, live, call, NULL, reply);
    segue_live_release(live);
    return is_open;
}

/* Whether the call is answered. */
static bool answer(segue_service *service, const segue_request *request, const segue_call *call,
                   segue_reply *reply)
{
    switch (call->route) {
    case ROUTE_PAGE:
        answer_page(request, call->page, reply);
        return true;
    case ROUTE_HEALTH:
        segue_out(&reply->body, "{\"status\":\"ok\"}");
        return true;
    case ROUTE_READY:
        answer_ready(service, reply);
        return true;
    case ROUTE_METRICS:
        answer_metrics(service, reply);
        return true;
    case ROUTE_LIST:
        segue_answer_list(service, reply);
        return true;
    case ROUTE_INSPECT:
    case ROUTE_HISTORY:
    case ROUTE_VERSIONS:
    case ROUTE_DECISIONS:
    case ROUTE_TASKS:
    case ROUTE_TASK:
        look(service, call, reply);
        return true;
    case ROUTE_ASK:
        return ask(service, call, reply);
    default:
        return false;
    }
}

/* ---- put into the queue ------------------------------------------------------------------ */

static op_kind kind_of(const segue_call *call)
{
    switch (call->route) {
    case ROUTE_CREATE:
        return OP_CREATE;
    case ROUTE_DELETE:
        return OP_DELETE;
    case ROUTE_ADD_ARM:
        return OP_ADD_ARM;
    case ROUTE_RETIRE_ARM:
        return OP_RETIRE_ARM;
    case ROUTE_OPEN:
        return OP_OPEN;
    case ROUTE_CLOSE:
        return OP_CLOSE;
    default:
        return call->tells ? OP_TELL : OP_ASK;
    }
}

/* What can be checked before it waits. */
static bool prepare(segue_service *service, op *o, segue_reply *reply)
{
    segue_error err;
    if (o->call.tells && !segue_decision_read(&o->decision, service->key, o->call.decision)) {
        segue_reply_fail(reply, 400, "'decision' is not an id that this service gave");
        return false;
    }
    if (o->kind == OP_CREATE &&
        segue_words_learner(&o->call.words, &o->learner, &err) != SEGUE_OK) {
        segue_reply_because(reply, &err);
        return false;
    }
    return true;
}

/* The call becomes the operation's; false: the reply is ready, it could not be put there. */
static bool enqueue(segue_service *service, segue_call *call, segue_reply *reply, segue_done done,
                    void *context)
{
    op *o = segue_op_create(kind_of(call));
    if (!o) {
        segue_reply_fail(reply, 503, "out of memory");
        return false;
    }
    o->call = *call;
    *call = (segue_call){.route = call->route};
    o->reply = reply;
    o->done = done;
    o->context = context;
    if (prepare(service, o, reply)) {
        if (segue_queue_put(&service->queue, o, false))
            return true;
        segue_reply_fail(reply, 503, "the service is about to end");
    }
    segue_op_destroy(o);
    return false;
}

/* ---- all --------------------------------------------------------------------------------- */

static bool needs_no_token(const segue_call *call)
{
    return call->route == ROUTE_HEALTH || call->route == ROUTE_READY || call->route == ROUTE_PAGE;
}

/* Whether it may be answered; who may not learns nothing about what is there. */
static bool allow(segue_service *service, const segue_request *request, const segue_call *call,
                  bool understood, segue_reply *reply)
{
    segue_reply gate = {.status = 200};
    memcpy(gate.id, reply->id, sizeof gate.id);
    const bool any_host = service->tokens.count > 0; /* else what is meant for this one */
    const bool open = understood && needs_no_token(call);
    if (request->own)
        return true;
    if (segue_origin_allow(request, any_host, &gate) &&
        segue_tokens_allow(&service->tokens, request, open, segue_service_now(service), &gate))
        return true;
    gate.route = reply->route;
    gate.type = reply->type;
    segue_reply_fini(reply);
    *reply = gate;
    return false;
}

bool segue_service_handle(segue_service *service, const segue_request *request, segue_reply *reply,
                          segue_done done, void *context)
{
    segue_call call;
    *reply = (segue_reply){.status = 200, .type = "application/json"};
    (void)snprintf(reply->id, sizeof reply->id, "%s", request->id ? request->id : "");
    const bool understood = segue_route_read(request, &call, reply);
    bool ready = !allow(service, request, &call, understood, reply) || !understood ||
                 answer(service, request, &call, reply);
    if (!ready)
        ready = !enqueue(service, &call, reply, done, context);
    segue_call_fini(&call);
    if (ready && reply->body.failed)
        segue_reply_fail(reply, 503, "out of memory for the answer");
    return ready;
}

void segue_service_count(segue_service *service, const segue_reply *reply, double seconds)
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

void segue_service_call(segue_service *service, const segue_request *request, segue_reply *reply)
{
    bell b = {.lock = PTHREAD_MUTEX_INITIALIZER, .rung = PTHREAD_COND_INITIALIZER};
    if (segue_service_handle(service, request, reply, ring, &b))
        return;
    if (!service->started)
        segue_service_turn(service);
    (void)pthread_mutex_lock(&b.lock);
    while (!b.is_rung)
        (void)pthread_cond_wait(&b.rung, &b.lock);
    (void)pthread_mutex_unlock(&b.lock);
    (void)pthread_mutex_destroy(&b.lock);
    (void)pthread_cond_destroy(&b.rung);
}
