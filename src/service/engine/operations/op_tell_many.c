/* op_tell_many.c - store up to 1,000 rewards of one request, each with its own result.
 *
 *   validate  allocate a result per reward                    any thread, no lock
 *   dequeue   put one op_tell per reward after this
 *             operation, into the same transaction            writer, before BEGIN
 *   store     nothing: the tells do it                        writer, in the transaction
 *
 * Each reward is an op_tell, as if it had come alone, in the order of the list.  The last one to end
 * writes the response.  The operation is alone in its transaction, so that the tells of one request
 * at a time are in memory.  A reward that is wrong is rejected, and the others count.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "io/json_write.h"
#include "service/api/responses/response.h"
#include "service/engine/operation.h"
#include "service/engine/service_internal.h"

/* The results of the tells; owned by the operation until it is dequeued, then by the tells.  Only
 * the writer uses it then. */
typedef struct tell_list {
    segue_response *response; /* of the request, with what tells the client */
    segue_completion done;
    void *context;
    size_t count;
    size_t pending;          /* tells that have not ended, and `dequeue` while it creates them */
    segue_response result[]; /* count */
} tell_list;

static void free_list(tell_list *list)
{
    for (size_t i = 0; list && i < list->count; i++)
        segue_response_fini(&list->result[i]);
    free(list);
}

/* ---- the response ------------------------------------------------------------------------ */

/* The body of a result begins with a brace. */
static void write_result(const segue_response *result, segue_bytes *b)
{
    if (result->status < 400) {
        segue_bytes_append(b, result->body.data, result->body.size);
        return;
    }
    segue_json_write_raw(b, "{\"status\":\"rejected\"");
    segue_json_write_integer(b, "http_status", (uint64_t)result->status);
    segue_json_write_raw(b, ",");
    segue_bytes_append(b, (const char *)result->body.data + 1, result->body.size - 1);
}

static void write_results(const tell_list *list, segue_bytes *b)
{
    segue_json_write_raw(b, "{\"results\":[");
    for (size_t i = 0; i < list->count; i++) {
        segue_json_write_raw(b, i > 0 ? "," : "");
        write_result(&list->result[i], b);
    }
    segue_json_write_raw(b, "]}");
}

/* Nothing could be stored: the response is that of each reward, so that a client retries. */
static bool is_unavailable(const tell_list *list)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->result[i].status == 503;
    return count == list->count;
}

/* A result that memory ran out for is not known to the client, which repeats the request. */
static bool lacks_memory(const tell_list *list)
{
    bool lacks = false;
    for (size_t i = 0; i < list->count; i++)
        lacks = lacks || list->result[i].body.failed || list->result[i].body.size == 0;
    return lacks;
}

/* The learner was resigned while the request waited. */
static bool is_elsewhere(const tell_list *list)
{
    bool elsewhere = false;
    for (size_t i = 0; i < list->count; i++)
        elsewhere = elsewhere || list->result[i].is_elsewhere;
    return elsewhere;
}

static void respond(tell_list *list)
{
    segue_response *response = list->response;
    if (is_elsewhere(list)) {
        segue_response_elsewhere(response);
    } else if (lacks_memory(list)) {
        segue_response_fail(response, 503, "out of memory for the results; repeat the request");
    } else if (is_unavailable(list)) {
        response->status = 503;
        response->retry = list->result[0].retry;
        segue_bytes_append(&response->body, list->result[0].body.data, list->result[0].body.size);
    } else {
        write_results(list, &response->body);
    }
    const segue_completion done = list->done;
    void *context = list->context;
    free_list(list);
    if (done)
        done(context);
}

/* A tell has ended. */
static void end_one(void *context)
{
    tell_list *list = context;
    if (--list->pending == 0)
        respond(list);
}

/* ---- the tells --------------------------------------------------------------------------- */

static bool validate(segue_service *service, operation *op)
{
    const size_t count = json_array_size(op->request.rewards);
    (void)service;
    tell_list *list = calloc(1, sizeof *list + count * sizeof *list->result);
    if (!list) {
        segue_response_fail(op->response, 503, "out of memory for the rewards; retry later");
        return false;
    }
    list->count = count;
    op->tell_list = list;
    return true;
}

/* Create the tell of one reward; NULL: its result says why not. */
static operation *create_tell(segue_service *service, json_t *item, segue_response *result)
{
    segue_error why;
    operation *op = segue_operation_create(&op_tell);
    if (!op) {
        segue_response_fail(result, 503, "out of memory for a reward; retry later");
        return NULL;
    }
    op->response = result;
    if (segue_request_read_reward(item, &op->request, &why) != SEGUE_OK)
        segue_response_fail(result, 400, "%s", why.message);
    else if (op_tell.validate(service, op))
        return op;
    segue_operation_destroy(op);
    return NULL;
}

/* Create the tells of a list as a linked list, before `rest`. */
static operation *create_tells(segue_service *service, json_t *rewards, tell_list *list,
                               operation *rest)
{
    operation *first = NULL, **end = &first;
    for (size_t i = 0; i < list->count; i++) {
        segue_response *result = &list->result[i];
        *result = (segue_response){.status = 200, .is_absent = list->response->is_absent};
        memcpy(result->id, list->response->id, sizeof result->id);
        *end = create_tell(service, json_array_get(rewards, i), result);
        if (!*end)
            continue;
        (*end)->done = end_one;
        (*end)->context = list;
        list->pending++;
        end = &(*end)->next;
    }
    *end = rest;
    return first;
}

/* From here on the list responds, not the operation. */
static void dequeue(segue_service *service, operation *op)
{
    tell_list *list = op->tell_list;
    if (!list)
        return;
    list->response = op->response;
    list->done = op->done;
    list->context = op->context;
    op->tell_list = NULL;
    op->response = NULL;
    op->done = NULL;
    list->pending = 1;
    op->next = create_tells(service, op->request.rewards, list, op->next);
    end_one(list);
}

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    (void)service;
    (void)err;
    op->result = OP_RESPONDED;
    return SEGUE_OK;
}

static void fini(operation *op)
{
    free_list(op->tell_list);
}

const operation_kind op_tell_many = {.name = "tell many",
                                     .validate = validate,
                                     .dequeue = dequeue,
                                     .store = store,
                                     .fini = fini,
                                     .is_alone = true};
