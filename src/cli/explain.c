/* explain.c - the reasons of a watched task, one line of JSON a step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/explain.h"

#define LONGEST_PURPOSE 64

/* What a pull is for; look-ahead's reason, unless another arm was drawn. */
static void tell_purpose(const segue_step *step, char *text)
{
    const segue_explanation *why = step->why;
    if (step->arm != why->arm)
        (void)snprintf(text, LONGEST_PURPOSE, "draw");
    else if (why->purpose == SEGUE_EXPLOIT)
        (void)snprintf(text, LONGEST_PURPOSE, "exploit");
    else if (why->purpose == SEGUE_LOOK)
        (void)snprintf(text, LONGEST_PURPOSE, "look");
    else if (why->first == 0)
        (void)snprintf(text, LONGEST_PURPOSE, "tell type %zu from none", why->second);
    else
        (void)snprintf(text, LONGEST_PURPOSE, "tell type %zu from %zu", why->first, why->second);
}

static json_t *json_step(const segue_step *step)
{
    char purpose[LONGEST_PURPOSE];
    tell_purpose(step, purpose);
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:s}", "step", (json_int_t)step->number, "arm",
                     (json_int_t)step->arm + 1, "reward", segue_json_number(step->reward), "none",
                     segue_json_number(step->why->weight[0]), "types",
                     segue_json_numbers(step->why->weight + 1, step->why->n_types), "for", purpose);
}

static json_t *json_taken(const segue_taken *taken)
{
    size_t likeliest = 0;
    for (size_t q = 1; q <= taken->n_types; q++)
        if (taken->weight[q] > taken->weight[likeliest])
            likeliest = q;
    char name[LONGEST_PURPOSE];
    (void)snprintf(name, sizeof name, likeliest ? "type %zu" : "none", likeliest);
    return json_pack("{s:s, s:o, s:o}", "taken_for", name, "none",
                     segue_json_number(taken->weight[0]), "types",
                     segue_json_numbers(taken->weight + 1, taken->n_types));
}

segue_status cli_explain_step(void *out, const segue_step *step, segue_error *err)
{
    segue_output *output = out;
    json_t *line = step->taken ? json_taken(step->taken) : json_step(step);
    return segue_print_json_line(output->stream, line, err);
}
