/* eca.c - excess correlation analysis.
 *
 * Anandkumar, Foster, Hsu, Kakade and Liu (2012): tasks are mixtures of the models with
 * Dirichlet(alpha0 rho) shares; alpha0 = 0 is one model per task.  With q = W' M1 the corrected and
 * whitened third moment is
 *   T - a0/(a0+2) (G_ab q_c + G_ac q_b + G_bc q_a) + 2 a0^2 / ((a0+1)(a0+2)) q_a q_b q_c,
 * G = W' M2 W = I + a0/(a0+1) q q'.  Its components v are the eigenvectors of T(I, I, theta) for
 * a random theta; of TRIES the one with the widest gap between eigenvalues wins.  A component
 * has lambda = 2 / ((a0+2) sqrt p), mu = B v / sqrt p and rho = (a0+1) p.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/linalg/linalg.h"
#include "core/stop.h"
#include "estimate/estimator_method.h"

#define TRIES      20
#define MIN_LAMBDA 1e-6

/* Subtract what mixing adds to the third moment. */
static void correct(spectral *s, double a0)
{
    const size_t m = s->m;
    const double *q = s->mean;
    const double pair = a0 / (a0 + 2.0), triple = 2.0 * a0 * a0 / ((a0 + 1.0) * (a0 + 2.0));
    const double mixed = a0 / (a0 + 1.0);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++)
            for (size_t c = 0; c < m; c++) {
                const double qqq = q[a] * q[b] * q[c];
                const double pairs = (a == b ? q[c] : 0.0) + (a == c ? q[b] : 0.0) +
                                     (b == c ? q[a] : 0.0) + 3.0 * mixed * qqq;
                s->tensor[(a * m + b) * m + c] += triple * qqq - pair * pairs;
            }
}

static double min_gap(const double *ascending, size_t count)
{
    double gap = INFINITY;
    for (size_t i = 1; i < count; i++)
        gap = fmin(gap, ascending[i] - ascending[i - 1]);
    return gap;
}

/* The eigenvectors, as rows, of the slice with the widest gap. */
static segue_status best_slice(fit *f, double *vectors, segue_error *err)
{
    const size_t m = f->m;
    double *slice = f->scratch + 2 * m * m, *theta = slice + m * m, *values = theta + m;
    double widest = -1.0;
    for (int i = 0; i < TRIES; i++) {
        SEGUE_TRY(segue_stop_check(f->stop, err));
        segue_estimator_random_direction(&f->rng, m, theta);
        segue_estimator_tensor_slice(f->s.tensor, m, theta, slice);
        const segue_status status = segue_linalg_eigenvectors(m, slice, values, err);
        if (status != SEGUE_OK)
            return status;
        const double gap = min_gap(values, m);
        if (gap > widest) {
            widest = gap;
            memcpy(vectors, slice, m * m * sizeof *vectors);
        }
    }
    f->starts = TRIES;
    return SEGUE_OK;
}

/* T(v, v, v). */
static double value_of(const double *tensor, size_t m, const double *v)
{
    double sum = 0.0;
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++)
            for (size_t c = 0; c < m; c++)
                sum += tensor[(a * m + b) * m + c] * v[a] * v[b] * v[c];
    return sum;
}

static void set_model(fit *f, size_t k, double *v)
{
    const double a0 = f->config->alpha0;
    double lambda = value_of(f->s.tensor, f->m, v);
    for (size_t a = 0; a < f->m && lambda < 0.0; a++)
        v[a] = -v[a]; /* T(-v, -v, -v) = -T(v, v, v) */
    lambda = fmax(MIN_LAMBDA, fabs(lambda));
    const double root = 2.0 / ((a0 + 2.0) * lambda); /* sqrt p */
    f->lambda[k] = lambda;
    f->weight[k] = (a0 + 1.0) * segue_weights_from_lambda(1.0 / root);
    segue_spectral_lift(&f->s, true, v, f->mean + k * f->n_arms);
    for (size_t i = 0; i < f->n_arms; i++)
        f->mean[k * f->n_arms + i] /= root;
}

static segue_status solve(fit *f, segue_error *err)
{
    const size_t m = f->m;
    double *vectors = f->scratch;
    segue_spectral_whiten(&f->s);
    if (f->config->alpha0 > 0.0)
        correct(&f->s, f->config->alpha0);
    const segue_status status = best_slice(f, vectors, err);
    if (status != SEGUE_OK)
        return status;
    for (size_t k = 0; k < m; k++)
        set_model(f, k, vectors + k * m);
    for (size_t k = 0; k < m; k++)
        segue_tensor_power_deflate(f->s.tensor, m, f->lambda[k], vectors + k * m);
    f->residual = segue_tensor_power_norm(f->s.tensor, m);
    return SEGUE_OK;
}

const estimator_method segue_estimator_eca = {
    .info = {.name = "eca",
             .summary = "excess correlation analysis, also for tasks that mix models",
             .uses_alpha0 = true,
             .uses_weights = true},
    .solve = solve,
};
