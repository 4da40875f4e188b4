/* perturbation_fixture.h - true and perturbed moments, their eigenvectors and norms, for tests.
 *
 * Nothing here uses src/theory but the true spectrum; norms are eigenvalues, found by LAPACK.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TEST_PERTURBATION_FIXTURE_H
#define SEGUE_TEST_PERTURBATION_FIXTURE_H

#include "core/linalg/linalg.h"
#include "support.h"

enum { MAX_K = 8 };

/* The m leading eigenpairs of a K x K matrix, the largest first. */
typedef struct leading {
    size_t K, m;
    double value[MAX_K];
    double u[MAX_K][MAX_K]; /* u[i]: unit eigenvector of value[i] */
} leading;

static inline leading leading_of(size_t K, size_t m, const double *matrix)
{
    leading out = {.K = K, .m = m};
    double a[MAX_K * MAX_K], values[MAX_K];
    memcpy(a, matrix, K * K * sizeof *a);
    assert_ok(segue_linalg_eigenvectors(K, a, values, NULL));
    for (size_t i = 0; i < m; i++) {
        out.value[i] = values[K - 1 - i];
        memcpy(out.u[i], a + (K - 1 - i) * K, K * sizeof *a);
    }
    return out;
}

/* Give the eigenvectors of `noisy` the signs that bring them nearest to those of `exact`. */
static inline void align(leading *noisy, const leading *exact)
{
    for (size_t i = 0; i < noisy->m; i++) {
        double dot = 0.0;
        for (size_t k = 0; k < noisy->K; k++)
            dot += noisy->u[i][k] * exact->u[i][k];
        for (size_t k = 0; dot < 0.0 && k < noisy->K; k++)
            noisy->u[i][k] = -noisy->u[i][k];
    }
}

/* The operator norm of the K x m matrix whose column i is a.u[i] a.value[i]^p minus the same of b
 * with powers q; b NULL: of a alone. */
static inline double norm_of(const leading *a, double p, const leading *b, double q)
{
    double column[MAX_K * MAX_K], gram[MAX_K * MAX_K], values[MAX_K];
    for (size_t i = 0; i < a->m; i++)
        for (size_t k = 0; k < a->K; k++)
            column[i * a->K + k] =
                a->u[i][k] * pow(a->value[i], p) - (b ? b->u[i][k] * pow(b->value[i], q) : 0.0);
    segue_linalg_gram(a->m, a->K, column, gram);
    assert_ok(segue_linalg_eigenvalues(a->m, gram, values, NULL));
    return sqrt(fmax(values[a->m - 1], 0.0));
}

/* The largest |a.value^p - b.value^p|: the norm of a difference of diagonal matrices. */
static inline double diagonal_norm(const leading *a, const leading *b, double p)
{
    double largest = 0.0;
    for (size_t i = 0; i < a->m; i++)
        largest = fmax(largest, fabs(pow(a->value[i], p) - pow(b->value[i], p)));
    return largest;
}

/* The operator norm of a symmetric matrix. */
static inline double symmetric_norm(size_t K, const double *matrix)
{
    double a[MAX_K * MAX_K], values[MAX_K];
    memcpy(a, matrix, K * K * sizeof *a);
    assert_ok(segue_linalg_eigenvalues(K, a, values, NULL));
    return fmax(fabs(values[0]), fabs(values[K - 1]));
}

static inline void random_unit(segue_rng *rng, size_t n, double *x)
{
    double square = 0.0;
    for (size_t i = 0; i < n; i++) {
        x[i] = segue_rng_normal(rng);
        square += x[i] * x[i];
    }
    for (size_t i = 0; i < n; i++)
        x[i] /= sqrt(square);
}

/* A symmetric matrix of norm `size`, of one of the first `kinds` kinds at random: dense, moving one
 * eigenvalue, mixing two eigenvectors of the full basis. */
static inline void random_error(segue_rng *rng, size_t kinds, const leading *full, double size,
                                double *error)
{
    const size_t K = full->K, kind = random_between(rng, 0, kinds - 1);
    const size_t a = random_between(rng, 0, K - 1), b = random_between(rng, 0, K - 1);
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j <= i; j++) {
            const double mixed = full->u[a][i] * full->u[b][j] + full->u[b][i] * full->u[a][j];
            error[i * K + j] = kind == 0   ? segue_rng_normal(rng)
                               : kind == 1 ? -full->u[a][i] * full->u[a][j]
                                           : mixed;
            error[j * K + i] = error[i * K + j];
        }
    const double norm = symmetric_norm(K, error);
    for (size_t i = 0; i < K * K; i++)
        error[i] *= size / norm;
}

/* out (m x m x m) = tensor(W, W, W), for the tensor of K^3 numbers and W = U D^-1/2. */
static inline void whiten(const leading *l, const double *tensor, double *out)
{
    const size_t K = l->K, m = l->m;
    double first[MAX_K * MAX_K * MAX_K], second[MAX_K * MAX_K * MAX_K];
    for (size_t i = 0; i < K * K * m; i++) {
        first[i] = 0.0;
        for (size_t k = 0; k < K; k++)
            first[i] += tensor[(i / m) * K + k] * l->u[i % m][k] / sqrt(l->value[i % m]);
    }
    for (size_t i = 0; i < K * m * m; i++) {
        second[i] = 0.0;
        for (size_t k = 0; k < K; k++)
            second[i] += first[((i / m / m) * K + k) * m + i % m] * l->u[i / m % m][k] /
                         sqrt(l->value[i / m % m]);
    }
    for (size_t i = 0; i < m * m * m; i++) {
        out[i] = 0.0;
        for (size_t k = 0; k < K; k++)
            out[i] += second[(k * m + i / m % m) * m + i % m] * l->u[i / m / m][k] /
                      sqrt(l->value[i / m / m]);
    }
}

/* A random set of at least `min_models` with distinct leading eigenvalues of M2, at least 1e-4 apart
 * and away from 0; the means are scaled by a random factor, so that sigma_max is above and below 1. */
static inline segue_models *separated_models(segue_rng *rng, size_t min_models,
                                             segue_spectrum *spectrum)
{
    for (;;) {
        const size_t K = random_between(rng, 2, MAX_K), m = random_between(rng, min_models, K);
        const double scale = 0.2 + 0.8 * segue_rng_uniform(rng);
        double mean[MAX_K * MAX_K], weight[MAX_K], sum = 0.0;
        for (size_t i = 0; i < K * m; i++)
            mean[i] = scale * segue_rng_uniform(rng);
        for (size_t k = 0; k < m; k++)
            sum += weight[k] = 0.1 + segue_rng_uniform(rng);
        for (size_t k = 0; k < m; k++)
            weight[k] /= sum;
        segue_models *models = NULL;
        assert_ok(segue_models_create(&models, SEGUE_MODELS_KNOWN, K, m, mean, weight, NULL));
        assert_ok(segue_spectrum_compute(spectrum, models, NULL));
        if (spectrum->sigma_min > 1e-4 && !(spectrum->gap < 1e-4))
            return models;
        segue_models_destroy(models);
    }
}

#endif
