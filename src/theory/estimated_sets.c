/* estimated_sets.c - the sets and gaps of an estimated model set (section 4.3 of the paper).
 *
 * Best arms, Delta and Gamma are those of the matched true models; the promised values are those
 * of the estimates. Cost O(n_models^2 (n_models + n_arms)), for the matching if it is not given.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "segue/theory.h"

void segue_estimated_sets_destroy(segue_estimated_sets *sets)
{
    if (!sets)
        return;
    free(sets->match);
    free(sets->gap);
    free(sets->non_dominated);
    free(sets->optimistic);
    free(sets->optimistic_model);
    free(sets->permanent_model);
    free(sets->first_arm);
    free(sets->second_arm);
    free(sets->model_gap);
    free(sets);
}

static bool reserve(segue_estimated_sets *sets, size_t n_arms, size_t n_models)
{
    sets->n_arms = n_arms;
    sets->n_models = n_models;
    sets->match = calloc(n_models, sizeof *sets->match);
    sets->gap = calloc(n_arms, sizeof *sets->gap);
    sets->non_dominated = calloc(n_models * n_arms, sizeof *sets->non_dominated);
    sets->optimistic = calloc(n_models * n_arms, sizeof *sets->optimistic);
    sets->optimistic_model = calloc(n_models, sizeof *sets->optimistic_model);
    sets->permanent_model = calloc(n_models, sizeof *sets->permanent_model);
    sets->first_arm = calloc(n_arms, sizeof *sets->first_arm);
    sets->second_arm = calloc(n_arms, sizeof *sets->second_arm);
    sets->model_gap = calloc(n_arms, sizeof *sets->model_gap);
    return sets->match && sets->gap && sets->non_dominated && sets->optimistic &&
           sets->optimistic_model && sets->permanent_model && sets->first_arm && sets->second_arm &&
           sets->model_gap;
}

/* Find the non-dominated and the optimistic arms of one estimated model, and whether data can
 * discard it. */
static void fill_model(segue_estimated_sets *sets, const segue_models *models,
                       const segue_models *estimated, size_t k)
{
    const double *promised = segue_models_row(estimated, k);
    const double *true_mean = segue_models_row(models, sets->truth);
    const double best_promise = segue_models_best_value(estimated, k);
    const double best = segue_models_best_value(models, sets->truth);
    bool *non_dominated = sets->non_dominated + k * sets->n_arms;
    bool *optimistic = sets->optimistic + k * sets->n_arms;
    bool near_everywhere = true;
    for (size_t arm = 0; arm < sets->n_arms; arm++) {
        non_dominated[arm] = !(promised[arm] + sets->eps < best_promise - sets->eps);
        optimistic[arm] = non_dominated[arm] && promised[arm] + sets->eps >= best;
        if (!optimistic[arm])
            continue;
        sets->optimistic_model[k] = true;
        if (fabs(promised[arm] - true_mean[arm]) > sets->eps)
            near_everywhere = false;
    }
    sets->permanent_model[k] = sets->optimistic_model[k] && near_everywhere;
}

/* Fill A_1, A_2 and the model gaps from the optimistic arms of all models. */
static void fill_arms(segue_estimated_sets *sets, const segue_models *models)
{
    const double *true_mean = segue_models_row(models, sets->truth);
    for (size_t arm = 0; arm < sets->n_arms; arm++) {
        bool proposed = false;
        sets->gap[arm] = segue_models_best_value(models, sets->truth) - true_mean[arm];
        sets->model_gap[arm] = INFINITY;
        for (size_t k = 0; k < sets->n_models; k++) {
            if (!sets->optimistic[k * sets->n_arms + arm])
                continue;
            const double other = segue_models_row(models, sets->match[k])[arm];
            const double gap = 0.5 * fabs(other - true_mean[arm]) - sets->eps;
            sets->model_gap[arm] = fmin(sets->model_gap[arm], gap);
            proposed = true;
            if (sets->permanent_model[k])
                sets->second_arm[arm] = true;
        }
        sets->first_arm[arm] = proposed && !sets->second_arm[arm];
    }
}

void segue_estimated_sets_models_of(const segue_estimated_sets *sets, size_t arm, bool *member)
{
    for (size_t k = 0; k < sets->n_models; k++)
        member[k] = sets->optimistic[k * sets->n_arms + arm];
}

segue_status segue_estimated_sets_create(segue_estimated_sets **out, const segue_models *models,
                                         const segue_models *estimated, const size_t *match,
                                         double eps, size_t truth, segue_error *err)
{
    *out = NULL;
    if (truth >= models->n_models)
        return segue_fail(err, SEGUE_EDOMAIN, "there is no model %zu in a set of %zu", truth + 1,
                          models->n_models);
    if (!(eps >= 0.0))
        return segue_fail(err, SEGUE_EDOMAIN, "eps is %g; need a number >= 0", eps);
    if (estimated->n_arms != models->n_arms || estimated->n_models != models->n_models)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "an estimate of %zu models x %zu arms, of a set of %zu x %zu",
                          estimated->n_models, estimated->n_arms, models->n_models, models->n_arms);
    for (size_t k = 0; match && k < models->n_models; k++)
        if (match[k] >= models->n_models)
            return segue_fail(err, SEGUE_EDOMAIN, "model %zu is matched with model %zu of %zu",
                              k + 1, match[k] + 1, models->n_models);
    segue_estimated_sets *sets = calloc(1, sizeof *sets);
    if (!sets || !reserve(sets, models->n_arms, models->n_models)) {
        segue_estimated_sets_destroy(sets);
        return segue_fail_no_memory(err, "the sets of a model");
    }
    segue_status status = SEGUE_OK;
    if (match)
        memcpy(sets->match, match, models->n_models * sizeof *match);
    else
        status = segue_models_match(estimated, models, sets->match, err);
    if (status != SEGUE_OK) {
        segue_estimated_sets_destroy(sets);
        return status;
    }
    sets->truth = truth;
    sets->eps = eps;
    for (size_t k = 0; k < sets->n_models; k++)
        fill_model(sets, models, estimated, k);
    fill_arms(sets, models);
    *out = sets;
    return SEGUE_OK;
}
