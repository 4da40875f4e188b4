/* rtp.c - the robust tensor power method.
 *
 * Figure 4 of Azar, Lazaric and Brunskill (2013): whiten, then take the components of
 * T = sum lambda v (x) v (x) v one by one by power iteration and deflation; mu = lambda B v with
 * B = U D^(1/2), rho = 1 / lambda^2.
 *
 * Warm start: with a last estimate, all its models, carried into the new whitening
 * (v0 = W' mu / |W' mu|), run beside a few random starts, all *for every component*.  One start a
 * component in the old order would be wrong: the whitened tensor is far from orthogonal, so that
 * the order of deflation matters, and the greedy choice of the largest T(v, v, v) must stay.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/stop.h"
#include "estimate/estimator_method.h"

#define WARM_RANDOM 3 /* random starts beside the carried ones */
#define WARM_STEPS  10
#define POLISH      40
#define MIN_LAMBDA                                                                                 \
    1e-6 /* noise can leave a component of no size; 1 / lambda^2 must be finite                    \
          */

/* W' mu = D^(-1/2) U' mu for the last estimate's model k. */
static void carry(const fit *f, size_t k, double *v)
{
    const double *mu = f->previous + k * f->n_arms;
    for (size_t a = 0; a < f->m; a++) {
        double sum = 0.0;
        for (size_t i = 0; i < f->n_arms; i++)
            sum += f->s.basis[i * f->m + a] * mu[i];
        v[a] = sum / sqrt(f->s.eigenvalue[a]);
    }
}

static bool is_warm(const fit *f)
{
    return f->previous && !f->full;
}

/* `start` holds the carried models and, if warm, the random starts; else these are made here. */
static void set_starts(fit *f, const double *start, double *scratch)
{
    const size_t n_carried = f->previous ? f->m : 0;
    const size_t n_given = n_carried + (is_warm(f) ? WARM_RANDOM : 0);
    segue_tensor_power_clear(&f->power);
    for (size_t i = 0; i < n_given; i++)
        segue_tensor_power_start(&f->power, start + i * f->m);
    for (size_t i = 0; i < f->config->starts && !is_warm(f); i++) {
        segue_estimator_random_direction(&f->rng, f->m, scratch);
        segue_tensor_power_start(&f->power, scratch);
    }
    f->starts += f->power.n_lanes;
}

segue_status segue_rtp_solve(fit *f, segue_error *err)
{
    const size_t m = f->m;
    double *v = f->scratch, *other = v + m, *start = other + m;
    const size_t steps = is_warm(f) ? WARM_STEPS : f->config->steps;
    segue_spectral_whiten(&f->s);
    for (size_t k = 0; f->previous && k < m; k++)
        carry(f, k, start + k * m);
    for (size_t i = 0; is_warm(f) && i < WARM_RANDOM; i++)
        segue_estimator_random_direction(&f->rng, m, start + (m + i) * m);
    f->power.iterations = 0;
    for (size_t k = 0; k < m; k++) {
        SEGUE_TRY(segue_stop_check(f->stop, err));
        set_starts(f, start, other);
        const size_t max = is_warm(f) ? POLISH : f->config->steps;
        const double lambda = segue_tensor_power_best(&f->power, f->s.tensor, steps, max, v);
        segue_tensor_power_deflate(f->s.tensor, m, lambda, v);
        f->lambda[k] = fmax(MIN_LAMBDA, lambda);
        f->weight[k] = segue_weights_from_lambda(f->lambda[k]);
        segue_spectral_lift(&f->s, true, v, f->mean + k * f->n_arms);
        for (size_t i = 0; i < f->n_arms; i++)
            f->mean[k * f->n_arms + i] *= f->lambda[k];
    }
    f->residual = segue_tensor_power_norm(f->s.tensor, m);
    f->iterations += f->power.iterations; /* a warm fit may be followed by a cold one */
    return SEGUE_OK;
}

const estimator_method segue_estimator_rtp = {
    .info = {.name = "rtp",
             .summary = "the robust tensor power method, as in the paper",
             .uses_starts = true,
             .uses_weights = true},
    .solve = segue_rtp_solve,
};
