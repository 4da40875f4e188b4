/* householder.h - small least-squares problems.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_LINALG_HOUSEHOLDER_H
#define SEGUE_CORE_LINALG_HOUSEHOLDER_H

#include <stdbool.h>
#include <stddef.h>

/**
 * The x (m) that makes |a^T x - b| least, for `a` of m x n, m <= n: it takes the first m places of
 * `b` (n).  `a` is destroyed.  False if `a` has not full rank.
 */
bool segue_householder_solve(size_t m, size_t n, double *a, double *b);

#endif
