/* jacobi.h - eigenvectors of small symmetric matrices.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_JACOBI_H
#define SEGUE_CORE_JACOBI_H

#include <stdbool.h>
#include <stddef.h>

/** Up to this order the rotations cost no more than a call of LAPACK. */
#define SEGUE_JACOBI_MOST 20

/**
 * Eigenvalues of the symmetric n x n matrix `a`, n <= SEGUE_JACOBI_MOST, ascending in `values`; row
 * i of `a` becomes the unit eigenvector of values[i].  False, and nothing of use, if entries of
 * `a` are not finite, or too large to be squared.
 */
bool segue_jacobi(size_t n, double *a, double *values);

#endif
