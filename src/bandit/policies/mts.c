/* mts.c - Thompson sampling over known models.
 *
 * The posterior over the models starts from their weights; a reward x of arm i multiplies that of
 * model k by mu^x (1 - mu)^(1 - x), mu its mean of the arm. Each step draws a model and pulls its
 * best arm. If no model can give the rewards seen (a mean of 0 or 1 contradicted), Thompson
 * sampling without models chooses, with reason SEGUE_NO_MODEL_LEFT.
 * Cost O(n_models) per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"
#include "core/math/exp.h"
#include "core/math/ln.h"
#include "core/random/rng_sample.h"

/* Precomputed: log mean, then log(1 - mean), of each model and arm. */
static size_t precomputed_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return 2 * setting->models->n_models * setting->n_arms * sizeof(double);
}

static void precompute(const segue_setting *setting, const double *option, void *precomputed)
{
    (void)option;
    const size_t size = setting->models->n_models * setting->n_arms;
    double *log_mean = precomputed;
    for (size_t i = 0; i < size; i++) {
        const double mean = fmin(
            1.0,
            fmax(0.0, setting->models->mean[i])); /* an estimated mean may lie outside [0, 1] */
        log_mean[i] = segue_ln(mean);
        log_mean[size + i] = segue_log1p(-mean);
    }
}

/* The state: the log posterior of each model, up to a constant; then scratch of the draw. */
static size_t state_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return 2 * setting->models->n_models * sizeof(double);
}

static void begin(const segue_task_view *view)
{
    double *log_posterior = view->state;
    for (size_t k = 0; k < view->models->n_models; k++)
        log_posterior[k] = segue_ln(view->models->weight[k]);
}

static void update(const segue_task_view *view, size_t arm, double reward)
{
    const size_t size = view->models->n_models * view->n_arms;
    const double *log_mean = view->precomputed;
    double *log_posterior = view->state;
    for (size_t k = 0; k < view->models->n_models; k++) {
        const size_t i = k * view->n_arms + arm;
        if (reward > 0.0) /* 0 times log 0 is 0 */
            log_posterior[k] += reward * log_mean[i];
        if (reward < 1.0)
            log_posterior[k] += (1.0 - reward) * log_mean[size + i];
    }
}

static double largest(const double *x, size_t count)
{
    double max = -INFINITY;
    for (size_t k = 0; k < count; k++)
        max = fmax(max, x[k]);
    return max;
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    const size_t n_models = view->models->n_models;
    const double *log_posterior = view->state;
    double *posterior = (double *)view->state + n_models;
    const double max = largest(log_posterior, n_models);
    if (max == -INFINITY)
        return (segue_choice){.arm = segue_ts_arm(view, rng), .reason = SEGUE_NO_MODEL_LEFT};
    for (size_t k = 0; k < n_models; k++)
        posterior[k] = segue_exp(log_posterior[k] - max);
    return by_rule(segue_choose_best_arm(view, segue_rng_index(rng, posterior, n_models)));
}

const segue_policy segue_policy_mts = {
    .name = "mts",
    .summary = "Thompson sampling over a known set of models",
    .needs = SEGUE_NEEDS_MODELS,
    .precomputed_size = precomputed_size,
    .precompute = precompute,
    .state_size = state_size,
    .begin = begin,
    .choose = choose,
    .update = update,
};
