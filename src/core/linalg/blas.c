/* blas.c - thin functions over CBLAS and LAPACKE.
 *
 * LAPACKE gets column-major matrices, so that it copies nothing, and all scratch memory is ours, so
 * that tests can make its allocation fail.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/linalg/blas.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>

const char *segue_blas_name(void)
{
    return openblas_get_config();
}

/* ---- products ---------------------------------------------------------------------------- */

static CBLAS_TRANSPOSE form_of(segue_factor f)
{
    return f.turned ? CblasTrans : CblasNoTrans;
}

void segue_blas_multiply(size_t n, size_t k, size_t m, segue_factor a, segue_factor b, double *c,
                         double keep)
{
    cblas_dgemm(CblasRowMajor, form_of(a), form_of(b), (blasint)n, (blasint)m, (blasint)k, 1.0,
                a.data, (blasint)a.width, b.data, (blasint)b.width, keep, c, (blasint)m);
}

void segue_blas_multiply_single(size_t n, size_t k, size_t m, const float *a, const float *b,
                                float *c)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)n, (blasint)m, (blasint)k, 1.0F,
                a, (blasint)k, b, (blasint)m, 0.0F, c, (blasint)m);
}

void segue_blas_add_symmetric(size_t n, size_t k, const double *a, const double *b, double *c)
{
    cblas_dsyr2k(CblasRowMajor, CblasUpper, CblasTrans, (blasint)n, (blasint)k, 0.5, a, (blasint)n,
                 b, (blasint)n, 1.0, c, (blasint)n);
}

void segue_blas_multiply_symmetric(size_t n, size_t m, const double *c, const double *x, double *y)
{
    cblas_dsymm(CblasRowMajor, CblasLeft, CblasUpper, (blasint)n, (blasint)m, 1.0, c, (blasint)n, x,
                (blasint)m, 0.0, y, (blasint)m);
}

/* ---- LAPACK ------------------------------------------------------------------------------ */

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

segue_status segue_blas_eigen_symmetric(bool vectors, size_t n, double *a, double *values,
                                        segue_error *err)
{
    const lapack_int size = (lapack_int)n;
    const char job = vectors ? 'V' : 'N'; /* LAPACK's columns are our rows */
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

segue_status segue_blas_least_squares(size_t m, size_t n, double *a, double *b, segue_error *err)
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
