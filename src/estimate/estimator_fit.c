/* estimator_fit.c - one fit, for all methods: spectrum, method, weights, numbering.
 *
 *   1. Diagonalise M2, and stop if it cannot hold m models.
 *   2. Project M3 on the leading eigenvectors, and let the method solve for means and lambdas.
 *   3. Find the weights by least squares on M1, or by lambda.
 *   4. em only: maximise the likelihood of the counts from there.
 *   5. Match the models with those of the last estimate, so that a model keeps its number.
 *
 * A warm fit starts from the last estimate.  Below COLD_BELOW tasks, and then each time the tasks
 * have grown by COLD_GROWTH, a cold fit runs too, and the smaller residual wins: else an early,
 * wrong estimate could survive.  On failure the last estimate stays.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/estimator_fit.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "estimate/estimator_state.h"

#define COLD_BELOW  100
#define COLD_GROWTH 1.05

/* Solve from the spectral form. */
static segue_status solve(segue_estimator *est, bool from_last, bool full, segue_error *err)
{
    fit *f = &est->fit;
    segue_spectral_reset(&f->s);
    f->previous = from_last && est->models ? est->models->mean : NULL;
    f->full = full;
    return est->method->solve(f, err);
}

/* Make a cold fit beside the warm one, and use the one with the smaller residual. */
static segue_status refresh(segue_estimator *est, segue_error *err)
{
    fit *f = &est->fit;
    const double warm_residual = f->residual;
    memcpy(est->best, f->mean, answer_size(f) * sizeof *est->best);
    const segue_status status = solve(est, true, true, err);
    if (status == SEGUE_OK && warm_residual < f->residual) {
        memcpy(f->mean, est->best, answer_size(f) * sizeof *est->best);
        f->residual = warm_residual;
    } else {
        est->info.warm = false;
    }
    return status;
}

static segue_status solve_warm_or_cold(segue_estimator *est, uint64_t n_tasks, segue_error *err)
{
    fit *f = &est->fit;
    const bool warm = est->models && !est->config.cold && est->method->info.uses_starts;
    f->starts = 0;
    f->iterations = 0;
    f->residual = 0.0;
    segue_rng_init(&f->rng, est->config.seed, est->config.run, n_tasks, SEGUE_STREAM_ESTIMATOR);
    est->info.warm = warm;
    segue_status status = solve(est, warm, !warm, err);
    if (status == SEGUE_OK && warm && n_tasks >= est->cold_at)
        status = refresh(est, err);
    if (n_tasks >= est->cold_at)
        est->cold_at =
            n_tasks < COLD_BELOW ? n_tasks + 1 : (uint64_t)ceil(COLD_GROWTH * (double)n_tasks);
    return status;
}

/* The weights of the set: as configured, with those by lambda where the others fail. */
static segue_status set_weights(segue_estimator *est, segue_error *err)
{
    const fit *f = &est->fit;
    segue_status status = SEGUE_EDOMAIN;
    if (est->config.weights == SEGUE_WEIGHTS_LEAST_SQUARES)
        status = segue_weights_nonnegative(f->m, f->n_arms, f->mean, f->s.first, est->weight, err);
    if (status == SEGUE_EDOMAIN)
        memcpy(est->weight, f->weight, f->m * sizeof *est->weight);
    return status == SEGUE_ENOMEM ? status : SEGUE_OK;
}

/* Copy row `from` of the answer to row `to` of `into`. */
static void copy_row(const fit *f, const double *weight, double *into, size_t from, size_t to)
{
    memcpy(into + to * f->n_arms, f->mean + from * f->n_arms, f->n_arms * sizeof *into);
    into[f->m * f->n_arms + to] = f->lambda[from];
    into[f->m * f->n_arms + f->m + to] = weight[from];
}

static segue_status make_set(const segue_estimator *est, segue_models **out, segue_error *err)
{
    const fit *f = &est->fit;
    return segue_models_create(out, SEGUE_MODELS_ESTIMATED, f->n_arms, f->m, f->mean, est->weight,
                               err);
}

/* Order the answer by `match`; true if that changed anything. */
static bool reorder(segue_estimator *est, const size_t *match)
{
    fit *f = &est->fit;
    size_t k = 0;
    while (k < f->m && match[k] == k)
        k++;
    if (k == f->m)
        return false;
    for (k = 0; k < f->m; k++)
        copy_row(f, est->weight, est->best, match[k], k);
    memcpy(f->mean, est->best, (f->m * f->n_arms + f->m) * sizeof *f->mean);
    memcpy(est->weight, est->best + f->m * f->n_arms + f->m, f->m * sizeof *est->weight);
    return true;
}

/* Order the answer like the set before, so that a model keeps its number. */
static segue_status name_models(segue_estimator *est, segue_error *err)
{
    fit *f = &est->fit;
    segue_models *fresh = NULL;
    size_t match[SEGUE_MAX_ESTIMATED];
    for (size_t i = 0; i < f->m * f->n_arms; i++) /* noise can throw an estimate anywhere */
        f->mean[i] = fmin(SEGUE_MAX_ABS_MEAN, fmax(-SEGUE_MAX_ABS_MEAN, f->mean[i]));
    segue_status status = make_set(est, &fresh, err);
    if (status == SEGUE_OK && est->models)
        status = segue_models_match(est->models, fresh, match, err);
    if (status == SEGUE_OK && est->models && reorder(est, match)) {
        segue_models_destroy(fresh);
        status = make_set(est, &fresh, err);
    }
    if (status != SEGUE_OK) {
        segue_models_destroy(fresh);
        return status;
    }
    segue_models_destroy(est->models);
    est->models = fresh;
    return SEGUE_OK;
}

/* Estimate models from the moments alone. */
static segue_status fit_moments(segue_estimator *est, const segue_moments *moments,
                                segue_error *err)
{
    SEGUE_TRY(segue_spectral_project(&est->fit.s, moments, err));
    SEGUE_TRY(solve_warm_or_cold(est, segue_moments_tasks(moments), err));
    return set_weights(est, err);
}

/* em: maximise the likelihood of the counts, from the answer of the moments and from the last
 * estimate, or from random starts at a first fit. */
static segue_status fit_counts(segue_estimator *est, segue_error *err)
{
    fit *f = &est->fit;
    em_start starts[2];
    size_t n_starts = 0;
    if (est->outcome == FOUND)
        starts[n_starts++] = (em_start){f->mean, est->weight};
    const bool first = !est->models || est->config.cold;
    if (!first)
        starts[n_starts++] = (em_start){est->models->mean, est->models->weight};
    est->used = est->info.n_tasks = est->counts.tasks.count;
    est->outcome = est->used < f->m ? FEW_TASKS : FOUND;
    if (est->outcome != FOUND)
        return SEGUE_OK;
    segue_rng_init(&f->rng, est->config.seed, est->config.run, est->counts.added,
                   SEGUE_STREAM_ESTIMATOR); /* the method of the moments may have drawn from it */
    return segue_em_counts_fit(&est->counts, f->m, starts, n_starts, first ? &f->rng : NULL,
                               f->mean, est->weight, err);
}

void segue_estimator_set_em_info(segue_estimator *est)
{
    segue_estimate_info *info = &est->info;
    info->lambda = NULL;
    info->residual = 0.0;
    info->weight_sum = 1.0;
    info->iterations = est->counts.iterations;
    info->starts = est->counts.starts;
    info->log_likelihood = est->counts.log_likelihood;
    info->certainty = est->counts.certainty;
}

static void set_info(segue_estimator *est)
{
    const fit *f = &est->fit;
    segue_estimate_info *info = &est->info;
    info->found = true;
    if (est->method->info.uses_counts) {
        segue_estimator_set_em_info(est);
        return;
    }
    info->lambda = f->lambda;
    info->residual = f->residual;
    info->iterations = f->iterations;
    info->starts = f->starts;
    info->weight_sum = 0.0;
    for (size_t k = 0; k < f->m; k++)
        info->weight_sum += f->weight[k];
}

static segue_status fit_all(segue_estimator *est, const segue_moments *moments, segue_error *err)
{
    fit *f = &est->fit;
    const uint64_t n_tasks = segue_moments_tasks(moments);
    est->info = (segue_estimate_info){
        .n_tasks = n_tasks, .n_arms = f->n_arms, .n_models = f->m, .eigenvalue = f->s.eigenvalue};
    const bool any = n_tasks > 0 && segue_moments_weight(moments) > 0.0;
    if (est->config.cold)
        f->s.has_leading = false;
    if (any)
        SEGUE_TRY(segue_spectral_diagonalise(&f->s, moments, est->config.alpha0, err));
    est->info.n_eigenvalues = f->s.n_values;
    est->info.noise = any ? f->s.noise : 0.0;
    est->used = any ? n_tasks : 0;
    est->outcome = segue_estimator_judge(f, est->used);
    if (est->outcome == FOUND)
        SEGUE_TRY(fit_moments(est, moments, err));
    if (est->method->info.uses_counts)
        SEGUE_TRY(fit_counts(est, err));
    if (est->outcome != FOUND) {
        segue_models_destroy(est->models);
        est->models = NULL;
        return SEGUE_OK;
    }
    SEGUE_TRY(name_models(est, err));
    set_info(est);
    return SEGUE_OK;
}

segue_status segue_estimator_fit(segue_estimator *est, const segue_moments *moments,
                                 segue_error *err)
{
    if (segue_moments_arms(moments) != est->fit.n_arms)
        return segue_fail(err, SEGUE_EDOMAIN, "the moments are of %zu arms, the estimator of %zu",
                          segue_moments_arms(moments), est->fit.n_arms);
    const segue_estimate_info info = est->info;
    const outcome_kind outcome = est->outcome;
    const uint64_t used = est->used, cold_at = est->cold_at;
    const segue_status status = fit_all(est, moments, err);
    if (status != SEGUE_OK) { /* the last estimate and its info stay */
        est->info = info;
        est->outcome = outcome;
        est->used = used;
        est->cold_at = cold_at;
    }
    return status;
}

segue_status segue_estimator_fit_until(segue_estimator *est, const segue_moments *moments,
                                       const atomic_bool *stop, segue_error *err)
{
    est->fit.stop = est->counts.stop = stop;
    const segue_status status = segue_estimator_fit(est, moments, err);
    est->fit.stop = est->counts.stop = NULL;
    return status;
}
