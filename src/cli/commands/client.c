/* client.c - `segue learners`, `ask`, `tell` and `close`: to a service that runs.
 * SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/http_client.h"
#include "cli/permissions.h"
#include "io/json.h"
#include "io/json_write.h"
#include "segue/internal.h"
#include "service/api/token_file.h"

typedef struct settings {
    const char *url, *token_file;
    const char *task, *event, *exclude;
    const char *create, *add_arm, *retire_arm;
    uint64_t count;
    double reward;
    bool probability, explain, has_deletion;
} settings;

static settings defaults(void)
{
    const char *url = getenv("SEGUE_URL");
    return (settings){.url = url && *url ? url : "http://127.0.0.1:8080", .reward = -1e300};
}

#define COMMON                                                                                     \
    {"url",    'u',                                                                                \
     CLI_TEXT, offsetof(settings, url),                                                            \
     "URL",    "the service (default SEGUE_URL, 127.0.0.1:8080)",                                  \
     0,        0},                                                                                 \
    {                                                                                              \
        "token-file", 't', CLI_TEXT, offsetof(settings, token_file), "FILE",                       \
            "a file whose first token is used", 0, 0                                               \
    }

/* ---- one call ---------------------------------------------------------------------------- */

/* The file may be the one that the service has: the first token is used. */
static segue_status keep_first(void *context, const char *token, size_t line, segue_error *err)
{
    char *first = context;
    (void)line;
    (void)err;
    if (!*first)
        (void)snprintf(first, SEGUE_MAX_TOKEN_SIZE + 1, "%s", token);
    return SEGUE_OK;
}

/* The sentence of a refusal, or the whole of it. */
static segue_status refused(int code, const segue_bytes *answer, segue_error *err)
{
    json_t *body = json_loadb((const char *)answer->data, answer->size, 0, NULL);
    const char *message =
        json_string_value(json_object_get(json_object_get(body, "error"), "message"));
    const segue_status status =
        segue_fail(err, code >= 500 ? SEGUE_EIO : SEGUE_EUSAGE, "the service refuses (%d): %.400s",
                   code, message ? message : "it does not say why");
    json_decref(body);
    return status;
}

/* Indent for a terminal; other programs get the response as it is. */
static segue_status print_response(const segue_bytes *json, segue_error *err)
{
    segue_bytes b = {.data = NULL};
    if (isatty(STDOUT_FILENO))
        segue_json_write_indented(&b, (const char *)json->data, json->size, 2);
    else
        segue_bytes_append(&b, json->data, json->size);
    segue_bytes_append(&b, "\n", 1);
    const bool failed = b.failed;
    if (!failed)
        (void)fwrite(b.data, 1, b.size, stdout);
    segue_bytes_fini(&b);
    return failed ? segue_fail_no_memory(err, "a response") : SEGUE_OK;
}

static segue_status call(const settings *set, const char *method, const segue_bytes *path,
                         const char *body, segue_error *err)
{
    char token[SEGUE_MAX_TOKEN_SIZE + 1] = "";
    segue_bytes answer = {.data = NULL};
    int code = 0;
    segue_status status = SEGUE_OK;
    if (path->failed)
        return segue_fail_no_memory(err, "a request");
    if (set->token_file) {
        (void)cli_permissions_warn("segue", "the token file", set->token_file);
        status = segue_token_file_read(set->token_file, keep_first, token, err);
    }
    const cli_http_client client = {set->url, set->token_file ? token : NULL};
    if (status == SEGUE_OK)
        status = cli_http_client_request(&client, method, (const char *)path->data, body, &code,
                                         &answer, err);
    if (status == SEGUE_OK && code >= 300)
        status = refused(code, &answer, err);
    else if (status == SEGUE_OK)
        status = print_response(&answer, err);
    segue_bytes_fini(&answer);
    return status;
}

/* /v1/learners[/NAME][/PART[/PART]], ended with 0 */
static segue_bytes path_of(const char *learner, const char *part, const char *name)
{
    segue_bytes path = {.data = NULL};
    segue_json_write_raw(&path, "/v1/learners");
    if (learner) {
        segue_json_write_raw(&path, "/");
        cli_http_client_escape(&path, learner);
    }
    if (part)
        segue_json_write_format(&path, "/%s", part);
    if (name) {
        segue_json_write_raw(&path, "/");
        cli_http_client_escape(&path, name);
    }
    return path;
}

static segue_status send(const settings *set, const char *method, segue_bytes path,
                         segue_bytes *body, segue_error *err)
{
    segue_bytes_append(&path, "", 1);
    if (body)
        segue_bytes_append(body, "", 1);
    const segue_status status =
        body && body->failed
            ? segue_fail_no_memory(err, "a request")
            : call(set, method, &path, body ? (const char *)body->data : NULL, err);
    segue_bytes_fini(&path);
    if (body)
        segue_bytes_fini(body);
    return status;
}

/* ---- learners ---------------------------------------------------------------------------- */

static const cli_option learners_options[] = {
    {"create", 0, CLI_TEXT, offsetof(settings, create), "FILE",
     "create what a JSON file tells; -: standard input", 0, 0},
    {"add-arm", 0, CLI_TEXT, offsetof(settings, add_arm), "ARM", "add an arm to LEARNER", 0, 0},
    {"retire-arm", 0, CLI_TEXT, offsetof(settings, retire_arm), "ARM",
     "take no more decisions for it", 0, 0},
    {"delete", 0, CLI_FLAG, offsetof(settings, has_deletion), NULL,
     "delete LEARNER, its tasks and rewards", 0, 0},
    COMMON,
};

static segue_status create(const settings *set, segue_error *err)
{
    json_t *body = NULL;
    segue_bytes text = {.data = NULL};
    const segue_status status = segue_json_read(&body, set->create, err);
    if (status != SEGUE_OK)
        return status;
    char *dump = json_dumps(body, JSON_COMPACT);
    json_decref(body);
    if (!dump)
        return segue_fail_no_memory(err, "a request");
    segue_json_write_raw(&text, dump);
    free(dump);
    return send(set, "POST", path_of(NULL, NULL, NULL), &text, err);
}

static segue_status add_arm(const settings *set, const char *learner, segue_error *err)
{
    segue_bytes body = {.data = NULL};
    segue_json_write_raw(&body, "{");
    segue_json_write_text(&body, "arm", set->add_arm);
    segue_json_write_raw(&body, "}");
    return send(set, "POST", path_of(learner, "arms", NULL), &body, err);
}

static segue_status run_learners(int argc, char **argv, segue_error *err)
{
    settings set = defaults();
    const char *learner = NULL;
    const segue_status status = cli_options_parse_operand(
        learners_options, sizeof learners_options / sizeof *learners_options, argc, argv, &set,
        &learner, err);
    if (status != SEGUE_OK)
        return status;
    const int wishes =
        (set.create != NULL) + (set.add_arm != NULL) + (set.retire_arm != NULL) + set.has_deletion;
    if (wishes > 1)
        return segue_fail(err, SEGUE_EUSAGE, "one of --create, --add-arm, --retire-arm, --delete");
    if (wishes == 1 && (set.create != NULL) == (learner != NULL))
        return segue_fail(err, SEGUE_EUSAGE,
                          set.create ? "--create takes the name from the file"
                                     : "name the learner: 'segue help learners' tells more");
    if (set.create)
        return create(&set, err);
    if (set.add_arm)
        return add_arm(&set, learner, err);
    if (set.retire_arm)
        return send(&set, "DELETE", path_of(learner, "arms", set.retire_arm), NULL, err);
    return send(&set, set.has_deletion ? "DELETE" : "GET", path_of(learner, NULL, NULL), NULL, err);
}

const cli_command cli_command_learners = {
    .name = "learners",
    .summary = "lists, shows, creates and changes learners of a service",
    .usage = "learners [LEARNER] [OPTIONS]",
    .details = "Prints the service's answer, JSON.  The fields of a learner to create are in\n"
               "the service's /openapi.json (NewLearner); name and arms are enough.\n\n"
               "examples:\n"
               "  segue learners\n"
               "  echo '{\"name\":\"tutor\",\"arms\":[\"A\",\"B\"]}' | segue learners --create -\n"
               "  segue learners tutor\n",
    .options = learners_options,
    .n_options = sizeof learners_options / sizeof *learners_options,
    .run = run_learners,
};

/* ---- ask --------------------------------------------------------------------------------- */

static const cli_option ask_options[] = {
    {"task", 0, CLI_TEXT, offsetof(settings, task), "KEY", "the task; a new key opens one", 0, 0},
    {"event", 0, CLI_TEXT, offsetof(settings, event), "ID", "the same id gives the same decision",
     0, 0},
    {"exclude", 0, CLI_TEXT, offsetof(settings, exclude), "ARMS",
     "not to take now, with commas between", 0, 0},
    {"count", 0, CLI_INTEGER, offsetof(settings, count), "N", "several decisions at once", 1, 1000},
    {"probability", 0, CLI_FLAG, offsetof(settings, probability), NULL,
     "also the arm's probability", 0, 0},
    {"explain", 0, CLI_FLAG, offsetof(settings, explain), NULL, "also the types still compatible",
     0, 0},
    COMMON,
};

static void write_list(segue_bytes *b, const char *names)
{
    char name[300];
    segue_json_write_key(b, "exclude");
    segue_json_write_raw(b, "[");
    for (const char *at = names; *at;) {
        const size_t size = strcspn(at, ",");
        (void)snprintf(name, sizeof name, "%.*s", size < 299 ? (int)size : 299, at);
        segue_json_write_raw(b, at == names ? "" : ",");
        segue_json_write_string(b, name);
        at += size + (at[size] == ',');
    }
    segue_json_write_raw(b, "]");
}

static segue_bytes write_ask(const settings *set)
{
    segue_bytes b = {.data = NULL};
    segue_json_write_raw(&b, "{");
    segue_json_write_text(&b, "task", set->task);
    if (set->event)
        segue_json_write_text(&b, "event", set->event);
    if (set->exclude)
        write_list(&b, set->exclude);
    if (set->count > 0)
        segue_json_write_integer(&b, "count", set->count);
    if (set->probability)
        segue_json_write_bool(&b, "probability", 1);
    if (set->explain)
        segue_json_write_bool(&b, "explain", 1);
    segue_json_write_raw(&b, "}");
    return b;
}

static segue_status run_ask(int argc, char **argv, segue_error *err)
{
    settings set = defaults();
    const char *learner = NULL;
    const segue_status status = cli_options_parse_operand(
        ask_options, sizeof ask_options / sizeof *ask_options, argc, argv, &set, &learner, err);
    if (status != SEGUE_OK)
        return status;
    if (!learner || !set.task)
        return segue_fail(err, SEGUE_EUSAGE,
                          "give the learner and --task; 'segue help ask' tells more");
    segue_bytes body = write_ask(&set);
    return send(&set, "POST", path_of(learner, "ask", NULL), &body, err);
}

const cli_command cli_command_ask = {
    .name = "ask",
    .summary = "asks a service which arm a task should take",
    .usage = "ask LEARNER --task KEY [OPTIONS]",
    .details = "Prints the service's answer, JSON: the arm, and the decision's id, which\n"
               "'segue tell' takes.\n\n"
               "examples:\n"
               "  segue ask tutor --task student-42\n"
               "  segue ask tutor --task student-42 --probability --explain\n",
    .options = ask_options,
    .n_options = sizeof ask_options / sizeof *ask_options,
    .run = run_ask,
};

/* ---- tell -------------------------------------------------------------------------------- */

static const cli_option tell_options[] = {
    {"reward", 'r', CLI_NUMBER, offsetof(settings, reward), "X", "what the decision gave", -1e300,
     1e300},
    COMMON,
};

static segue_status run_tell(int argc, char **argv, segue_error *err)
{
    settings set = defaults();
    const char *decision = NULL;
    segue_bytes path = {.data = NULL}, body = {.data = NULL};
    const segue_status status = cli_options_parse_operand(
        tell_options, sizeof tell_options / sizeof *tell_options, argc, argv, &set, &decision, err);
    if (status != SEGUE_OK)
        return status;
    if (!decision || set.reward <= -1e300)
        return segue_fail(err, SEGUE_EUSAGE,
                          "give the decision and --reward; 'segue help tell' tells more");
    segue_json_write_raw(&path, "/v1/tell");
    segue_json_write_raw(&body, "{");
    segue_json_write_text(&body, "decision", decision);
    segue_json_write_double(&body, "reward", set.reward);
    segue_json_write_raw(&body, "}");
    return send(&set, "POST", path, &body, err);
}

const cli_command cli_command_tell = {
    .name = "tell",
    .summary = "tells a service the reward of a decision",
    .usage = "tell DECISION --reward X [OPTIONS]",
    .details = "Returns when the reward is on the service's disk.  Telling it again changes\n"
               "nothing; telling another one is refused.\n\n"
               "examples:\n"
               "  segue tell \"$DECISION\" --reward 1\n",
    .options = tell_options,
    .n_options = sizeof tell_options / sizeof *tell_options,
    .run = run_tell,
};

/* ---- close ------------------------------------------------------------------------------- */

static const cli_option close_options[] = {
    {"task", 0, CLI_TEXT, offsetof(settings, task), "KEY", "the task", 0, 0},
    COMMON,
};

static segue_status run_close(int argc, char **argv, segue_error *err)
{
    settings set = defaults();
    const char *learner = NULL;
    const segue_status status =
        cli_options_parse_operand(close_options, sizeof close_options / sizeof *close_options, argc,
                                  argv, &set, &learner, err);
    if (status != SEGUE_OK)
        return status;
    if (!learner || !set.task)
        return segue_fail(err, SEGUE_EUSAGE,
                          "give the learner and --task; 'segue help close' tells more");
    segue_bytes path = path_of(learner, "tasks", set.task);
    segue_json_write_raw(&path, "/close");
    return send(&set, "POST", path, NULL, err);
}

const cli_command cli_command_close = {
    .name = "close",
    .summary = "closes a task of a service, which learns from it",
    .usage = "close LEARNER --task KEY [OPTIONS]",
    .details = "Closing a task that is closed changes nothing.\n\n"
               "examples:\n"
               "  segue close tutor --task student-42\n",
    .options = close_options,
    .n_options = sizeof close_options / sizeof *close_options,
    .run = run_close,
};
