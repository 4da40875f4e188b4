/* hypothesis_test.c - the numbers of UCB with a test (appendix B of the paper).
 *
 * UCB commits once an arm has more than 2 log(2 / delta) / Gamma_min^2 pulls. Before that no arm
 * has more pulls than UCB gives it, nor more than the threshold plus one. The arm that gets there
 * first depends on the rewards, so the test errs with probability at most n_arms delta, where the
 * paper has delta. Averages leave their radius with probability at most n_arms / n_models delta,
 * L being log(n_models n^2 / delta). Either failure costs at most n.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "core/math/ln.h"
#include "segue/theory.h"

/* Return the smallest distance of two models on any arm. */
static double min_gap(const segue_models *models)
{
    double smallest = INFINITY;
    for (size_t k = 1; k < models->n_models; k++)
        for (size_t other = 0; other < k; other++)
            for (size_t arm = 0; arm < models->n_arms; arm++)
                smallest = fmin(smallest, fabs(segue_models_row(models, k)[arm] -
                                               segue_models_row(models, other)[arm]));
    return smallest;
}

static double bound_regret(const segue_models *models, const segue_known_sets *sets, double horizon,
                           double delta, double log_term, double threshold)
{
    const double arms = (double)models->n_arms;
    const double wrong = threshold < horizon ? arms : 0.0; /* else it never tests */
    double regret = horizon * delta * (arms / (double)models->n_models + wrong);
    for (size_t arm = 0; arm < sets->n_arms; arm++) {
        const double gap = sets->gap[arm];
        if (gap > 0.0)
            regret += gap * (fmin(2.0 * log_term / (gap * gap), threshold) + 1.0);
    }
    return regret;
}

segue_hypothesis_test segue_hypothesis_test_bound(const segue_models *models,
                                                  const segue_known_sets *sets, uint64_t horizon,
                                                  double delta, double log_term)
{
    const double steps = (double)horizon, gap = min_gap(models);
    const double threshold = 2.0 * segue_ln(2.0 / delta) / (gap * gap);
    const double tau = (double)models->n_arms * threshold;
    return (segue_hypothesis_test){
        .model_gap = gap,
        .threshold = threshold,
        .tau = tau,
        .order = segue_ln(steps * tau) * segue_complexity_ucb(sets),
        .regret = bound_regret(models, sets, steps, delta, log_term, threshold),
    };
}
