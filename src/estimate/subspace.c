/* subspace.c - subspace iteration with Rayleigh and Ritz.
 *
 * A sweep multiplies r vectors by A, finds the best eigenvectors within their span, and stops if
 * these are good enough; else the products are the next vectors.  The error shrinks by
 * value_{r+1} / value_wanted per sweep.  Started from the vectors of a matrix of slightly fewer
 * tasks, with values above the noise, one or two sweeps suffice.  Iteration finds the values that
 * are largest in size, and noise has negative ones as large as its positive ones.  So it runs on
 * A + noise I, which has hardly any negative ones.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/subspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/linalg/linalg.h"
#include "segue/rng.h"

#define MAX_SWEEPS 30
#define SHARE_OF_NOISE                                                                             \
    0.01               /* a residual of this share does less to a vector than noise has done       \
                        */
#define ROUNDING 1e-12 /* of the largest eigenvalue: no residual need be less */
#define MIN_PIVOT                                                                                  \
    1e-10 /* of a Gram matrix with a diagonal of 1: less, and the span collapsed                   \
           */

segue_status segue_subspace_init(subspace *s, size_t n, size_t r, segue_error *err)
{
    *s = (subspace){.n = n, .r = r};
    s->memory = calloc(3 * n * r + 2 * r * r + r, sizeof *s->memory);
    if (!s->memory)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu eigenvectors of %zu arms", r,
                          n);
    s->vector = s->memory;
    s->image = s->vector + n * r;
    s->turned = s->image + n * r;
    s->small = s->turned + n * r;
    s->turn = s->small + r * r;
    s->value = s->turn + r * r;
    return SEGUE_OK;
}

void segue_subspace_fini(subspace *s)
{
    free(s->memory);
}

/* The upper triangle R of gram = R'R, in its place; false if a pivot is too small. */
static bool cholesky(double *gram, size_t r)
{
    for (size_t k = 0; k < r; k++) {
        for (size_t i = 0; i < k; i++)
            for (size_t j = k; j < r; j++)
                gram[k * r + j] -= gram[i * r + k] * gram[i * r + j];
        if (!(gram[k * r + k] > MIN_PIVOT))
            return false;
        const double pivot = sqrt(gram[k * r + k]);
        for (size_t j = k; j < r; j++)
            gram[k * r + j] /= pivot;
    }
    return true;
}

/* Make the columns unit vectors; false if one is 0 or not finite. */
static bool normalise(double *x, size_t n, size_t r)
{
    for (size_t k = 0; k < r; k++) {
        double square = 0.0;
        for (size_t i = 0; i < n; i++)
            square += x[i * r + k] * x[i * r + k];
        if (!(square > 0.0) || !isfinite(square))
            return false;
        for (size_t i = 0; i < n; i++)
            x[i * r + k] /= sqrt(square);
    }
    return true;
}

/* vector = orthonormal columns of the same span; false if it has fewer dimensions. */
static bool orthonormalise(subspace *s)
{
    const size_t n = s->n, r = s->r;
    if (!normalise(s->vector, n, r))
        return false;
    segue_linalg_multiply_left(n, r, r, s->vector, s->vector, s->small);
    if (!cholesky(s->small, r))
        return false;
    for (size_t i = 0; i < n; i++) /* each row is solved for with R from the right */
        for (size_t k = 0; k < r; k++) {
            double *row = s->vector + i * r;
            row[k] /= s->small[k * r + k];
            for (size_t j = k + 1; j < r; j++)
                row[j] -= row[k] * s->small[k * r + j];
        }
    return true;
}

void segue_subspace_randomise(subspace *s)
{
    segue_rng rng;
    segue_rng_init(&rng, 0, 0, 0, SEGUE_STREAM_ESTIMATOR);
    for (size_t i = 0; i < s->n * s->r; i++)
        s->vector[i] = segue_rng_normal(&rng);
    (void)orthonormalise(s); /* of random vectors nothing collapses */
}

/* Eigenvalues and, in the columns of `turn`, eigenvectors of X'AX, the largest first. */
static segue_status solve_within(subspace *s, segue_error *err)
{
    const size_t r = s->r;
    double *ascending = s->turned; /* scratch: not in use yet */
    segue_linalg_multiply_left(s->n, r, r, s->vector, s->image, s->small);
    for (size_t i = 0; i < r; i++)
        for (size_t k = 0; k < i; k++)
            s->small[i * r + k] = s->small[k * r + i] =
                0.5 * (s->small[i * r + k] + s->small[k * r + i]);
    const segue_status status = segue_linalg_eigenvectors(r, s->small, ascending, err);
    for (size_t k = 0; k < r && status == SEGUE_OK; k++) {
        s->value[k] = ascending[r - 1 - k];
        for (size_t i = 0; i < r; i++)
            s->turn[i * r + k] = s->small[(r - 1 - k) * r + i];
    }
    return status;
}

/* Rotate the columns of x to the eigenvectors, through the scratch. */
static void turn_columns(subspace *s, double *x)
{
    segue_linalg_multiply(s->n, s->r, s->r, x, s->turn, s->turned);
    memcpy(x, s->turned, s->n * s->r * sizeof *x);
}

/* Of the wanted vectors whose value is above `least`. */
static double largest_residual(const subspace *s, size_t wanted, double min)
{
    double largest = 0.0;
    for (size_t k = 0; k < wanted && s->value[k] > min; k++) {
        double square = 0.0;
        for (size_t i = 0; i < s->n; i++) {
            const double off = s->image[i * s->r + k] - s->value[k] * s->vector[i * s->r + k];
            square += off * off;
        }
        largest = fmax(largest, sqrt(square));
    }
    return largest;
}

/* One sweep on A + shift I: eigenvectors within the span, and their images. */
static segue_status sweep_once(subspace *s, double shift, matrix_function apply, void *context,
                               segue_error *err)
{
    segue_status status = apply(context, s->vector, s->r, s->image, err);
    for (size_t i = 0; i < s->n * s->r && status == SEGUE_OK; i++)
        s->image[i] += shift * s->vector[i];
    if (status == SEGUE_OK)
        status = solve_within(s, err);
    if (status == SEGUE_OK) {
        turn_columns(s, s->vector);
        turn_columns(s, s->image);
    }
    return status;
}

/* Values above the noise have converged, and the last wanted value is positive.  If it is not, more
 * sweeps may still find one. */
static bool has_converged(const subspace *s, size_t wanted, double noise)
{
    const double enough = fmax(SHARE_OF_NOISE * noise, ROUNDING * fabs(s->value[0]));
    return s->value[wanted - 1] > noise && largest_residual(s, wanted, 2.0 * noise) <= enough;
}

segue_status segue_subspace_iterate(subspace *s, size_t wanted, double noise, matrix_function apply,
                                    void *context, bool *converged, segue_error *err)
{
    *converged = false;
    for (int sweep = 0; sweep < MAX_SWEEPS && !*converged; sweep++) {
        if (sweep > 0)
            memcpy(s->vector, s->image, s->n * s->r * sizeof *s->vector);
        if (sweep > 0 && !orthonormalise(s))
            return SEGUE_OK;
        const segue_status status = sweep_once(s, noise, apply, context, err);
        if (status != SEGUE_OK)
            return status;
        *converged = has_converged(s, wanted, noise);
    }
    for (size_t k = 0; k < s->r; k++)
        s->value[k] -= noise;
    return SEGUE_OK;
}
