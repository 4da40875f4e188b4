/* chances.c - how likely each arm is to be chosen next.
 *
 * The policy chooses on a copy of its state, so that the task goes on as if nobody had looked.  A
 * choice that took nothing from the stream would be the same again: it is certain.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bandit/task.h"

typedef segue_choice (*choose_function)(const segue_view *view, segue_rng *rng);

/* What is looked at: the task's view, with a state that may change. */
typedef struct look {
    segue_view view;
    const void *state; /* as it is in the task */
    size_t state_size;
    segue_rng rng;
} look;

/* As if nothing had been tried yet. */
static const segue_view *anew(look *l)
{
    if (l->state_size > 0)
        memcpy(l->view.state, l->state, l->state_size);
    return &l->view;
}

static size_t attempt(look *l, choose_function choose)
{
    return choose(anew(l), &l->rng).arm;
}

/* Share `share` out among the arms that are chosen; returns whether nothing had to be drawn. */
static bool share_out(look *l, choose_function choose, double share, uint64_t draws, double *out)
{
    const segue_rng before = l->rng;
    const size_t first = attempt(l, choose);
    const bool certain = memcmp(&before, &l->rng, sizeof before) == 0;
    const uint64_t attempts = certain ? 1 : draws;
    out[first] += 1.0;
    for (uint64_t i = 1; i < attempts; i++)
        out[attempt(l, choose)] += 1.0;
    for (size_t arm = 0; arm < l->view.n_arms; arm++)
        out[arm] *= share / (double)attempts;
    return certain;
}

static bool look_at(look *l, const segue_policy *policy, uint64_t draws, double *out)
{
    const segue_split *split = policy->split;
    if (!split)
        return share_out(l, policy->choose, 1.0, draws, out);
    const double share = split->share(anew(l));
    const bool certain = share <= 0.0 || share_out(l, split->drawn, share, draws, out);
    if (share < 1.0)
        out[attempt(l, split->steady)] += 1.0 - share;
    return certain;
}

/* A stream of its own, which the task's stream and step name. */
static segue_rng stream_of(const task_inside *in)
{
    segue_rng rng;
    segue_rng_open(&rng, in->rng->s[0], in->rng->s[1] >> 1, in->view->step, SEGUE_STREAM_CHANCES);
    return rng;
}

segue_status segue_task_probabilities(segue_task *task, const bool *allowed, uint64_t draws,
                                      double *out, bool *exact, segue_error *err)
{
    const task_inside in = segue_task_inside(task);
    look l = {.state = in.view->state, .state_size = in.state_size, .rng = stream_of(&in)};
    if (draws == 0)
        return segue_fail(err, SEGUE_EDOMAIN, "no draws; need one at least");
    if (!segue_task_narrow(task, allowed, &l.view))
        return segue_fail(err, SEGUE_EDOMAIN, "no arm is allowed that the task may pull");
    void *state = l.state_size ? malloc(l.state_size) : NULL;
    if (l.state_size > 0 && !state)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to look at a task");
    l.view.state = state;
    for (size_t arm = 0; arm < l.view.n_arms; arm++)
        out[arm] = 0.0;
    *exact = look_at(&l, in.policy, draws, out);
    free(state);
    return SEGUE_OK;
}
