/* explain.c - what an open task is taken for, and what its next pull is for.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bandit/lookahead.h"
#include "bandit/player.h"
#include "transfer/method.h"

/* Without types a task has one flat component, and is of no type. */
static void tell_weights(const segue_belief *belief, segue_explanation *out)
{
    out->n_types = belief->prior.n_components - 1;
    memcpy(out->weight, belief->weight, belief->prior.n_components * sizeof *out->weight);
}

static void tell_next(const segue_belief *belief, const segue_view *view, void *memory,
                      segue_explanation *out)
{
    size_t pair[2] = {0, 0};
    const uint64_t left = view->horizon > view->step ? view->horizon - view->step : 1;
    const segue_lookahead next = segue_look_ahead(belief, left, memory);
    out->arm = next.arm;
    out->gain = next.gain;
    out->purpose = SEGUE_EXPLOIT;
    if (next.exploits)
        return;
    out->purpose = segue_lookahead_tells(belief, next.arm, pair) ? SEGUE_TELL_APART : SEGUE_LOOK;
    out->first = pair[0];
    out->second = pair[1];
}

segue_status segue_learner_explain(const segue_learner *learner, segue_task *task,
                                   segue_explanation *out, segue_error *err)
{
    const open_task *entry = segue_task_owner(task);
    if (!entry || entry->learner != learner)
        return segue_fail(err, SEGUE_EDOMAIN, "the task is not an open one of this learner");
    if (learner->method == &segue_method_tucb)
        return segue_fail(err, SEGUE_EDOMAIN, "tucb goes by models, and knows no types");
    const segue_view *view = segue_task_inside(task).view;
    const segue_belief belief = segue_player_belief(view);
    void *memory = malloc(segue_lookahead_size(belief.prior.n_components, view->n_arms));
    if (!memory)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to explain a task");
    *out = (segue_explanation){.n_types = 0};
    tell_weights(&belief, out);
    tell_next(&belief, view, memory, out);
    free(memory);
    return SEGUE_OK;
}
