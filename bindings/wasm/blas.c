/* blas.c - linear algebra without OpenBLAS: products of any size, and no large eigenproblems.
 *
 * linalg.c solves what the playground needs by itself: symmetric eigenproblems up to order 20 and small
 * least squares. For the others there is no LAPACK, and they fail with a message that says so.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/linalg/blas.h"

#include <string.h>

const char *segue_blas_name(void)
{
    return "plain loops, no LAPACK";
}

static double entry(segue_factor f, size_t row, size_t column)
{
    return f.turned ? f.data[column * f.width + row] : f.data[row * f.width + column];
}

void segue_blas_multiply(size_t n, size_t k, size_t m, segue_factor a, segue_factor b, double *c,
                         double keep)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            double sum = keep == 0.0 ? 0.0 : c[i * m + j];
            for (size_t l = 0; l < k; l++)
                sum += entry(a, i, l) * entry(b, l, j);
            c[i * m + j] = sum;
        }
}

void segue_blas_multiply_single(size_t n, size_t k, size_t m, const float *a, const float *b,
                                float *c)
{
    memset(c, 0, n * m * sizeof *c);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < k; l++)
            for (size_t j = 0; j < m; j++)
                c[i * m + j] += a[i * k + l] * b[l * m + j];
}

void segue_blas_add_symmetric(size_t n, size_t k, const double *a, const double *b, double *c)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            for (size_t l = 0; l < k; l++)
                c[i * n + j] += (a[l * n + i] * b[l * n + j] + b[l * n + i] * a[l * n + j]) / 2.0;
}

void segue_blas_multiply_symmetric(size_t n, size_t m, const double *c, const double *x, double *y)
{
    memset(y, 0, n * m * sizeof *y);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < n; l++)
            for (size_t j = 0; j < m; j++)
                y[i * m + j] += c[i <= l ? i * n + l : l * n + i] * x[l * m + j];
}

static segue_status no_lapack(const char *what, size_t n, segue_error *err)
{
    return segue_fail(err, SEGUE_EDOMAIN,
                      "this build has no LAPACK for %s of order %zu; use the program segue", what,
                      n);
}

segue_status segue_blas_eigen_symmetric(bool vectors, size_t n, double *a, double *values,
                                        segue_error *err)
{
    (void)vectors;
    (void)a;
    (void)values;
    return no_lapack("eigenvalues", n, err);
}

segue_status segue_blas_least_squares(size_t m, size_t n, double *a, double *b, segue_error *err)
{
    (void)m;
    (void)a;
    (void)b;
    return no_lapack("least squares", n, err);
}
