/* reads.c - requests that read much, a piece at a time: a learner, a task, a type or a version.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "serve/reads.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "serve/damage.h"
#include "serve/out.h"

#define TURN_SECONDS 0.005

/* ---- all learners ------------------------------------------------------------------------ */

static read_result list_learners(segue_service *service, op *o, segue_store *store)
{
    read_state *r = o->read;
    bytes *b = &o->reply->body;
    (void)store;
    if (!r->begun) {
        r->begun = true;
        r->all = segue_service_all(service, &r->n_all);
        if (!r->all) {
            segue_reply_fail(o->reply, 503, "out of memory for the learners");
            return READ_DONE;
        }
        segue_sort_learners(r->all, r->n_all);
        segue_out(b, "{\"learners\":[");
    }
    if (r->at == r->n_all) {
        segue_damage_write_lines(service, r->n_all > 0, b);
        segue_out(b, "]}");
        return READ_DONE;
    }
    segue_out(b, r->at > 0 ? "," : "");
    segue_answer_line(r->all[r->at++], b);
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
        if (!segue_show_learner(o->live, &r->learner)) {
            o->reply->body.failed = true;
            return READ_DONE;
        }
    }
    return segue_answer_part(o->live, &r->learner, r->at++, &o->reply->body) ? READ_MORE
                                                                             : READ_DONE;
}

static read_result show_history(segue_service *service, op *o, segue_store *store)
{
    (void)service;
    (void)store;
    segue_answer_history(o->live, o->reply);
    return READ_DONE;
}

static read_result show_decisions(segue_service *service, op *o, segue_store *store)
{
    (void)service;
    (void)store;
    segue_answer_decisions(o->live, o->reply);
    return READ_DONE;
}

static read_result end_versions(const read_state *r, bytes *b)
{
    if (r->newest.number)
        segue_answer_version(b, &r->newest, r->versions.count == 0);
    segue_out(b, "]}");
    return READ_DONE;
}

static read_result show_versions(segue_service *service, op *o, segue_store *store)
{
    read_state *r = o->read;
    bytes *b = &o->reply->body;
    (void)service;
    (void)store;
    if (!r->begun) {
        r->begun = true;
        segue_out(b, "{\"versions\":[");
        b->failed = !segue_copy_versions(o->live, &r->versions, &r->newest) || b->failed;
    }
    if (b->failed || r->at == r->versions.count)
        return end_versions(r, b);
    segue_answer_version(b, &r->versions.entry[r->at], r->at == 0);
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
    segue_bytes_put(&r->keys, row->key, strlen(row->key) + 1);
    if (r->keys.failed || !make_room(r))
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a list of tasks");
    r->task[r->n_tasks++] = (listed_task){.row = *row, .key = key};
    return SEGUE_OK;
}

static segue_status read_tasks(op *o, segue_store *store, segue_error *err)
{
    const segue_tasks_which which = o->call.open == 1   ? SEGUE_TASKS_NEWEST_OPEN
                                    : o->call.open == 0 ? SEGUE_TASKS_NEWEST_CLOSED
                                                        : SEGUE_TASKS_NEWEST;
    return segue_store_tasks(store, o->live->id, which, o->call.limit, on_task, o->read, err);
}

static read_result list_tasks(segue_service *service, op *o, segue_store *store)
{
    read_state *r = o->read;
    bytes *b = &o->reply->body;
    segue_error err;
    if (!r->begun) {
        r->begun = true;
        segue_out(b, "{\"tasks\":[");
        const segue_status status = read_tasks(o, store, &err);
        if (status != SEGUE_OK) {
            segue_damage_answer_failed(service, status, &err, o->reply);
            return READ_DONE;
        }
    }
    if (r->at == r->n_tasks || b->failed) {
        segue_out(b, "]}");
        return READ_DONE;
    }
    segue_stored_task row = r->task[r->at].row;
    row.key = (const char *)r->keys.data + r->task[r->at].key;
    segue_out(b, r->at++ > 0 ? "," : "");
    segue_answer_listed(o->live, &row, o->call.explain, b);
    return READ_MORE;
}

static read_result show_task(segue_service *service, op *o, segue_store *store)
{
    segue_answer_task(service, store, o->live, o->call.task, o->reply);
    return READ_DONE;
}

/* ---- which is which ---------------------------------------------------------------------- */

static read_result ask(segue_service *service, op *o, segue_store *store)
{
    (void)store;
    return segue_long_ask(service, o);
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
        segue_damage_answer_missing(service, o->call.learner, o->reply);
    return o->live != NULL;
}

static double steady_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

read_result segue_read_turn(segue_service *service, op *o, segue_store *store)
{
    const double until = steady_now() + TURN_SECONDS;
    piece_function *piece = piece_of(o->call.route);
    read_result result = READ_MORE;
    if (!o->read)
        o->read = calloc(1, sizeof *o->read);
    if (!o->read) {
        segue_reply_fail(o->reply, 503, "out of memory");
        return READ_DONE;
    }
    if (!find_learner(service, o))
        return READ_DONE;
    while (result == READ_MORE && steady_now() < until)
        result = piece(service, o, store);
    return result;
}

void segue_read_fini(op *o)
{
    read_state *r = o->read;
    if (!r)
        return;
    for (size_t i = 0; i < r->n_all; i++)
        segue_live_release(r->all[i]);
    free(r->all);
    free(r->task);
    segue_bytes_fini(&r->keys);
    segue_shown_fini(&r->learner);
    segue_versions_fini(&r->versions);
    segue_past_fini(&r->newest);
    segue_long_ask_fini(o);
    free(r);
    o->read = NULL;
}
