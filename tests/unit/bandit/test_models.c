/* test_models.c - model sets and their matching.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

static void a_set_has_its_best_arms_and_normalised_weights(void **state)
{
    (void)state;
    const double mean[] = {0.2, 0.9, 0.9, 1.0, 0.0, 0.5}, weight[] = {3.0, 1.0};
    segue_models *models = NULL;
    assert_ok(segue_models_create(&models, SEGUE_MODELS_KNOWN, 3, 2, mean, weight, NULL));
    assert_int_equal(models->best_arm[0], 1); /* a tie goes to the lowest arm */
    assert_int_equal(models->best_arm[1], 0);
    assert_near(models->weight[0], 0.75, 0.0);
    assert_near(models->weight[1], 0.25, 0.0);
    assert_near(segue_models_best_value(models, 1), 1.0, 0.0);
    segue_models_destroy(models);
    segue_models_destroy(NULL);
}

static void wrong_sets_are_rejected(void **state)
{
    (void)state;
    const double fine[] = {0.1, 0.2, 0.3, 0.4};
    const double bad_means[] = {1.2, -0.1, NAN, INFINITY};
    const double bad_weights[][2] = {{-1, 2}, {0, 0}, {NAN, 1}, {INFINITY, 1}, {1e308, 1e308}};
    segue_models *models = NULL;
    segue_error err;
    for (size_t i = 0; i < 4; i++) {
        const double mean[] = {0.1, 0.2, bad_means[i], 0.4};
        assert_int_equal(segue_models_create(&models, SEGUE_MODELS_KNOWN, 2, 2, mean, NULL, &err),
                         SEGUE_EDOMAIN);
        assert_non_null(strstr(err.message, "model 2, arm 1"));
        assert_null(models);
    }
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(
            segue_models_create(&models, SEGUE_MODELS_KNOWN, 2, 2, fine, bad_weights[i], &err),
            SEGUE_EDOMAIN);
    const size_t sizes[][2] = {{0, 1}, {1, 1}, {2, 0}, {10001, 1}, {2, 1001}};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(segue_models_create(&models, SEGUE_MODELS_KNOWN, sizes[i][0], sizes[i][1],
                                             fine, NULL, &err),
                         SEGUE_EDOMAIN);
}

static void estimates_may_lie_outside_the_unit_interval_but_must_be_finite(void **state)
{
    (void)state;
    const double astray[] = {1.2, -0.3}, broken[] = {1.2, NAN};
    segue_models *models = NULL;
    assert_ok(segue_models_create(&models, SEGUE_MODELS_ESTIMATED, 2, 1, astray, NULL, NULL));
    segue_models_destroy(models);
    assert_int_equal(segue_models_create(&models, SEGUE_MODELS_ESTIMATED, 2, 1, broken, NULL, NULL),
                     SEGUE_EDOMAIN);
}

static void the_largest_set_fits(void **state)
{
    (void)state;
    double *mean = calloc((size_t)SEGUE_MAX_ARMS * SEGUE_MAX_MODELS, sizeof *mean);
    assert_non_null(mean);
    segue_models *models = NULL;
    assert_ok(segue_models_create(&models, SEGUE_MODELS_KNOWN, SEGUE_MAX_ARMS, SEGUE_MAX_MODELS,
                                  mean, NULL, NULL));
    segue_models_destroy(models);
    free(mean);
}

static double cost_of(const segue_models *a, const segue_models *b, const size_t *match)
{
    double cost = 0.0;
    for (size_t k = 0; k < a->n_models; k++)
        for (size_t i = 0; i < a->n_arms; i++) {
            const double d = segue_models_row(a, k)[i] - segue_models_row(b, match[k])[i];
            cost += d * d;
        }
    return cost;
}

/* The least cost over all permutations, by trying them all. */
static double smallest_cost(const segue_models *a, const segue_models *b, size_t *match,
                            size_t done)
{
    if (done == a->n_models)
        return cost_of(a, b, match);
    double smallest = INFINITY;
    for (size_t i = done; i < a->n_models; i++) {
        size_t swap = match[done];
        match[done] = match[i], match[i] = swap;
        smallest = fmin(smallest, smallest_cost(a, b, match, done + 1));
        swap = match[done];
        match[done] = match[i], match[i] = swap;
    }
    return smallest;
}

static void matching_is_the_best_of_all_permutations(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 21, 0, 0, 0);
    for (int i = 0; i < 300; i++) {
        segue_models *a = random_models(&rng, 2, 6, 1, 7);
        segue_models *b = random_models(&rng, a->n_arms, a->n_arms, a->n_models, a->n_models);
        size_t match[7], any[7] = {0, 1, 2, 3, 4, 5, 6};
        assert_ok(segue_models_match(a, b, match, NULL));
        assert_near(cost_of(a, b, match), smallest_cost(a, b, any, 0), 1e-12);
        segue_models_destroy(a);
        segue_models_destroy(b);
    }
}

/* A set shuffled and moved by less than half the least distance: the shuffle must come back. */
static void matching_undoes_a_shuffle_of_a_hundred(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 22, 0, 0, 0);
    segue_models *a = random_models(&rng, 30, 30, 100, 100);
    size_t shuffle[100], match[100];
    double *mean = calloc(100 * 30, sizeof *mean);
    assert_non_null(mean);
    for (size_t k = 0; k < 100; k++)
        shuffle[k] = k;
    for (size_t k = 99; k > 0; k--) {
        const size_t i = random_between(&rng, 0, k), swap = shuffle[k];
        shuffle[k] = shuffle[i], shuffle[i] = swap;
    }
    for (size_t k = 0; k < 100; k++)
        for (size_t i = 0; i < 30; i++)
            mean[shuffle[k] * 30 + i] =
                segue_models_row(a, k)[i] * 0.98 + 0.02 * segue_rng_uniform(&rng);
    segue_models *b = models_of(30, 100, mean);
    assert_ok(segue_models_match(a, b, match, NULL));
    /* Equal models (one pair, perhaps) may swap; the means they stand for may not. */
    for (size_t k = 0; k < 100; k++)
        for (size_t i = 0; i < 30; i++)
            assert_near(segue_models_row(a, k)[i], segue_models_row(b, match[k])[i], 0.02);
    segue_models_destroy(a);
    segue_models_destroy(b);
    free(mean);
}

static void sets_of_other_sizes_do_not_match(void **state)
{
    (void)state;
    const double mean[] = {0.1, 0.2, 0.3, 0.4};
    segue_models *two = models_of(2, 2, mean), *one = models_of(2, 1, mean);
    size_t match[2];
    assert_int_equal(segue_models_match(two, one, match, NULL), SEGUE_EDOMAIN);
    segue_models_destroy(two);
    segue_models_destroy(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_has_its_best_arms_and_normalised_weights),
        cmocka_unit_test(wrong_sets_are_rejected),
        cmocka_unit_test(estimates_may_lie_outside_the_unit_interval_but_must_be_finite),
        cmocka_unit_test(the_largest_set_fits),
        cmocka_unit_test(matching_is_the_best_of_all_permutations),
        cmocka_unit_test(matching_undoes_a_shuffle_of_a_hundred),
        cmocka_unit_test(sets_of_other_sizes_do_not_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
