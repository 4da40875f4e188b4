/* umucb.c - optimism over models that are known only to within eps.
 *
 * umUCB, figure 3 of Azar, Lazaric and Brunskill (2013): each arm three times, then the largest
 * bound B(i) = min(mean_i + eps, average_i + radius_i) over the compatible models. L = log(2 m K
 * n^2 / delta). Without models, UCB with that L; also at a step without a compatible model, with
 * reason SEGUE_NO_MODEL_LEFT.
 * Cost O(n_models n_arms) per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"

static const segue_option options[] = {
    DELTA_OPTION,
    {.key = "eps",
     .help = "how far the models may be from the truth (default 0)",
     .min = 0.0,
     .max = INFINITY},
};

static void fill_defaults(const segue_setting *setting, double *option)
{
    fill_default(&option[0], 1.0 / (double)setting->horizon);
    fill_default(&option[1], 0.0);
}

static double log_term(const segue_setting *setting, const double *option)
{
    const size_t m = setting->models ? setting->models->n_models : setting->n_models;
    return segue_policy_log_term_estimated(m, setting->n_arms, setting->horizon, option[0]);
}

/* Return B(i): the model's mean plus eps, or the upper bound of the rewards, whichever is less. */
static double bound(const segue_task_view *view, const double *model, size_t arm, double eps)
{
    const double promised = model[arm] + eps;
    if (view->pulls[arm] == 0)
        return promised;
    return fmin(promised, average(view, arm) + radius(view->log_term, (double)view->pulls[arm]));
}

/* Return true for an arm with asks but without a reward: the model's mean alone would attract
 * every ask until the first reward. */
static bool waits_for_first(const segue_task_view *view, size_t arm)
{
    return view->pulls[arm] == 0 && is_outstanding(view, arm);
}

static bool all_wait(const segue_task_view *view)
{
    size_t arm = 0;
    while (arm < view->n_arms && (!is_allowed(view, arm) || waits_for_first(view, arm)))
        arm++;
    return arm == view->n_arms;
}

/* Return the arm with the largest bound under one model, and that bound; some arm does not wait. */
static size_t best_bound(const segue_task_view *view, const double *model, double eps,
                         double *value)
{
    size_t best = view->n_arms;
    for (size_t arm = 0; arm < view->n_arms; arm++) {
        if (!is_allowed(view, arm) || waits_for_first(view, arm))
            continue;
        const double b = bound(view, model, arm, eps);
        if (best == view->n_arms || b > *value) {
            *value = b;
            best = arm;
        }
    }
    return best;
}

/* Return the arm of the largest bound of any compatible model; n_arms: no model is compatible. */
static size_t optimistic_arm(const segue_task_view *view, double eps)
{
    size_t arm = view->n_arms;
    double largest = -INFINITY;
    for (size_t k = 0; k < view->models->n_models; k++) {
        const double *model = segue_models_row(view->models, k);
        if (!is_compatible(view, model, eps))
            continue;
        double value = 0.0;
        const size_t candidate = best_bound(view, model, eps, &value);
        if (arm == view->n_arms || value > largest) {
            largest = value;
            arm = candidate;
        }
    }
    return arm;
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    (void)rng;
    const size_t fewest = segue_choose_fewest_asks(view);
    if (view->asked[fewest] < SEGUE_FORCED_PULLS)
        return (segue_choice){.arm = fewest, .reason = SEGUE_FORCED};
    if (!view->models ||
        all_wait(view)) /* no models yet, or every arm waits for its first reward */
        return by_rule(segue_ucb_arm(view));
    const size_t arm = optimistic_arm(view, view->option[1]);
    if (arm == view->n_arms)
        return (segue_choice){.arm = segue_ucb_arm(view), .reason = SEGUE_NO_MODEL_LEFT};
    return by_rule(arm);
}

const segue_policy segue_policy_umucb = {
    .name = "umucb",
    .summary = "optimism over models known to within eps; each arm 3x first",
    .needs = SEGUE_NEEDS_MODEL_COUNT,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .fill_defaults = fill_defaults,
    .log_term = log_term,
    .choose = choose,
};
