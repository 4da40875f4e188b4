/* ask_limits.c - all that restricts the choice of one ask.
 *
 * Names of arms in a request are checked here, under the learner's lock: an arm may have been added
 * since the request was parsed.  Names of shares were checked when the setting was made.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/ask_limits.h"

#include <stdlib.h>
#include <string.h>

#include "service/api/request.h"

/* ---- allowed arms ------------------------------------------------------------------------ */

/* Set the flags of the listed arms; false: one of them is not an arm. */
static bool flag_arms(const learner_state *state, const char *field, const json_t *list, bool flag,
                      bool *flags, segue_response *response)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        size_t index = 0;
        if (!segue_learner_state_find_arm(state, name, &index)) {
            segue_response_fail(
                response, 400,
                "the learner has no arm '%.80s', which '%s' names; GET the learner for its arms",
                name, field);
            return false;
        }
        flags[index] = flag;
    }
    return true;
}

/* Flags of all arms: eligible, not excluded, not retired, and of the first n_arms. */
static bool set_flags(const learner_state *state, size_t n_arms,
                      const segue_parsed_request *request, bool *flags, segue_response *response)
{
    memset(flags, !request->eligible, state->n_arms * sizeof *flags);
    if (!flag_arms(state, "eligible", request->eligible, true, flags, response) ||
        !flag_arms(state, "exclude", request->exclude, false, flags, response))
        return false;
    for (size_t arm = 0; arm < state->n_arms; arm++)
        flags[arm] = arm < n_arms && flags[arm] && state->allowed[arm];
    return true;
}

static bool fail_memory(segue_response *response)
{
    segue_response_fail(response, 503, "out of memory for the arms of a task; retry later");
    return false;
}

bool segue_ask_limits_allowed(const learner_state *state, size_t n_arms,
                              const segue_parsed_request *request, bool **allowed,
                              segue_response *response)
{
    *allowed = NULL;
    if (state->n_retired == 0 && !request->exclude && !request->eligible)
        return true;
    *allowed = calloc(state->n_arms, sizeof **allowed);
    return *allowed ? set_flags(state, n_arms, request, *allowed, response) : fail_memory(response);
}

void segue_ask_limits_respond_none(const segue_error *why, segue_response *response)
{
    if (why->status == SEGUE_EDOMAIN)
        segue_response_fail(response, 409,
                            "no arm of the task can be chosen: all that it was opened with are "
                            "excluded, not eligible or retired; exclude fewer, name more as "
                            "eligible, or close the task");
    else
        segue_response_fail(response, 503, "%s", why->message);
}

/* ---- floor and shares -------------------------------------------------------------------- */

/* Copy the flags that the limits will narrow. */
static bool *copy_flags(const learner_state *state, const bool *allowed)
{
    bool *flags = malloc(state->n_arms * sizeof *flags);
    if (flags && allowed)
        memcpy(flags, allowed, state->n_arms * sizeof *flags);
    else if (flags)
        memset(flags, true, state->n_arms * sizeof *flags);
    return flags;
}

/* The shares of the task's settings, by arm. */
static double *find_shares(const learner_state *state, const arm_numbers *shares)
{
    double *share = calloc(state->n_arms, sizeof *share);
    size_t index = 0;
    for (size_t i = 0; share && i < shares->count; i++)
        if (segue_learner_state_find_arm(state, shares->item[i].arm, &index))
            share[index] = shares->item[i].value;
    return share;
}

segue_status segue_ask_limits_set(const learner_state *state, task_state *task, ask_limits *limits,
                                  segue_error *err)
{
    const task_terms *terms = &task->terms;
    const bool narrows = limits->allowed || terms->shares;
    limits->play = (segue_task_limits){.floor = terms->floor};
    if (narrows)
        limits->play.allowed = copy_flags(state, limits->allowed);
    if (terms->shares)
        limits->play.share = find_shares(state, terms->shares);
    if ((narrows && !limits->play.allowed) || (terms->shares && !limits->play.share))
        return segue_fail_no_memory(err, "the arms of a task");
    return segue_task_limits_fit(&limits->play, task->play, err);
}

bool segue_ask_limits_collect(const learner_state *state, task_state *task,
                              const segue_parsed_request *request, ask_limits *out,
                              segue_response *response)
{
    segue_error why;
    *out = (ask_limits){.allowed = NULL};
    if (!segue_ask_limits_allowed(state, task->n_arms, request, &out->allowed, response))
        return false;
    if (segue_ask_limits_set(state, task, out, &why) == SEGUE_OK)
        return true;
    segue_ask_limits_respond_none(&why, response);
    return false;
}

void segue_ask_limits_fini(ask_limits *limits)
{
    free(limits->allowed);
    free(limits->play.allowed);
    free(limits->play.share);
    *limits = (ask_limits){.allowed = NULL};
}

const bool *segue_ask_limits_explained(const ask_limits *limits)
{
    return limits->play.n_free > 0 ? limits->play.allowed : limits->allowed;
}
