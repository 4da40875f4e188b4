/* task_probabilities.c - the probability of each arm at the next ask.
 *
 * The policy chooses on a copy of its state and with a separate stream, so that the task does not
 * change. A choice that draws nothing from the stream, or among one arm, is deterministic: one
 * attempt is exact.
 * Otherwise the distribution is the share of each arm over many attempts. A policy with a `split`
 * has an exact share of random steps.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bandit/choose.h"
#include "bandit/task/task.h"
#include "core/fail.h"
#include "core/stop.h"

typedef segue_choice (*choose_function)(const segue_task_view *view, segue_rng *rng);

/* A view of the task with its own copy of the state. */
typedef struct choice_trial {
    segue_task_view view;
    const void *state; /* the task's state */
    size_t state_size;
    segue_rng rng;
} choice_trial;

/* Undo the changes of an attempt. */
static const segue_task_view *restore_state(choice_trial *trial)
{
    if (trial->state_size > 0)
        memcpy(trial->view.state, trial->state, trial->state_size);
    return &trial->view;
}

static size_t attempt(choice_trial *trial, choose_function choose)
{
    return choose(restore_state(trial), &trial->rng).arm;
}

static bool has_one_arm(const segue_task_view *view)
{
    size_t allowed = 0;
    for (size_t arm = 0; arm < view->n_arms; arm++)
        allowed += is_allowed(view, arm);
    return allowed == 1;
}

/* Estimate the distribution; returns true if the choice is deterministic.  After *stop it is of no use. */
static bool find_distribution(choice_trial *trial, choose_function choose, uint64_t draws,
                              const atomic_bool *stop, double *distribution)
{
    const segue_rng before = trial->rng;
    const size_t first = attempt(trial, choose);
    const bool certain =
        has_one_arm(&trial->view) || memcmp(&before, &trial->rng, sizeof before) == 0;
    const uint64_t attempts = certain ? 1 : draws;
    distribution[first] += 1.0;
    for (uint64_t i = 1; i < attempts && !segue_stop_requested(stop); i++)
        distribution[attempt(trial, choose)] += 1.0;
    for (size_t arm = 0; arm < trial->view.n_arms; arm++)
        distribution[arm] /= (double)attempts;
    return certain;
}

static void apply_distribution(choice_trial *trial, const segue_policy *policy,
                               const double *distribution, bool certain, double *out)
{
    const segue_split *split = policy->split;
    const double share = split ? split->share(restore_state(trial)) : certain ? 0.0 : 1.0;
    for (size_t arm = 0; arm < trial->view.n_arms; arm++)
        out[arm] = share * distribution[arm];
    if (share < 1.0)
        out[attempt(trial, split ? split->deterministic : policy->choose)] += 1.0 - share;
}

/* Return a separate stream, named by the task's stream and step. */
static segue_rng stream_of(const task_internals *in)
{
    segue_rng rng;
    const uint64_t *s = in->rng->s; /* streams that were just opened share some words */
    segue_rng_init(&rng, s[0] ^ s[2], (s[1] ^ s[3]) >> 1, in->view->step,
                   SEGUE_STREAM_PROBABILITIES);
    return rng;
}

/* Begin a trial; the caller frees trial->view.state. */
static segue_status begin(choice_trial *trial, segue_task *task, const bool *allowed,
                          segue_error *err)
{
    const task_internals in = segue_task_internals(task);
    *trial =
        (choice_trial){.state = in.view->state, .state_size = in.state_size, .rng = stream_of(&in)};
    if (!segue_task_restrict(task, allowed, &trial->view))
        return segue_fail(err, SEGUE_EDOMAIN, "no arm is allowed that the task may pull");
    trial->view.state = trial->state_size ? malloc(trial->state_size) : NULL;
    return trial->state_size > 0 && !trial->view.state
               ? segue_fail(err, SEGUE_ENOMEM, "out of memory for the probabilities of a task")
               : SEGUE_OK;
}

segue_status segue_task_draw_distribution(segue_task *task, const bool *allowed, uint64_t draws,
                                          const atomic_bool *stop, double *distribution,
                                          bool *certain, segue_error *err)
{
    choice_trial trial;
    const segue_policy *policy = segue_task_internals(task).policy;
    if (draws == 0)
        return segue_fail(err, SEGUE_EDOMAIN, "no draws; need one at least");
    SEGUE_TRY(begin(&trial, task, allowed, err));
    for (size_t arm = 0; arm < trial.view.n_arms; arm++)
        distribution[arm] = 0.0;
    *certain = (policy->split && policy->split->share(restore_state(&trial)) <= 0.0) ||
               find_distribution(&trial, policy->split ? policy->split->drawn : policy->choose,
                                 draws, stop, distribution);
    free(trial.view.state);
    return segue_stop_check(stop, err);
}

segue_status segue_task_apply_distribution(segue_task *task, const bool *allowed,
                                           const double *distribution, bool certain, double *out,
                                           segue_error *err)
{
    choice_trial trial;
    SEGUE_TRY(begin(&trial, task, allowed, err));
    apply_distribution(&trial, segue_task_internals(task).policy, distribution, certain, out);
    free(trial.view.state);
    return SEGUE_OK;
}

segue_status segue_task_probabilities_until(segue_task *task, const bool *allowed, uint64_t draws,
                                            const atomic_bool *stop, double *out, bool *exact,
                                            segue_error *err)
{
    double *distribution = calloc(segue_task_internals(task).view->n_arms, sizeof *distribution);
    if (!distribution)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the probabilities of a task");
    segue_status status =
        segue_task_draw_distribution(task, allowed, draws, stop, distribution, exact, err);
    if (status == SEGUE_OK)
        status = segue_task_apply_distribution(task, allowed, distribution, *exact, out, err);
    free(distribution);
    return status;
}

segue_status segue_task_probabilities(segue_task *task, const bool *allowed, uint64_t draws,
                                      double *out, bool *exact, segue_error *err)
{
    return segue_task_probabilities_until(task, allowed, draws, NULL, out, exact, err);
}
