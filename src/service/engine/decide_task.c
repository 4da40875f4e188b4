/* decide_task.c - choose an arm of an open task, and make it a decision.
 *
 * A probability that has no closed form is estimated by N_DRAWS draws of the policy, fewer for many
 * arms: cost O(draws * arms).  All functions need the learner's lock, except those that work on a
 * copy of the task.
 *
 * Choosing and issuing are two steps.  A long ask chooses on a copy without the lock, then issues
 * the decisions on the task itself: only then they get numbers and count as asked.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/decide_task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"

#define N_DRAWS   2000 /* of a probability that has no closed form ... */
#define MANY_ARMS 100  /* ... with as many arms or fewer */

static uint64_t draws_of(size_t n_arms)
{
    return n_arms <= MANY_ARMS ? N_DRAWS : N_DRAWS * MANY_ARMS / n_arms;
}

segue_status segue_decide_task_distribution(task_state *task, const ask_limits *limits,
                                            arm_distribution *distribution, segue_error *err)
{
    const size_t n_arms = segue_task_internals(task->play).view->n_arms;
    distribution->draws = draws_of(n_arms);
    distribution->drawn = calloc(2 * n_arms, sizeof *distribution->drawn);
    if (!distribution->drawn)
        return segue_fail_no_memory(err, "probabilities");
    distribution->probability = distribution->drawn + n_arms;
    distribution->certain = true;
    return limits->play.rest > 0.0
               ? segue_task_draw_distribution(task->play, limits->play.allowed, distribution->draws,
                                              NULL, distribution->drawn, &distribution->certain,
                                              err)
               : SEGUE_OK;
}

/* The probability of the chosen arm under the policy.  The choice counts as one of the draws: it is
 * never 0. */
static double probability_of(const arm_distribution *distribution, size_t arm)
{
    const double share = distribution->probability[arm], draws = (double)distribution->draws;
    return distribution->certain ? share : (share * draws + 1.0) / (draws + 1.0);
}

segue_status segue_decide_task_choose(task_state *task, const ask_limits *limits,
                                      arm_distribution *distribution, arm_choice *out,
                                      segue_error *err)
{
    size_t arm = 0;
    if (distribution->drawn && limits->play.rest > 0.0)
        SEGUE_TRY(segue_task_apply_distribution(task->play, limits->play.allowed,
                                                distribution->drawn, distribution->certain,
                                                distribution->probability, err));
    SEGUE_TRY(segue_task_limits_ask(&limits->play, task->play, &arm, err));
    out->decision.arm = arm;
    out->exact = distribution->certain;
    out->probability = distribution->drawn
                           ? segue_task_limits_probability(&limits->play, task->play, arm,
                                                           probability_of(distribution, arm))
                           : 0.0;
    return SEGUE_OK;
}

/* Draw an arm by its probability; `certain`: one arm has them all, and nothing is drawn. */
static size_t draw_arm(const arm_distribution *distribution, bool certain, size_t n_arms,
                       segue_rng *rng)
{
    double left = certain ? 0.5 : segue_rng_uniform(rng);
    size_t arm = 0, last = 0;
    for (; arm < n_arms; arm++) {
        if (distribution->probability[arm] > 0.0)
            last = arm;
        left -= distribution->probability[arm];
        if (left < 0.0)
            return arm;
    }
    return last; /* rounding */
}

/* The probabilities of all arms, with floor and shares. */
static segue_status fill_probabilities(task_state *task, const ask_limits *limits,
                                       arm_distribution *distribution, segue_error *err)
{
    const size_t n_arms = segue_task_internals(task->play).view->n_arms;
    double *p = distribution->probability;
    if (limits->play.rest > 0.0)
        SEGUE_TRY(segue_task_apply_distribution(
            task->play, limits->play.allowed, distribution->drawn, distribution->certain, p, err));
    for (size_t i = 0; segue_task_limits_act(&limits->play) && i < n_arms; i++)
        p[i] = segue_task_limits_probability(&limits->play, task->play, i, p[i]);
    return SEGUE_OK;
}

/* The probability of the caller's arm is the share of the draws itself, which may be 0: it is not
 * biased, as the comparison with the caller needs it. */
segue_status segue_decide_task_observe(task_state *task, const ask_limits *limits,
                                       arm_distribution *distribution, arm_choice *out,
                                       segue_error *err)
{
    const task_internals in = segue_task_internals(task->play);
    const bool certain = distribution->certain && !segue_task_limits_act(&limits->play);
    SEGUE_TRY(fill_probabilities(task, limits, distribution, err));
    const size_t arm = draw_arm(distribution, certain, in.view->n_arms, in.rng);
    out->exact = distribution->certain;
    out->would_choose_probability = fmin(distribution->probability[arm], 1.0);
    out->decision.shadow = (segue_stored_shadow){
        .is_set = true,
        .arm = arm,
        .probability = fmin(distribution->probability[out->decision.arm], 1.0)};
    segue_task_count_ask(task->play, out->decision.arm);
    return SEGUE_OK;
}

void segue_decide_task_issue(learner_state *state, task_state *task, arm_choice *choice, double now)
{
    const size_t arm = choice->decision.arm;
    const segue_stored_shadow shadow = choice->decision.shadow;
    choice->decision = (decision){.learner = state->id,
                                  .task = task->id,
                                  .tag = task->tag,
                                  .number = task->next++,
                                  .arm = arm,
                                  .version = task->version,
                                  .asked_at = now,
                                  .probability = choice->probability,
                                  .shadow = shadow};
    segue_learner_state_count_decision(state, task);
    choice->arm = state->arm[arm]->name;
    choice->would_choose = shadow.is_set ? state->arm[shadow.arm]->name : NULL;
    task->active = now;
}

segue_status segue_decide_task_ask(learner_state *state, task_state *task, const ask_limits *limits,
                                   arm_distribution *distribution, double now, arm_choice *out,
                                   segue_error *err)
{
    SEGUE_TRY(task->terms.shadow ? segue_decide_task_observe(task, limits, distribution, out, err)
                                 : segue_decide_task_choose(task, limits, distribution, out, err));
    segue_decide_task_issue(state, task, out, now);
    return SEGUE_OK;
}

/* ---- copies ------------------------------------------------------------------------------ */

static const char **copy_names(const learner_state *state)
{
    const char **names = calloc(state->n_arms, sizeof(char *));
    for (size_t i = 0; names && i < state->n_arms; i++)
        names[i] = state->arm[i]->name;
    return names;
}

static bool *copy_allowed(const learner_state *state)
{
    bool *allowed = malloc(state->n_arms * sizeof *allowed);
    if (allowed)
        memcpy(allowed, state->allowed, state->n_arms * sizeof *allowed);
    return allowed;
}

static segue_status copy_play(learner_state *state, const task_state *task, segue_task **out,
                              segue_error *err)
{
    return task->control ? segue_task_copy(out, task->play, err)
                         : segue_learner_copy_task(state->learner, task->play, out, err);
}

segue_status segue_decide_task_copy(learner_state *state, const task_state *task, task_copy *out,
                                    segue_error *err)
{
    /* not the staged fields, which the writer changes without the lock */
    *out = (task_copy){.task = {.id = task->id,
                                .tag = task->tag,
                                .control = task->control,
                                .control_share = task->control_share,
                                .version = task->version,
                                .n_arms = task->n_arms,
                                .terms = task->terms,
                                .opened = task->opened,
                                .rewards = task->rewards,
                                .total = task->total}};
    out->names = copy_names(state);
    out->allowed = state->n_retired > 0 ? copy_allowed(state) : NULL;
    if (!out->names || (state->n_retired > 0 && !out->allowed))
        return segue_fail_no_memory(err, "a copy of a task");
    return copy_play(state, task, &out->task.play, err);
}

void segue_decide_task_copy_fini(task_copy *copy)
{
    segue_learner_discard_copy(&copy->task.play);
    free(copy->names);
    free(copy->allowed);
    *copy = (task_copy){.names = NULL};
}

void segue_decide_task_issue_copied(learner_state *state, task_state *task, arm_choice *choice,
                                    double now)
{
    segue_task_count_ask(task->play, choice->decision.arm);
    segue_decide_task_issue(state, task, choice, now);
}

double segue_decide_task_cost(const task_state *task, uint64_t count, bool probability,
                              bool explain)
{
    const task_internals in = segue_task_internals(task->play);
    const double n_arms = (double)in.view->n_arms, ahead = n_arms * n_arms;
    const double distribution = probability ? (double)draws_of(in.view->n_arms) * n_arms : 0.0;
    const double each = in.policy->split ? ahead : 10.0 * n_arms;
    return (double)count * each + distribution + (explain ? ahead : 0.0);
}
