/* moments.h - queries of the moments, for estimators.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_MOMENTS_H
#define SEGUE_ESTIMATE_MOMENTS_H

#include "segue/estimator.h"

/**
 * The size of an eigenvalue of M2 that noise alone makes.  The antisymmetric part of the sum is
 * only noise, and as large as the noise in the symmetric part: of a random matrix of Frobenius
 * norm F the largest eigenvalue is about 2 F / sqrt(n_arms).  Above SEGUE_MAX_DENSE_ARMS arms F is
 * itself estimated, by random vectors.
 */
double segue_moments_noise(const segue_moments *moments);

/** The sum of the weights of the tasks. */
double segue_moments_weight(const segue_moments *moments);

size_t segue_moments_arms(const segue_moments *moments);

/** M1 (n_arms) and the symmetrised M2 (n_arms x n_arms), of at least one task.
 * @retval SEGUE_ENOMEM */
void segue_moments_first(const segue_moments *moments, double *m1);
SEGUE_MUST_CHECK segue_status segue_moments_second(const segue_moments *moments, double *m2,
                                                   segue_error *err);

/** y = M2 x for x of n_arms x m, without forming M2: above SEGUE_MAX_DENSE_ARMS arms.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_moments_apply(const segue_moments *moments, const double *x,
                                                  size_t m, double *y, segue_error *err);

/**
 * M3(U, U, U), symmetrised over its six permutations: m x m x m numbers, for U of n_arms x m.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_moments_third(const segue_moments *moments, const double *u,
                                                  size_t m, double *tensor, segue_error *err);

#endif
