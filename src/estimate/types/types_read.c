/* types_read.c - what the types are, for a new task and for people.
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>

#include "core/wilson.h"
#include "estimate/types/types_internal.h"
#include "estimate/types/types_read.h"

#define MAX_NO_TYPE 0.999999 /* weight of none: no type is ever ruled out beforehand */

size_t segue_types_arms(const segue_types *types)
{
    return types->config.n_arms;
}

size_t segue_types_count(const segue_types *types)
{
    return types->mix.n_types;
}

uint64_t segue_types_tasks(const segue_types *types)
{
    return types->finished;
}

size_t segue_types_in_window(const segue_types *types)
{
    return types->tasks.count;
}

const size_t *segue_types_numbered(const segue_types *types)
{
    return types->mix.numbered;
}

const double *segue_types_weights(const segue_types *types)
{
    return types->mix.weight;
}

const double *segue_types_a(const segue_types *types)
{
    return types->mix.a;
}

const double *segue_types_b(const segue_types *types)
{
    return types->mix.b;
}

void segue_types_prior(const segue_types *types, double *weight)
{
    const double *known = types->mix.weight;
    weight[0] = fmax(known[0], fmin(types->no_type, MAX_NO_TYPE));
    for (size_t q = 1; q <= types->mix.n_types; q++)
        weight[q] = known[q] * (1.0 - weight[0]) / (1.0 - known[0]);
}

double segue_types_posterior(const segue_types *types, const double *sum, const double *pulls,
                             double *posterior)
{
    return segue_mixture_posterior(&types->mix, sum, pulls, posterior);
}

uint64_t segue_types_last_task(const segue_types *types, size_t type)
{
    assert(type >= 1 && type <= types->mix.n_types);
    return types->mix.last[type];
}

segue_type_arm segue_types_arm(const segue_types *types, size_t type, size_t arm)
{
    const mixture *mix = &types->mix;
    assert(type >= 1 && type <= mix->n_types && arm < mix->n_arms);
    const size_t at = type * mix->n_arms + arm;
    segue_type_arm out = {.mean = segue_mixture_mean(mix, type, arm),
                          .kappa = segue_mixture_kappa(mix->spread[at]),
                          .pulls = mix->pulls[at]};
    segue_wilson_interval(mix->won[at], out.pulls, &out.low, &out.high);
    return out;
}

segue_types_fit segue_types_evaluate(const segue_types *types)
{
    const task_window *tasks = &types->tasks;
    segue_types_fit fit = {.log_likelihood = 0.0};
    double posterior[SEGUE_MAX_FITTED_TYPES + 1];
    for (size_t l = 0; l < tasks->count; l++) {
        fit.log_likelihood += segue_mixture_posterior(&types->mix, segue_task_window_sum(tasks, l),
                                                      segue_task_window_pulls(tasks, l), posterior);
        for (size_t q = 0; q <= types->mix.n_types; q++)
            fit.size[q] += posterior[q];
    }
    fit.objective = fit.log_likelihood - segue_mixture_penalty(&types->mix, tasks->count);
    return fit;
}
