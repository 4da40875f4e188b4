/* task_probabilities.c - how likely each arm is to be chosen next.
 *
 * The policy chooses on a copy of its state, so that the task goes on as if nobody had looked.  A
 * choice that took nothing from the stream would be the same again: it is certain.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bandit/task.h"

typedef segue_choice (*choose_function)(const segue_view *view, segue_rng *rng);

/* What is looked at: the task's view, with a state that may change. */
typedef struct trial {
    segue_view view;
    const void *state; /* as it is in the task */
    size_t state_size;
    segue_rng rng;
} trial;

/* As if nothing had been tried yet. */
static const segue_view *anew(trial *l)
{
    if (l->state_size > 0)
        memcpy(l->view.state, l->state, l->state_size);
    return &l->view;
}

static size_t attempt(trial *l, choose_function choose)
{
    return choose(anew(l), &l->rng).arm;
}

/* The law of what is chosen; returns whether nothing had to be drawn. */
static bool find_distribution(trial *l, choose_function choose, uint64_t draws, double *law)
{
    const segue_rng before = l->rng;
    const size_t first = attempt(l, choose);
    const bool certain = memcmp(&before, &l->rng, sizeof before) == 0;
    const uint64_t attempts = certain ? 1 : draws;
    law[first] += 1.0;
    for (uint64_t i = 1; i < attempts; i++)
        law[attempt(l, choose)] += 1.0;
    for (size_t arm = 0; arm < l->view.n_arms; arm++)
        law[arm] /= (double)attempts;
    return certain;
}

static void apply_distribution(trial *l, const segue_policy *policy, const double *law,
                               bool certain, double *out)
{
    const segue_split *split = policy->split;
    const double share = split ? split->share(anew(l)) : certain ? 0.0 : 1.0;
    for (size_t arm = 0; arm < l->view.n_arms; arm++)
        out[arm] = share * law[arm];
    if (share < 1.0)
        out[attempt(l, split ? split->deterministic : policy->choose)] += 1.0 - share;
}

/* A stream of its own, which the task's stream and step name. */
static segue_rng stream_of(const task_internals *in)
{
    segue_rng rng;
    const uint64_t *s = in->rng->s; /* of streams that were just opened some words are the same */
    segue_rng_init(&rng, s[0] ^ s[2], (s[1] ^ s[3]) >> 1, in->view->step,
                   SEGUE_STREAM_PROBABILITIES);
    return rng;
}

/* Look at a task; free l->view.state. */
static segue_status begin(trial *l, segue_task *task, const bool *allowed, segue_error *err)
{
    const task_internals in = segue_task_internals(task);
    *l = (trial){.state = in.view->state, .state_size = in.state_size, .rng = stream_of(&in)};
    if (!segue_task_restrict(task, allowed, &l->view))
        return segue_fail(err, SEGUE_EDOMAIN, "no arm is allowed that the task may pull");
    l->view.state = l->state_size ? malloc(l->state_size) : NULL;
    return l->state_size > 0 && !l->view.state
               ? segue_fail(err, SEGUE_ENOMEM, "out of memory to look at a task")
               : SEGUE_OK;
}

segue_status segue_task_draw_distribution(segue_task *task, const bool *allowed, uint64_t draws,
                                          double *law, bool *certain, segue_error *err)
{
    trial l;
    const segue_policy *policy = segue_task_internals(task).policy;
    if (draws == 0)
        return segue_fail(err, SEGUE_EDOMAIN, "no draws; need one at least");
    const segue_status status = begin(&l, task, allowed, err);
    if (status != SEGUE_OK)
        return status;
    for (size_t arm = 0; arm < l.view.n_arms; arm++)
        law[arm] = 0.0;
    *certain =
        (policy->split && policy->split->share(anew(&l)) <= 0.0) ||
        find_distribution(&l, policy->split ? policy->split->drawn : policy->choose, draws, law);
    free(l.view.state);
    return SEGUE_OK;
}

segue_status segue_task_apply_distribution(segue_task *task, const bool *allowed, const double *law,
                                           bool certain, double *out, segue_error *err)
{
    trial l;
    const segue_status status = begin(&l, task, allowed, err);
    if (status != SEGUE_OK)
        return status;
    apply_distribution(&l, segue_task_internals(task).policy, law, certain, out);
    free(l.view.state);
    return SEGUE_OK;
}

segue_status segue_task_probabilities(segue_task *task, const bool *allowed, uint64_t draws,
                                      double *out, bool *exact, segue_error *err)
{
    double *law = calloc(segue_task_internals(task).view->n_arms, sizeof *law);
    if (!law)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to look at a task");
    segue_status status = segue_task_draw_distribution(task, allowed, draws, law, exact, err);
    if (status == SEGUE_OK)
        status = segue_task_apply_distribution(task, allowed, law, *exact, out, err);
    free(law);
    return status;
}
