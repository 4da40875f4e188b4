/* request.c - requests to a service without sockets, for tests.
 * SPDX-License-Identifier: Apache-2.0 */
#include "request.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

segue_request request_of(const char *method, const char *path, const char *body)
{
    return (segue_request){.method = method,
                           .path = path,
                           .host = "localhost",
                           .id = "test",
                           .content_type = body ? "application/json" : NULL,
                           .body = body,
                           .size = body ? strlen(body) : 0};
}

segue_request request_with_query(char copy[REQUEST_PATH], const char *method, const char *path,
                                 const char *body)
{
    segue_request request = request_of(method, strcpy(copy, path), body);
    char *query = strchr(copy, '?');
    if (query) {
        *query = '\0';
        request.query = query + 1;
    }
    return request;
}

char *take_decision_id(char *body)
{
    json_t *answer = json_loads(body, 0, NULL);
    const char *id = json_string_value(json_object_get(answer, "decision"));
    char *copy = id ? strdup(id) : NULL;
    json_decref(answer);
    free(body);
    return copy;
}
