/* known_sets.c - the sets and gaps of a known model set (section 3 of the paper).
 *
 * Cost O(n_arms n_models).
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "core/fail.h"
#include "segue/theory.h"

void segue_known_sets_destroy(segue_known_sets *sets)
{
    if (!sets)
        return;
    free(sets->gap);
    free(sets->best_for_some);
    free(sets->optimistic_model);
    free(sets->optimistic_arm);
    free(sets->optimistic_for);
    free(sets->model_gap);
    free(sets);
}

static bool reserve(segue_known_sets *sets, size_t n_arms, size_t n_models)
{
    sets->n_arms = n_arms;
    sets->n_models = n_models;
    sets->gap = calloc(n_arms, sizeof *sets->gap);
    sets->best_for_some = calloc(n_arms, sizeof *sets->best_for_some);
    sets->optimistic_model = calloc(n_models, sizeof *sets->optimistic_model);
    sets->optimistic_arm = calloc(n_arms, sizeof *sets->optimistic_arm);
    sets->optimistic_for = calloc(n_arms * n_models, sizeof *sets->optimistic_for);
    sets->model_gap = calloc(n_arms, sizeof *sets->model_gap);
    return sets->gap && sets->best_for_some && sets->optimistic_model && sets->optimistic_arm &&
           sets->optimistic_for && sets->model_gap;
}

/* Fill Theta_+, A_+ and the model gaps: a model with a value of at least the truth's best leads to
 * its best arm, and is distinguished from the truth by its distance there. */
static void fill(segue_known_sets *sets, const segue_models *models)
{
    const double *true_mean = segue_models_row(models, sets->truth);
    const double best = segue_models_best_value(models, sets->truth);
    for (size_t arm = 0; arm < sets->n_arms; arm++) {
        sets->gap[arm] = best - true_mean[arm];
        sets->model_gap[arm] = INFINITY;
    }
    for (size_t k = 0; k < sets->n_models; k++) {
        const size_t arm = models->best_arm[k];
        const double value = segue_models_best_value(models, k);
        sets->best_for_some[arm] = true;
        sets->optimistic_model[k] = value >= best;
        if (!sets->optimistic_model[k])
            continue;
        sets->optimistic_arm[arm] = true;
        sets->optimistic_for[arm * sets->n_models + k] = true;
        sets->model_gap[arm] = fmin(sets->model_gap[arm], fabs(value - true_mean[arm]));
    }
}

/* Return the smallest distance of the truth to another model on any arm. */
static double min_model_gap(const segue_models *models, size_t truth)
{
    double smallest = INFINITY;
    for (size_t k = 0; k < models->n_models; k++)
        for (size_t arm = 0; k != truth && arm < models->n_arms; arm++)
            smallest = fmin(smallest, fabs(segue_models_row(models, k)[arm] -
                                           segue_models_row(models, truth)[arm]));
    return smallest;
}

void segue_known_sets_models_of(const segue_models *models, const bool *arms, bool *member)
{
    for (size_t k = 0; k < models->n_models; k++)
        member[k] = arms[models->best_arm[k]];
}

bool segue_known_sets_is_worst_case(const segue_known_sets *sets, const segue_models *models,
                                    size_t arm)
{
    const bool *of_arm = sets->optimistic_for + arm * sets->n_models;
    const double truth = segue_models_row(models, sets->truth)[arm];
    double largest = 0.0;
    for (size_t k = 0; k < sets->n_models; k++)
        if (sets->optimistic_model[k] && !of_arm[k])
            largest = fmax(largest, fabs(segue_models_row(models, k)[arm] - truth));
    return sets->model_gap[arm] >= largest;
}

segue_status segue_known_sets_create(segue_known_sets **out, const segue_models *models,
                                     size_t truth, segue_error *err)
{
    *out = NULL;
    if (truth >= models->n_models)
        return segue_fail(err, SEGUE_EDOMAIN, "there is no model %zu in a set of %zu", truth + 1,
                          models->n_models);
    segue_known_sets *sets = calloc(1, sizeof *sets);
    if (!sets || !reserve(sets, models->n_arms, models->n_models)) {
        segue_known_sets_destroy(sets);
        return segue_fail_no_memory(err, "the sets of a model");
    }
    sets->truth = truth;
    sets->min_model_gap = min_model_gap(models, truth);
    fill(sets, models);
    *out = sets;
    return SEGUE_OK;
}
