/* fuzz_serve.c - any bytes as a request: answered or refused with a sentence, never a crash or a
 * 500.
 *
 * "METHOD PATH?QUERY", a line feed, and the body, in which "@@" stands for the newest decision id: no
 * input can guess one.  The store is in memory, the clock stands still but for a second a request,
 * and every thousand requests all begins anew.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "service/engine/service.h"

#define MAX_HEAD 1024

static double seconds = 1000.0;

static double now(void)
{
    return seconds;
}

static segue_response call(segue_service *service, const char *method, const char *path,
                           const char *query, const void *body, size_t size)
{
    segue_response reply;
    const segue_request request = {.method = method,
                                   .path = path,
                                   .query = query,
                                   .host = "localhost",
                                   .content_type = "application/json",
                                   .id = "fuzz",
                                   .body = body,
                                   .size = size};
    segue_service_handle_and_wait(service, &request, &reply);
    return reply;
}

/* A plain learner, one with limits and costs, and one in shadow mode. */
static const char *const learners[] = {
    "{\"name\":\"l\",\"arms\":[\"A\",\"B\",\"C\"],\"steps\":9,\"reward_deadline\":60,"
    "\"default_reward\":0}",
    "{\"name\":\"m\",\"arms\":[\"A\",\"B\",\"C\"],\"steps\":9,\"control\":0.5,\"floor\":0.05,"
    "\"shares\":{\"C\":0.1},\"costs\":{\"A\":0.1},\"switch_cost\":0.05,\"aggregate\":\"sum\"}",
    "{\"name\":\"s\",\"arms\":[\"A\",\"B\"],\"steps\":2,\"mode\":\"shadow\"}",
};

static segue_service *make(void)
{
    segue_service_config config = segue_service_defaults();
    segue_service *service = NULL;
    config.store = "sqlite::memory:";
    config.now = config.steady = now;
    if (segue_service_create(&service, &config, NULL) != SEGUE_OK)
        abort();
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        segue_response reply =
            call(service, "POST", "/v1/learners", NULL, learners[i], strlen(learners[i]));
        if (reply.status != 201)
            abort();
        segue_response_fini(&reply);
    }
    return service;
}

/* ---- decision ids ------------------------------------------------------------------------ */

static char newest[256]; /* the newest id */

static void remember_decision(const segue_bytes *body)
{
    static const char name[] = "\"decision\":\"";
    const char *at = body->data ? memmem(body->data, body->size, name, strlen(name)) : NULL;
    if (!at)
        return;
    at += strlen(name);
    const char *end = memchr(at, '"', body->size - (size_t)(at - (const char *)body->data));
    if (end && (size_t)(end - at) < sizeof newest) {
        memcpy(newest, at, (size_t)(end - at));
        newest[end - at] = '\0';
    }
}

/* Copy a body with the newest id in the place of "@@"; free it. */
static char *fill_in(const uint8_t *body, size_t size, size_t *filled)
{
    char *out = malloc(size + sizeof newest);
    const uint8_t *at = size ? memmem(body, size, "@@", 2) : NULL;
    const size_t before = at ? (size_t)(at - body) : size, id = at ? strlen(newest) : 0;
    if (!out)
        abort();
    memcpy(out, body, before);
    memcpy(out + before, newest, id);
    if (at)
        memcpy(out + before + id, at + 2, size - before - 2);
    *filled = at ? size - 2 + id : size;
    return out;
}

/* ---- requests ---------------------------------------------------------------------------- */

/* Method and path of the first line, in place; false: it has not both. */
static bool split(char *head, char **path, char **query)
{
    *path = strchr(head, ' ');
    if (!*path)
        return false;
    *(*path)++ = '\0';
    *query = strchr(*path, '?');
    if (*query)
        *(*query)++ = '\0';
    return **path == '/';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static segue_service *service;
    static int requests;
    char head[MAX_HEAD], *path = NULL, *query = NULL;
    const uint8_t *end = memchr(data, '\n', size < MAX_HEAD ? size : MAX_HEAD);
    if (!end)
        return 0;
    memcpy(head, data, (size_t)(end - data));
    head[end - data] = '\0';
    if (!split(head, &path, &query))
        return 0;
    if (requests++ % 1000 == 0) {
        segue_service_destroy(service);
        service = make();
    }
    seconds += 1.0;
    size_t filled = 0;
    char *body = fill_in(end + 1, size - (size_t)(end + 1 - data), &filled);
    segue_response reply = call(service, head, path, query, body, filled);
    if (reply.status >= 500 || reply.body.failed)
        abort();
    remember_decision(&reply.body);
    segue_response_fini(&reply);
    free(body);
    return 0;
}
