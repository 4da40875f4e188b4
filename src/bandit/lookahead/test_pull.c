/* test_pull.c - pulls whose rewards are for later tasks.
 *
 * A learner says what one more reward of an arm would gain in later tasks, if the task is of a type
 * (gain of segue_prior). A task tests arms of the type that it is of. So component q has test pulls
 * in proportion to the square of its weight: few before the task is sure of its type. The arm is the
 * one with the largest
 *
 *     gain_qi / (1 + pulls_i) - 3 (mu_qe - mu_qi)
 *
 * (net of costs) if that is positive: what a test gains, less after tests in the same task, minus its cost.
 * Cost O(n_components + n_arms).
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/lookahead/test_pull.h"

#include <math.h>

static double rate_of(const segue_belief *belief, size_t component)
{
    const double weight = belief->weight[component];
    return weight * weight * belief->prior.tests[component];
}

double segue_test_pull_rate(const segue_belief *belief)
{
    double sum = 0.0;
    for (size_t q = 0; belief->prior.tests && q < belief->prior.n_components; q++)
        sum += rate_of(belief, q);
    return sum;
}

static size_t find_component(const segue_belief *belief, double u)
{
    size_t found = 0;
    for (size_t q = 0; q < belief->prior.n_components && u >= 0.0; q++) {
        const double rate = rate_of(belief, q);
        u -= rate;
        found = rate > 0.0 ? q : found;
    }
    return found;
}

/* Return the mean of an arm minus its cost. */
static double net_mean(const segue_belief *belief, size_t component, size_t arm)
{
    const double mean = segue_belief_mean(belief, component, arm);
    return belief->cost ? mean - belief->cost[arm] : mean;
}

static double best_mean(const segue_belief *belief, size_t component)
{
    double best = belief->cost ? -INFINITY : 0.0;
    for (size_t i = 0; i < belief->prior.n_arms; i++)
        best = fmax(best, net_mean(belief, component, i));
    return best;
}

/* Return the cost of the switches to an arm and back. */
static double switches_of(const segue_belief *belief, size_t arm)
{
    return belief->cost && arm != belief->last_arm ? 2.0 * belief->switch_cost : 0.0;
}

size_t segue_test_pull_choose(const segue_belief *belief, double u)
{
    const size_t q = find_component(belief, u), n_arms = belief->prior.n_arms;
    const double *gain = belief->prior.gain + q * n_arms, best = best_mean(belief, q);
    double max_net = 0.0;
    size_t found = n_arms;
    for (size_t i = 0; i < n_arms; i++) {
        const double lack = best - net_mean(belief, q, i) + switches_of(belief, i);
        const double net = gain[i] / (1.0 + (double)belief->pulls[i]) - SEGUE_TEST_PULL_COST * lack;
        if (net > max_net && segue_belief_allows(belief, i)) {
            max_net = net;
            found = i;
        }
    }
    return found;
}
