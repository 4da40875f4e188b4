/* general.h - systems and eigenproblems of small matrices without symmetry, row-major.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_LINALG_GENERAL_H
#define SEGUE_CORE_LINALG_GENERAL_H

#include <stdbool.h>
#include <stddef.h>

/** Solve a x = b, a of n x n, b of n x m, which becomes x; `a` is destroyed.  A pivot below `min_pivot` counts
 * as `min_pivot`; with 0, returns false if `a` is singular. */
bool segue_general_solve(size_t n, size_t m, double *a, double *b, double min_pivot);

/** Eigenvalues of `a`, n x n, which is destroyed.  Returns false if they were not found. */
bool segue_general_eigenvalues(size_t n, double *a, double *real, double *imaginary);

/** The unit eigenvector of `a` for a real eigenvalue, by inverse iteration; for one of a complex pair, by its real
 * part, a vector of the pair's plane, another one for each `number`.  scratch: n x n. */
void segue_general_eigenvector(size_t n, const double *a, double value, size_t number,
                               double *scratch, double *vector);

#endif
