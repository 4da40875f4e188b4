/* models.h - model sets: the vectors of mean rewards that a task can have.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_MODELS_H
#define SEGUE_MODELS_H

#include <stddef.h>

#include "segue/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SEGUE_MIN_ARMS     2
#define SEGUE_MAX_ARMS     10000
#define SEGUE_MAX_MODELS   1000
#define SEGUE_MAX_ABS_MEAN 1e6 /* limit of an estimated mean */

/** Known means lie in [0, 1]; estimated ones may lie a little outside. */
typedef enum segue_models_kind { SEGUE_MODELS_KNOWN, SEGUE_MODELS_ESTIMATED } segue_models_kind;

/** A validated set of models, created by segue_models_create. Callers may read the fields, not
 * write. */
typedef struct segue_models {
    segue_models_kind kind;
    size_t n_arms;    /* K: SEGUE_MIN_ARMS .. SEGUE_MAX_ARMS */
    size_t n_models;  /* m: 1 .. SEGUE_MAX_MODELS */
    double *mean;     /* n_models x n_arms */
    double *weight;   /* n_models, >= 0, sum 1 */
    size_t *best_arm; /* n_models: the lowest arm with the largest mean */
} segue_models;

/**
 * Create a model set from copies of `mean` (n_models x n_arms) and `weight`.
 *
 * `weight` has n_models entries >= 0, not all zero, and is normalised to sum 1; NULL gives equal
 * weights. Means of a SEGUE_MODELS_KNOWN set lie in [0, 1], of an estimated one within
 * SEGUE_MAX_ABS_MEAN of 0. On failure *out is NULL.
 *
 * @retval SEGUE_EDOMAIN  a size, a mean or a weight is outside its range
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_models_create(segue_models **out,
                                                            segue_models_kind kind, size_t n_arms,
                                                            size_t n_models, const double *mean,
                                                            const double *weight, segue_error *err);

/** Free a model set; NULL is allowed. */
SEGUE_API void segue_models_destroy(segue_models *models);

/** Return the means of one model: n_arms numbers. */
static inline const double *segue_models_row(const segue_models *models, size_t model)
{
    return models->mean + model * models->n_arms;
}

/** Return the largest mean of one model. */
static inline double segue_models_best_value(const segue_models *models, size_t model)
{
    return segue_models_row(models, model)[models->best_arm[model]];
}

/**
 * Match the models of `a` with those of `b`, one to one, with the least sum of squared distances
 * between matched means. match[k] (n_models, the caller's) becomes the model of `b` for model k of
 * `a`.
 *
 * Exact, in O(n_models^2 (n_models + n_arms)).
 *
 * @retval SEGUE_EDOMAIN  the sets differ in their number of arms or models
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_models_match(const segue_models *a,
                                                           const segue_models *b, size_t *match,
                                                           segue_error *err);

#ifdef __cplusplus
}
#endif
#endif
