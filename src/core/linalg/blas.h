/* blas.h - what linalg.c needs for large matrices: CBLAS and LAPACKE, or another implementation.
 *
 * linalg.c computes small cases itself, and calls these functions one at a time, under its lock.
 * blas.c implements them; a build without OpenBLAS links another file (bindings/wasm/blas.c).
 * Matrices are column-major where they go to LAPACK: row-major ones are their transposes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_LINALG_BLAS_H
#define SEGUE_CORE_LINALG_BLAS_H

#include <stdbool.h>
#include <stddef.h>

#include "segue/status.h"

/** A factor of a product, `width` numbers per row; `turned`: its transpose. */
typedef struct segue_factor {
    const double *data;
    size_t width;
    bool turned;
} segue_factor;

/** The name and version of the implementation. */
const char *segue_blas_name(void);

/** c (n x m) = keep c + a b, keep being 0 or 1. */
void segue_blas_multiply(size_t n, size_t k, size_t m, segue_factor a, segue_factor b, double *c,
                         double keep);

/** As segue_linalg_multiply_single, segue_linalg_add_symmetric, segue_linalg_multiply_symmetric. */
void segue_blas_multiply_single(size_t n, size_t k, size_t m, const float *a, const float *b,
                                float *c);
void segue_blas_add_symmetric(size_t n, size_t k, const double *a, const double *b, double *c);
void segue_blas_multiply_symmetric(size_t n, size_t m, const double *c, const double *x, double *y);

/** Eigenvalues, and with `vectors` unit eigenvectors in the rows of `a`, of a symmetric matrix.
 * @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_blas_eigen_symmetric(bool vectors, size_t n, double *a,
                                                         double *values, segue_error *err);

/** As segue_linalg_least_squares.  @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_blas_least_squares(size_t m, size_t n, double *a, double *b,
                                                       segue_error *err);

#endif
