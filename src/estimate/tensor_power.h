/* tensor_power.h - the tensor power iteration, from many starts at once.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_TENSOR_POWER_H
#define SEGUE_ESTIMATE_TENSOR_POWER_H

#include <stdint.h>

#include "segue/estimator.h"

/* Starts run side by side in lanes: entry (x, lane) of a group of LANES is at x * LANES + lane. */
#define LANES 8

typedef struct power power;
typedef size_t (*iterate_function)(const power *p, double *group, size_t used, size_t steps);

struct power {
    size_t m;
    iterate_function iterate; /* of a group, as fast as the processor can */
    double *packed;           /* m x m(m+1)/2: T(x; y <= z), products of y < z doubled */
    double *lanes;            /* groups of m x LANES */
    double *image;            /* m x LANES: T(I, v, v) */
    double *products;         /* m(m+1)/2 x LANES: v_y v_z */
    double *columns;          /* m(m+1)/2 x LANES: the columns of `packed`, padded, if m <= LANES */
    size_t max_lanes;         /* a multiple of LANES */
    size_t n_lanes;           /* in use */
    uint64_t iterations;      /* so far, counted by lane */
};

/* @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_tensor_power_init(power *p, size_t m, size_t max_lanes,
                                                      segue_error *err);
void segue_tensor_power_fini(power *p);

/* Remove all starts; add the start v (m), normalised (a zero vector becomes e_1). */
void segue_tensor_power_clear(power *p);
void segue_tensor_power_start(power *p, const double *v);

/* Iterate all starts `steps` times on the symmetric m x m x m tensor, choose the one with the
 * largest T(v, v, v), and polish it: up to `max` more steps, until it stops moving.  Returns that
 * largest value; v (m) is where it is reached. */
double segue_tensor_power_best(power *p, const double *tensor, size_t steps, size_t max, double *v);

/* T <- T - lambda v (x) v (x) v; and the Frobenius norm. */
void segue_tensor_power_deflate(double *tensor, size_t m, double lambda, const double *v);
double segue_tensor_power_norm(const double *tensor, size_t m);

#endif
