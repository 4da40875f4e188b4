/* exp3.c - Exp3 (Auer, Cesa-Bianchi, Freund and Schapire 2002): no assumption on the rewards.
 *
 * An arm is drawn with probability p = (1 - gamma) w / (sum of all w) + gamma / K. A reward x
 * multiplies its w by exp(gamma x / (p K)). gamma = min(1, sqrt(K log K / ((e - 1) n))) unless
 * given: corollary 3.2 with g = n. A reward that comes late counts with the p of its arrival.
 * Cost O(n_arms) per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"
#include "core/math/exp.h"
#include "core/math/ln.h"
#include "core/random/rng_sample.h"

enum { GAMMA, N_OPTIONS };

const segue_option segue_exp3_options[N_OPTIONS] = {
    [GAMMA] = {.key = "gamma",
               .help = "share of uniform draws (default sqrt(K log K / ((e-1) n)))",
               .min = 1e-9,
               .max = 1.0,
               .default_value = NAN},
};

static void fill_defaults(const segue_setting *setting, double *option)
{
    const double arms = (double)setting->n_arms, steps = fmax(1.0, (double)setting->horizon);
    fill_default(&option[GAMMA],
                 fmin(1.0, sqrt(arms * segue_ln(arms) / (segue_expm1(1.0) * steps))));
}

/* The state: the log of each weight; then scratch, the probability of each arm. */
static size_t state_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return 2 * setting->n_arms * sizeof(double);
}

/* Compute the probability of each allowed arm, 0 for others. Returns how many are allowed. */
static double find_probabilities(const segue_task_view *view, double *probability)
{
    const double *log_weight = view->state;
    double largest = -INFINITY, total = 0.0, count = 0.0;
    for (size_t arm = 0; arm < view->n_arms; arm++)
        if (is_allowed(view, arm))
            largest = fmax(largest, log_weight[arm]);
    for (size_t arm = 0; arm < view->n_arms; arm++) {
        probability[arm] = is_allowed(view, arm) ? segue_exp(log_weight[arm] - largest) : 0.0;
        total += probability[arm];
        count += is_allowed(view, arm);
    }
    const double gamma = view->option[GAMMA];
    for (size_t arm = 0; arm < view->n_arms; arm++)
        if (is_allowed(view, arm))
            probability[arm] = (1.0 - gamma) * probability[arm] / total + gamma / count;
    return count;
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    double *probability = (double *)view->state + view->n_arms;
    (void)find_probabilities(view, probability);
    return by_rule(segue_rng_index(rng, probability, view->n_arms));
}

/* A reward of an arm that was retired meanwhile changes nothing. */
static void update(const segue_task_view *view, size_t arm, double reward)
{
    double *log_weight = view->state, *probability = log_weight + view->n_arms;
    const double count = find_probabilities(view, probability);
    if (probability[arm] > 0.0)
        log_weight[arm] += view->option[GAMMA] * reward / (probability[arm] * count);
}

const segue_policy segue_policy_exp3 = {
    .name = "exp3",
    .summary = "Exp3 of Auer et al.: for rewards of any kind, adversarial too",
    .options = segue_exp3_options,
    .n_options = N_OPTIONS,
    .fill_defaults = fill_defaults,
    .state_size = state_size,
    .choose = choose,
    .update = update,
};
