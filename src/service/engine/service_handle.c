/* service_handle.c - handle one request: parse it, authorize it, and respond or queue it.
 *
 * Any thread handles requests.  A short request gets its response at once.  A long read or ask goes
 * to the read pool, a change to the commit queue; then another thread completes it and calls
 * `done`.
 *
 * A request is parsed before it is authorized, because the route says if it needs a token; a
 * rejected request gets only the rejection, whatever parsing found.  The operation owns the parsed
 * request from `enqueue` on.  No lock is held here, except inside the functions that are called.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "io/json_write.h"
#include "service/cluster/cluster.h"
#include "service/engine/commit_queue.h"
#include "service/engine/damage.h"
#include "service/engine/decide.h"
#include "service/engine/service_internal.h"
#include "service/jobs/read_pool.h"
#include "service/jobs/timer.h"

/* ---- short requests ---------------------------------------------------------------------- */

/* Ready; some conditions need attention all the same. */
static void respond_is_ready(segue_service *service, segue_response *response)
{
    const unsigned long long damaged = segue_damage_count(service);
    segue_json_write_raw(&response->body, "{\"status\":\"ready\"");
    segue_json_write_text(&response->body, "durability",
                          segue_store_durability_name(segue_store_durability(service->store)));
    if (atomic_load(&service->wal_large))
        segue_json_write_text(
            &response->body, "warning",
            "the WAL is large: a reader or a failing disk keeps it from being emptied");
    if (damaged > 0)
        segue_json_write_integer(&response->body, "damaged", damaged);
    if (service->cluster)
        segue_cluster_write_ready(service->cluster, &response->body);
    segue_json_write_raw(&response->body, "}");
}

static void respond_ready(segue_service *service, segue_response *response)
{
    if (segue_service_needs_restart(service))
        segue_response_fail(response, 503, "the service failed, restart it: %s", service->why);
    else if (atomic_load(&service->store_unwritable))
        segue_response_fail(
            response, 503, "the store cannot be written now; check the disk, requests are retried");
    else if (service->cluster && !segue_router_is_trusted(service->cluster))
        segue_response_fail(response, 503,
                            "this server has no session in the store now; check the database");
    else
        respond_is_ready(service, response);
}

/* As /readyz says. */
static bool is_ready(const segue_service *service)
{
    const bool has_session = !service->cluster || segue_router_is_trusted(service->cluster);
    return !segue_service_needs_restart(service) && !atomic_load(&service->store_unwritable) &&
           has_session;
}

static void respond_metrics(segue_service *service, segue_response *response)
{
    segue_wal_info wal;
    segue_store_wal_info(service->store, &wal);
    const segue_gauges now = {.open_tasks = atomic_load(&service->open_tasks),
                              .unstored = atomic_load(&service->unstored),
                              .queued = segue_commit_queue_length(&service->queue),
                              .wal_bytes = wal.file_size,
                              .ready = is_ready(service),
                              .audit_fails = atomic_load(&service->audit_fails)};
    segue_metrics_write(&service->metrics, &now, &response->body);
    segue_damage_write_metric(service, &response->body);
    segue_metrics_write_memory(&service->memory, segue_read_pool_length(&service->pool),
                               &response->body);
    if (service->cluster)
        segue_cluster_write_metrics(service->cluster, &response->body);
    segue_metrics_write_process(service->started_at, &response->body);
    if (segue_metrics_write_learners(service, &response->body))
        response->type = "text/plain; version=0.0.4";
    else
        segue_response_fail(response, 503, "out of memory for the list of learners; retry later");
}

/* A browser that has the page, in the form that it takes, gets 304 if it is unchanged. */
static void respond_page(const segue_request *request, const segue_static_file *file,
                         segue_response *response)
{
    const segue_static_file *page = segue_static_files_choose(file, request->accept_encoding);
    response->type = page->type;
    response->page = page;
    if (request->if_none_match && strstr(request->if_none_match, page->etag))
        response->status = 304;
}

/* Which part of the service responds to a request: this thread at once, the read pool, or the
 * writer after the commit queue. */
typedef enum respond_by { AT_ONCE, BY_POOL, BY_QUEUE } respond_by;

/* Ask an open task: that changes nothing on the disk. */
static respond_by ask(segue_service *service, const segue_parsed_request *parsed,
                      segue_response *response)
{
    if (parsed->tells || parsed->event_id[0])
        return BY_QUEUE;
    learner_state *state = segue_service_find(service, parsed->learner);
    if (!state) {
        segue_damage_respond_missing(service, parsed->learner, response);
        return AT_ONCE;
    }
    const ask_outcome outcome = segue_decide_ask(service, state, parsed, NULL, response);
    segue_learner_state_release(state);
    return outcome == ASK_RESPONDED ? AT_ONCE : outcome == ASK_IS_LONG ? BY_POOL : BY_QUEUE;
}

/* Respond to a short request. */
static respond_by respond(segue_service *service, const segue_request *request,
                          const segue_parsed_request *parsed, segue_response *response)
{
    switch (parsed->route) {
    case ROUTE_PAGE:
        respond_page(request, parsed->page, response);
        return AT_ONCE;
    case ROUTE_HEALTH:
        segue_json_write_raw(&response->body, "{\"status\":\"ok\"}");
        return AT_ONCE;
    case ROUTE_READY:
        respond_ready(service, response);
        return AT_ONCE;
    case ROUTE_METRICS:
        respond_metrics(service, response);
        return AT_ONCE;
    case ROUTE_LIST:
    case ROUTE_INSPECT:
    case ROUTE_HISTORY:
    case ROUTE_VERSIONS:
    case ROUTE_DECISIONS:
    case ROUTE_SHADOW:
    case ROUTE_EXPORT:
    case ROUTE_TASKS:
    case ROUTE_TASK:
        return BY_POOL;
    case ROUTE_ASK:
        return ask(service, parsed, response);
    default:
        return BY_QUEUE;
    }
}

/* ---- queued requests --------------------------------------------------------------------- */

/* The operation that a request becomes.  Reads and asks of the pool are never stored. */
static operation *create_operation(const segue_parsed_request *parsed)
{
    static const operation_kind *const kinds[N_ROUTES] = {[ROUTE_CREATE] = &op_create_learner,
                                                          [ROUTE_CHANGE] = &op_change_learner,
                                                          [ROUTE_DELETE] = &op_delete_learner,
                                                          [ROUTE_ADD_ARM] = &op_add_arm,
                                                          [ROUTE_RETIRE_ARM] = &op_retire_arm,
                                                          [ROUTE_MERGE] = &op_merge,
                                                          [ROUTE_RESUME] = &op_resume_transfer,
                                                          [ROUTE_OPEN] = &op_open,
                                                          [ROUTE_CLOSE] = &op_close,
                                                          [ROUTE_ERASE] = &op_erase,
                                                          [ROUTE_TELL] = &op_tell,
                                                          [ROUTE_ASK] = &op_ask};
    const bool tells_many = parsed->route == ROUTE_TELL && parsed->rewards;
    const bool tells_first = parsed->route == ROUTE_ASK && parsed->tells;
    const operation_kind *kind = kinds[parsed->route] ? kinds[parsed->route] : &op_read;
    operation *op = segue_operation_create(tells_first  ? &op_tell
                                           : tells_many ? &op_tell_many
                                                        : kind);
    if (op && tells_first)
        op->follow_up = &op_ask;
    return op;
}

static bool push(segue_service *service, operation *op, respond_by by, segue_response *response)
{
    if (by == BY_POOL) {
        if (segue_read_pool_push(service, op))
            return true;
        segue_response_busy(response);
        return false;
    }
    if (op->kind->validate && !op->kind->validate(service, op))
        return false;
    if (segue_commit_queue_push(&service->queue, op, false))
        return true;
    segue_response_fail(response, 503, "the service is shutting down; retry later");
    return false;
}

/* Make an operation of a request, which it then owns, and queue it.  False: the response says why
 * not. */
static bool enqueue(segue_service *service, segue_parsed_request *parsed, respond_by by,
                    segue_response *response, segue_completion done, void *context)
{
    operation *op = create_operation(parsed);
    if (!op) {
        segue_response_fail(response, 503, "out of memory");
        return false;
    }
    op->request = *parsed;
    *parsed = (segue_parsed_request){.route = parsed->route};
    op->response = response;
    op->done = done;
    op->context = context;
    if (push(service, op, by, response))
        return true;
    segue_operation_destroy(op);
    return false;
}

/* ---- authorization ----------------------------------------------------------------------- */

/* The right that a request needs.  One that is not valid needs a token, whatever its route. */
static segue_right needed_right(segue_route route, bool is_valid)
{
    const segue_right needed = segue_route_right(route);
    return needed == RIGHT_NONE && !is_valid ? RIGHT_READ : needed;
}

static void count_rejection(segue_service *service, const segue_request *request)
{
    (void)atomic_fetch_add(&service->metrics.refused, 1);
    segue_auth_count_rejected(&service->auth, request->address);
    segue_timer_report_rejections(service);
}

/* Copy the learner's name for the audit log: the operation will own the request. */
static void name_learner(const segue_parsed_request *parsed, segue_response *response)
{
    (void)snprintf(response->learner, sizeof response->learner, "%s",
                   parsed->route == ROUTE_CREATE ? parsed->settings.name : parsed->learner);
}

/* Check origin, token and right.  A rejected request learns nothing about what exists. */
static bool allow(segue_service *service, const segue_request *request, segue_right needed,
                  segue_response *response)
{
    segue_response gate = {.status = 200};
    memcpy(gate.id, response->id, sizeof gate.id);
    memcpy(gate.learner, response->learner, sizeof gate.learner);
    const bool any_host = service->config.token_file; /* else only localhost */
    response->authorized = needed != RIGHT_NONE;
    if (request->own || request->is_allowed)
        return true;
    if (segue_auth_allow_origin(request, any_host, &gate) &&
        segue_auth_allow(&service->auth, request, needed, segue_service_time(service), &gate)) {
        memcpy(response->caller, gate.caller, sizeof response->caller);
        return true;
    }
    gate.route = response->route;
    gate.type = response->type;
    if (gate.status == 401)
        count_rejection(service, request);
    segue_response_fini(response);
    *response = gate;
    return false;
}

bool segue_service_has_right(segue_service *service, const char *authorization, segue_right needed)
{
    return segue_auth_has_right(&service->auth, authorization, needed);
}

segue_status segue_service_reload_tokens(segue_service *service, segue_error *err)
{
    size_t count = 0;
    SEGUE_TRY(segue_auth_reload(&service->auth, &count, err));
    if (count > 0)
        segue_service_report(service, "the tokens have changed; %zu %s valid now", count,
                             count == 1 ? "is" : "are");
    return SEGUE_OK;
}

bool segue_service_dispatch(segue_service *service, const segue_request *request,
                            segue_parsed_request *parsed, segue_response *response,
                            segue_completion done, void *context)
{
    const respond_by by = respond(service, request, parsed, response);
    return by == AT_ONCE || !enqueue(service, parsed, by, response, done, context);
}

bool segue_service_answer(segue_service *service, const segue_request *request,
                          segue_response *response, segue_completion done, void *context)
{
    segue_parsed_request parsed;
    const bool ready = !segue_routes_parse(request, &parsed, response) ||
                       segue_service_dispatch(service, request, &parsed, response, done, context);
    segue_request_fini(&parsed);
    return ready;
}

/* Respond to an allowed request, or queue it; here, or on another server of the store. */
static bool handle(segue_service *service, const segue_request *request,
                   segue_parsed_request *parsed, segue_response *response, segue_completion done,
                   void *context)
{
    return service->cluster
               ? segue_router_handle(service->cluster, request, parsed, response, done, context)
               : segue_service_dispatch(service, request, parsed, response, done, context);
}

bool segue_service_handle(segue_service *service, const segue_request *request,
                          segue_response *response, segue_completion done, void *context)
{
    segue_parsed_request parsed;
    *response = (segue_response){.status = 200, .type = "application/json"};
    (void)snprintf(response->id, sizeof response->id, "%s", request->id ? request->id : "");
    const bool is_valid = segue_routes_parse(request, &parsed, response);
    const segue_right needed = needed_right(response->route, is_valid);
    if (needed == RIGHT_ADMIN)
        name_learner(&parsed, response);
    const bool allowed =
        allow(service, request, needed, response) && is_valid &&
        (needed < RIGHT_ADMIN || request->own || segue_service_can_audit(service, response));
    const bool ready = !allowed || handle(service, request, &parsed, response, done, context);
    segue_request_fini(&parsed);
    if (ready && response->body.failed)
        segue_response_fail(response, 503, "out of memory for the response; retry later");
    return ready;
}

void segue_service_count_request(segue_service *service, const segue_response *response,
                                 double seconds)
{
    segue_metrics_count(&service->metrics, response->route, response->status, seconds);
}

/* ---- waiting for a response -------------------------------------------------------------- */

typedef struct completion {
    pthread_mutex_t lock;
    pthread_cond_t completed;
    bool is_complete; /* guarded by lock */
} completion;

static void complete(void *context)
{
    completion *b = context;
    (void)pthread_mutex_lock(&b->lock);
    b->is_complete = true;
    (void)pthread_cond_signal(&b->completed);
    (void)pthread_mutex_unlock(&b->lock);
}

void segue_service_handle_and_wait(segue_service *service, const segue_request *request,
                                   segue_response *response)
{
    completion b = {.lock = PTHREAD_MUTEX_INITIALIZER, .completed = PTHREAD_COND_INITIALIZER};
    if (segue_service_handle(service, request, response, complete, &b))
        return;
    if (!service->started)
        segue_service_run_pending(service);
    (void)pthread_mutex_lock(&b.lock);
    while (!b.is_complete)
        (void)pthread_cond_wait(&b.completed, &b.lock);
    (void)pthread_mutex_unlock(&b.lock);
    (void)pthread_mutex_destroy(&b.lock);
    (void)pthread_cond_destroy(&b.completed);
}
