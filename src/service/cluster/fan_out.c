/* fan_out.c - one request becomes several, and their responses become one.
 *
 *   GET /v1/learners   each server lists the learners that it owns; the lists are merged by name
 *   POST /v1/tell      the rewards of each learner are a request of their own, which is routed as if
 *                      it had come alone; the results are put back in the order of the rewards
 *
 * A list that lacks a server would be wrong in silence: if one does not answer, the response is 503.
 * A reward that no server could take is rejected with 503, as the single server does, and the
 * others count.
 *
 * The parts are answered by any thread; the last one that ends writes the response.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/cluster/fan_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_write.h"
#include "service/cluster/cluster.h"
#include "service/cluster/fan_out_merge.h"
#include "service/engine/service_internal.h"

/* A part: a request and its response. */
typedef struct part {
    struct fan_out *whole;
    segue_request request;
    segue_response response;
    char *body;                          /* of its request, or NULL */
    int64_t learner;                     /* tell: of its rewards; 0: of none */
    char address[SEGUE_MAX_ADDRESS + 1]; /* list: "": this server */
    bool has_failed;                     /* list: the server did not answer */
} part;

typedef struct fan_out {
    cluster *cluster;
    segue_response *response; /* the caller's */
    segue_completion done;
    void *context;
    bool is_tell;
    size_t *part_of; /* tell: of each reward */
    size_t n_rewards;
    size_t n_parts;
    atomic_size_t pending;
    part part[];
} fan_out;

static void destroy(fan_out *f)
{
    for (size_t i = 0; i < f->n_parts; i++) {
        segue_response_fini(&f->part[i].response);
        free(f->part[i].body);
    }
    free(f->part_of);
    free(f);
}

static fan_out *create(cluster *c, size_t n_parts, segue_response *response, segue_completion done,
                       void *context)
{
    fan_out *f = calloc(1, sizeof *f + n_parts * sizeof *f->part);
    if (!f)
        return NULL;
    f->cluster = c;
    f->response = response;
    f->done = done;
    f->context = context;
    f->n_parts = n_parts;
    for (size_t i = 0; i < n_parts; i++) {
        f->part[i].whole = f;
        f->part[i].response = (segue_response){.status = 200, .type = "application/json"};
    }
    return f;
}

/* ---- the response ------------------------------------------------------------------------ */

static void merge_lists(fan_out *f)
{
    segue_fan_out_merge m = {.n = 0};
    const cluster *c = f->cluster;
    for (size_t i = 0; i < f->n_parts; i++) {
        const part *p = &f->part[i];
        if (p->has_failed || p->response.status != 200) {
            segue_response_fail(f->response, 503,
                                "the server %s does not answer, and the list would lack its "
                                "learners; retry later",
                                *p->address ? p->address : c->address);
            segue_fan_out_merge_fini(&m);
            return;
        }
        segue_fan_out_merge_add(&m, &p->response.body);
    }
    segue_fan_out_merge_sort(&m);
    segue_json_write_raw(&f->response->body, "{\"learners\":[");
    for (size_t i = 0; i < m.n; i++) {
        segue_json_write_raw(&f->response->body, i > 0 ? "," : "");
        segue_bytes_append(&f->response->body, m.item[i].data, m.item[i].size);
    }
    segue_json_write_raw(&f->response->body, "]}");
    f->response->body.failed = f->response->body.failed || m.failed;
    segue_fan_out_merge_fini(&m);
}

/* Rewards of a part that failed are rejected with its error. */
static void write_rejected(const segue_response *failed, segue_bytes *b)
{
    segue_json_write_raw(b, "{\"status\":\"rejected\"");
    segue_json_write_integer(b, "http_status", (uint64_t)failed->status);
    segue_json_write_raw(b, ",");
    if (failed->body.size > 1)
        segue_bytes_append(b, (const char *)failed->body.data + 1, failed->body.size - 1);
}

/* All of it failed: the response is that of the first part, so that a client retries. */
static bool has_failed(const fan_out *f)
{
    for (size_t i = 0; i < f->n_parts; i++)
        if (f->part[i].response.status != 503)
            return false;
    return true;
}

static bool write_results(fan_out *f, segue_fan_out_merge *results, size_t *next)
{
    segue_bytes *b = &f->response->body;
    segue_json_write_raw(b, "{\"results\":[");
    for (size_t i = 0; i < f->n_rewards; i++) {
        const size_t k = f->part_of[i];
        segue_json_write_raw(b, i > 0 ? "," : "");
        if (f->part[k].response.status != 200) {
            write_rejected(&f->part[k].response, b);
        } else if (next[k] < results[k].n) {
            segue_bytes_append(b, results[k].item[next[k]].data, results[k].item[next[k]].size);
            next[k]++;
        } else {
            return false; /* a response that was cut */
        }
    }
    segue_json_write_raw(b, "]}");
    return true;
}

static void merge_results(fan_out *f)
{
    segue_fan_out_merge *results = calloc(f->n_parts, sizeof *results);
    size_t *next = calloc(f->n_parts, sizeof *next);
    bool complete = results && next;
    for (size_t i = 0; complete && i < f->n_parts; i++) {
        segue_fan_out_merge_add(&results[i], &f->part[i].response.body);
        complete = !results[i].failed;
    }
    if (has_failed(f)) {
        f->response->status = 503;
        f->response->retry = f->part[0].response.retry;
        segue_bytes_append(&f->response->body, f->part[0].response.body.data,
                           f->part[0].response.body.size);
    } else if (!complete || !write_results(f, results, next)) {
        segue_response_fail(f->response, 503,
                            "the results could not be put together; repeat the request: a reward "
                            "counts once");
    }
    for (size_t i = 0; results && i < f->n_parts; i++)
        segue_fan_out_merge_fini(&results[i]);
    free(results);
    free(next);
}

/* A part has ended; the last one responds. */
static void end_part(void *context)
{
    fan_out *f = ((part *)context)->whole;
    if (atomic_fetch_sub(&f->pending, 1) != 1)
        return;
    if (f->is_tell)
        merge_results(f);
    else
        merge_lists(f);
    const segue_completion done = f->done;
    void *at = f->context;
    destroy(f);
    done(at);
}

static void on_delivered(void *context, segue_delivery delivery)
{
    part *p = context;
    p->has_failed = delivery != SEGUE_DELIVERED;
    end_part(p);
}

/* ---- the list of learners ---------------------------------------------------------------- */

/* Ask a server, or this one. */
static void ask_server(part *p, const char *session)
{
    cluster *c = p->whole->cluster;
    if (!*p->address) {
        if (segue_service_answer(c->service, &p->request, &p->response, end_part, p))
            end_part(p);
        return;
    }
    (void)atomic_fetch_add(&c->counters.forwards, 1);
    if (!c->transport.send(c->transport.self, p->address, session, false, &p->request, &p->response,
                           on_delivered, p))
        on_delivered(p, SEGUE_NOT_SENT);
}

static bool list_learners(cluster *c, const segue_request *request, segue_response *response,
                          segue_completion done, void *context)
{
    segue_session session;
    (void)segue_cluster_session(c, &session);
    (void)pthread_mutex_lock(&c->lock);
    fan_out *f = create(c, c->n_servers + 1, response, done, context);
    for (size_t i = 0; f && i < c->n_servers; i++)
        memcpy(f->part[i + 1].address, c->server[i], sizeof c->server[i]);
    (void)pthread_mutex_unlock(&c->lock);
    if (!f) {
        segue_response_fail(response, 503, "out of memory for the list of learners; retry later");
        return true;
    }
    const size_t n = f->n_parts; /* the last part to end frees it */
    atomic_store(&f->pending, n);
    for (size_t i = 0; i < n; i++) {
        f->part[i].request = *request;
        memcpy(f->part[i].response.id, response->id, sizeof response->id);
        if (!f->part[i].address[0])
            f->part[i].request.hop = session.id;
    }
    for (size_t i = 0; i < n; i++)
        ask_server(&f->part[i], session.id);
    return false;
}

/* ---- rewards of several learners --------------------------------------------------------- */

static int64_t learner_of(const cluster *c, const json_t *reward)
{
    decision d;
    const char *id = json_string_value(json_object_get(reward, "decision"));
    return id && strlen(id) <= SEGUE_MAX_DECISION_ID_LENGTH &&
                   segue_decision_id_decode(&d, c->service->key, id)
               ? d.learner
               : 0;
}

int64_t segue_fan_out_learner(const cluster *c, const json_t *rewards, bool *several)
{
    int64_t first = 0;
    *several = false;
    for (size_t i = 0; i < json_array_size(rewards); i++) {
        const int64_t learner = learner_of(c, json_array_get(rewards, i));
        *several = *several || (first && learner && learner != first);
        first = first ? first : learner;
    }
    return first;
}

/* The part of a learner; a new one if there is none. */
static size_t find_part(fan_out *f, size_t *n_parts, int64_t learner)
{
    size_t k = 0;
    while (k < *n_parts && f->part[k].learner != learner)
        k++;
    if (k == *n_parts)
        f->part[(*n_parts)++].learner = learner;
    return k;
}

/* Write the body of a part; false: out of memory. */
static bool write_body(const fan_out *f, part *p, size_t k, const json_t *rewards)
{
    json_t *mine = json_array();
    for (size_t i = 0; mine && i < f->n_rewards; i++)
        if (f->part_of[i] == k && json_array_append(mine, json_array_get(rewards, i)) != 0) {
            json_decref(mine);
            mine = NULL;
        }
    json_t *body = mine ? json_pack("{s:o}", "rewards", mine) : NULL;
    p->body = body ? json_dumps(body, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(body);
    return p->body;
}

/* Divide the rewards; a reward without a learner goes with those of the first one.  False: out of
 * memory. */
static bool divide(fan_out *f, const json_t *rewards, int64_t first)
{
    size_t n = 0;
    f->is_tell = true;
    f->n_rewards = json_array_size(rewards);
    f->part_of = calloc(f->n_rewards, sizeof *f->part_of);
    for (size_t i = 0; f->part_of && i < f->n_rewards; i++) {
        const int64_t learner = learner_of(f->cluster, json_array_get(rewards, i));
        f->part_of[i] = find_part(f, &n, learner ? learner : first);
    }
    f->n_parts = n;
    for (size_t k = 0; k < n; k++)
        if (!write_body(f, &f->part[k], k, rewards))
            return false;
    return f->part_of;
}

static bool tell_many(cluster *c, const segue_request *request, const json_t *rewards,
                      segue_response *response, segue_completion done, void *context)
{
    bool several = false;
    const int64_t first = segue_fan_out_learner(c, rewards, &several);
    fan_out *f = create(c, json_array_size(rewards), response, done, context);
    if (!f || !divide(f, rewards, first)) {
        if (f)
            destroy(f);
        segue_response_fail(response, 503, "out of memory for the rewards; retry later");
        return true;
    }
    const size_t n = f->n_parts;
    atomic_store(&f->pending, n);
    for (size_t k = 0; k < n; k++) {
        f->part[k].request = *request;
        f->part[k].request.body = f->part[k].body;
        f->part[k].request.size = strlen(f->part[k].body);
        f->part[k].request.is_allowed = true;
    }
    for (size_t k = 0; k < n; k++)
        if (segue_service_handle(c->service, &f->part[k].request, &f->part[k].response, end_part,
                                 &f->part[k]))
            end_part(&f->part[k]);
    return false;
}

/* ---- both -------------------------------------------------------------------------------- */

bool segue_fan_out_is_for(const cluster *c, const segue_parsed_request *parsed)
{
    bool several = false;
    if (parsed->route == ROUTE_TELL && parsed->rewards)
        (void)segue_fan_out_learner(c, parsed->rewards, &several);
    return parsed->route == ROUTE_LIST || several;
}

bool segue_fan_out_handle(cluster *c, const segue_request *request,
                          const segue_parsed_request *parsed, segue_response *response,
                          segue_completion done, void *context)
{
    return parsed->route == ROUTE_LIST
               ? list_learners(c, request, response, done, context)
               : tell_many(c, request, parsed->rewards, response, done, context);
}
