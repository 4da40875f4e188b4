/* fuzz_serve.c - any bytes as a request: answered or refused with a sentence, never a crash or a
 * 500.
 *
 * "METHOD PATH?QUERY", a line feed, and the body.  The store is in memory, the clock stands still
 * but for a second a request, and every thousand requests all begins anew.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "fuzz.h"

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

static segue_service *make(void)
{
    static const char settings[] =
        "{\"name\":\"l\",\"arms\":[\"A\",\"B\",\"C\"],\"steps\":9,\"reward_"
        "deadline\":60,\"default_reward\":0}";
    segue_service_config config = segue_service_defaults();
    segue_service *service = NULL;
    config.store = "sqlite::memory:";
    config.now = config.steady = now;
    if (segue_service_create(&service, &config, NULL) != SEGUE_OK)
        abort();
    segue_response reply = call(service, "POST", "/v1/learners", NULL, settings, strlen(settings));
    if (reply.status != 201)
        abort();
    segue_response_fini(&reply);
    return service;
}

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
    segue_response reply =
        call(service, head, path, query, end + 1, size - (size_t)(end + 1 - data));
    if (reply.status >= 500 || reply.body.failed)
        abort();
    segue_response_fini(&reply);
    return 0;
}
