/* request.c - the query and the JSON body of a request.
 *
 * Parsing is strict: a body must be a JSON object with no field that the route does not know, no
 * duplicate keys and no value of a wrong kind.  Every error names the field and what is needed.
 * Nothing here touches the state of the service, so any thread may parse.
 *
 * Sizes are limited before anything is allocated in proportion to them: the body by the HTTP layer,
 * names and counts here.  Names are UTF-8 without control characters (name.c).
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/json.h"
#include "segue/internal.h"
#include "segue/number.h"
#include "service/api/merge_origins.h"
#include "service/api/saved_learner.h"
#include "service/api/task_features.h"

#define DEFAULT_LIMIT 50 /* tasks of a list */
#define MAX_LIMIT     1000

/* ---- queries ----------------------------------------------------------------------------- */

/* Parse one parameter of a query; false: the response says what is wrong. */
static bool parse_parameter(const char *text, segue_parsed_request *parsed,
                            segue_response *response)
{
    if (strncmp(text, "limit=", 6) == 0) {
        if (segue_number_parse_integer(text + 6, 1, MAX_LIMIT, &parsed->limit, NULL) == SEGUE_OK)
            return true;
        segue_response_fail(response, 400, "'limit' must be a whole number from 1 to %d",
                            MAX_LIMIT);
        return false;
    }
    if (strcmp(text, "open=true") == 0 || strcmp(text, "open=false") == 0) {
        parsed->open = text[5] == 't';
        return true;
    }
    if (strcmp(text, "explain=true") == 0 || strcmp(text, "explain=false") == 0) {
        parsed->explain = text[8] == 't';
        return true;
    }
    segue_response_fail(response, 400,
                        "the query has '%.60s'; it takes limit=1 to %d, open=true or false, and "
                        "explain=true or false",
                        text, MAX_LIMIT);
    return false;
}

bool segue_request_parse_query(const segue_request *request, segue_parsed_request *parsed,
                               segue_response *response)
{
    char part[64];
    const char *query = request->query;
    parsed->limit = DEFAULT_LIMIT;
    parsed->open = -1;
    while (query && *query) {
        const size_t size = strcspn(query, "&");
        (void)snprintf(part, sizeof part, "%.*s", size < 60 ? (int)size : 60, query);
        if (size > 0 && !parse_parameter(part, parsed, response))
            return false;
        query += size + (query[size] == '&');
    }
    return true;
}

/* ---- fields ------------------------------------------------------------------------------ */

static const segue_json_location body_location = {.path = "the body"};

/* Reject fields that are not in `names`. */
static segue_status check_keys(json_t *body, const char *const *names, size_t count,
                               segue_error *err)
{
    return segue_json_check_keys(&body_location, body, names, count, err);
}

/* Without the field it stays as it is. */
static segue_status read_flag(json_t *body, const char *field, bool *out, segue_error *err)
{
    return segue_json_flag(&body_location, field, json_object_get(body, field), out, err);
}

static segue_status read_tell(json_t *body, segue_parsed_request *parsed, segue_error *err)
{
    static const char *const names[] = {"decision", "reward", "event"};
    SEGUE_TRY(check_keys(body, names, 3, err));
    const json_t *id = json_object_get(body, "decision"), *reward = json_object_get(body, "reward");
    const size_t length = json_is_string(id) ? json_string_length(id) : 0;
    if (!id)
        return segue_json_fail(&body_location, "decision", err,
                               "is missing; need the id that ask returned");
    if (!segue_decision_id_has_length(length))
        return segue_json_fail(&body_location, "decision", err,
                               "is not a decision id; need the %d, %d or %d characters that ask "
                               "returned",
                               SEGUE_DECISION_ID_LENGTH, SEGUE_LONG_DECISION_ID_LENGTH,
                               SEGUE_MAX_DECISION_ID_LENGTH);
    if (!json_is_number(reward))
        return segue_json_fail(&body_location, "reward", err, "is %s; need a number",
                               segue_json_kind(reward));
    if (json_object_get(body, "event"))
        SEGUE_TRY(
            segue_name_read(json_object_get(body, "event"), "event", parsed->tell_event_id, err));
    SEGUE_TRY(segue_name_check("event", parsed->tell_event_id, err));
    memcpy(parsed->decision, json_string_value(id), length + 1);
    parsed->reward = json_number_value(reward);
    parsed->tells = true;
    return SEGUE_OK;
}

segue_status segue_request_read_reward(json_t *item, segue_parsed_request *parsed, segue_error *err)
{
    if (json_is_object(item))
        return read_tell(item, parsed, err);
    return segue_json_fail(&body_location, "rewards", err,
                           "has %s; need objects with 'decision' and 'reward'",
                           segue_json_kind(item));
}

/* Each reward is read later, so that a wrong one does not reject the others. */
static segue_status read_rewards(json_t *body, segue_parsed_request *parsed, segue_error *err)
{
    static const char *const names[] = {"rewards"};
    json_t *list = json_object_get(body, "rewards");
    const size_t count = json_array_size(list);
    SEGUE_TRY(check_keys(body, names, 1, err));
    if (!json_is_array(list) || count < 1 || count > SEGUE_MAX_TELL_COUNT)
        return segue_json_fail(&body_location, "rewards", err, "need a list of 1 to %d rewards",
                               SEGUE_MAX_TELL_COUNT);
    parsed->rewards = json_incref(list);
    return SEGUE_OK;
}

/* Names are checked against the learner later, under its lock. */
static segue_status read_arms(json_t *body, const char *field, json_t **out, segue_error *err)
{
    char name[SEGUE_MAX_NAME_SIZE + 1];
    json_t *list = json_object_get(body, field);
    if (!list)
        return SEGUE_OK;
    if (!json_is_array(list) || json_array_size(list) > SEGUE_MAX_SERVICE_ARMS)
        return segue_json_fail(&body_location, field, err, "need a list of at most %d arms",
                               SEGUE_MAX_SERVICE_ARMS);
    for (size_t i = 0; i < json_array_size(list); i++)
        SEGUE_TRY(segue_name_read(json_array_get(list, i), field, name, err));
    *out = json_incref(list);
    return SEGUE_OK;
}

/* In shadow mode the caller chooses.  The mode is checked later, with the learner. */
static segue_status read_chosen(json_t *body, segue_parsed_request *parsed, segue_error *err)
{
    const json_t *chosen = json_object_get(body, "chosen"),
                 *probability = json_object_get(body, "chosen_probability");
    if (chosen)
        SEGUE_TRY(segue_name_read(chosen, "chosen", parsed->chosen, err));
    if (chosen && json_object_get(body, "count"))
        return segue_json_fail(&body_location, "count", err,
                               "does not go with 'chosen'; send one ask per choice");
    if (!probability)
        return SEGUE_OK;
    if (!chosen)
        return segue_json_fail(&body_location, "chosen_probability", err,
                               "is the probability of 'chosen'; give that, too");
    const double x = json_is_number(probability) ? json_number_value(probability) : 0.0;
    if (!(x > 0.0 && x <= 1.0))
        return segue_json_fail(
            &body_location, "chosen_probability", err, "is %s; need a number above 0, at most 1",
            json_is_number(probability) ? "out of range" : segue_json_kind(probability));
    parsed->chosen_probability = x;
    return SEGUE_OK;
}

/* An ask may carry the tell of an earlier decision: one request per step. */
static segue_status read_ask(json_t *body, segue_parsed_request *parsed, segue_error *err)
{
    static const char *const names[] = {"task",     "event",       "exclude",           "eligible",
                                        "count",    "probability", "explain",           "tell",
                                        "features", "chosen",      "chosen_probability"};
    const json_t *event_id = json_object_get(body, "event"),
                 *count = json_object_get(body, "count");
    json_t *tell = json_object_get(body, "tell");
    SEGUE_TRY(check_keys(body, names, sizeof names / sizeof *names, err));
    SEGUE_TRY(segue_name_read_key(json_object_get(body, "task"), "task", parsed->task, err));
    if (event_id)
        SEGUE_TRY(segue_name_read(event_id, "event", parsed->event_id, err));
    SEGUE_TRY(segue_name_check("event", parsed->event_id, err));
    if (count)
        SEGUE_TRY(segue_json_integer(&body_location, "count", count, 1, SEGUE_MAX_ASK_COUNT,
                                     &parsed->count, err));
    SEGUE_TRY(read_flag(body, "probability", &parsed->probability, err));
    SEGUE_TRY(read_flag(body, "explain", &parsed->explain, err));
    SEGUE_TRY(read_arms(body, "exclude", &parsed->exclude, err));
    SEGUE_TRY(read_arms(body, "eligible", &parsed->eligible, err));
    SEGUE_TRY(segue_task_features_read(json_object_get(body, "features"), &parsed->features, err));
    SEGUE_TRY(read_chosen(body, parsed, err));
    if (!tell)
        return SEGUE_OK;
    if (!json_is_object(tell))
        return segue_json_fail(&body_location, "tell", err, "is %s; need an object",
                               segue_json_kind(tell));
    return read_tell(tell, parsed, err);
}

/* Without a key the service makes one. */
static segue_status read_open(json_t *body, segue_parsed_request *parsed, segue_error *err)
{
    static const char *const names[] = {"task", "features"};
    const json_t *task = json_object_get(body, "task");
    SEGUE_TRY(check_keys(body, names, 2, err));
    SEGUE_TRY(segue_task_features_read(json_object_get(body, "features"), &parsed->features, err));
    return task ? segue_name_read_key(task, "task", parsed->task, err) : SEGUE_OK;
}

static segue_status read_arm(json_t *body, segue_parsed_request *parsed, segue_error *err)
{
    static const char *const names[] = {"arm"};
    SEGUE_TRY(check_keys(body, names, 1, err));
    return segue_name_read_new(json_object_get(body, "arm"), "arm", parsed->arm, err);
}

/* Values are checked when they are merged with the learner's settings. */
static segue_status read_change(json_t *body, segue_parsed_request *parsed, segue_error *err)
{
    static const char *const names[] = {
        "control",         "grow",           "stop_if_harmful", "smallest_effect", "idle",
        "reward_deadline", "default_reward", "steps",           "close_after",     "floor",
        "shares",          "costs",          "switch_cost",     "paused",          "mode"};
    bool paused = false;
    const char *field;
    json_t *value;
    json_object_foreach(body, field, value)
    {
        size_t i = 0;
        while (i < sizeof names / sizeof *names && strcmp(names[i], field) != 0)
            i++;
        if (i == sizeof names / sizeof *names)
            return segue_json_fail(
                &body_location, field, err,
                "cannot change; control, grow, stop_if_harmful, "
                "smallest_effect, idle, reward_deadline, default_reward, "
                "steps, close_after, floor, shares, costs, switch_cost, paused and mode can");
    }
    SEGUE_TRY(read_flag(body, "paused", &paused, err));
    parsed->change = json_incref(body);
    return SEGUE_OK;
}

/* A learner to merge: the fields of an export, and "force". */
static segue_status read_merge(json_t *body, segue_parsed_request *parsed, segue_error *err)
{
    static const char *const names[] = {"saved", "origins", "learner", "tasks", "force"};
    SEGUE_TRY(check_keys(body, names, sizeof names / sizeof *names, err));
    if (!json_object_get(body, "saved"))
        return segue_json_fail(&body_location, "saved", err,
                               "is missing; need the bytes of a saved learner in base64");
    SEGUE_TRY(read_flag(body, "force", &parsed->force, err));
    SEGUE_TRY(segue_merge_origins_read(body, &parsed->origins, err));
    return segue_saved_learner_decode(&parsed->settings, body, err);
}

/* The other routes take an empty object. */
static segue_status read_fields(json_t *body, segue_parsed_request *parsed, segue_error *err)
{
    static const char *const no_names[] = {""};
    switch (parsed->route) {
    case ROUTE_CREATE:
        return segue_learner_settings_read(&parsed->settings, body, err);
    case ROUTE_CHANGE:
        return read_change(body, parsed, err);
    case ROUTE_ADD_ARM:
        return read_arm(body, parsed, err);
    case ROUTE_MERGE:
        return read_merge(body, parsed, err);
    case ROUTE_OPEN:
        return read_open(body, parsed, err);
    case ROUTE_ASK:
        return read_ask(body, parsed, err);
    case ROUTE_TELL:
        return json_object_get(body, "rewards") ? read_rewards(body, parsed, err)
                                                : read_tell(body, parsed, err);
    default:
        return check_keys(body, no_names, 0, err);
    }
}

/* ---- bodies ------------------------------------------------------------------------------ */

/* Parameters such as charset may follow the type. */
static bool is_json(const char *type)
{
    return type && strncasecmp(type, "application/json", 16) == 0 &&
           (type[16] == '\0' || type[16] == ';' || type[16] == ' ');
}

static void fail_json(const json_error_t *why, segue_response *response)
{
    const enum json_error_code code = json_error_code(why);
    if (code == json_error_null_character || code == json_error_null_byte_in_key)
        segue_response_fail(response, 400,
                            "the body has \\u0000, which no text may have (line %d, column %d)",
                            why->line, why->column);
    else if (code == json_error_numeric_overflow)
        segue_response_fail(response, 400,
                            "the body has a number that is too large (line %d, column %d)",
                            why->line, why->column);
    else
        segue_response_fail(response, 400, "the body is not JSON: %s (line %d, column %d)",
                            why->text, why->line, why->column);
}

size_t segue_request_max_body(const char *method, const char *path)
{
    const bool creates = strcmp(method, "POST") == 0 && strcmp(path, "/v1/learners") == 0;
    const bool tells = strcmp(method, "POST") == 0 && strcmp(path, "/v1/tell") == 0;
    const size_t size = strlen(path);
    const bool merges = strcmp(method, "POST") == 0 && strncmp(path, "/v1/learners/", 13) == 0 &&
                        size > 6 && strcmp(path + size - 6, "/merge") == 0;
    return creates || merges ? SEGUE_MAX_CREATE_BODY
           : tells           ? SEGUE_MAX_TELL_BODY
                             : SEGUE_MAX_BODY_SIZE;
}

segue_right segue_request_body_right(const char *path)
{
    return strcmp(path, "/v1/tell") == 0 ? RIGHT_DECIDE : RIGHT_ADMIN;
}

/* Load the body.  NULL: `response` says why. */
static json_t *load(const segue_request *request, segue_response *response)
{
    json_error_t why;
    errno = 0; /* jansson reports some failed allocations as a syntax error */
    json_t *body = json_loadb(request->body, request->size, JSON_REJECT_DUPLICATES, &why);
    if (!body && errno == ENOMEM)
        segue_response_fail(response, 503, "out of memory for the body of a request; retry later");
    else if (!body)
        fail_json(&why, response);
    return body;
}

bool segue_request_parse_body(const segue_request *request, segue_parsed_request *parsed,
                              segue_response *response)
{
    segue_error err = {.status = SEGUE_OK};
    if (request->size == 0) {
        segue_response_fail(response, 400, "the body is empty; need a JSON object");
        return false;
    }
    if (!is_json(request->content_type)) {
        segue_response_fail(response, 415,
                            "the body must be JSON: send Content-Type: application/json");
        return false;
    }
    json_t *body = load(request, response);
    if (!body)
        return false;
    if (!json_is_object(body))
        segue_response_fail(response, 400, "the body is %s; need an object", segue_json_kind(body));
    else if (read_fields(body, parsed, &err) != SEGUE_OK)
        segue_response_fail_status(response, &err);
    const bool valid = json_is_object(body) && err.status == SEGUE_OK;
    json_decref(body);
    return valid;
}

void segue_request_fini(segue_parsed_request *parsed)
{
    free(parsed->features);
    json_decref(parsed->exclude);
    json_decref(parsed->eligible);
    json_decref(parsed->rewards);
    json_decref(parsed->origins);
    json_decref(parsed->change);
    segue_learner_settings_fini(&parsed->settings);
}
