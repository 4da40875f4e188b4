/* estimator_method.h - what an estimation method gets and gives; one file a method.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_ESTIMATOR_METHOD_H
#define SEGUE_ESTIMATE_ESTIMATOR_METHOD_H

#include "estimate/spectral.h"
#include "estimate/tensor_power.h"
#include "segue/rng.h"

typedef struct fit {
    const segue_estimator_config *config;
    size_t n_arms, m;
    spectral s;
    power power;            /* rtp only */
    segue_rng rng;          /* of this fit */
    const double *previous; /* m x n_arms: the last estimate to start from, or NULL */
    bool full;              /* rtp: take all the random starts, also if there is a last estimate */
    double *scratch;        /* 9 m x m + 3 m */
    /* the answer: */
    double *mean;   /* m x n_arms */
    double *lambda; /* m */
    double *weight; /* m, by the lambdas; need not sum to 1 */
    double residual;
    uint64_t iterations, starts;
} fit;

typedef struct method {
    const char *name;
    const char *summary;
    /* From the spectral form, whose tensor it may destroy, to means, lambdas and weights.
     * @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
    segue_status (*solve)(fit *f, segue_error *err);
    bool warms;  /* it can start from the last estimate */
    bool counts; /* its answer is where EM on the tasks' counts starts: see counted.h */
} method;

extern const method segue_estimator_rtp, segue_estimator_algorithm_b, segue_estimator_eca,
    segue_estimator_em;

/* rho = 1 / lambda^2; a true lambda is at least 1, and one that noise made tiny has no say. */
double segue_weights_from_lambda(double lambda);

/* A random unit vector of length m. */
void segue_estimator_random_direction(segue_rng *rng, size_t m, double *v);

/* The m x m matrix T(I, I, theta). */
void segue_estimator_tensor_slice(const double *tensor, size_t m, const double *theta,
                                  double *slice);

/* Non-negative least squares: the weights (m) >= 0 that make |sum weight_k mean_k - target| least.
 * `mean` is m x n, m <= n.
 * @retval SEGUE_EDOMAIN  there are none worth having: the models are dependent, or the weights are
 *                        not near to shares of one whole
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_weights_nonnegative(size_t m, size_t n, const double *mean,
                                                        const double *target, double *weight,
                                                        segue_error *err);

#endif
