/* linalg.c - small cases by routines of our own, large ones by BLAS and LAPACK.
 *
 * LAPACK is column-major. A row-major matrix is its transpose there: symmetric matrices are passed
 * as they are, the others are transposed first.
 *
 * Threads: Debian's serial OpenBLAS shares its buffers between threads and then multiplies wrongly
 * once in many thousand calls. `in_blas` admits one thread at a time. Small matrices, those of
 * almost every fit, take the private routines and no lock (docs/adr/0008, 0033).
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/linalg/linalg.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/linalg/blas.h"
#include "core/linalg/general.h"
#include "core/linalg/householder.h"
#include "core/linalg/jacobi.h"
#include "segue/version.h"

#define SMALL_PRODUCT 20000 /* multiplications: up to this, plain loops are as fast as a call */

/* guards the process-wide buffers of BLAS and LAPACK */
static pthread_mutex_t in_blas = PTHREAD_MUTEX_INITIALIZER;

void segue_linalg_lock(void)
{
    (void)pthread_mutex_lock(&in_blas);
}

void segue_linalg_unlock(void)
{
    (void)pthread_mutex_unlock(&in_blas);
}

const char *segue_linalg_backend(void)
{
    return segue_blas_name();
}

/* ---- products ---------------------------------------------------------------------------- */

/* c (n x m) += a b, for a of n x k and b of k x m. */
static void add_small_product(size_t n, size_t k, size_t m, segue_factor a, segue_factor b,
                              double *c)
{
    const size_t step = b.turned ? b.width : 1;
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < k; l++) {
            const double x = a.data[a.turned ? l * a.width + i : i * a.width + l];
            const double *restrict y = b.data + (b.turned ? l : l * b.width);
            double *restrict row = c + i * m;
            for (size_t j = 0; j < m; j++)
                row[j] += x * y[j * step];
        }
}

/* c (n x m) = keep c + a b, keep being 0 or 1. */
static void product(size_t n, size_t k, size_t m, segue_factor a, segue_factor b, double *c,
                    double keep)
{
    if (n * k * m <= SMALL_PRODUCT) {
        if (keep == 0.0)
            memset(c, 0, n * m * sizeof *c);
        add_small_product(n, k, m, a, b, c);
        return;
    }
    segue_linalg_lock();
    segue_blas_multiply(n, k, m, a, b, c, keep);
    segue_linalg_unlock();
}

void segue_linalg_gram(size_t n, size_t k, const double *a, double *gram)
{
    product(n, k, n, (segue_factor){a, k, false}, (segue_factor){a, k, true}, gram, 0.0);
}

void segue_linalg_multiply(size_t n, size_t k, size_t m, const double *a, const double *b,
                           double *c)
{
    product(n, k, m, (segue_factor){a, k, false}, (segue_factor){b, m, false}, c, 0.0);
}

void segue_linalg_multiply_single(size_t n, size_t k, size_t m, const float *a, const float *b,
                                  float *c)
{
    segue_linalg_lock();
    segue_blas_multiply_single(n, k, m, a, b, c);
    segue_linalg_unlock();
}

static void multiply_left(size_t n, size_t m, size_t p, const double *a, const double *b, double *c,
                          double keep)
{
    product(m, n, p, (segue_factor){a, m, true}, (segue_factor){b, p, false}, c, keep);
}

void segue_linalg_multiply_left(size_t n, size_t m, size_t p, const double *a, const double *b,
                                double *c)
{
    multiply_left(n, m, p, a, b, c, 0.0);
}

void segue_linalg_multiply_left_add(size_t n, size_t m, size_t p, const double *a, const double *b,
                                    double *c)
{
    multiply_left(n, m, p, a, b, c, 1.0);
}

void segue_linalg_add_symmetric(size_t n, size_t k, const double *a, const double *b, double *c)
{
    segue_linalg_lock();
    segue_blas_add_symmetric(n, k, a, b, c);
    segue_linalg_unlock();
}

void segue_linalg_multiply_symmetric(size_t n, size_t m, const double *c, const double *x,
                                     double *y)
{
    segue_linalg_lock();
    segue_blas_multiply_symmetric(n, m, c, x, y);
    segue_linalg_unlock();
}

/* ---- eigenproblems and systems ----------------------------------------------------------- */

static segue_status symmetric(bool vectors, size_t n, double *a, double *values, segue_error *err)
{
    if (n <= SEGUE_MAX_JACOBI)
        return segue_jacobi_eigen(n, a, values)
                   ? SEGUE_OK
                   : segue_fail(err, SEGUE_EDOMAIN,
                                "the eigenvalues of a matrix of %zu were not found", n);
    segue_linalg_lock();
    const segue_status status = segue_blas_eigen_symmetric(vectors, n, a, values, err);
    segue_linalg_unlock();
    return status;
}

segue_status segue_linalg_eigenvalues(size_t n, double *a, double *values, segue_error *err)
{
    return symmetric(false, n, a, values, err);
}

segue_status segue_linalg_eigenvectors(size_t n, double *a, double *values, segue_error *err)
{
    return symmetric(true, n, a, values, err);
}

segue_status segue_linalg_eigen_general(size_t n, double *a, double *real, double *imaginary,
                                        double *vectors, segue_error *err)
{
    double *copy = calloc(2 * n * n + 1, sizeof *copy);
    if (!copy)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for linear algebra of order %zu", n);
    memcpy(copy, a, n * n * sizeof *copy);
    const bool found = segue_general_eigenvalues(n, a, real, imaginary);
    for (size_t k = 0; k < n && found; k++)
        segue_general_eigenvector(n, copy, real[k], k, copy + n * n, vectors + k * n);
    free(copy);
    return found ? SEGUE_OK
                 : segue_fail(err, SEGUE_EDOMAIN,
                              "the eigenvalues of a matrix of %zu were not found", n);
}

segue_status segue_linalg_solve(size_t n, size_t m, double *a, double *b, segue_error *err)
{
    return segue_general_solve(n, m, a, b, 0.0)
               ? SEGUE_OK
               : segue_fail(err, SEGUE_EDOMAIN, "the matrix of %zu equations is singular", n);
}

segue_status segue_linalg_least_squares(size_t m, size_t n, double *a, double *b, segue_error *err)
{
    if (m * m * n <= SMALL_PRODUCT)
        return segue_householder_solve(m, n, a, b)
                   ? SEGUE_OK
                   : segue_fail(err, SEGUE_EDOMAIN,
                                "the %zu columns of least squares depend on each other", n);
    segue_linalg_lock();
    const segue_status status = segue_blas_least_squares(m, n, a, b, err);
    segue_linalg_unlock();
    return status;
}
