/* jacobi.h - eigenvectors of small symmetric matrices.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_LINALG_JACOBI_H
#define SEGUE_CORE_LINALG_JACOBI_H

#include <stdbool.h>
#include <stddef.h>

/** Up to this order the rotations cost no more than a call of LAPACK. */
#define SEGUE_MAX_JACOBI 20

/** Compute the eigenvalues of the symmetric n x n matrix `a`, n <= SEGUE_MAX_JACOBI, ascending in
 * `values`; row i of `a` becomes the unit eigenvector of values[i]. Returns false if entries of
 * `a` are not finite, or too large to be squared; the results are then undefined. */
bool segue_jacobi_eigen(size_t n, double *a, double *values);

#endif
