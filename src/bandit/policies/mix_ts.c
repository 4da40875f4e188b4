/* mix_ts.c - MixTS: Thompson sampling with a given mixture as its prior (Hong et al. 2022).
 *
 * The mixture has one component per known model, with the model's weight: a Beta of concentration
 * `spread` around each of its means, as `segue simulate --spread` draws them. Each step draws a
 * component from its posterior, then a mean of every arm, and pulls the largest. `mts` is the limit
 * of a large spread. The belief and its draws are those of tts (belief_policy.c).
 * Cost O(n_models + n_arms) per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/belief_policy.h"

#define EDGE 1e-6 /* a mean stays so far from 0 and 1: no component becomes impossible */

enum { SPREAD, N_OPTIONS };

static const segue_option options[N_OPTIONS] = {
    [SPREAD] = {.key = "spread",
                .help = "concentration of the Betas around the models (default 100)",
                .min = 1e-3,
                .max = 1e9},
};

static void fill_defaults(const segue_setting *setting, double *option)
{
    (void)setting;
    fill_default(&option[SPREAD], 100.0);
}

/* Precomputed: a of each model and arm, then b. */
static size_t precomputed_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return 2 * setting->models->n_models * setting->n_arms * sizeof(double);
}

static void precompute(const segue_setting *setting, const double *option, void *precomputed)
{
    const size_t size = setting->models->n_models * setting->n_arms;
    double *a = precomputed, *b = a + size;
    for (size_t i = 0; i < size; i++) {
        const double mean = fmin(1.0 - EDGE, fmax(EDGE, setting->models->mean[i]));
        a[i] = option[SPREAD] * mean;
        b[i] = option[SPREAD] * (1.0 - mean);
    }
}

static segue_prior prior_of(const segue_task_view *view)
{
    const size_t n_models = view->models->n_models;
    const double *a = view->precomputed;
    return (segue_prior){.n_components = n_models,
                         .n_arms = view->n_arms,
                         .weight = view->models->weight,
                         .a = a,
                         .b = a + n_models * view->n_arms};
}

static size_t state_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return segue_belief_policy_state_size(setting->models->n_models, setting->n_arms, false);
}

static void begin(const segue_task_view *view)
{
    segue_belief_policy_begin(view, prior_of(view));
}

static void rebind(const segue_task_view *view)
{
    segue_belief_policy_rebind(view, prior_of(view));
}

const segue_policy segue_policy_mix_ts = {
    .name = "mix-ts",
    .summary = "MixTS of Hong et al.: the prior is a mixture around the models",
    .needs = SEGUE_NEEDS_MODELS,
    .options = options,
    .n_options = N_OPTIONS,
    .fill_defaults = fill_defaults,
    .precomputed_size = precomputed_size,
    .precompute = precompute,
    .state_size = state_size,
    .begin = begin,
    .choose = segue_belief_policy_thompson,
    .update = segue_belief_policy_update,
    .rebind = rebind,
    .takes_costs = true,
};
