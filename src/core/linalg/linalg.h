/* linalg.h - the linear algebra that Segue uses, over CBLAS and LAPACKE.
 *
 * Matrices are row-major.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_LINALG_LINALG_H
#define SEGUE_CORE_LINALG_LINALG_H

#include <stddef.h>

#include "segue/status.h"

/** Keep other threads out of BLAS and LAPACK, and let them in: for a process that forks. */
void segue_linalg_lock(void);
void segue_linalg_unlock(void);

/** gram (n x n) = a a^T, for a of n x k. */
void segue_linalg_gram(size_t n, size_t k, const double *a, double *gram);

/** c (n x m) = a b, for a of n x k and b of k x m. */
void segue_linalg_multiply(size_t n, size_t k, size_t m, const double *a, const double *b,
                           double *c);

/** segue_linalg_multiply in single precision. */
void segue_linalg_multiply_single(size_t n, size_t k, size_t m, const float *a, const float *b,
                                  float *c);

/** c (m x p) = a^T b, for a of n x m and b of n x p; and c += a^T b. */
void segue_linalg_multiply_left(size_t n, size_t m, size_t p, const double *a, const double *b,
                                double *c);
void segue_linalg_multiply_left_add(size_t n, size_t m, size_t p, const double *a, const double *b,
                                    double *c);

/** The upper triangle of c (n x n) += (a^T b + b^T a) / 2, for a and b of k x n. */
void segue_linalg_add_symmetric(size_t n, size_t k, const double *a, const double *b, double *c);

/** y (n x m) = c x, for the symmetric c (n x n) whose upper triangle is given. */
void segue_linalg_multiply_symmetric(size_t n, size_t m, const double *c, const double *x,
                                     double *y);

/**
 * Eigenvalues of the symmetric n x n matrix `a`, ascending in `values`.  `a` is destroyed.
 *
 * @retval SEGUE_ENOMEM
 * @retval SEGUE_EDOMAIN  LAPACK did not converge
 */
SEGUE_MUST_CHECK segue_status segue_linalg_eigenvalues(size_t n, double *a, double *values,
                                                       segue_error *err);

/** As segue_linalg_eigenvalues; row i of `a` becomes the unit eigenvector of values[i]. */
SEGUE_MUST_CHECK segue_status segue_linalg_eigenvectors(size_t n, double *a, double *values,
                                                        segue_error *err);

/**
 * Eigenvalues of the n x n matrix `a`, which is destroyed: real and imaginary parts; and the right
 * unit eigenvectors, in the rows of `vectors` (for a complex pair: two vectors of its plane).
 *
 * @retval SEGUE_ENOMEM
 * @retval SEGUE_EDOMAIN  they were not found
 */
SEGUE_MUST_CHECK segue_status segue_linalg_eigen_general(size_t n, double *a, double *real,
                                                         double *imaginary, double *vectors,
                                                         segue_error *err);

/**
 * Solve a x = b for several right-hand sides: a is n x n, b is n x m and becomes x.  `a` is
 * destroyed.
 *
 * @retval SEGUE_EDOMAIN  `a` is singular
 */
SEGUE_MUST_CHECK segue_status segue_linalg_solve(size_t n, size_t m, double *a, double *b,
                                                 segue_error *err);

/**
 * Least squares: find the x (m) that minimises |a^T x - b|, for `a` of m x n, m <= n, full rank.
 * `a` is destroyed; x replaces the first m numbers of `b` (n).
 *
 * @retval SEGUE_ENOMEM
 * @retval SEGUE_EDOMAIN  `a` does not have full rank
 */
SEGUE_MUST_CHECK segue_status segue_linalg_least_squares(size_t m, size_t n, double *a, double *b,
                                                         segue_error *err);

#endif
