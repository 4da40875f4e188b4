/* algorithm_b.c - simultaneous diagonalisation along random directions, without whitening.
 *
 * Algorithm B of Anandkumar, Hsu and Kakade (2012), on the symmetrised moments:
 *   B(theta) = T(I, I, theta) D^(-1),  T = M3(U, U, U),  D = U' M2 U,
 * has the eigenvalues <theta, U' mu_k> and, for all theta, the same eigenvectors R.  With an
 * orthogonal matrix of directions theta_i, L(i, k) = (R^(-1) B(theta_i) R)(k, k) and
 * mu = U Theta' L.  Directions whose first eigenvalues are complex or close are drawn again, up to
 * TRIES times; the widest gap wins.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "core/linalg/linalg.h"
#include "estimate/estimator_method.h"

#define TRIES      20
#define MIN_WEIGHT 1e-12

typedef struct directions {
    double *theta;   /* m x m: orthonormal rows */
    double *vectors; /* m x m: R', eigenvectors as rows */
    double gap;      /* between the eigenvalues of the first */
} directions;

/* Orthonormal rows, by Gram and Schmidt on random directions. */
static void draw_rotation(segue_rng *rng, size_t m, double *rows)
{
    for (size_t i = 0; i < m; i++) {
        double *row = rows + i * m, square = 0.0;
        while (square < 1e-6) { /* drawn again if it lies in the span of the others */
            segue_estimator_random_direction(rng, m, row);
            for (size_t pass = 0; pass < 2; pass++)
                for (size_t k = 0; k < i; k++) {
                    double product = 0.0;
                    for (size_t a = 0; a < m; a++)
                        product += row[a] * rows[k * m + a];
                    for (size_t a = 0; a < m; a++)
                        row[a] -= product * rows[k * m + a];
                }
            square = 0.0;
            for (size_t a = 0; a < m; a++)
                square += row[a] * row[a];
        }
        for (size_t a = 0; a < m; a++)
            row[a] /= sqrt(square);
    }
}

/* B(theta) = T(I, I, theta) D^(-1). */
static void matrix_along(const fit *f, const double *theta, double *b)
{
    segue_estimator_tensor_slice(f->s.tensor, f->m, theta, b);
    for (size_t i = 0; i < f->m * f->m; i++)
        b[i] /= f->s.eigenvalue[i % f->m];
}

/* The smallest distance of two eigenvalues; negative if one is complex. */
static double min_gap(const double *real, const double *imaginary, size_t m)
{
    double gap = INFINITY;
    for (size_t i = 0; i < m; i++) {
        if (imaginary[i] != 0.0)
            return -1.0;
        for (size_t k = 0; k < i; k++)
            gap = fmin(gap, fabs(real[i] - real[k]));
    }
    return gap;
}

static segue_status draw_directions(fit *f, directions *best, double *scratch, segue_error *err)
{
    const size_t m = f->m;
    double *theta = scratch, *b = theta + m * m, *vectors = b + m * m, *real = vectors + m * m;
    best->gap = -INFINITY;
    for (int i = 0; i < TRIES; i++) {
        draw_rotation(&f->rng, m, theta);
        matrix_along(f, theta, b);
        const segue_status status = segue_linalg_eigen_general(m, b, real, real + m, vectors, err);
        if (status != SEGUE_OK)
            return status;
        const double gap = min_gap(real, real + m, m);
        if (gap > best->gap) {
            best->gap = gap;
            memcpy(best->theta, theta, m * m * sizeof *theta);
            memcpy(best->vectors, vectors, m * m * sizeof *vectors);
        }
    }
    f->starts = TRIES;
    return SEGUE_OK;
}

/* Row i of L: the diagonal of R^(-1) B(theta_i) R, from R'. */
static segue_status diagonal_along(const fit *f, const double *theta, const double *vectors,
                                   double *scratch, double *row, segue_error *err)
{
    const size_t m = f->m;
    double *b = scratch, *product = b + m * m, *r = product + m * m;
    matrix_along(f, theta, b);
    for (size_t i = 0; i < m * m; i++)
        r[i] = vectors[i % m * m + i / m]; /* R */
    segue_linalg_multiply(m, m, m, b, r, product);
    const segue_status status = segue_linalg_solve(m, m, r, product, err);
    for (size_t k = 0; k < m; k++)
        row[k] = product[k * m + k];
    return status;
}

/* mu = U Theta' L: one column of L to one model. */
static void set_model(fit *f, const directions *d, const double *l, size_t k, double *scratch)
{
    const size_t m = f->m;
    for (size_t a = 0; a < m; a++) {
        scratch[a] = 0.0;
        for (size_t i = 0; i < m; i++)
            scratch[a] += d->theta[i * m + a] * l[i * m + k];
    }
    segue_spectral_lift(&f->s, false, scratch, f->mean + k * f->n_arms);
}

/* Without whitening there are no lambdas: compute them from the weights that M1 gives. */
static segue_status set_weights(fit *f, segue_error *err)
{
    const segue_status status =
        segue_weights_nonnegative(f->m, f->n_arms, f->mean, f->s.first, f->weight, err);
    for (size_t k = 0; k < f->m; k++) {
        if (status == SEGUE_EDOMAIN)
            f->weight[k] = 1.0 / (double)f->m;
        f->lambda[k] = 1.0 / sqrt(fmax(MIN_WEIGHT, f->weight[k]));
    }
    return status == SEGUE_EDOMAIN ? SEGUE_OK : status;
}

/* |T - sum rho (U' mu)^(x)3|. */
static void set_residual(fit *f, double *scratch)
{
    for (size_t k = 0; k < f->m; k++) {
        segue_linalg_multiply_left(f->n_arms, f->m, 1, f->s.basis, f->mean + k * f->n_arms,
                                   scratch);
        segue_tensor_power_deflate(f->s.tensor, f->m, f->weight[k], scratch);
    }
    f->residual = segue_tensor_power_norm(f->s.tensor, f->m);
}

static segue_status solve(fit *f, segue_error *err)
{
    const size_t m = f->m;
    directions best = {.theta = f->scratch, .vectors = f->scratch + m * m};
    double *l = best.vectors + m * m, *rest = l + m * m;
    segue_status status = draw_directions(f, &best, rest, err);
    for (size_t i = 0; i < m && status == SEGUE_OK; i++) {
        status = diagonal_along(f, best.theta + i * m, best.vectors, rest, l + i * m, err);
        if (status ==
            SEGUE_EDOMAIN) { /* the eigenvectors are dependent: no answer along this one */
            memset(l + i * m, 0, m * sizeof *l);
            status = SEGUE_OK;
        }
    }
    if (status != SEGUE_OK)
        return status;
    for (size_t k = 0; k < m; k++)
        set_model(f, &best, l, k, rest);
    status = set_weights(f, err);
    if (status != SEGUE_OK)
        return status;
    set_residual(f, rest);
    return SEGUE_OK;
}

const estimator_method segue_estimator_algorithm_b = {
    .info = {.name = "algorithm-b",
             .summary = "simultaneous diagonalisation along random directions"},
    .solve = solve,
};
