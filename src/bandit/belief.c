/* belief.c - a mixture of Beta products, or of points, and its posterior.
 *
 * A reward x of an arm of which component q expects mean mu = a / (a + b) makes its weight
 * v mu^x (1 - mu)^(1 - x), normalised, and its Beta(a + x, b + 1 - x).  Rewards between 0 and 1
 * count as parts of a success and of a failure.
 * Cost O(n_components) a reward, O(n_components + n_arms) a draw.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/belief.h"

#include <math.h>

#include "core/draw.h"

/* A possible component can come back, however long the others did better. */
#define LEAST_WEIGHT 1e-200

segue_prior segue_prior_flat(size_t n_arms, const double *ones)
{
    return (segue_prior){.n_components = 1, .n_arms = n_arms, .weight = ones, .a = ones, .b = ones};
}

segue_prior segue_prior_points(const segue_models *models)
{
    return (segue_prior){.n_components = models->n_models,
                         .n_arms = models->n_arms,
                         .weight = models->weight,
                         .a = models->mean};
}

/* The mean of a component after `pulls` rewards of an arm. */
static double mean_after(const segue_prior *prior, size_t place, double pulls, double sum)
{
    if (!prior->b)
        return fmin(1.0, fmax(0.0, prior->a[place])); /* an estimate strays */
    const double a = prior->a[place] + sum;
    return a / (a + (prior->b[place] + fmax(0.0, pulls - sum)));
}

double segue_belief_mean(const segue_belief *belief, size_t component, size_t arm)
{
    return mean_after(&belief->prior, component * belief->prior.n_arms + arm,
                      (double)belief->pulls[arm], belief->sum[arm]);
}

double segue_belief_step(const segue_belief *belief, size_t component, size_t arm)
{
    const segue_prior *prior = &belief->prior;
    const size_t place = component * prior->n_arms + arm;
    return prior->b ? 1.0 / (prior->a[place] + prior->b[place] + (double)belief->pulls[arm]) : 0.0;
}

bool segue_belief_is_possible(const segue_belief *belief)
{
    for (size_t q = 0; q < belief->prior.n_components; q++)
        if (belief->weight[q] > 0.0)
            return true;
    return false;
}

/* How likely a reward is under a mean, but for a factor that no component decides. */
static double likelihood(double mean, double reward)
{
    if (reward == 1.0)
        return mean;
    if (reward == 0.0)
        return 1.0 - mean;
    return pow(mean, reward) * pow(1.0 - mean, 1.0 - reward);
}

void segue_belief_update(const segue_belief *belief, size_t arm, double reward, double *weight)
{
    const segue_prior *prior = &belief->prior;
    const double pulls = (double)belief->pulls[arm] - 1.0;
    const double sum = fmax(0.0, belief->sum[arm] - reward);
    double total = 0.0;
    for (size_t q = 0; q < prior->n_components; q++) {
        weight[q] *= likelihood(mean_after(prior, q * prior->n_arms + arm, pulls, sum), reward);
        total += weight[q];
    }
    for (size_t q = 0; q < prior->n_components; q++)
        if (weight[q] > 0.0)
            weight[q] = fmax(LEAST_WEIGHT, weight[q] / total);
}

static size_t draw_component(const segue_belief *belief, segue_rng *rng)
{
    const size_t count = belief->prior.n_components;
    return count == 1 ? 0 : segue_draw_index(rng, belief->weight, count);
}

/* What an arm pays, by a draw of its mean. */
static double draw_mean(const segue_belief *belief, size_t component, size_t arm, segue_rng *rng)
{
    const segue_prior *prior = &belief->prior;
    const size_t place = component * prior->n_arms + arm;
    if (!prior->b)
        return prior->a[place];
    const double successes = belief->sum[arm];
    const double failures = fmax(0.0, (double)belief->pulls[arm] - successes);
    return segue_rng_beta(rng, prior->a[place] + successes, prior->b[place] + failures);
}

size_t segue_belief_thompson(const segue_belief *belief, segue_rng *rng)
{
    const size_t component = draw_component(belief, rng);
    size_t best = 0;
    double value = -INFINITY;
    for (size_t arm = 0; arm < belief->prior.n_arms; arm++) {
        if (!segue_belief_allows(belief, arm))
            continue;
        const double x = draw_mean(belief, component, arm, rng);
        if (x > value) {
            value = x;
            best = arm;
        }
    }
    return best;
}
