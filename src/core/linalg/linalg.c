/* linalg.c - thin functions over CBLAS and LAPACKE.
 *
 * LAPACK is column-major. A row-major matrix is its transpose there: symmetric matrices are passed
 * as they are, the others are transposed first. LAPACKE then copies nothing, and all scratch
 * memory is ours, so that tests can make its allocation fail.
 *
 * Threads: Debian's serial OpenBLAS shares its buffers between threads and then multiplies wrongly
 * once in many thousand calls. `in_blas` admits one thread at a time. Small matrices, those of
 * almost every fit, take the private routines and no lock (docs/adr/0008, 0033).
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/linalg/linalg.h"

#include <cblas.h>
#include <lapacke.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
    return openblas_get_config();
}

/* A factor of a product, `width` numbers per row; `turned`: its transpose. */
typedef struct factor {
    const double *data;
    size_t width;
    bool turned;
} factor;

/* c (n x m) += a b, for a of n x k and b of k x m. */
static void add_small_product(size_t n, size_t k, size_t m, factor a, factor b, double *c)
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

static CBLAS_TRANSPOSE form_of(factor f)
{
    return f.turned ? CblasTrans : CblasNoTrans;
}

/* c (n x m) = keep c + a b, keep being 0 or 1. */
static void product(size_t n, size_t k, size_t m, factor a, factor b, double *c, double keep)
{
    if (n * k * m <= SMALL_PRODUCT) {
        if (keep == 0.0)
            memset(c, 0, n * m * sizeof *c);
        add_small_product(n, k, m, a, b, c);
        return;
    }
    segue_linalg_lock();
    cblas_dgemm(CblasRowMajor, form_of(a), form_of(b), (blasint)n, (blasint)m, (blasint)k, 1.0,
                a.data, (blasint)a.width, b.data, (blasint)b.width, keep, c, (blasint)m);
    segue_linalg_unlock();
}

void segue_linalg_gram(size_t n, size_t k, const double *a, double *gram)
{
    product(n, k, n, (factor){a, k, false}, (factor){a, k, true}, gram, 0.0);
}

void segue_linalg_multiply(size_t n, size_t k, size_t m, const double *a, const double *b,
                           double *c)
{
    product(n, k, m, (factor){a, k, false}, (factor){b, m, false}, c, 0.0);
}

void segue_linalg_multiply_single(size_t n, size_t k, size_t m, const float *a, const float *b,
                                  float *c)
{
    segue_linalg_lock();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)n, (blasint)m, (blasint)k, 1.0F,
                a, (blasint)k, b, (blasint)m, 0.0F, c, (blasint)m);
    segue_linalg_unlock();
}

static void multiply_left(size_t n, size_t m, size_t p, const double *a, const double *b, double *c,
                          double keep)
{
    product(m, n, p, (factor){a, m, true}, (factor){b, p, false}, c, keep);
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
    cblas_dsyr2k(CblasRowMajor, CblasUpper, CblasTrans, (blasint)n, (blasint)k, 0.5, a, (blasint)n,
                 b, (blasint)n, 1.0, c, (blasint)n);
    segue_linalg_unlock();
}

void segue_linalg_multiply_symmetric(size_t n, size_t m, const double *c, const double *x,
                                     double *y)
{
    segue_linalg_lock();
    cblas_dsymm(CblasRowMajor, CblasLeft, CblasUpper, (blasint)n, (blasint)m, 1.0, c, (blasint)n, x,
                (blasint)m, 0.0, y, (blasint)m);
    segue_linalg_unlock();
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
    if (n <= SEGUE_MAX_JACOBI)
        return segue_jacobi_eigen(n, a, values)
                   ? SEGUE_OK
                   : segue_fail(err, SEGUE_EDOMAIN,
                                "the eigenvalues of a matrix of %zu were not found", n);
    (void)LAPACKE_dsyev_work(LAPACK_COL_MAJOR, job, 'U', size, a, size, values, &best_size, -1);
    double *work = calloc((size_t)best_size + 1, sizeof *work);
    if (!work)
        return no_memory(n, err);
    segue_linalg_lock();
    const lapack_int info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, job, 'U', size, a, size, values,
                                               work, (lapack_int)best_size);
    segue_linalg_unlock();
    free(work);
    return outcome("dsyev", info, err);
}

segue_status segue_linalg_eigenvalues(size_t n, double *a, double *values, segue_error *err)
{
    return symmetric('N', n, a, values, err);
}

segue_status segue_linalg_eigenvectors(size_t n, double *a, double *values, segue_error *err)
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

segue_status segue_linalg_eigen_general(size_t n, double *a, double *real, double *imaginary,
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
    segue_linalg_lock();
    const lapack_int info =
        LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'V', size, a, size, real, imaginary, NULL, 1,
                           vectors, size, work, (lapack_int)best_size);
    segue_linalg_unlock();
    free(work);
    return outcome("dgeev", info, err);
}

segue_status segue_linalg_solve(size_t n, size_t m, double *a, double *b, segue_error *err)
{
    lapack_int *pivots = calloc(n, sizeof *pivots);
    double *columns = calloc(n * m + 1, sizeof *columns);
    lapack_int info = 0;
    if (pivots && columns) {
        transpose(n, a);
        for (size_t i = 0; i < n * m; i++)
            columns[(i % m) * n + i / m] = b[i];
        segue_linalg_lock();
        info = LAPACKE_dgesv_work(LAPACK_COL_MAJOR, (lapack_int)n, (lapack_int)m, a, (lapack_int)n,
                                  pivots, columns, (lapack_int)n);
        segue_linalg_unlock();
        for (size_t i = 0; i < n * m; i++)
            b[i] = columns[(i % m) * n + i / m];
    }
    const segue_status status = pivots && columns ? outcome("dgesv", info, err) : no_memory(n, err);
    free(pivots);
    free(columns);
    return status;
}

segue_status segue_linalg_least_squares(size_t m, size_t n, double *a, double *b, segue_error *err)
{
    if (m * m * n <= SMALL_PRODUCT)
        return segue_householder_solve(m, n, a, b)
                   ? SEGUE_OK
                   : segue_fail(err, SEGUE_EDOMAIN,
                                "the %zu columns of least squares depend on each other", n);
    double best_size = 0.0;
    const lapack_int rows = (lapack_int)n, columns = (lapack_int)m;
    (void)LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', rows, columns, 1, a, rows, b, rows, &best_size,
                             -1);
    double *work = calloc((size_t)best_size + 1, sizeof *work);
    if (!work)
        return no_memory(n, err);
    segue_linalg_lock();
    const lapack_int info = LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', rows, columns, 1, a, rows, b,
                                               rows, work, (lapack_int)best_size);
    segue_linalg_unlock();
    free(work);
    return outcome("dgels", info, err);
}
