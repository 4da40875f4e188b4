/* reads.c - requests that read much, a piece at a time: a learner, a task, a type or a version.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/jobs/reads.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/json_write.h"
#include "segue/internal.h"
#include "service/engine/damage.h"

#define TURN_SECONDS 0.005

/* ---- all learners ------------------------------------------------------------------------ */

static read_result list_learners(segue_service *service, op *o, segue_store *store)
{
    read_state *r = o->read;
    segue_bytes *b = &o->reply->body;
    (void)store;
    if (!r->begun) {
        r->begun = true;
        r->all = segue_service_learners(service, &r->n_all);
        if (!r->all) {
            segue_response_fail(o->reply, 503, "out of memory for the learners");
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

static read_result show_learner(segue_service *service, op *o, segue_store *store)
{
    read_state *r = o->read;
    (void)service;
    (void)store;
    if (!r->begun) {
        r->begun = true;
        if (!segue_response_copy_learner(o->live, &r->learner)) {
            o->reply->body.failed = true;
            return READ_DONE;
        }
    }
    return segue_response_learner_part(o->live, &r->learner, r->at++, &o->reply->body) ? READ_MORE
                                                                                       : READ_DONE;
}

static read_result show_history(segue_service *service, op *o, segue_store *store)
{
    (void)service;
    (void)store;
    segue_response_history(o->live, o->reply);
    return READ_DONE;
}

static read_result show_decisions(segue_service *service, op *o, segue_store *store)
{
    (void)service;
    (void)store;
    segue_response_decisions(o->live, o->reply);
    return READ_DONE;
}

static read_result end_versions(const read_state *r, segue_bytes *b)
{
    if (r->newest.number)
        segue_response_version(b, &r->newest, r->versions.count == 0);
    segue_json_write_raw(b, "]}");
    return READ_DONE;
}

static read_result show_versions(segue_service *service, op *o, segue_store *store)
{
    read_state *r = o->read;
    segue_bytes *b = &o->reply->body;
    (void)service;
    (void)store;
    if (!r->begun) {
        r->begun = true;
        segue_json_write_raw(b, "{\"versions\":[");
        b->failed = !segue_response_copy_history(o->live, &r->versions, &r->newest) || b->failed;
    }
    if (b->failed || r->at == r->versions.count)
        return end_versions(r, b);
    segue_response_version(b, &r->versions.entry[r->at], r->at == 0);
    r->at++;
    return READ_MORE;
}

/* ---- tasks ------------------------------------------------------------------------------- */

static bool make_room(read_state *r)
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

static segue_status on_task(void *context, const segue_stored_task *row, segue_error *err)
{
    read_state *r = context;
    const size_t key = r->keys.size;
    segue_bytes_append(&r->keys, row->key, strlen(row->key) + 1);
    if (r->keys.failed || !make_room(r))
        return segue_fail_no_memory(err, "a list of tasks");
    r->task[r->n_tasks++] = (listed_task){.row = *row, .key = key};
    return SEGUE_OK;
}

static segue_status read_tasks(op *o, segue_store *store, segue_error *err)
{
    const segue_store_task_filter which = o->call.open == 1   ? SEGUE_TASKS_NEWEST_OPEN
                                          : o->call.open == 0 ? SEGUE_TASKS_NEWEST_CLOSED
                                                              : SEGUE_TASKS_NEWEST;
    return segue_store_each_task(store, o->live->id, which, o->call.limit, on_task, o->read, err);
}

static read_result list_tasks(segue_service *service, op *o, segue_store *store)
{
    read_state *r = o->read;
    segue_bytes *b = &o->reply->body;
    segue_error err;
    if (!r->begun) {
        r->begun = true;
        segue_json_write_raw(b, "{\"tasks\":[");
        const segue_status status = read_tasks(o, store, &err);
        if (status != SEGUE_OK) {
            segue_damage_respond_failed(service, status, &err, o->reply);
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
    segue_response_listed_task(o->live, &row, o->call.explain, b);
    return READ_MORE;
}

static read_result show_task(segue_service *service, op *o, segue_store *store)
{
    segue_response_task(service, store, o->live, o->call.task, o->reply);
    return READ_DONE;
}

/* ---- which is which ---------------------------------------------------------------------- */

static read_result ask(segue_service *service, op *o, segue_store *store)
{
    (void)store;
    return segue_long_ask_turn(service, o);
}

typedef read_result piece_function(segue_service *service, op *o, segue_store *store);

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
    case ROUTE_TASKS:
        return list_tasks;
    case ROUTE_TASK:
        return show_task;
    default:
        return ask;
    }
}

/* Whether its learner is there, if it is about one. */
static bool find_learner(segue_service *service, op *o)
{
    if (o->live || o->call.route == ROUTE_LIST)
        return true;
    o->live = segue_service_find(service, o->call.learner);
    if (!o->live)
        segue_damage_respond_missing(service, o->call.learner, o->reply);
    return o->live != NULL;
}

static double steady_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

read_result segue_reads_turn(segue_service *service, op *o, segue_store *store)
{
    const double until = steady_now() + TURN_SECONDS;
    piece_function *piece = piece_of(o->call.route);
    read_result result = READ_MORE;
    if (!o->read)
        o->read = calloc(1, sizeof *o->read);
    if (!o->read) {
        segue_response_fail(o->reply, 503, "out of memory");
        return READ_DONE;
    }
    if (!find_learner(service, o))
        return READ_DONE;
    while (result == READ_MORE && steady_now() < until)
        result = piece(service, o, store);
    return result;
}

void segue_reads_fini(op *o)
{
    read_state *r = o->read;
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
    segue_long_ask_fini(o);
    free(r);
    o->read = NULL;
}
