/* linalg.h - the few verbs of linear algebra that Segue uses, over CBLAS and LAPACKE.
 * Matrices are row-major.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_LINALG_H
#define SEGUE_CORE_LINALG_H

#include <stddef.h>

#include "segue/status.h"

/** gram (n x n) = a a^T, for a of n x k. */
void segue_la_gram(size_t n, size_t k, const double *a, double *gram);

/**
 * Eigenvalues of the symmetric n x n matrix `a`, ascending in `values`.  `a` is destroyed.
 *
 * @retval SEGUE_ENOMEM
 * @retval SEGUE_EDOMAIN  LAPACK did not converge
 */
SEGUE_MUST_CHECK segue_status segue_la_eigenvalues(size_t n, double *a, double *values,
                                                   segue_error *err);

#endif
