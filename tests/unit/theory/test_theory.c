/* test_theory.c - the paper's tables, and the sets and bounds on examples done by hand.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

/* Cut after the second decimal, as the paper prints. */
static double cut(double x)
{
    return floor(x * 100.0) / 100.0;
}

static void complexities_equal_those_of_the_paper(void **state)
{
    (void)state;
    static const double ucb[] = {22.31, 23.32, 33.91, 17.91, 35.41};
    /* The paper prints 8.76 for the last; 1/.35 + 1/.45 + 1/.5 + 1/.6 is 8.746. */
    static const double ucb_plus[] = {14.87, 15.58, 25.21, 11.17, 8.74};
    static const double mucb[] = {2.33, 8.48, 2.08, 3.48, 0.0};
    segue_models *models = paper_models();
    double average[3] = {0, 0, 0};
    for (size_t k = 0; k < 5; k++) {
        segue_known_sets *sets = NULL;
        assert_ok(segue_known_sets_create(&sets, models, k, NULL));
        assert_near(cut(segue_complexity_ucb(sets)), ucb[k], 1e-9);
        assert_near(cut(segue_complexity_ucb_plus(sets)), ucb_plus[k], 1e-9);
        assert_near(cut(segue_complexity_mucb(sets)), mucb[k], 1e-9);
        average[0] += segue_complexity_ucb(sets) / 5.0;
        average[1] += segue_complexity_ucb_plus(sets) / 5.0;
        average[2] += segue_complexity_mucb(sets) / 5.0;
        segue_known_sets_destroy(sets);
    }
    assert_near(cut(average[0]), 26.57, 1e-9);
    assert_near(cut(average[1]), 15.11, 1e-9);
    assert_near(cut(average[2]), 3.27, 1e-9);
    segue_models_destroy(models);
}

static void the_spectrum_equals_that_of_the_paper(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_spectrum spectrum;
    assert_ok(segue_spectrum_compute(&spectrum, models, NULL));
    assert_near(spectrum.sigma_min, 0.0039, 5e-5);
    assert_near(spectrum.gap, 0.0038, 5e-5);
    assert_near(spectrum.sigma_max, 2.131264, 5e-7);
    assert_near(spectrum.sigma_min, 0.003930, 5e-7);
    assert_near(spectrum.gap, 0.003766, 5e-7);
    assert_near(spectrum.lambda_min, sqrt(5.0), 1e-12);
    assert_near(spectrum.lambda_max, sqrt(5.0), 1e-12);
    segue_models_destroy(models);
}

static void the_sets_of_the_papers_second_model(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_known_sets *sets = NULL;
    assert_ok(segue_known_sets_create(&sets, models, 1, NULL));
    static const bool best[] = {1, 1, 1, 1, 1, 0, 0}, arms[] = {1, 1, 0, 0, 1, 0, 0};
    static const bool optimistic[] = {1, 1, 0, 0, 1};
    assert_memory_equal(sets->best_for_some, best, sizeof best);
    assert_memory_equal(sets->optimistic_arm, arms, sizeof arms);
    assert_memory_equal(sets->optimistic_model, optimistic, sizeof optimistic);
    assert_near(sets->gap[0], 0.14, 1e-12);
    assert_near(sets->model_gap[0], 0.15, 1e-12); /* model 1 promises .9, the truth is .75 */
    assert_near(sets->model_gap[4], 0.37, 1e-12); /* model 5 promises .95, the truth is .58 */
    assert_true(isinf(sets->model_gap[6]));
    assert_near(segue_bound_pulls_mucb(sets, 10.0, 4), 20.0 / (0.37 * 0.37) + 1.0, 1e-9);
    assert_near(segue_bound_pulls_mucb(sets, 10.0, 5), 0.0, 0.0);
    assert_true(isinf(segue_bound_pulls_mucb(sets, 10.0, 1)));
    segue_known_sets_destroy(sets);
    segue_models_destroy(models);
}

/* With exact models and eps = 0: A_1 and A_2 are A_+ without and with the true best arm, and the
 * complexity is mUCB's (1/(4 g^2) = 1/Gamma^2). */
static void exact_estimates_give_mucbs_sets(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    for (size_t k = 0; k < 5; k++) {
        segue_known_sets *known = NULL;
        segue_estimated_sets *sets = NULL;
        assert_ok(segue_known_sets_create(&known, models, k, NULL));
        assert_ok(segue_estimated_sets_create(&sets, models, models, NULL, 0.0, k, NULL));
        for (size_t arm = 0; arm < 7; arm++)
            assert_int_equal(known->optimistic_arm[arm],
                             sets->first_arm[arm] || sets->second_arm[arm]);
        assert_true(sets->permanent_model[k]);
        assert_true(sets->second_arm[models->best_arm[k]]);
        assert_near(segue_complexity_tucb(sets), segue_complexity_mucb(known), 1e-9);
        segue_known_sets_destroy(known);
        segue_estimated_sets_destroy(sets);
    }
    segue_models_destroy(models);
}

/* With eps so large that nothing can be told, every arm stays and the complexity is UCB's. */
static void hopeless_estimates_give_ucbs_complexity(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    for (size_t k = 0; k < 5; k++) {
        segue_known_sets *known = NULL;
        segue_estimated_sets *sets = NULL;
        assert_ok(segue_known_sets_create(&known, models, k, NULL));
        assert_ok(segue_estimated_sets_create(&sets, models, models, NULL, INFINITY, k, NULL));
        assert_near(segue_complexity_tucb(sets), segue_complexity_ucb(known), 1e-9);
        segue_known_sets_destroy(known);
        segue_estimated_sets_destroy(sets);
    }
    segue_models_destroy(models);
}

/* Two models of three arms, eps = 0.1, done by hand; the estimates come in the other order.
 *   truth (model 1):  .8 .5 .2   estimate .75 .55 .15
 *   model 2:          .3 .9 .2   estimate .35 .85 .25
 * Non-dominated: promise + .1 >= best promise - .1, so arms 1, 2 (.55 + .1 >= .65) and arm 2.
 * Optimistic: promise + .1 >= .8: arm 1 (.85) of the first, not arm 2 (.65); arm 2 of the second.
 * The first is within .1 of the truth on arm 1: permanent.  The second is .35 off on arm 2: it can go.
 * A_1 = {2} with g = .4/2 - .1 = .1; A_2 = {1}.  Complexity: .3 min(1/.09, 1/.04) = 1/.3. */
static void the_sets_of_estimates_done_by_hand(void **state)
{
    (void)state;
    const double truth[] = {.8, .5, .2, .3, .9, .2}, guess[] = {.35, .85, .25, .75, .55, .15};
    segue_models *models = models_of(3, 2, truth), *estimated = models_of(3, 2, guess);
    segue_estimated_sets *sets = NULL;
    assert_ok(segue_estimated_sets_create(&sets, models, estimated, NULL, 0.1, 0, NULL));
    static const bool non_dominated[] = {0, 1, 0, 1, 1, 0}, optimistic[] = {0, 1, 0, 1, 0, 0};
    static const bool both[] = {1, 1}, permanent[] = {0, 1}, first[] = {0, 1, 0},
                      second[] = {1, 0, 0};
    assert_int_equal(sets->match[0], 1);
    assert_int_equal(sets->match[1], 0);
    assert_memory_equal(sets->non_dominated, non_dominated, sizeof non_dominated);
    assert_memory_equal(sets->optimistic, optimistic, sizeof optimistic);
    assert_memory_equal(sets->optimistic_model, both, sizeof both);
    assert_memory_equal(sets->permanent_model, permanent, sizeof permanent);
    assert_memory_equal(sets->first_arm, first, sizeof first);
    assert_memory_equal(sets->second_arm, second, sizeof second);
    assert_near(sets->model_gap[1], 0.1, 1e-12);
    assert_near(segue_complexity_tucb(sets), 1.0 / 0.3, 1e-9);
    assert_near(segue_bound_pulls_umucb(sets, 10.0, 1), 2.0 * 10.0 / 0.09 + 1.0, 1e-9);
    assert_near(segue_bound_pulls_umucb(sets, 10.0, 2), 3.0, 0.0);
    segue_estimated_sets_destroy(sets);
    /* At eps = 0.01 the estimates are further off than that, but g is .19: 1/(4 g^2) is less. */
    assert_ok(segue_estimated_sets_create(&sets, models, estimated, NULL, 0.01, 0, NULL));
    assert_near(sets->model_gap[1], 0.19, 1e-12);
    assert_near(segue_complexity_tucb(sets), 0.3 / (4.0 * 0.19 * 0.19), 1e-9);
    segue_estimated_sets_destroy(sets);
    segue_models_destroy(models);
    segue_models_destroy(estimated);
}

static void wrong_arguments_are_rejected(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_known_sets *known = NULL;
    segue_estimated_sets *sets = NULL;
    assert_int_equal(segue_known_sets_create(&known, models, 5, NULL), SEGUE_EDOMAIN);
    assert_int_equal(segue_estimated_sets_create(&sets, models, models, NULL, 0.1, 5, NULL),
                     SEGUE_EDOMAIN);
    assert_int_equal(segue_estimated_sets_create(&sets, models, models, NULL, -0.1, 0, NULL),
                     SEGUE_EDOMAIN);
    assert_int_equal(segue_estimated_sets_create(&sets, models, models, NULL, NAN, 0, NULL),
                     SEGUE_EDOMAIN);
    const double mean[] = {0.1, 0.2};
    const size_t beyond[] = {0, 1, 2, 3, 5};
    segue_models *other = models_of(2, 1, mean);
    assert_int_equal(segue_estimated_sets_create(&sets, models, other, beyond, 0.1, 0, NULL),
                     SEGUE_EDOMAIN);
    assert_int_equal(segue_estimated_sets_create(&sets, models, models, beyond, 0.1, 0, NULL),
                     SEGUE_EDOMAIN);
    assert_int_equal(segue_estimated_sets_create(&sets, models, other, NULL, 0.1, 0, NULL),
                     SEGUE_EDOMAIN);
    assert_null(sets);
    segue_models_destroy(other);
    segue_models_destroy(models);
}

static void bounds_have_the_theorems_form(void **state)
{
    (void)state;
    assert_near(segue_policy_log_term(5, 5000, 1.0 / 5000), log(5 * 1.25e11), 1e-12);
    assert_near(segue_policy_log_term(5, 5000, 1.0 / 5000), 27.16, 5e-3);
    assert_near(segue_policy_log_term_estimated(5, 7, 5000, 1.0 / 5000), 29.80, 5e-3);
    assert_near(segue_bound_regret(7, 27.0, 3.0), 7.0 + 2.0 * 27.0 * 3.0, 1e-12);
    segue_models *models = paper_models();
    segue_estimated_sets *sets = NULL;
    assert_ok(segue_estimated_sets_create(&sets, models, models, NULL, 0.1, 0, NULL));
    const double forced = 3 * (.15 + .45 + .35 + .32 + .29 + .25);
    assert_near(segue_bound_regret_estimated(sets, 20.0),
                7.0 + 40.0 * segue_complexity_tucb(sets) + forced, 1e-9);
    segue_estimated_sets_destroy(sets);
    segue_models_destroy(models);
}

/* Theorem 2 and the concentration lemma, recomputed from the formulas for the paper's set. */
static void the_perturbation_bound_is_theorem_2(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_spectrum s;
    assert_ok(segue_spectrum_compute(&s, models, NULL));
    const segue_perturbation r = segue_perturbation_bound(models, &s, 5000, 0.01, 1.0, 1.0);
    const double c = sqrt(5.0) * sqrt(s.sigma_max / pow(s.sigma_min, 3)) *
                     (s.sigma_max / s.gap + 1 / s.sigma_min + 1 / s.sigma_max);
    assert_near(r.constant / c, 1.0, 1e-12);
    assert_near(r.error / (c * pow(7, 2.5) * 25 * sqrt(log(700.0) / 5000)), 1.0, 1e-12);
    const double smallest =
        pow(5, 5) * pow(7, 6) * log(700.0) / (s.gap * s.gap * pow(s.sigma_min, 3) * 5.0);
    assert_near(r.min_tasks / smallest, 1.0, 1e-12);
    assert_near(r.second_moment, 14.0 * sqrt(log(1400.0) / 5000), 1e-12);
    assert_near(r.third_moment, pow(7, 1.5) * sqrt(6 * log(1400.0) / 5000), 1e-12);
    const segue_perturbation doubled = segue_perturbation_bound(models, &s, 5000, 0.01, 2.0, 3.0);
    assert_near(doubled.error / r.error, 2.0, 1e-12);
    assert_near(doubled.min_tasks / r.min_tasks, 3.0, 1e-12);
    segue_models_destroy(models);
}

static void the_spectrum_has_gaps_only_where_it_can(void **state)
{
    (void)state;
    segue_spectrum s;
    const double one[] = {0.6, 0.8}, three[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    segue_models *models = models_of(2, 1, one);
    assert_ok(segue_spectrum_compute(&s, models, NULL));
    assert_near(s.sigma_min, 1.0, 1e-15);
    assert_true(isnan(s.gap));
    assert_true(isfinite(segue_perturbation_bound(models, &s, 10, 0.1, 1, 1).error));
    segue_models_destroy(models);

    models = models_of(2, 3, three); /* more models than arms */
    assert_ok(segue_spectrum_compute(&s, models, NULL));
    assert_true(isnan(s.sigma_min) && isnan(s.gap));
    assert_true(isnan(segue_perturbation_bound(models, &s, 10, 0.1, 1, 1).error));
    assert_true(isnan(segue_perturbation_bound(models, &s, 10, 0.1, 1, 1).min_tasks));
    assert_true(isfinite(segue_perturbation_bound(models, &s, 10, 0.1, 1, 1).second_moment));
    segue_models_destroy(models);

    /* Orthogonal models of equal norm and weight: all eigenvalues are 1/2, so none are distinct. */
    const double orthogonal[] = {1, 0, 0, 1};
    models = models_of(2, 2, orthogonal);
    assert_ok(segue_spectrum_compute(&s, models, NULL));
    assert_near(s.sigma_min, 0.5, 1e-15);
    assert_true(isnan(s.gap));
    segue_models_destroy(models);

    const double equal[] = {0.3, 0.4, 0.5, 0.3, 0.4, 0.5}; /* two equal models */
    models = models_of(3, 2, equal);
    assert_ok(segue_spectrum_compute(&s, models, NULL));
    assert_near(s.sigma_min, 0.0, 1e-15);
    assert_true(s.sigma_min >= 0.0);
    segue_models_destroy(models);
}

/* The Gram matrix's eigenvalues against M2's own, by the trace and the trace of the square. */
static void the_spectrum_is_that_of_the_second_moment(void **state)
{
    (void)state;
    const double mean[] = {.9, .2, .4, .1, .8, .3}, weight[] = {0.7, 0.3};
    segue_models *models = NULL;
    segue_spectrum s;
    double m2[9] = {0}, trace = 0, squares = 0;
    assert_ok(segue_models_create(&models, SEGUE_MODELS_KNOWN, 3, 2, mean, weight, NULL));
    assert_ok(segue_spectrum_compute(&s, models, NULL));
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < 9; i++)
            m2[i] += weight[k] * mean[k * 3 + i / 3] * mean[k * 3 + i % 3];
    for (size_t i = 0; i < 9; i++) {
        trace += i % 4 == 0 ? m2[i] : 0;
        squares += m2[i] * m2[i];
    }
    assert_near(s.sigma_min + s.sigma_max, trace, 1e-14);
    assert_near(s.sigma_min * s.sigma_min + s.sigma_max * s.sigma_max, squares, 1e-14);
    segue_models_destroy(models);
}

/* Orthogonal models of weights 1/2 +- d have eigenvalues that differ by 2 d: told apart down to
 * 1e-12 of the largest, not below. */
static void eigenvalues_are_equal_only_within_rounding(void **state)
{
    (void)state;
    const double orthogonal[] = {1, 0, 0, 1}, apart[] = {0.5 + 1e-9, 0.5 - 1e-9};
    const double equal[] = {0.5 + 1e-14, 0.5 - 1e-14};
    segue_models *models = NULL;
    segue_spectrum s;
    assert_ok(segue_models_create(&models, SEGUE_MODELS_KNOWN, 2, 2, orthogonal, apart, NULL));
    assert_ok(segue_spectrum_compute(&s, models, NULL));
    assert_near(s.gap, 2e-9, 1e-14);
    segue_models_destroy(models);
    assert_ok(segue_models_create(&models, SEGUE_MODELS_KNOWN, 2, 2, orthogonal, equal, NULL));
    assert_ok(segue_spectrum_compute(&s, models, NULL));
    assert_true(isnan(s.gap));
    segue_models_destroy(models);
}

static void one_model_and_one_step_have_bounds(void **state)
{
    (void)state;
    const double mean[] = {0.2, 0.7};
    segue_models *models = models_of(2, 1, mean);
    segue_known_sets *sets = NULL;
    assert_ok(segue_known_sets_create(&sets, models, 0, NULL));
    assert_near(segue_bound_pulls_mucb(sets, 0.0, 0), 0.0, 0.0);
    assert_true(isinf(segue_bound_pulls_mucb(sets, 0.0, 1)));
    segue_known_sets_destroy(sets);
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complexities_equal_those_of_the_paper),
        cmocka_unit_test(the_spectrum_equals_that_of_the_paper),
        cmocka_unit_test(the_sets_of_the_papers_second_model),
        cmocka_unit_test(exact_estimates_give_mucbs_sets),
        cmocka_unit_test(hopeless_estimates_give_ucbs_complexity),
        cmocka_unit_test(the_sets_of_estimates_done_by_hand),
        cmocka_unit_test(wrong_arguments_are_rejected),
        cmocka_unit_test(bounds_have_the_theorems_form),
        cmocka_unit_test(the_perturbation_bound_is_theorem_2),
        cmocka_unit_test(the_spectrum_has_gaps_only_where_it_can),
        cmocka_unit_test(the_spectrum_is_that_of_the_second_moment),
        cmocka_unit_test(eigenvalues_are_equal_only_within_rounding),
        cmocka_unit_test(one_model_and_one_step_have_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
