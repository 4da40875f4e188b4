/* routes.c - a request to what it asks for: no sockets, no state.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/routes.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/encode.h"
#include "io/json.h"
#include "io/json_write.h"
#include "io/utf8.h"
#include "segue/number.h"

static const char *const route_names[] = {
#define SEGUE_ROUTE_NAME(name, text) text,
    SEGUE_ROUTES(SEGUE_ROUTE_NAME)
#undef SEGUE_ROUTE_NAME
};

const char *segue_routes_name(segue_route route)
{
    return route_names[route];
}

/* ---- replies ----------------------------------------------------------------------------- */

static const char *code_of(int status)
{
    static const struct {
        int status;
        const char *code;
    } codes[] = {{400, "bad_request"}, {401, "unauthorized"},       {403, "forbidden"},
                 {404, "not_found"},   {405, "method_not_allowed"}, {409, "conflict"},
                 {410, "gone"},        {413, "too_large"},          {415, "unsupported_media_type"},
                 {429, "too_many"},    {503, "unavailable"}};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].status == status)
            return codes[i].code;
    return "internal";
}

void segue_response_fini(segue_response *reply)
{
    segue_bytes_fini(&reply->body);
    if (reply->memory)
        segue_memory_release(reply->memory, reply->held);
    reply->memory = NULL;
}

void segue_response_fail(segue_response *reply, int status, const char *format, ...)
{
    char message[SEGUE_ERROR_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    segue_bytes_fini(&reply->body);
    reply->status = status;
    reply->retry = status == 503 ? 1 : 0;
    segue_json_write_raw(&reply->body, "{\"error\":{");
    segue_json_write_text(&reply->body, "code", code_of(status));
    segue_json_write_text(&reply->body, "message", message);
    segue_json_write_text(&reply->body, "request", reply->id);
    segue_json_write_raw(&reply->body, "}}");
}

void segue_response_busy(segue_response *reply)
{
    segue_response_fail(
        reply, 503,
        "too many requests that read or decide long are under way, or the service is "
        "about to end; try again later");
}

void segue_response_no_learner(segue_response *reply, const char *name)
{
    segue_response_fail(reply, 404, "there is no learner '%.80s'; POST /v1/learners creates one",
                        name);
}

void segue_response_add_reward(segue_response *reply, const segue_bytes *told)
{
    reply->body.size--; /* the last brace */
    segue_json_write_key(&reply->body, "tell");
    segue_bytes_append(&reply->body, told->data, told->size);
    segue_json_write_raw(&reply->body, "}");
}

void segue_response_fail_status(segue_response *reply, const segue_error *why)
{
    segue_response_fail(reply, segue_status_exit_code(why->status) == 2 ? 400 : 503, "%s",
                        why->message);
}

/* ---- paths ------------------------------------------------------------------------------- */

/* What a route takes besides its path. */
typedef enum takes { NOTHING, BODY, MAYBE_BODY } takes;

typedef struct pattern {
    const char *method, *path; /* ":x": a name, which goes to where the x says */
    segue_route route;
    takes takes;
} pattern;

static const pattern patterns[] = {
    {"GET", "/v1/learners", ROUTE_LIST, NOTHING},
    {"POST", "/v1/learners", ROUTE_CREATE, BODY},
    {"GET", "/v1/learners/:l", ROUTE_INSPECT, NOTHING},
    {"DELETE", "/v1/learners/:l", ROUTE_DELETE, NOTHING},
    {"GET", "/v1/learners/:l/history", ROUTE_HISTORY, NOTHING},
    {"GET", "/v1/learners/:l/versions", ROUTE_VERSIONS, NOTHING},
    {"GET", "/v1/learners/:l/decisions", ROUTE_DECISIONS, NOTHING},
    {"POST", "/v1/learners/:l/arms", ROUTE_ADD_ARM, BODY},
    {"DELETE", "/v1/learners/:l/arms/:a", ROUTE_RETIRE_ARM, NOTHING},
    {"GET", "/v1/learners/:l/tasks", ROUTE_TASKS, NOTHING},
    {"POST", "/v1/learners/:l/tasks", ROUTE_OPEN, MAYBE_BODY},
    {"GET", "/v1/learners/:l/tasks/:t", ROUTE_TASK, NOTHING},
    {"POST", "/v1/learners/:l/tasks/:t/close", ROUTE_CLOSE, MAYBE_BODY},
    {"POST", "/v1/learners/:l/ask", ROUTE_ASK, BODY},
    {"POST", "/v1/tell", ROUTE_TELL, BODY},
    {"GET", "/healthz", ROUTE_HEALTH, NOTHING},
    {"GET", "/readyz", ROUTE_READY, NOTHING},
    {"GET", "/metrics", ROUTE_METRICS, NOTHING},
};

/* One part of a path, decoded: 1 to SEGUE_MAX_NAME_SIZE bytes of UTF-8 without control characters.
 */
static bool decode(const char *from, size_t size, char out[SEGUE_MAX_NAME_SIZE + 1])
{
    return segue_encode_percent_decode(out, SEGUE_MAX_NAME_SIZE + 1, from, size) && *out &&
           !segue_utf8_has_control(out) && segue_utf8_is_valid(out, strlen(out));
}

typedef enum fit { OTHER, FITS, BAD_NAME } fit;

static char *place_for(segue_parsed_request *call, char letter)
{
    return letter == 'l' ? call->learner : letter == 't' ? call->task : call->arm;
}

/* Whether a path has the form of a pattern. */
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

/* The same; its names go to the call. */
static fit match(const char *form, const char *path, segue_parsed_request *call)
{
    bool fine = true;
    if (!has_form(form, path))
        return OTHER;
    while (*form) {
        const size_t form_size = strcspn(++form, "/"), size = strcspn(++path, "/");
        if (*form == ':')
            fine = decode(path, size, place_for(call, form[1])) && fine;
        form += form_size;
        path += size;
    }
    return fine ? FITS : BAD_NAME;
}

static void refuse_name(segue_response *reply)
{
    segue_response_fail(reply, 400,
                        "a name in the path is not 1 to %d bytes of percent-encoded UTF-8 without "
                        "control characters",
                        SEGUE_MAX_NAME_SIZE);
}

/* The path is known, but not with this method. */
static void refuse_method(const char *method, bool get, bool post, bool delete,
                          segue_response *reply)
{
    static const struct {
        bool get, post, delete;
        const char *text;
    } allows[] = {{true, false, false, "GET, HEAD"},
                  {false, true, false, "POST"},
                  {false, false, true, "DELETE"},
                  {true, true, false, "GET, HEAD, POST"},
                  {true, false, true, "GET, HEAD, DELETE"}};
    for (size_t i = 0; i < sizeof allows / sizeof *allows; i++)
        if (allows[i].get == get && allows[i].post == post && allows[i].delete == delete)
            reply->allow = allows[i].text;
    segue_response_fail(reply, 405, "this path does not take %.20s; it takes %s", method,
                        reply->allow);
}

/* The pattern of a request; NULL: there is none, and `reply` says so. */
static const pattern *find_pattern(const segue_request *request, segue_parsed_request *call,
                                   segue_response *reply)
{
    const char *method = strcmp(request->method, "HEAD") == 0 ? "GET" : request->method;
    bool get = segue_static_files_find(request->path) != NULL, post = false, delete = false;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const fit how = match(patterns[i].path, request->path, call);
        if (how == OTHER)
            continue;
        if (strcmp(patterns[i].method, method) == 0) {
            if (how == BAD_NAME)
                refuse_name(reply);
            return how == FITS ? &patterns[i] : NULL;
        }
        get = get || patterns[i].method[0] == 'G';
        post = post || patterns[i].method[0] == 'P';
        delete = delete || patterns[i].method[0] == 'D';
    }
    if (get || post || delete)
        refuse_method(request->method, get, post, delete, reply);
    else
        segue_response_fail(reply, 404,
                            "there is nothing at this path; GET /openapi.json tells what there is");
    return NULL;
}

/* ---- queries ----------------------------------------------------------------------------- */

static bool read_parameter(const char *text, segue_parsed_request *call, segue_response *reply)
{
    segue_error err;
    if (strncmp(text, "limit=", 6) == 0) {
        if (segue_number_parse_integer(text + 6, 1, 1000, &call->limit, &err) == SEGUE_OK)
            return true;
        segue_response_fail(reply, 400, "'limit' must be a whole number from 1 to 1000");
        return false;
    }
    if (strcmp(text, "open=true") == 0 || strcmp(text, "open=false") == 0) {
        call->open = text[5] == 't';
        return true;
    }
    if (strcmp(text, "explain=true") == 0 || strcmp(text, "explain=false") == 0) {
        call->explain = text[8] == 't';
        return true;
    }
    segue_response_fail(reply, 400,
                        "the query has '%.60s'; it takes limit=1 to 1000, open=true or false, and "
                        "explain=true or false",
                        text);
    return false;
}

static bool read_query(const char *query, segue_parsed_request *call, segue_response *reply)
{
    char part[64];
    call->limit = 50;
    call->open = -1;
    while (query && *query) {
        const size_t size = strcspn(query, "&");
        (void)snprintf(part, sizeof part, "%.*s", size < 60 ? (int)size : 60, query);
        if (size > 0 && !read_parameter(part, call, reply))
            return false;
        query += size + (query[size] == '&');
    }
    return true;
}

/* ---- bodies ------------------------------------------------------------------------------ */

static const segue_json_location body_place = {.path = "the body"};

/* Refuse other fields than these. */
static segue_status only(json_t *body, const char *const *names, size_t count, segue_error *err)
{
    return segue_json_check_keys(&body_place, body, names, count, err);
}

static segue_status read_flag(json_t *body, const char *field, bool *out, segue_error *err)
{
    const json_t *value = json_object_get(body, field);
    if (value && !json_is_boolean(value))
        return segue_json_fail(&body_place, field, err, "is %s; need true or false",
                               segue_json_kind(value));
    *out = json_is_true(value);
    return SEGUE_OK;
}

static segue_status read_tell(json_t *body, segue_parsed_request *call, segue_error *err)
{
    static const char *const names[] = {"decision", "reward"};
    const segue_status status = only(body, names, 2, err);
    if (status != SEGUE_OK)
        return status;
    const json_t *id = json_object_get(body, "decision"), *reward = json_object_get(body, "reward");
    if (!json_is_string(id) || json_string_length(id) != SEGUE_DECISION_ID_LENGTH)
        return segue_json_fail(&body_place, "decision", err,
                               "need the id that ask gave, of %d characters",
                               SEGUE_DECISION_ID_LENGTH);
    if (!json_is_number(reward))
        return segue_json_fail(&body_place, "reward", err, "is %s; need a number",
                               segue_json_kind(reward));
    memcpy(call->decision, json_string_value(id), SEGUE_DECISION_ID_LENGTH + 1);
    call->reward = json_number_value(reward);
    call->tells = true;
    return SEGUE_OK;
}

static segue_status read_exclude(json_t *body, segue_parsed_request *call, segue_error *err)
{
    json_t *list = json_object_get(body, "exclude");
    if (!list)
        return SEGUE_OK;
    if (!json_is_array(list) || json_array_size(list) > SEGUE_MAX_SERVICE_ARMS)
        return segue_json_fail(&body_place, "exclude", err, "need a list of at most %d arms",
                               SEGUE_MAX_SERVICE_ARMS);
    char name[SEGUE_MAX_NAME_SIZE + 1];
    for (size_t i = 0; i < json_array_size(list); i++) {
        const segue_status status =
            segue_learner_settings_read_name(json_array_get(list, i), "exclude", name, err);
        if (status != SEGUE_OK)
            return status;
    }
    call->exclude = json_incref(list);
    return SEGUE_OK;
}

static segue_status read_ask(json_t *body, segue_parsed_request *call, segue_error *err)
{
    static const char *const names[] = {"task",        "event",   "exclude", "count",
                                        "probability", "explain", "tell"};
    segue_status status = only(body, names, sizeof names / sizeof *names, err);
    if (status == SEGUE_OK)
        status =
            segue_learner_settings_read_key(json_object_get(body, "task"), "task", call->task, err);
    if (status == SEGUE_OK && json_object_get(body, "event"))
        status = segue_learner_settings_read_name(json_object_get(body, "event"), "event",
                                                  call->event, err);
    if (status == SEGUE_OK)
        status = segue_learner_settings_check_name("event", call->event, err);
    if (status == SEGUE_OK && json_object_get(body, "count"))
        status = segue_json_integer(&body_place, "count", json_object_get(body, "count"), 1,
                                    SEGUE_MAX_ASK_COUNT, &call->count, err);
    if (status == SEGUE_OK)
        status = read_flag(body, "probability", &call->probability, err);
    if (status == SEGUE_OK)
        status = read_flag(body, "explain", &call->explain, err);
    if (status == SEGUE_OK)
        status = read_exclude(body, call, err);
    json_t *tell = json_object_get(body, "tell");
    if (status == SEGUE_OK && tell && !json_is_object(tell))
        status = segue_json_fail(&body_place, "tell", err, "is %s; need an object",
                                 segue_json_kind(tell));
    return status == SEGUE_OK && tell ? read_tell(tell, call, err) : status;
}

static segue_status read_open(json_t *body, segue_parsed_request *call, segue_error *err)
{
    static const char *const names[] = {"task"};
    const segue_status status = only(body, names, 1, err);
    json_t *task = json_object_get(body, "task");
    return status == SEGUE_OK && task
               ? segue_learner_settings_read_key(task, "task", call->task, err)
               : status;
}

static segue_status read_arm(json_t *body, segue_parsed_request *call, segue_error *err)
{
    static const char *const names[] = {"arm"};
    const segue_status status = only(body, names, 1, err);
    return status == SEGUE_OK ? segue_learner_settings_read_new_name(json_object_get(body, "arm"),
                                                                     "arm", call->arm, err)
                              : status;
}

static segue_status read_fields(json_t *body, segue_parsed_request *call, segue_error *err)
{
    static const char *const none[] = {""}; /* and none of it */
    switch (call->route) {
    case ROUTE_CREATE:
        return segue_learner_settings_read(&call->words, body, err);
    case ROUTE_ADD_ARM:
        return read_arm(body, call, err);
    case ROUTE_OPEN:
        return read_open(body, call, err);
    case ROUTE_ASK:
        return read_ask(body, call, err);
    case ROUTE_TELL:
        return read_tell(body, call, err);
    default:
        return only(body, none, 0, err);
    }
}

static bool is_json(const char *type)
{
    return type && strncasecmp(type, "application/json", 16) == 0 &&
           (type[16] == '\0' || type[16] == ';' || type[16] == ' ');
}

static void refuse_json(const json_error_t *why, segue_response *reply)
{
    const enum json_error_code code = json_error_code(why);
    if (code == json_error_null_character || code == json_error_null_byte_in_key)
        segue_response_fail(reply, 400,
                            "the body has \\u0000, which no text may have (line %d, column %d)",
                            why->line, why->column);
    else if (code == json_error_numeric_overflow)
        segue_response_fail(reply, 400,
                            "the body has a number that is too large (line %d, column %d)",
                            why->line, why->column);
    else
        segue_response_fail(reply, 400, "the body is not JSON: %s (line %d, column %d)", why->text,
                            why->line, why->column);
}

static bool read_body(const segue_request *request, takes what, segue_parsed_request *call,
                      segue_response *reply)
{
    segue_error err = {.status = SEGUE_OK};
    json_error_t why;
    if (what == MAYBE_BODY && request->size == 0)
        return true;
    if (request->size == 0) {
        segue_response_fail(reply, 400, "the body is empty; need a JSON object");
        return false;
    }
    if (!is_json(request->content_type)) {
        segue_response_fail(reply, 415,
                            "the body must be JSON: send Content-Type: application/json");
        return false;
    }
    errno = 0; /* jansson calls some failed allocations a wrong text */
    json_t *body = json_loadb(request->body, request->size, JSON_REJECT_DUPLICATES, &why);
    if (!body && errno == ENOMEM) {
        segue_response_fail(reply, 503, "out of memory for the body of a request");
        return false;
    }
    if (!body) {
        refuse_json(&why, reply);
        return false;
    }
    if (!json_is_object(body))
        segue_response_fail(reply, 400, "the body is %s; need an object", segue_json_kind(body));
    else if (read_fields(body, call, &err) != SEGUE_OK)
        segue_response_fail_status(reply, &err);
    const bool fine = json_is_object(body) && err.status == SEGUE_OK;
    json_decref(body);
    return fine;
}

/* ---- all --------------------------------------------------------------------------------- */

static const segue_static_file *find_page(const segue_request *request)
{
    if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0)
        return NULL;
    return segue_static_files_find(request->path);
}

bool segue_routes_parse(const segue_request *request, segue_parsed_request *call,
                        segue_response *reply)
{
    *call = (segue_parsed_request){.route = ROUTE_PAGE, .page = find_page(request)};
    if (call->page) {
        reply->route = ROUTE_PAGE;
        return true;
    }
    if (request->size > SEGUE_MAX_BODY_SIZE) {
        segue_response_fail(reply, 413, "the body has more than %d bytes", SEGUE_MAX_BODY_SIZE);
        return false;
    }
    const pattern *found = find_pattern(request, call, reply);
    if (!found)
        return false;
    call->route = reply->route = found->route;
    if (found->takes == NOTHING && request->size > 0) {
        segue_response_fail(reply, 400, "this path takes no body");
        return false;
    }
    if (call->route != ROUTE_TASKS && request->query && *request->query) {
        segue_response_fail(reply, 400, "this path takes no query");
        return false;
    }
    if (call->route == ROUTE_TASKS && !read_query(request->query, call, reply))
        return false;
    return found->takes == NOTHING || read_body(request, found->takes, call, reply);
}

void segue_routes_request_fini(segue_parsed_request *call)
{
    json_decref(call->exclude);
    segue_learner_settings_fini(&call->words);
}
