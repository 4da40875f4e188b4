/* subspace.h - the leading eigenvectors of a large symmetric matrix, from those of a similar one.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_SUBSPACE_H
#define SEGUE_ESTIMATE_SUBSPACE_H

#include <stdbool.h>
#include <stddef.h>

#include "segue/status.h"

/* y = A x for the symmetric n x n matrix A, x and y being n x r.  @retval SEGUE_ENOMEM */
typedef segue_status (*matrix_function)(void *context, const double *x, size_t r, double *y,
                                        segue_error *err);

typedef struct subspace {
    size_t n, r;
    double *vector; /* n x r, orthonormal columns */
    double *value;  /* r, the largest first */
    double *memory; /* of these and of the scratch below */
    double *image, *turned, *small, *turn;
} subspace;

/* @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_subspace_init(subspace *s, size_t n, size_t r,
                                                  segue_error *err);
void segue_subspace_fini(subspace *s);

/* Start from random vectors of a fixed stream. */
void segue_subspace_randomise(subspace *s);

/* Iterate from the current vectors until those of the first `wanted` whose values exceed the noise
 * have converged: a residual |A x - value x| below a small share of the noise, or rounding; and the
 * last wanted value is positive.  Else `converged` is false, and the vectors are not usable.
 * @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_subspace_iterate(subspace *s, size_t wanted, double noise,
                                                     matrix_function apply, void *context,
                                                     bool *converged, segue_error *err);

#endif
