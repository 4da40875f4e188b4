/* types_fixture.h - fixtures of the tests of types.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TEST_TYPES_FIXTURE_H
#define SEGUE_TEST_TYPES_FIXTURE_H

#include "estimate/types/change.h"
#include "estimate/types/mixture_em.h"
#include "estimate/types/mixture_refit.h"
#include "estimate/types/types_internal.h"
#include "estimate/types/types_read.h"
#include "support.h"
#include <float.h>

/* A finished task of these means: `pulls` pulls of every arm, the last arms fewer if it is uneven;
 * rewards are 0 or 1, or the mean of two such. */
static inline void play(segue_rng *rng, size_t n_arms, const double *mean, size_t pulls,
                        bool uneven, bool whole, double *sum, double *pulled)
{
    for (size_t i = 0; i < n_arms; i++) {
        const size_t n = uneven ? random_between(rng, 0, pulls >> i) : pulls;
        sum[i] = 0.0;
        pulled[i] = (double)n;
        for (size_t t = 0; t < n; t++) {
            const double first = segue_rng_uniform(rng) < mean[i] ? 1.0 : 0.0;
            const double second = segue_rng_uniform(rng) < mean[i] ? 1.0 : 0.0;
            sum[i] += whole ? first : 0.3 * first + 0.7 * second;
        }
    }
}

static inline segue_types *new_types(size_t n_arms, uint64_t seed)
{
    segue_types_config config = segue_types_defaults();
    segue_types *types = NULL;
    config.n_arms = n_arms;
    config.seed = seed;
    assert_ok(segue_types_create(&types, &config, NULL));
    return types;
}

static inline void finish(segue_types *types, const double *sum, const double *pulls)
{
    assert_ok(segue_types_add_task(types, sum, pulls, NULL));
    if (segue_types_due(types))
        assert_ok(segue_types_refit(types, NULL));
    assert_false(segue_types_due(types));
}

/* Tasks of the paper's models in equal shares, `pulls` pulls per arm. */
static inline void finish_paper_tasks(segue_types *types, segue_rng *rng, int count, size_t pulls)
{
    segue_models *models = paper_models();
    double sum[7], pulled[7];
    for (int j = 0; j < count; j++) {
        play(rng, 7, models->mean + random_between(rng, 0, 4) * 7, pulls, false, true, sum, pulled);
        finish(types, sum, pulled);
    }
    segue_models_destroy(models);
}

/* Add tasks as finish_paper_tasks does, without a refit. */
static inline void add_paper_tasks(segue_types *types, segue_rng *rng, int count, size_t pulls)
{
    segue_models *models = paper_models();
    double sum[7], pulled[7];
    for (int j = 0; j < count; j++) {
        play(rng, 7, models->mean + random_between(rng, 0, 4) * 7, pulls, false, true, sum, pulled);
        assert_ok(segue_types_add_task(types, sum, pulled, NULL));
    }
    segue_models_destroy(models);
}

static inline void check_numbers(const segue_types *types)
{
    const size_t n_types = segue_types_count(types), n = segue_types_arms(types);
    double prior[SEGUE_MAX_FITTED_TYPES + 1], weights = 0.0, priors = 0.0;
    segue_types_prior(types, prior);
    for (size_t q = 0; q <= n_types; q++) {
        weights += segue_types_weights(types)[q];
        priors += prior[q];
        assert_true(prior[q] > 0.0 && segue_types_weights(types)[q] > 0.0);
    }
    assert_near(weights, 1.0, 1e-12);
    assert_near(priors, 1.0, 1e-12);
    assert_true(n_types == 0 || segue_types_weights(types)[0] >= 0.005);
    for (size_t k = 0; k < (n_types + 1) * n; k++)
        assert_true(segue_types_a(types)[k] > 0.0 && segue_types_b(types)[k] > 0.0 &&
                    isfinite(segue_types_a(types)[k] + segue_types_b(types)[k]));
    for (size_t q = 1; q <= n_types; q++)
        for (size_t i = 0; i < n; i++) {
            const segue_type_arm arm = segue_types_arm(types, q, i);
            assert_true(arm.low >= 0.0 && arm.low <= arm.mean && arm.mean <= arm.high &&
                        arm.high <= 1.0);
        }
    size_t numbers = 0; /* each component has one */
    for (size_t k = 0; k <= n_types; k++)
        numbers |= (size_t)1 << segue_types_numbered(types)[k];
    assert_int_equal(numbers, ((size_t)2 << n_types) - 1);
    assert_int_equal(segue_types_numbered(types)[0], 0);
    const segue_types_fit fit = segue_types_evaluate(types);
    double size = 0.0;
    for (size_t q = 0; q <= n_types; q++)
        size += fit.size[q];
    assert_near(size, (double)segue_types_in_window(types), 1e-6);
    assert_true(isfinite(fit.log_likelihood) && fit.objective <= fit.log_likelihood);
}

#endif
