/* routes.c - from a method and a path to a route.
 *
 * A pattern is a method and a path in which ":l", ":t" and ":a" stand for the names of a learner, a
 * task and an arm.  Names are percent-decoded one segment at a time, after the path was matched: an
 * encoded slash belongs to a name.  The search is linear over 23 patterns, each compared segment by
 * segment, which is less work than parsing the body.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/routes.h"

#include <string.h>

#include "io/encode.h"
#include "io/utf8.h"

typedef enum body_rule { NO_BODY, BODY, OPTIONAL_BODY } body_rule;

typedef struct pattern {
    const char *method, *path;
    segue_route route;
    body_rule body;
} pattern;

static const pattern patterns[] = {
    {"GET", "/v1/learners", ROUTE_LIST, NO_BODY},
    {"POST", "/v1/learners", ROUTE_CREATE, BODY},
    {"GET", "/v1/learners/:l", ROUTE_INSPECT, NO_BODY},
    {"PATCH", "/v1/learners/:l", ROUTE_CHANGE, BODY},
    {"DELETE", "/v1/learners/:l", ROUTE_DELETE, NO_BODY},
    {"GET", "/v1/learners/:l/history", ROUTE_HISTORY, NO_BODY},
    {"GET", "/v1/learners/:l/versions", ROUTE_VERSIONS, NO_BODY},
    {"GET", "/v1/learners/:l/decisions", ROUTE_DECISIONS, NO_BODY},
    {"GET", "/v1/learners/:l/shadow", ROUTE_SHADOW, NO_BODY},
    {"GET", "/v1/learners/:l/export", ROUTE_EXPORT, NO_BODY},
    {"POST", "/v1/learners/:l/merge", ROUTE_MERGE, BODY},
    {"POST", "/v1/learners/:l/arms", ROUTE_ADD_ARM, BODY},
    {"DELETE", "/v1/learners/:l/arms/:a", ROUTE_RETIRE_ARM, NO_BODY},
    {"POST", "/v1/learners/:l/resume", ROUTE_RESUME, OPTIONAL_BODY},
    {"GET", "/v1/learners/:l/tasks", ROUTE_TASKS, NO_BODY},
    {"POST", "/v1/learners/:l/tasks", ROUTE_OPEN, OPTIONAL_BODY},
    {"GET", "/v1/learners/:l/tasks/:t", ROUTE_TASK, NO_BODY},
    {"DELETE", "/v1/learners/:l/tasks/:t", ROUTE_ERASE, NO_BODY},
    {"POST", "/v1/learners/:l/tasks/:t/close", ROUTE_CLOSE, OPTIONAL_BODY},
    {"POST", "/v1/learners/:l/ask", ROUTE_ASK, BODY},
    {"POST", "/v1/tell", ROUTE_TELL, BODY},
    {"GET", "/healthz", ROUTE_HEALTH, NO_BODY},
    {"GET", "/readyz", ROUTE_READY, NO_BODY},
    {"GET", "/metrics", ROUTE_METRICS, NO_BODY},
};

/* ---- matching ---------------------------------------------------------------------------- */

/* Decode one segment: 1 to SEGUE_MAX_NAME_SIZE bytes of UTF-8 without control characters. */
static bool decode(const char *from, size_t size, char out[SEGUE_MAX_NAME_SIZE + 1])
{
    return segue_encode_percent_decode(out, SEGUE_MAX_NAME_SIZE + 1, from, size) && *out &&
           !segue_utf8_has_control(out) && segue_utf8_is_valid(out, strlen(out));
}

/* Return the field for a name in a path. */
static char *name_field(segue_parsed_request *parsed, char letter)
{
    return letter == 'l' ? parsed->learner : letter == 't' ? parsed->task : parsed->arm;
}

/* Compare the segments of a path with those of a pattern; a name matches any segment. */
static bool has_form(const char *form, const char *path)
{
    while (*form == '/' && *path == '/') {
        form++;
        path++;
        const size_t form_size = strcspn(form, "/"), size = strcspn(path, "/");
        if (*form != ':' && (form_size != size || strncmp(form, path, size) != 0))
            return false;
        form += form_size;
        path += size;
    }
    return !*form && !*path;
}

typedef enum match_result { NO_MATCH, MATCH, BAD_NAME } match_result;

/* Match a path with a pattern, and decode its names into `parsed`. */
static match_result match(const char *form, const char *path, segue_parsed_request *parsed)
{
    bool valid = true;
    if (!has_form(form, path))
        return NO_MATCH;
    while (*form) {
        const size_t form_size = strcspn(++form, "/"), size = strcspn(++path, "/");
        if (*form == ':')
            valid = decode(path, size, name_field(parsed, form[1])) && valid;
        form += form_size;
        path += size;
    }
    return valid ? MATCH : BAD_NAME;
}

/* ---- errors ------------------------------------------------------------------------------ */

static void fail_name(segue_response *response)
{
    segue_response_fail(response, 400,
                        "a name in the path is not valid; need 1 to %d bytes of percent-encoded "
                        "UTF-8 without control characters",
                        SEGUE_MAX_NAME_SIZE);
}

/* Fail with 405: the path exists, but not with this method. */
static void fail_method(const char *method, bool get, bool post, bool delete, bool patch,
                        segue_response *response)
{
    static const struct {
        bool get, post, delete, patch;
        const char *text;
    } allows[] = {{true, false, false, false, "GET, HEAD"},
                  {false, true, false, false, "POST"},
                  {false, false, true, false, "DELETE"},
                  {true, true, false, false, "GET, HEAD, POST"},
                  {true, false, true, false, "GET, HEAD, DELETE"},
                  {true, false, true, true, "GET, HEAD, PATCH, DELETE"}};
    for (size_t i = 0; i < sizeof allows / sizeof *allows; i++)
        if (allows[i].get == get && allows[i].post == post &&
            allows[i].delete == delete &&allows[i].patch == patch)
            response->allow = allows[i].text;
    segue_response_fail(response, 405, "this path does not take %.20s; it takes %s", method,
                        response->allow);
}

/* ---- finding ----------------------------------------------------------------------------- */

/* Find the pattern of a request.  NULL: `response` says why there is none. */
static const pattern *find_pattern(const segue_request *request, segue_parsed_request *parsed,
                                   segue_response *response)
{
    const char *method = strcmp(request->method, "HEAD") == 0 ? "GET" : request->method;
    bool get = segue_static_files_find(request->path) != NULL, post = false, delete = false,
         patch = false;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const match_result result = match(patterns[i].path, request->path, parsed);
        if (result == NO_MATCH)
            continue;
        if (strcmp(patterns[i].method, method) == 0) {
            if (result == BAD_NAME)
                fail_name(response);
            return result == MATCH ? &patterns[i] : NULL;
        }
        get = get || patterns[i].method[0] == 'G';
        post = post || patterns[i].method[1] == 'O';
        delete = delete || patterns[i].method[0] == 'D';
        patch = patch || patterns[i].method[1] == 'A';
    }
    if (get || post || delete)
        fail_method(request->method, get, post, delete, patch, response);
    else
        segue_response_fail(response, 404,
                            "this path does not exist; GET /openapi.json lists all paths");
    return NULL;
}

static const segue_static_file *find_page(const segue_request *request)
{
    if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0)
        return NULL;
    return segue_static_files_find(request->path);
}

/* Reject a body or a query that the route does not take. */
static bool check_parts(const segue_request *request, const pattern *found,
                        segue_response *response)
{
    const bool has_query = request->query && *request->query;
    if (found->body == NO_BODY && request->size > 0)
        segue_response_fail(response, 400, "this path takes no body; send none");
    else if (found->route != ROUTE_TASKS && has_query)
        segue_response_fail(response, 400, "this path takes no query; remove '?' and the rest");
    else
        return true;
    return false;
}

bool segue_routes_parse(const segue_request *request, segue_parsed_request *parsed,
                        segue_response *response)
{
    *parsed = (segue_parsed_request){.route = ROUTE_PAGE, .page = find_page(request)};
    if (parsed->page) {
        response->route = ROUTE_PAGE;
        return true;
    }
    const size_t max_body = segue_request_max_body(request->method, request->path);
    if (request->size > max_body) {
        segue_response_fail(response, 413, "the body has more than %zu bytes; send less", max_body);
        return false;
    }
    const pattern *found = find_pattern(request, parsed, response);
    if (!found)
        return false;
    parsed->route = response->route = found->route;
    if (!check_parts(request, found, response))
        return false;
    if (found->route == ROUTE_TASKS)
        return segue_request_parse_query(request, parsed, response);
    if (found->body == NO_BODY || (found->body == OPTIONAL_BODY && request->size == 0))
        return true;
    return segue_request_parse_body(request, parsed, response);
}
