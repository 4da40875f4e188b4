/* estimator_method.h - the object that an estimation method is, and its input and answer.  Each
 * method has one file.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_ESTIMATOR_METHOD_H
#define SEGUE_ESTIMATE_ESTIMATOR_METHOD_H

#include <stdatomic.h>

#include "estimate/spectral.h"
#include "estimate/tensor_power.h"
#include "segue/rng.h"

typedef struct fit {
    const segue_estimator_config *config;
    size_t n_arms, m;
    spectral s;
    power power;             /* rtp only */
    segue_rng rng;           /* of this fit */
    const double *previous;  /* m x n_arms: the last estimate to start from, or NULL */
    bool full;               /* rtp: use all random starts, also if there is a last estimate */
    double *scratch;         /* 9 m x m + 3 m */
    const atomic_bool *stop; /* ends the fit; or NULL */
    /* the answer: */
    double *mean;   /* m x n_arms */
    double *lambda; /* m */
    double *weight; /* m, by the lambdas; need not sum to 1 */
    double residual;
    uint64_t iterations, starts;
} fit;

typedef struct estimator_method {
    segue_estimator_method info; /* name, and the settings that it uses */
    /* From the spectral form, whose tensor it may destroy, to means, lambdas and weights.
     * @retval SEGUE_ENOMEM, SEGUE_EDOMAIN, SEGUE_ESTOPPED */
    segue_status (*solve)(fit *f, segue_error *err);
} estimator_method;

/* The one list of estimators: identifier and name.  Learner files store the index. */
#define ESTIMATORS(X, separator)                                                                   \
    X(rtp, "rtp")                                                                                  \
    separator X(algorithm_b, "algorithm-b") separator X(eca, "eca") separator X(em, "em")

#define ESTIMATOR_NAME(id, name) name
/* Their names as one string. */
#define ESTIMATOR_NAMES(separator) ESTIMATORS(ESTIMATOR_NAME, separator)

#define ESTIMATOR_DECLARE(id, name) extern const estimator_method segue_estimator_##id;
ESTIMATORS(ESTIMATOR_DECLARE, )

/* The method with that index or name, or NULL. */
const estimator_method *segue_estimator_method_at(size_t i);
const estimator_method *segue_estimator_method_object(const char *name);

/* Solve by the robust tensor power method: rtp, and the start of em. */
segue_status segue_rtp_solve(fit *f, segue_error *err);

/* rho = 1 / lambda^2; a true lambda is at least 1, so a tiny one is bounded. */
double segue_weights_from_lambda(double lambda);

/* Draw a random unit vector of length m. */
void segue_estimator_random_direction(segue_rng *rng, size_t m, double *v);

/* The m x m matrix T(I, I, theta). */
void segue_estimator_tensor_slice(const double *tensor, size_t m, const double *theta,
                                  double *slice);

/* Non-negative least squares: the weights (m) >= 0 that minimise |sum weight_k mean_k - target|.
 * `mean` is m x n, m <= n.
 * @retval SEGUE_EDOMAIN  the models are dependent, or the weights do not sum to about 1
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_weights_nonnegative(size_t m, size_t n, const double *mean,
                                                        const double *target, double *weight,
                                                        segue_error *err);

#endif
