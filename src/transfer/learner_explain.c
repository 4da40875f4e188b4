/* learner_explain.c - the posterior of a task over types, and the purpose of its next pull.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bandit/belief_policy.h"
#include "bandit/lookahead/lookahead.h"
#include "transfer/learner_method.h"

static bool has_posterior(const segue_learner *learner)
{
    return learner->method->info.has_posterior;
}

/* Add up weights by number, into zeros; returns how many types there are.  Without types a task has
 * one flat component, and is of no type. */
static size_t fill_weights(const open_task *entry, const segue_belief *belief, double *weight)
{
    for (size_t q = 0; q < belief->prior.n_components; q++)
        weight[segue_shared_prior_number(entry->prior, q)] += belief->weight[q];
    return entry->prior ? entry->prior->n_types : 0;
}

void segue_learner_store_posterior(segue_learner *learner, const open_task *entry)
{
    if (!has_posterior(learner))
        return;
    const segue_belief belief = segue_belief_policy_belief(segue_task_internals(entry->task).view);
    learner->posterior = (segue_type_posterior){.version = entry->version};
    learner->posterior.n_types = fill_weights(entry, &belief, learner->posterior.weight);
    learner->has_posterior = true;
}

bool segue_learner_last_posterior(const segue_learner *learner, segue_type_posterior *out)
{
    if (learner->has_posterior)
        *out = learner->posterior;
    return learner->has_posterior;
}

static void explain_next(const segue_belief *belief, const segue_task_view *view, void *memory,
                         segue_explanation *out)
{
    size_t pair[2] = {0, 0};
    const segue_lookahead next = segue_belief_policy_next(view, belief, memory);
    out->arm = next.arm;
    out->gain = next.gain;
    out->purpose = SEGUE_EXPLOIT;
    if (next.exploits)
        return;
    out->purpose =
        segue_lookahead_separated_pair(belief, next.arm, pair) ? SEGUE_DISTINGUISH : SEGUE_EXPLORE;
    out->first = pair[0];
    out->second = pair[1];
}

/* Replace the two components that a pull separates by their numbers, the smaller first. */
static void name_pair(const open_task *entry, segue_explanation *out)
{
    const size_t a = segue_shared_prior_number(entry->prior, out->first);
    const size_t b = segue_shared_prior_number(entry->prior, out->second);
    out->first = a < b ? a : b;
    out->second = a < b ? b : a;
}

segue_status segue_learner_explain(const segue_learner *learner, segue_task *task,
                                   segue_explanation *out, segue_error *err)
{
    return segue_learner_explain_among(learner, task, NULL, out, err);
}

segue_status segue_learner_explain_among(const segue_learner *learner, segue_task *task,
                                         const bool *allowed, segue_explanation *out,
                                         segue_error *err)
{
    open_task *entry = NULL;
    segue_task_view view;
    const segue_status status = segue_learner_find_task(learner, task, &entry, err);
    if (status != SEGUE_OK)
        return status;
    if (!has_posterior(learner))
        return segue_fail(err, SEGUE_EDOMAIN, "tasks of %s have no posterior over types",
                          learner->method->info.name);
    if (!segue_task_restrict(task, allowed, &view))
        return segue_fail(err, SEGUE_EDOMAIN, "no arm is allowed that the task may pull");
    const segue_belief belief = segue_belief_policy_belief(&view);
    void *memory = malloc(segue_lookahead_scratch_size(belief.prior.n_components, view.n_arms));
    if (!memory)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to explain a task");
    *out = (segue_explanation){.n_types = 0};
    out->n_types = fill_weights(entry, &belief, out->weight);
    explain_next(&belief, &view, memory, out);
    name_pair(entry, out);
    free(memory);
    return SEGUE_OK;
}
