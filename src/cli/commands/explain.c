/* explain.c - the reasons of a watched task, one line of JSON a step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/explain.h"
#include "io/json_build.h"
#include "io/json_write.h"

#define MAX_PURPOSE_SIZE 64

/* What a pull is for; look-ahead's reason, unless another arm was drawn. */
static void tell_purpose(const segue_step *step, char *text)
{
    const segue_explanation *why = step->why;
    if (step->arm != why->arm)
        (void)snprintf(text, MAX_PURPOSE_SIZE, "draw");
    else if (why->purpose == SEGUE_EXPLOIT)
        (void)snprintf(text, MAX_PURPOSE_SIZE, "exploit");
    else if (why->purpose == SEGUE_EXPLORE)
        (void)snprintf(text, MAX_PURPOSE_SIZE, "explore");
    else if (why->first == 0)
        (void)snprintf(text, MAX_PURPOSE_SIZE, "distinguish type %zu from no type", why->second);
    else
        (void)snprintf(text, MAX_PURPOSE_SIZE, "distinguish type %zu from %zu", why->first,
                       why->second);
}

static json_t *json_step(const segue_step *step)
{
    char purpose[MAX_PURPOSE_SIZE];
    tell_purpose(step, purpose);
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:s}", "step", (json_int_t)step->number, "arm",
                     (json_int_t)step->arm + 1, "reward", segue_json_number(step->reward),
                     "no_type", segue_json_number(step->why->weight[0]), "types",
                     segue_json_numbers(step->why->weight + 1, step->why->n_types), "for", purpose);
}

static json_t *json_taken(const segue_type_posterior *taken)
{
    size_t likeliest = 0;
    for (size_t q = 1; q <= taken->n_types; q++)
        if (taken->weight[q] > taken->weight[likeliest])
            likeliest = q;
    char name[MAX_PURPOSE_SIZE];
    (void)snprintf(name, sizeof name, likeliest ? "type %zu" : "no type", likeliest);
    return json_pack("{s:s, s:o, s:o}", "likeliest", name, "no_type",
                     segue_json_number(taken->weight[0]), "types",
                     segue_json_numbers(taken->weight + 1, taken->n_types));
}

segue_status cli_explain_step(void *out, const segue_step *step, segue_error *err)
{
    segue_output *output = out;
    json_t *line = step->posterior ? json_taken(step->posterior) : json_step(step);
    return segue_json_print_line(output->stream, line, err);
}
