/* client.c - what the commands that call a service share: one request, and its response printed.
 *
 * ask, tell, close and learners build a path and a JSON body and call cli_client_send. A response
 * is printed as the service sent it; on a terminal it is indented. A rejection becomes the error of
 * the command, with the service's own sentence; its exit code is 2 for a status below 500 and 1
 * from 500 on.
 *
 * http_client.c sends; this file reads the token, warns if others can read it, and owns path and
 * body. A command sends one request and exits, so that nothing is cached.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/client/client.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/client/http_client.h"
#include "cli/permissions.h"
#include "io/encode.h"
#include "io/json_write.h"
#include "service/api/access/token_file.h"

/* An empty variable counts as unset. */
static const char *variable(const char *name, const char *otherwise)
{
    const char *text = getenv(name);
    return text && *text ? text : otherwise;
}

/* Options override the variables of the environment. */
cli_client cli_client_defaults(void)
{
    return (cli_client){.url = variable("SEGUE_URL", "http://127.0.0.1:8080"),
                        .ca_file = variable("SSL_CERT_FILE", NULL)};
}

/* Append "/" and the percent-encoded name. */
static void append_name(segue_bytes *path, const char *name)
{
    char *encoded = malloc(3 * strlen(name) + 1);
    if (!encoded) {
        path->failed = true;
        return;
    }
    segue_bytes_append(path, "/", 1);
    segue_bytes_append(path, encoded, segue_encode_percent(encoded, name));
    free(encoded);
}

/* Build /v1/learners[/LEARNER[/PART[/NAME]]]; the caller owns it. */
segue_bytes cli_client_path(const char *learner, const char *part, const char *name)
{
    segue_bytes path = {.data = NULL};
    segue_json_write_raw(&path, "/v1/learners");
    if (learner)
        append_name(&path, learner);
    if (part)
        segue_json_write_format(&path, "/%s", part);
    if (name)
        append_name(&path, name);
    return path;
}

/* Copy the first token of the file, which may be the file of the service. */
static segue_status copy_first(void *context, const segue_token_line *line, segue_error *err)
{
    char *first = context;
    (void)err;
    if (!*first)
        (void)snprintf(first, SEGUE_MAX_TOKEN_SIZE + 1, "%s", line->token);
    return SEGUE_OK;
}

/* Fail with the service's sentence. */
static segue_status fail_rejected(int code, const segue_bytes *response, segue_error *err)
{
    json_t *body = json_loadb((const char *)response->data, response->size, 0, NULL);
    const char *message =
        json_string_value(json_object_get(json_object_get(body, "error"), "message"));
    const segue_status status = segue_fail(
        err, code >= 500 ? SEGUE_EIO : SEGUE_EUSAGE, "the service rejects the request (%d): %.400s",
        code, message ? message : "the response has no message; is this a segue service?");
    json_decref(body);
    return status;
}

/* Indent for a terminal; other programs get the response as it is. */
static segue_status print_response(const segue_bytes *response, segue_error *err)
{
    segue_bytes text = {.data = NULL};
    if (isatty(STDOUT_FILENO))
        segue_json_write_indented(&text, (const char *)response->data, response->size, 2);
    else
        segue_bytes_append(&text, response->data, response->size);
    segue_bytes_append(&text, "\n", 1);
    const bool failed = text.failed;
    if (!failed)
        (void)fwrite(text.data, 1, text.size, stdout);
    segue_bytes_fini(&text);
    return failed ? segue_fail_no_memory(err, "a response") : SEGUE_OK;
}

/* Any status from 300 on is a rejection: redirects are not followed. */
static segue_status call(const cli_client *client, const char *method, const char *path,
                         const char *body, segue_error *err)
{
    char token[SEGUE_MAX_TOKEN_SIZE + 1] = "";
    segue_bytes response = {.data = NULL};
    int code = 0;
    if (client->token_file) {
        (void)cli_permissions_warn("segue", "the token file", client->token_file);
        SEGUE_TRY(segue_token_file_read(client->token_file, copy_first, token, err));
    }
    const cli_http_client http = {
        .url = client->url, .token = client->token_file ? token : NULL, .ca_file = client->ca_file};
    segue_status status = cli_http_client_request(&http, method, path, body, &code, &response, err);
    if (status == SEGUE_OK)
        status = code >= 300 ? fail_rejected(code, &response, err) : print_response(&response, err);
    segue_bytes_fini(&response);
    return status;
}

/* Takes ownership of path and body. */
segue_status cli_client_send(const cli_client *client, const char *method, segue_bytes path,
                             segue_bytes *body, segue_error *err)
{
    segue_status status;
    segue_bytes_append(&path, "", 1);
    if (body)
        segue_bytes_append(body, "", 1);
    if (path.failed || (body && body->failed))
        status = segue_fail_no_memory(err, "a request");
    else
        status = call(client, method, (const char *)path.data,
                      body ? (const char *)body->data : NULL, err);
    segue_bytes_fini(&path);
    if (body)
        segue_bytes_fini(body);
    return status;
}
