/* models.c - create, check and free a model set.
 *
 * A set is immutable after creation: means are checked, weights sum to 1, and the best arm of each
 * model is known. So policies and theory read it without further checks, on any thread.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/models.h"
#include "core/fail.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static segue_status check_sizes(size_t n_arms, size_t n_models, segue_error *err)
{
    if (n_arms < SEGUE_MIN_ARMS || n_arms > SEGUE_MAX_ARMS)
        return segue_fail(err, SEGUE_EDOMAIN, "a model set has %d to %d arms, not %zu",
                          SEGUE_MIN_ARMS, SEGUE_MAX_ARMS, n_arms);
    if (n_models < 1 || n_models > SEGUE_MAX_MODELS)
        return segue_fail(err, SEGUE_EDOMAIN, "a model set has 1 to %d models, not %zu",
                          SEGUE_MAX_MODELS, n_models);
    return SEGUE_OK;
}

static segue_status check_means(segue_models_kind kind, size_t n_arms, size_t n_models,
                                const double *mean, segue_error *err)
{
    for (size_t i = 0; i < n_models * n_arms; i++) {
        const bool known = kind == SEGUE_MODELS_KNOWN;
        const double min = known ? 0.0 : -SEGUE_MAX_ABS_MEAN,
                     max = known ? 1.0 : SEGUE_MAX_ABS_MEAN;
        if (!(mean[i] >= min && mean[i] <= max)) /* NaN fails too */
            return segue_fail(err, SEGUE_EDOMAIN,
                              "model %zu, arm %zu: the mean is %g; need a number from %g to %g",
                              i / n_arms + 1, i % n_arms + 1, mean[i], min, max);
    }
    return SEGUE_OK;
}

static segue_status check_weights(size_t n_models, const double *weight, segue_error *err)
{
    double sum = 0.0;
    for (size_t k = 0; k < n_models; k++) {
        if (!(weight[k] >= 0.0 && isfinite(weight[k])))
            return segue_fail(err, SEGUE_EDOMAIN,
                              "model %zu: the weight is %g; need a finite number >= 0", k + 1,
                              weight[k]);
        sum += weight[k];
    }
    if (!(sum > 0.0 && isfinite(sum)))
        return segue_fail(err, SEGUE_EDOMAIN,
                          "the weights sum to %g; need at least one above 0, and a finite sum",
                          sum);
    return SEGUE_OK;
}

static void set_weights(segue_models *models, const double *weight)
{
    double sum = 0.0;
    for (size_t k = 0; k < models->n_models; k++)
        sum += weight ? weight[k] : 1.0;
    for (size_t k = 0; k < models->n_models; k++)
        models->weight[k] = (weight ? weight[k] : 1.0) / sum;
}

static size_t largest(const double *x, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (x[i] > x[best])
            best = i;
    return best;
}

segue_status segue_models_create(segue_models **out, segue_models_kind kind, size_t n_arms,
                                 size_t n_models, const double *mean, const double *weight,
                                 segue_error *err)
{
    *out = NULL;
    SEGUE_TRY(check_sizes(n_arms, n_models, err));
    SEGUE_TRY(check_means(kind, n_arms, n_models, mean, err));
    if (weight)
        SEGUE_TRY(check_weights(n_models, weight, err));

    segue_models *models = calloc(1, sizeof *models);
    if (!models)
        return segue_fail_no_memory(err, "a model set");
    models->kind = kind;
    models->n_arms = n_arms;
    models->n_models = n_models;
    models->mean = calloc(n_models * n_arms, sizeof *models->mean);
    models->weight = calloc(n_models, sizeof *models->weight);
    models->best_arm = calloc(n_models, sizeof *models->best_arm);
    if (!models->mean || !models->weight || !models->best_arm) {
        segue_models_destroy(models);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu models of %zu arms", n_models,
                          n_arms);
    }
    memcpy(models->mean, mean, n_models * n_arms * sizeof *mean);
    set_weights(models, weight);
    for (size_t k = 0; k < n_models; k++)
        models->best_arm[k] = largest(segue_models_row(models, k), n_arms);
    *out = models;
    return SEGUE_OK;
}

void segue_models_destroy(segue_models *models)
{
    if (!models)
        return;
    free(models->mean);
    free(models->weight);
    free(models->best_arm);
    free(models);
}
