/* linalg.c - thin verbs over CBLAS and LAPACKE.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/linalg.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>

#include "segue/version.h"

void segue_la_gram(size_t n, size_t k, const double *a, double *gram)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)n, (blasint)n, (blasint)k, 1.0, a,
                (blasint)k, a, (blasint)k, 0.0, gram, (blasint)n);
}

segue_status segue_la_eigenvalues(size_t n, double *a, double *values, segue_error *err)
{
    /* Symmetric, so that column-major is the same and LAPACKE copies nothing. */
    const lapack_int size = (lapack_int)n;
    double best_size = 0.0;
    lapack_int info =
        LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'U', size, a, size, values, &best_size, -1);
    double *work = info == 0 ? calloc((size_t)best_size, sizeof *work) : NULL;
    if (!work)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for eigenvalues of order %zu", n);
    info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'U', size, a, size, values, work,
                              (lapack_int)best_size);
    free(work);
    if (info != 0)
        return segue_fail(err, SEGUE_EDOMAIN, "LAPACK found no eigenvalues (dsyev info %d)",
                          (int)info);
    return SEGUE_OK;
}

const char *segue_blas(void)
{
    return openblas_get_config();
}
