/* test_sampler_fitted.c - sampled types of a learner whose types were fitted by EM.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sampler_fixture.h"

/* Types that were fitted to 400 tasks, of which the window holds 100. */
static segue_types *fit_paper_types(uint64_t seed)
{
    segue_rng rng;
    segue_rng_init(&rng, 91, seed, 0, 0);
    segue_types_config config = segue_types_defaults();
    segue_types *fitted = NULL;
    config.n_arms = 7;
    config.window = 100;
    assert_ok(segue_types_create(&fitted, &config, NULL));
    finish_paper_tasks(fitted, &rng, 400, 100);
    return fitted;
}

/* The tasks and their numbers are the same, and kappas are as fine as the tasks are long: the mean
 * pulls of a task are known although most tasks have left the window. */
static bool learns_fitted_types(uint64_t seed)
{
    segue_types *fitted = fit_paper_types(seed);
    segue_models *models = paper_models();
    segue_sampler *s = new_default(7, seed);
    bool is_right = true;
    assert_ok(segue_sampler_learn_fitted(s, fitted, NULL));
    check_sampler(s);
    assert_int_equal(segue_sampler_tasks(s), 400);
    assert_int_equal(segue_sampler_in_window(s), segue_types_in_window(fitted));
    assert_int_equal(segue_task_window_number(&s->tasks, s->tasks.count - 1), 400);
    assert_near(s->pulls, 400 * 700.0, 1e-6);
    for (size_t k = 0; k < 5; k++)
        is_right = is_right && distance_to_model(s, models->mean + k * 7) < 0.1;
    segue_models_destroy(models);
    segue_types_destroy(fitted);
    segue_sampler_destroy(s);
    return is_right;
}

static void types_of_an_older_file_are_learned(void **state)
{
    (void)state;
    assert_by_majority(learns_fitted_types);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(types_of_an_older_file_are_learned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
