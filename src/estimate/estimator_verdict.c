/* estimator_verdict.c - say in one sentence how far to trust an estimate.
 *
 * "none": there is no estimate, and why.  "weak": an eigenvalue is within its noise, a lambda is
 * impossible (a true one is 1 / sqrt(rho) >= 1), the weights do not sum to 1, or there are few
 * tasks; by likelihood: the models do not separate the tasks.  "good": none of these.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "estimate/estimator_state.h"

#define MIN_CERTAINTY 0.8 /* em: of the separation of tasks */
#define MIN_LAMBDA    0.9 /* a true one is at least 1; the rest is for noise */
#define FEW_TIMES     10  /* tasks per model: fewer say little, whatever the spectrum says */
#define MAX_SUM_ERROR 0.3 /* of the sum of the weights from 1 */

static const char *ordinal(size_t k)
{
    if (k % 100 >= 11 && k % 100 <= 13)
        return "th";
    return k % 10 == 1 ? "st" : k % 10 == 2 ? "nd" : k % 10 == 3 ? "rd" : "th";
}

/* An eigenvalue below this fraction of the largest counts as 0. */
static double rank_tolerance(const fit *f)
{
    return f->n_arms > SEGUE_MAX_DENSE_ARMS ? 1e-6
                                            : 1e-9; /* views in single precision are rounded */
}

outcome_kind segue_estimator_judge(const fit *f, uint64_t n_tasks)
{
    const double *eigenvalue = f->s.eigenvalue;
    if (n_tasks < f->m)
        return FEW_TASKS;
    if (f->m > f->n_arms)
        return FEW_ARMS;
    return eigenvalue[f->m - 1] > rank_tolerance(f) * eigenvalue[0] ? FOUND : LOW_RANK;
}

/* The first lambda that no model can have, or m: a true one is 1 / sqrt(rho) >= 1, and a model with
 * at least one task has at most sqrt(n_tasks). */
static size_t odd_lambda(const fit *f, uint64_t n_tasks)
{
    size_t k = 0;
    while (k < f->m && f->lambda[k] >= MIN_LAMBDA && f->lambda[k] <= sqrt((double)n_tasks))
        k++;
    return k;
}

/* Why there is no estimate. */
static void describe_failure(const segue_estimator *est, char *out)
{
    const fit *f = &est->fit;
    const double last = f->m <= f->n_arms ? f->s.eigenvalue[f->m - 1] : 0.0;
    if (est->outcome == NOTHING_YET)
        (void)snprintf(out, SEGUE_VERDICT_SIZE, "none: nothing was estimated yet");
    else if (est->outcome == FEW_TASKS)
        (void)snprintf(out, SEGUE_VERDICT_SIZE, "none: %" PRIu64 " tasks are fewer than %zu models",
                       est->used, f->m);
    else if (est->outcome == FEW_ARMS)
        (void)snprintf(out, SEGUE_VERDICT_SIZE, "none: %zu models are more than %zu arms", f->m,
                       f->n_arms);
    else
        (void)snprintf(out, SEGUE_VERDICT_SIZE, "none: the %zu%s eigenvalue is %.3g, so that %s",
                       f->m, ordinal(f->m), last,
                       f->m > 1 ? "there are fewer models" : "the rewards show no structure");
}

/* How far to trust an estimate by likelihood. */
static void describe_likelihood(const segue_estimator *est, char *out)
{
    const segue_estimate_info *info = &est->info;
    const double n = (double)info->n_tasks;
    size_t min = 0;
    for (size_t k = 1; k < info->n_models; k++)
        if (est->models->weight[k] < est->models->weight[min])
            min = k;
    if (info->n_tasks < FEW_TIMES * info->n_models)
        (void)snprintf(out, SEGUE_VERDICT_SIZE, "weak: %" PRIu64 " tasks are few for %zu models",
                       info->n_tasks, info->n_models);
    else if (n * est->models->weight[min] < 2.0)
        (void)snprintf(out, SEGUE_VERDICT_SIZE,
                       "weak: model %zu has %.2g of %" PRIu64 " tasks, so that there may be fewer",
                       min + 1, n * est->models->weight[min], info->n_tasks);
    else
        (void)snprintf(out, SEGUE_VERDICT_SIZE,
                       "%s: %zu models distinguish %" PRIu64 " tasks with %.3g %% certainty",
                       info->certainty < MIN_CERTAINTY ? "weak" : "good", info->n_models,
                       info->n_tasks, 100.0 * info->certainty);
}

/* How far to trust an estimate by moments. */
static void describe_quality(const segue_estimator *est, char *out)
{
    const fit *f = &est->fit;
    const segue_estimate_info *info = &est->info;
    const double last = f->s.eigenvalue[f->m - 1];
    const size_t odd = odd_lambda(f, info->n_tasks);
    if (last <= info->noise)
        (void)snprintf(out, SEGUE_VERDICT_SIZE,
                       "weak: the %zu%s eigenvalue, %.2g, is within its noise, %.2g, at %" PRIu64
                       " tasks",
                       f->m, ordinal(f->m), last, info->noise, info->n_tasks);
    else if (odd < f->m && f->config->alpha0 <= 0.0)
        (void)snprintf(out, SEGUE_VERDICT_SIZE,
                       "weak: the %zu%s component has lambda %.3g; need at least %.1f and at most "
                       "%.3g, the square root of %" PRIu64 " tasks",
                       odd + 1, ordinal(odd + 1), f->lambda[odd], MIN_LAMBDA,
                       sqrt((double)info->n_tasks), info->n_tasks);
    else if (fabs(info->weight_sum - 1.0) > MAX_SUM_ERROR)
        (void)snprintf(out, SEGUE_VERDICT_SIZE,
                       "weak: the weights sum to %.3g before they are normalised, at %" PRIu64
                       " tasks",
                       info->weight_sum, info->n_tasks);
    else if (info->n_tasks < FEW_TIMES * f->m)
        (void)snprintf(out, SEGUE_VERDICT_SIZE, "weak: %" PRIu64 " tasks are few for %zu models",
                       info->n_tasks, f->m);
    else
        (void)snprintf(out, SEGUE_VERDICT_SIZE,
                       "good: all %zu eigenvalues stand out of the noise, %.2g, at %" PRIu64
                       " tasks",
                       f->m, info->noise, info->n_tasks);
}

segue_estimate_info segue_estimator_info(const segue_estimator *est)
{
    segue_estimate_info info = est->info;
    if (est->outcome != FOUND)
        describe_failure(est, info.verdict);
    else if (est->method->info.uses_counts)
        describe_likelihood(est, info.verdict);
    else
        describe_quality(est, info.verdict);
    return info;
}
