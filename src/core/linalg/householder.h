/* householder.h - small least-squares problems.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_LINALG_HOUSEHOLDER_H
#define SEGUE_CORE_LINALG_HOUSEHOLDER_H

#include <stdbool.h>
#include <stddef.h>

/** Find the x (m) that minimises |a^T x - b| for `a` of m x n, m <= n. x replaces the first m
 * numbers of `b` (n); `a` is destroyed. Returns false if `a` does not have full rank. */
bool segue_householder_solve(size_t m, size_t n, double *a, double *b);

#endif
