/* estimate_fixture.h - fixtures of the tests of estimators.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TEST_ESTIMATE_FIXTURE_H
#define SEGUE_TEST_ESTIMATE_FIXTURE_H

#include "core/linalg/linalg.h"
#include "estimate/estimator_internal.h"
#include "estimate/estimator_method.h"
#include "estimate/types/types_read.h"
#include "support.h"

static inline void random_views(segue_rng *rng, size_t n_arms, double *views)
{
    for (size_t i = 0; i < 3 * n_arms; i++)
        views[i] = segue_rng_uniform(rng);
}

/* The true moments of a set: each model as one task of its weight, with three equal views. */
static inline segue_moments *exact_moments(const segue_models *models)
{
    segue_moments *moments = new_moments(models->n_arms, SEGUE_VIEWS_PAPER);
    double *views = calloc(3 * models->n_arms, sizeof *views);
    assert_non_null(views);
    for (size_t k = 0; k < models->n_models; k++) {
        for (size_t i = 0; i < 3 * models->n_arms; i++)
            views[i] = segue_models_row(models, k)[i % models->n_arms];
        assert_ok(segue_moments_add(moments, views, models->weight[k], NULL));
    }
    free(views);
    return moments;
}

static inline void check_exact(const char *name, const segue_models *models, double tolerance,
                               segue_weights how)
{
    segue_estimator_config config = segue_estimator_defaults();
    segue_estimator *est = NULL;
    config.method = name;
    config.n_arms = models->n_arms;
    config.n_models = models->n_models;
    config.weights = how;
    assert_ok(segue_estimator_create(&est, &config, NULL));
    segue_moments *moments = exact_moments(models);
    assert_ok(segue_estimator_fit(est, moments, NULL));
    double weights, error = error_of(models, segue_estimator_models(est), &weights);
    if (!(error < tolerance && weights < tolerance))
        fail_msg("%s, %zu models of %zu arms: means off by %g, weights by %g; %s", name,
                 models->n_models, models->n_arms, error, weights,
                 segue_estimator_info(est).verdict);
    segue_estimator_destroy(est);
    segue_moments_destroy(moments);
}

#endif
