/* response.c - responses that are errors, and the end of a response.
 *
 * An error response is {"error": {"code", "message", "request"}}: the code follows from the status,
 * the message says what is wrong and what to do next, the request is its id.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/responses/response.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/json_write.h"

static const char *code_of(int status)
{
    static const struct {
        int status;
        const char *code;
    } codes[] = {{400, "bad_request"}, {401, "unauthorized"},       {403, "forbidden"},
                 {404, "not_found"},   {405, "method_not_allowed"}, {409, "conflict"},
                 {410, "gone"},        {413, "too_large"},          {415, "unsupported_media_type"},
                 {421, "misdirected"}, {429, "too_many"},           {503, "unavailable"}};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].status == status)
            return codes[i].code;
    return "internal";
}

void segue_response_fini(segue_response *response)
{
    segue_bytes_fini(&response->body);
    if (response->memory)
        segue_memory_release(response->memory, response->held);
    response->memory = NULL;
}

void segue_response_fail(segue_response *response, int status, const char *format, ...)
{
    char message[SEGUE_ERROR_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    segue_bytes_fini(&response->body);
    response->status = status;
    response->retry = status == 503 ? 1 : 0;
    segue_json_write_raw(&response->body, "{\"error\":{");
    segue_json_write_text(&response->body, "code", code_of(status));
    segue_json_write_text(&response->body, "message", message);
    segue_json_write_text(&response->body, "request", response->id);
    segue_json_write_raw(&response->body, "}}");
}

void segue_response_fail_status(segue_response *response, const segue_error *why)
{
    segue_response_fail(response, segue_status_exit_code(why->status) == 2 ? 400 : 503, "%s",
                        why->message);
}

void segue_response_busy(segue_response *response)
{
    segue_response_fail(response, 503,
                        "too many long requests are running, or the service is shutting down; "
                        "retry later");
}

void segue_response_elsewhere(segue_response *response)
{
    segue_response_fail(response, 421,
                        "this server does not own the learner; repeat the request without "
                        "Segue-Hop");
    response->is_elsewhere = true;
}

void segue_response_no_learner(segue_response *response, const char *name)
{
    segue_response_fail(response, 404, "there is no learner '%.80s'; POST /v1/learners creates one",
                        name);
}

/* The body is a JSON object; the field is added before its last brace. */
void segue_response_add_reward(segue_response *response, const segue_bytes *reward)
{
    response->body.size--; /* the last brace */
    segue_json_write_key(&response->body, "tell");
    segue_bytes_append(&response->body, reward->data, reward->size);
    segue_json_write_raw(&response->body, "}");
}

/* 13 digits hide rounding: open tasks multiply a mean, closed ones add rewards. */
void segue_response_mean(segue_bytes *b, uint64_t pulls, double total)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.13g", pulls > 0 ? total / (double)pulls : 0.0);
    segue_json_write_double(b, "mean", pulls > 0 ? strtod(text, NULL) : NAN);
}
