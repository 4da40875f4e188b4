/* reads.c - requests that read much, in pieces: learners, versions, decisions, tasks.
 *
 * Threads of the read pool run them, each with its own connection.  A piece takes the learner's
 * lock at most for a copy.
 *
 * A request has one function that is called until it returns READ_DONE.  The first call copies or
 * reads what the response needs (`begun`), each later call writes one item.  `op->read` holds the
 * progress between turns, which may run on different threads, but never on two at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/jobs/reads.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/json_write.h"
#include "segue/internal.h"
#include "service/api/responses/response.h"
#include "service/engine/damage.h"

#define TURN_SECONDS 0.005

/* ---- all learners ------------------------------------------------------------------------ */

static read_result list_learners(segue_service *service, operation *op, segue_store *store)
{
    read_state *r = op->read;
    segue_bytes *b = &op->response->body;
    (void)store;
    if (!r->begun) {
        r->begun = true;
        r->all = segue_service_learners(service, &r->n_all);
        if (!r->all) {
            segue_response_fail(op->response, 503,
                                "out of memory for the list of learners; retry later");
            return READ_DONE;
        }
        segue_response_sort_learners(r->all, r->n_all);
        segue_json_write_raw(b, "{\"learners\":[");
    }
    if (r->at == r->n_all) {
        segue_damage_write_list(service, r->n_all > 0, b);
        segue_json_write_raw(b, "]}");
        return READ_DONE;
    }
    segue_json_write_raw(b, r->at > 0 ? "," : "");
    segue_response_list_item(r->all[r->at++], b);
    return READ_MORE;
}

/* ---- one learner ------------------------------------------------------------------------- */

static read_result show_learner(segue_service *service, operation *op, segue_store *store)
{
    read_state *r = op->read;
    (void)service;
    (void)store;
    if (!r->begun) {
        r->begun = true;
        if (!segue_response_copy_learner(op->state, &r->learner)) {
            op->response->body.failed = true;
            return READ_DONE;
        }
    }
    return segue_response_learner_part(op->state, &r->learner, r->at++, &op->response->body)
               ? READ_MORE
               : READ_DONE;
}

/* Short enough for one piece. */
static read_result show_history(segue_service *service, operation *op, segue_store *store)
{
    (void)service;
    (void)store;
    segue_response_history(op->state, op->response);
    return READ_DONE;
}

static read_result show_decisions(segue_service *service, operation *op, segue_store *store)
{
    (void)service;
    (void)store;
    segue_response_decisions(op->state, op->response);
    return READ_DONE;
}

static read_result show_shadow(segue_service *service, operation *op, segue_store *store)
{
    (void)service;
    (void)store;
    segue_response_shadow(op->state, op->response);
    return READ_DONE;
}

static read_result export_learner(segue_service *service, operation *op, segue_store *store)
{
    segue_response_export(service, store, op->state, op->response);
    return READ_DONE;
}

/* The newest version comes last, if the history does not have it. */
static read_result end_versions(const read_state *r, segue_bytes *b)
{
    if (r->newest.number)
        segue_response_version(b, &r->newest, r->versions.count == 0);
    segue_json_write_raw(b, "]}");
    return READ_DONE;
}

static read_result show_versions(segue_service *service, operation *op, segue_store *store)
{
    read_state *r = op->read;
    segue_bytes *b = &op->response->body;
    (void)service;
    (void)store;
    if (!r->begun) {
        r->begun = true;
        segue_json_write_raw(b, "{\"versions\":[");
        b->failed = !segue_response_copy_history(op->state, &r->versions, &r->newest) || b->failed;
    }
    if (b->failed || r->at == r->versions.count)
        return end_versions(r, b);
    segue_response_version(b, &r->versions.entry[r->at], r->at == 0);
    r->at++;
    return READ_MORE;
}

/* ---- tasks ------------------------------------------------------------------------------- */

/* Allocate for one more task. */
static bool grow(read_state *r)
{
    if (r->n_tasks < r->capacity)
        return true;
    const size_t capacity = r->capacity ? 2 * r->capacity : 64;
    listed_task *task = realloc(r->task, capacity * sizeof *task);
    if (!task)
        return false;
    r->task = task;
    r->capacity = capacity;
    return true;
}

/* Keys go to one block, by offset: the block moves as it grows. */
static segue_status add_task(read_state *r, const segue_stored_task *row, segue_error *err)
{
    const size_t key = r->keys.size;
    segue_bytes_append(&r->keys, row->key, strlen(row->key) + 1);
    if (r->keys.failed || !grow(r))
        return segue_fail_no_memory(err, "a list of tasks");
    r->task[r->n_tasks++] = (listed_task){.row = *row, .key = key};
    return SEGUE_OK;
}

/* Read all rows at once: a cursor must not stay open between turns. */
static segue_status read_tasks(operation *op, segue_store *store, segue_error *err)
{
    const segue_query query = {.kind = op->request.open == 1   ? SEGUE_QUERY_NEWEST_OPEN_TASKS
                                       : op->request.open == 0 ? SEGUE_QUERY_NEWEST_CLOSED_TASKS
                                                               : SEGUE_QUERY_NEWEST_TASKS,
                               .id = op->state->id,
                               .number = op->request.limit};
    segue_rows rows;
    segue_stored_task row;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, store, &query, err);
    while (status == SEGUE_OK && segue_rows_next_task(&rows, &row))
        status = add_task(op->read, &row, err);
    return segue_rows_close(&rows, status);
}

static read_result list_tasks(segue_service *service, operation *op, segue_store *store)
{
    read_state *r = op->read;
    segue_bytes *b = &op->response->body;
    segue_error err;
    if (!r->begun) {
        r->begun = true;
        segue_json_write_raw(b, "{\"tasks\":[");
        const segue_status status = read_tasks(op, store, &err);
        if (status != SEGUE_OK) {
            segue_damage_respond_failed(service, status, &err, op->response);
            return READ_DONE;
        }
    }
    if (r->at == r->n_tasks || b->failed) {
        segue_json_write_raw(b, "]}");
        return READ_DONE;
    }
    segue_stored_task row = r->task[r->at].row;
    row.key = (const char *)r->keys.data + r->task[r->at].key;
    segue_json_write_raw(b, r->at++ > 0 ? "," : "");
    segue_response_listed_task(op->state, &row, op->request.explain, b);
    return READ_MORE;
}

static read_result show_task(segue_service *service, operation *op, segue_store *store)
{
    segue_response_task(service, store, op->state, op->request.task, op->response);
    return READ_DONE;
}

const operation_kind op_read = {.name = "read"};

/* ---- all reads --------------------------------------------------------------------------- */

static read_result ask(segue_service *service, operation *op, segue_store *store)
{
    (void)store;
    return segue_long_ask_turn(service, op);
}

typedef read_result piece_function(segue_service *service, operation *op, segue_store *store);

static piece_function *piece_of(segue_route route)
{
    switch (route) {
    case ROUTE_LIST:
        return list_learners;
    case ROUTE_INSPECT:
        return show_learner;
    case ROUTE_HISTORY:
        return show_history;
    case ROUTE_VERSIONS:
        return show_versions;
    case ROUTE_DECISIONS:
        return show_decisions;
    case ROUTE_SHADOW:
        return show_shadow;
    case ROUTE_EXPORT:
        return export_learner;
    case ROUTE_TASKS:
        return list_tasks;
    case ROUTE_TASK:
        return show_task;
    default:
        return ask;
    }
}

/* Find the learner of a request that names one; false: the response says that there is none. */
static bool find_learner(segue_service *service, operation *op)
{
    if (op->state || op->request.route == ROUTE_LIST)
        return true;
    op->state = segue_service_find(service, op->request.learner);
    if (!op->state)
        segue_damage_respond_missing(service, op->request.learner, op->response);
    return op->state != NULL;
}

static double steady_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A turn ends after TURN_SECONDS, so that short reads do not wait for long ones. */
read_result segue_reads_turn(segue_service *service, operation *op, segue_store *store)
{
    const double until = steady_now() + TURN_SECONDS;
    piece_function *piece = piece_of(op->request.route);
    read_result result = READ_MORE;
    if (!op->read)
        op->read = calloc(1, sizeof *op->read);
    if (!op->read) {
        segue_response_fail(op->response, 503, "out of memory");
        return READ_DONE;
    }
    if (!find_learner(service, op))
        return READ_DONE;
    while (result == READ_MORE && steady_now() < until)
        result = piece(service, op, store);
    return result;
}

void segue_reads_fini(operation *op)
{
    read_state *r = op->read;
    if (!r)
        return;
    for (size_t i = 0; i < r->n_all; i++)
        segue_learner_state_release(r->all[i]);
    free(r->all);
    free(r->task);
    segue_bytes_fini(&r->keys);
    segue_response_view_fini(&r->learner);
    segue_model_history_fini(&r->versions);
    segue_model_history_version_fini(&r->newest);
    segue_long_ask_fini(op);
    free(r);
    op->read = NULL;
}
