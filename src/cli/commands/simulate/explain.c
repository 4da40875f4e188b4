/* explain.c - write the reasons of a watched task, one line of JSON per step.
 *
 * simulate.c passes cli_explain_step to the simulation, which calls it for each step of the last
 * task of the first run, and once more with the posterior at its end. Lines go to memory;
 * simulate.c writes the file after all policies have been played.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/simulate/explain.h"

#include "cli/value.h"
#include "io/json_build.h"
#include "io/json_write.h"

/* Name the purpose of a pull: that of look-ahead, unless another arm was drawn. */
static cli_value purpose_of(const segue_step *step)
{
    const segue_explanation *why = step->why;
    if (step->arm != why->arm)
        return cli_value_text("draw");
    if (why->purpose == SEGUE_EXPLOIT)
        return cli_value_text("exploit");
    if (why->purpose == SEGUE_EXPLORE)
        return cli_value_text("explore");
    if (why->first == 0)
        return cli_value_format("distinguish type %zu from no type", why->second);
    return cli_value_format("distinguish type %zu from %zu", why->first, why->second);
}

/* Weights are the posterior before the pull; weight 0 is that of no type. */
static json_t *json_step(const segue_step *step)
{
    const segue_explanation *why = step->why;
    const cli_field fields[] = {
        {"step", cli_value_integer(step->number)},
        {"arm", cli_value_integer(step->arm + 1)},
        {"reward", cli_value_number(step->reward)},
        {"no_type", cli_value_number(why->weight[0])},
        {"types", cli_value_json(segue_json_numbers(why->weight + 1, why->n_types))},
        {"for", purpose_of(step)},
    };
    return CLI_OBJECT(fields);
}

/* Name the likeliest type; a tie goes to the smaller number. */
static json_t *json_posterior(const segue_type_posterior *posterior)
{
    size_t likeliest = 0;
    for (size_t q = 1; q <= posterior->n_types; q++)
        if (posterior->weight[q] > posterior->weight[likeliest])
            likeliest = q;
    const cli_field fields[] = {
        {"likeliest",
         likeliest ? cli_value_format("type %zu", likeliest) : cli_value_text("no type")},
        {"no_type", cli_value_number(posterior->weight[0])},
        {"types", cli_value_json(segue_json_numbers(posterior->weight + 1, posterior->n_types))},
    };
    return CLI_OBJECT(fields);
}

/* A step has either a reason or, at the end of the task, the posterior. */
segue_status cli_explain_step(void *out, const segue_step *step, segue_error *err)
{
    segue_output *output = out;
    json_t *line = step->posterior ? json_posterior(step->posterior) : json_step(step);
    return segue_json_print_line(output->stream, line, err);
}
