/* calls.c - requests to a service without sockets, for tests.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "calls.h"
#include "request.h"

void call(segue_service *service, int status, const char *method, const char *path,
          const char *body, char out[CALL_BODY])
{
    segue_response reply;
    const segue_request request = request_of(method, path, body);
    segue_service_handle_and_wait(service, &request, &reply);
    assert_false(reply.body.failed);
    (void)snprintf(out, CALL_BODY, "%.*s", (int)reply.body.size, (const char *)reply.body.data);
    segue_response_fini(&reply);
    if (reply.status != status)
        fail_msg("%s %s %s: %d, not %d: %s", method, path, body ? body : "", reply.status, status,
                 out);
}

void call_create(segue_service *service, const char *more)
{
    char body[512], out[CALL_BODY];
    (void)snprintf(body, sizeof body, "{\"name\":\"l\",\"arms\":[\"A\",\"B\"],\"control\":0%s}",
                   more);
    call(service, 201, "POST", "/v1/learners", body, out);
}

void call_ask(segue_service *service, const char *task, char id[SEGUE_DECISION_ID_LENGTH + 1])
{
    char body[512], out[CALL_BODY];
    (void)snprintf(body, sizeof body, "{\"task\":\"%s\"}", task);
    call(service, 200, "POST", "/v1/learners/l/ask", body, out);
    const char *found = strstr(out, "\"decision\":\"");
    assert_non_null(found);
    (void)snprintf(id, SEGUE_DECISION_ID_LENGTH + 1, "%.*s", SEGUE_DECISION_ID_LENGTH, found + 12);
}

void call_tell(segue_service *service, int status, const char *id, double reward)
{
    char body[512], out[CALL_BODY];
    (void)snprintf(body, sizeof body, "{\"decision\":\"%s\",\"reward\":%g}", id, reward);
    call(service, status, "POST", "/v1/tell", body, out);
}

double call_metric(segue_service *service, const char *name)
{
    char out[CALL_BODY], line[128];
    (void)snprintf(line, sizeof line, "\n%s ", name);
    call(service, 200, "GET", "/metrics", NULL, out);
    const char *found = strstr(out, line);
    if (!found)
        fail_msg("no metric %s in %s", name, out);
    return strtod(found + strlen(line), NULL);
}
