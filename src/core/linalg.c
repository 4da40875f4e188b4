/* linalg.c - thin verbs over CBLAS and LAPACKE.
 *
 * LAPACK thinks in columns.  A row-major matrix is its transpose there, so symmetric matrices go
 * as they are, and the others are handed over transposed; LAPACKE then copies nothing, and all
 * scratch is ours, so that its allocation can be seen to fail.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/linalg.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>

#include "segue/version.h"

const char *segue_blas(void)
{
    return openblas_get_config();
}

void segue_la_gram(size_t n, size_t k, const double *a, double *gram)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)n, (blasint)n, (blasint)k, 1.0, a,
                (blasint)k, a, (blasint)k, 0.0, gram, (blasint)n);
}

void segue_la_multiply(size_t n, size_t k, size_t m, const double *a, const double *b, double *c)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)n, (blasint)m, (blasint)k, 1.0,
                a, (blasint)k, b, (blasint)m, 0.0, c, (blasint)m);
}

static void multiply_left(size_t n, size_t m, size_t p, const double *a, const double *b, double *c,
                          double keep)
{
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (blasint)m, (blasint)p, (blasint)n, 1.0, a,
                (blasint)m, b, (blasint)p, keep, c, (blasint)p);
}

void segue_la_multiply_left(size_t n, size_t m, size_t p, const double *a, const double *b,
                            double *c)
{
    multiply_left(n, m, p, a, b, c, 0.0);
}

void segue_la_multiply_left_add(size_t n, size_t m, size_t p, const double *a, const double *b,
                                double *c)
{
    multiply_left(n, m, p, a, b, c, 1.0);
}

static segue_status no_memory(size_t n, segue_error *err)
{
    return segue_fail(err, SEGUE_ENOMEM, "out of memory for linear algebra of order %zu", n);
}

static segue_status outcome(const char *routine, lapack_int info, segue_error *err)
{
    if (info != 0)
        return segue_fail(err, SEGUE_EDOMAIN, "LAPACK's %s gave up (info %d)", routine, (int)info);
    return SEGUE_OK;
}

static segue_status symmetric(char job, size_t n, double *a, double *values, segue_error *err)
{
    const lapack_int size = (lapack_int)n;
    double best_size = 0.0;
    (void)LAPACKE_dsyev_work(LAPACK_COL_MAJOR, job, 'U', size, a, size, values, &best_size, -1);
    double *work = calloc((size_t)best_size + 1, sizeof *work);
    if (!work)
        return no_memory(n, err);
    const lapack_int info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, job, 'U', size, a, size, values,
                                               work, (lapack_int)best_size);
    free(work);
    return outcome("dsyev", info, err);
}

segue_status segue_la_eigenvalues(size_t n, double *a, double *values, segue_error *err)
{
    return symmetric('N', n, a, values, err);
}

segue_status segue_la_eigenvectors(size_t n, double *a, double *values, segue_error *err)
{
    return symmetric('V', n, a, values, err); /* LAPACK's columns are our rows */
}

static void transpose(size_t n, double *a)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            const double swap = a[i * n + k];
            a[i * n + k] = a[k * n + i];
            a[k * n + i] = swap;
        }
}

segue_status segue_la_eigen_general(size_t n, double *a, double *real, double *imaginary,
                                    double *vectors, segue_error *err)
{
    const lapack_int size = (lapack_int)n;
    double best_size = 0.0;
    transpose(n, a);
    (void)LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'V', size, a, size, real, imaginary, NULL, 1,
                             vectors, size, &best_size, -1);
    double *work = calloc((size_t)best_size + 1, sizeof *work);
    if (!work)
        return no_memory(n, err);
    const lapack_int info =
        LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'V', size, a, size, real, imaginary, NULL, 1,
                           vectors, size, work, (lapack_int)best_size);
    free(work);
    return outcome("dgeev", info, err);
}

segue_status segue_la_solve(size_t n, size_t m, double *a, double *b, segue_error *err)
{
    lapack_int *pivots = calloc(n, sizeof *pivots);
    double *columns = calloc(n * m + 1, sizeof *columns);
    lapack_int info = 0;
    if (pivots && columns) {
        transpose(n, a);
        for (size_t i = 0; i < n * m; i++)
            columns[(i % m) * n + i / m] = b[i];
        info = LAPACKE_dgesv_work(LAPACK_COL_MAJOR, (lapack_int)n, (lapack_int)m, a, (lapack_int)n,
                                  pivots, columns, (lapack_int)n);
        for (size_t i = 0; i < n * m; i++)
            b[i] = columns[(i % m) * n + i / m];
    }
    const segue_status status = pivots && columns ? outcome("dgesv", info, err) : no_memory(n, err);
    free(pivots);
    free(columns);
    return status;
}

segue_status segue_la_least_squares(size_t m, size_t n, double *a, double *b, segue_error *err)
{
    double best_size = 0.0;
    const lapack_int rows = (lapack_int)n, columns = (lapack_int)m;
    (void)LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', rows, columns, 1, a, rows, b, rows, &best_size,
                             -1);
    double *work = calloc((size_t)best_size + 1, sizeof *work);
    if (!work)
        return no_memory(n, err);
    const lapack_int info = LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', rows, columns, 1, a, rows, b,
                                               rows, work, (lapack_int)best_size);
    free(work);
    return outcome("dgels", info, err);
}
