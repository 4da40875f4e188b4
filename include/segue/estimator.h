/* estimator.h - estimate a model set from finished tasks, by their moments or by likelihood.
 *
 * Methods solve the moments (moments.h) for the models.  The method "em" also needs the reward sums
 * and pulls of each task, and maximises their likelihood.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATOR_H
#define SEGUE_ESTIMATOR_H

#include <stdbool.h>

#include "segue/moments.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Estimators find at most this many models. */
#define SEGUE_MAX_ESTIMATED 100

/** A learner finds at most this many types. */
#define SEGUE_MAX_TYPES 40

/** "em" fits a window of the last tasks, between these sizes. */
#define SEGUE_MIN_WINDOW 16
#define SEGUE_MAX_WINDOW 65536

/** How the weights of the models are found. */
typedef enum segue_weights {
    SEGUE_WEIGHTS_LEAST_SQUARES, /* non-negative least squares on the first moment */
    SEGUE_WEIGHTS_LAMBDA         /* 1 / lambda^2, as in the paper */
} segue_weights;

/** An estimation method and the settings that it uses.  The library owns it. */
typedef struct segue_estimator_method {
    const char *name;    /* as typed on the command line */
    const char *summary; /* one line for help */
    bool uses_counts;    /* it fits the counts of tasks: segue_estimator_add, `window` */
    bool uses_starts;    /* it iterates from starts: `starts`, `steps`, `cold` */
    bool uses_alpha0;    /* tasks may mix models: `alpha0` */
    bool uses_weights;   /* `weights` */
} segue_estimator_method;

/** The methods, from 0 on; NULL after the last. */
SEGUE_API const segue_estimator_method *segue_estimator_methods(size_t i);

/** The method of that name; NULL: there is none. */
SEGUE_API const segue_estimator_method *segue_estimator_method_find(const char *name);

/** The settings of an estimator.  Start from segue_estimator_defaults(). */
typedef struct segue_estimator_config {
    size_t size;        /* of this struct, as segue_estimator_config_init writes it */
    const char *method; /* the name of a segue_estimator_method; default "rtp" */
    size_t n_arms;
    size_t n_models; /* m: 1 .. SEGUE_MAX_ESTIMATED; required */
    size_t starts;   /* L: random starts of a component, 1 .. 1000; default 24 */
    size_t steps;    /* N: iterations from each, 1 .. 1000; default 40 */
    double alpha0;   /* eca: total concentration of the mixtures that tasks are, >= 0; default 0 */
    size_t window;   /* em: tasks to fit, SEGUE_MIN_WINDOW .. SEGUE_MAX_WINDOW; default 8,192 */
    uint64_t seed;   /* of the random starts and directions; default 1 */
    uint64_t run;    /* and their run; default 0 */
    bool cold;       /* rtp, em: never start from the last estimate; default false */
    segue_weights weights;
} segue_estimator_config;

/** Fill a configuration of `size` bytes with the defaults; see learner_config.h on sizes. */
SEGUE_API void segue_estimator_config_init(segue_estimator_config *config, size_t size);

/** A configuration with the defaults. */
static inline segue_estimator_config segue_estimator_defaults(void)
{
    segue_estimator_config config;
    segue_estimator_config_init(&config, sizeof config);
    return config;
}

#define SEGUE_VERDICT_SIZE 160

/** An estimate and its quality.  The arrays are the estimator's, valid until the next fit. */
typedef struct segue_estimate_info {
    bool found;       /* there is an estimate; else the verdict says why not */
    uint64_t n_tasks; /* tasks in it; em: in its window */
    size_t n_arms, n_models;
    const double *eigenvalue; /* n_eigenvalues: of M2, the largest first */
    size_t n_eigenvalues;     /* n_arms, or above SEGUE_MAX_DENSE_ARMS arms the leading few */
    const double *lambda;     /* n_models: of the whitened tensor; em: NULL */
    double noise;             /* how large noise makes an eigenvalue: from the part of M2 that is
                                 not symmetric, and from its negative eigenvalues if known */
    double residual;          /* Frobenius norm of the tensor without the components */
    double weight_sum;        /* sum of 1 / lambda^2, which should be 1 */
    uint64_t iterations;      /* of the power method, in all lanes; em: of EM, from all starts */
    uint64_t starts;          /* lanes used; em: starts */
    double log_likelihood;    /* em: of the rewards in its window, in their order */
    double certainty;         /* em: mean share of a task in its likeliest model */
    bool warm;                /* it started from the last estimate */
    char verdict[SEGUE_VERDICT_SIZE]; /* one sentence: "good: ...", "weak: ...", "none: ..." */
} segue_estimate_info;

typedef struct segue_estimator segue_estimator;

/**
 * Create an estimator without tasks. `config` is copied. On failure *out is NULL.
 *
 * @retval SEGUE_ENAME    no such method
 * @retval SEGUE_EDOMAIN  a field of `config` is outside its range
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_estimator_create(segue_estimator **out,
                                                               const segue_estimator_config *config,
                                                               segue_error *err);

/** Free an estimator; NULL is fine. */
SEGUE_API void segue_estimator_destroy(segue_estimator *estimator);

/**
 * em: add a finished task, the sums of its rewards, in [0, 1], and its pulls, n_arms each.  The
 * estimator stores the last `window` tasks; a task need not have pulled every arm.  Other methods
 * ignore the call.
 *
 * @retval SEGUE_EDOMAIN  not 0 <= sum <= pulls <= 1e15
 * @retval SEGUE_ENOMEM   on failure nothing is added
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_estimator_add(segue_estimator *estimator,
                                                            const double *sum, const double *pulls,
                                                            segue_error *err);

/**
 * Estimate the models from `moments`; em: from the tasks that were added, starting from the
 * answer of rtp, and from the last estimate or, at a first fit, a few random ones.
 *
 * That there is no estimate (fewer tasks than models, more models than arms, a second moment of
 * lower rank; em: fewer tasks than models) is an outcome in segue_estimator_info, not an error.  A
 * model keeps its number from fit to fit: each set is matched with the one before.
 *
 * @retval SEGUE_EDOMAIN  the moments have another number of arms; or LAPACK failed
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_estimator_fit(segue_estimator *estimator,
                                                            const segue_moments *moments,
                                                            segue_error *err);

/** The last estimate, valid until the next fit; NULL if there is none.  Means may lie outside
 * [0, 1]. */
SEGUE_API const segue_models *segue_estimator_models(const segue_estimator *estimator);

/** The outcome of the last fit. */
SEGUE_API segue_estimate_info segue_estimator_info(const segue_estimator *estimator);

#ifdef __cplusplus
}
#endif
#endif
