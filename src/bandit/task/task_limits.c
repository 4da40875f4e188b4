/* task_limits.c - an ask whose arms have least probabilities or fixed shares.
 *
 * With shares s_i of the fixed arms, m free arms, a floor f and the policy's distribution p over the
 * free arms, a fixed arm has probability s_i and a free arm
 *
 *     f + (1 - sum of s - m f) p_i.
 *
 * One number of the task's own stream decides which of the three parts chooses: so the probability
 * is exact where p is.  The policy draws only if it chooses.  Without floor and shares nothing is
 * drawn here.
 * Cost O(n_arms) besides the policy's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/task/task_limits.h"

#include <assert.h>
#include <math.h>

#include "bandit/task/task.h"
#include "core/fail.h"

#define ROUNDING 1e-12 /* a rest below this is 0: the policy chooses nothing */

static bool may_pull(const segue_task_limits *limits, const segue_task_view *view, size_t arm)
{
    return (!view->allowed || view->allowed[arm]) && (!limits->allowed || limits->allowed[arm]);
}

/* Separate fixed from free arms; returns the sum of the shares. */
static double separate(segue_task_limits *limits, const segue_task_view *view)
{
    double fixed = 0.0;
    limits->n_free = 0;
    for (size_t arm = 0; arm < view->n_arms; arm++) {
        const bool may = may_pull(limits, view, arm);
        const double share = limits->share && may ? limits->share[arm] : 0.0;
        fixed += share;
        limits->n_free += may && share <= 0.0;
        if (limits->share) {
            limits->share[arm] = share;
            limits->allowed[arm] = may && share <= 0.0;
        }
    }
    return fixed;
}

segue_status segue_task_limits_fit(segue_task_limits *limits, segue_task *task, segue_error *err)
{
    const segue_task_view *view = segue_task_internals(task).view;
    assert(!limits->share || limits->allowed);
    const double fixed = separate(limits, view), left = fmax(0.0, 1.0 - fixed);
    if (limits->n_free == 0 && fixed <= 0.0)
        return segue_fail(err, SEGUE_EDOMAIN, "no arm is allowed that the task may pull");
    for (size_t arm = 0; limits->n_free == 0 && arm < view->n_arms; arm++)
        limits->share[arm] /= fixed;
    const double n_free = (double)limits->n_free;
    limits->floor = limits->n_free > 0 ? fmin(limits->floor, left / n_free) : 0.0;
    limits->rest = limits->n_free > 0 ? left - n_free * limits->floor : 0.0;
    if (limits->rest < ROUNDING)
        limits->rest = 0.0;
    return SEGUE_OK;
}

/* Return the free arm of that rank, or the last. */
static size_t free_arm(const segue_task_limits *limits, const segue_task_view *view, double rank)
{
    size_t found = view->n_arms;
    for (size_t arm = 0; arm < view->n_arms && rank >= 0.0; arm++)
        if (may_pull(limits, view, arm)) {
            found = arm;
            rank -= 1.0;
        }
    return found;
}

/* Return the arm that a share or the floor chooses; n_arms: the policy chooses. */
static size_t draw(const segue_task_limits *limits, const segue_task_view *view, double u)
{
    size_t fixed = view->n_arms;
    for (size_t arm = 0; limits->share && arm < view->n_arms; arm++)
        if (limits->share[arm] > 0.0) {
            if (u < limits->share[arm])
                return arm;
            u -= limits->share[arm];
            fixed = arm;
        }
    if (limits->floor > 0.0 && (u < (double)limits->n_free * limits->floor || limits->rest <= 0.0))
        return free_arm(limits, view, floor(u / limits->floor));
    return limits->rest > 0.0 ? view->n_arms : fixed; /* sums of shares are rounded */
}

segue_status segue_task_limits_ask(const segue_task_limits *limits, segue_task *task, size_t *arm,
                                   segue_error *err)
{
    const task_internals in = segue_task_internals(task);
    if (segue_task_limits_act(limits)) {
        *arm = draw(limits, in.view, segue_rng_uniform(in.rng));
        if (*arm < in.view->n_arms) {
            segue_task_count_ask(task, *arm);
            return SEGUE_OK;
        }
    }
    if (limits->allowed)
        return segue_task_ask_among(task, limits->allowed, arm, err);
    *arm = segue_task_ask(task);
    return SEGUE_OK;
}

double segue_task_limits_probability(const segue_task_limits *limits, segue_task *task, size_t arm,
                                     double by_policy)
{
    if (limits->share && limits->share[arm] > 0.0)
        return limits->share[arm];
    if (!may_pull(limits, segue_task_internals(task).view, arm)) /* the floor is for free arms */
        return 0.0;
    return segue_task_limits_act(limits) ? limits->floor + limits->rest * by_policy : by_policy;
}
