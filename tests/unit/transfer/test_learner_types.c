/* test_learner_types.c - learners of types, and explanations.
 * SPDX-License-Identifier: Apache-2.0 */
#include "learner_fixture.h"

static void auto_goes_by_what_is_known(void **state)
{
    (void)state;
    segue_learner_config config = segue_learner_defaults();
    config.n_arms = 3;
    segue_learner *learner = learner_of(&config);
    assert_string_equal(segue_learner_get_config(learner)->method, "tts");
    segue_learner_destroy(learner);
    config.horizon = 50;
    learner = learner_of(&config);
    assert_string_equal(segue_learner_get_config(learner)->method, "tla");
    segue_learner_destroy(learner);
    config.horizon = 0;
    config.method = "tla";
    segue_error err;
    assert_int_equal(segue_learner_create(&learner, &config, &err), SEGUE_EDOMAIN);
    assert_non_null(strstr(err.message, "a guess on the high side"));
    config.method = "tts";
    config.option[TYPES_WINDOW] = 3.0;
    assert_int_equal(segue_learner_create(&learner, &config, NULL), SEGUE_EDOMAIN);
}

/* Two types that differ in which of two arms is good: found from play alone, and told apart. */
static void types_are_found_and_explained(void **state)
{
    (void)state;
    const double mean[] = {.9, .1, .3, .1, .9, .3};
    segue_models *models = models_of(3, 2, mean);
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulated_task *simulated = new_simulated_task(&env, 81, 0, 0);
    segue_learner_config config = config_of("tla", 60);
    config.n_arms = 3;
    segue_learner *learner = learner_of(&config);
    segue_task *task = NULL;
    segue_explanation why;
    for (uint64_t j = 0; j < 60; j++) {
        segue_simulated_task_begin(simulated, 71, 0, j, SEGUE_ANY_MODEL);
        assert_ok(segue_learner_open_task(learner, &task, NULL));
        (void)segue_simulation_play(task, simulated, 60);
        assert_ok(segue_learner_close_task(learner, &task, NULL));
    }
    assert_int_equal(segue_learner_info(learner).n_types, 2);
    assert_true(segue_learner_info(learner).no_type < 0.1);
    assert_ok(segue_learner_open_task(learner, &task, NULL));
    assert_ok(segue_learner_explain(learner, task, &why, NULL));
    assert_int_equal(why.n_types, 2);
    double sum = 0.0;
    for (size_t q = 0; q <= why.n_types; q++)
        sum += why.weight[q];
    assert_near(sum, 1.0, 1e-12);
    for (int i = 0; i < 5; i++)
        assert_ok(segue_task_tell(task, 0, 1.0, NULL));
    assert_ok(segue_learner_explain(learner, task, &why, NULL));
    assert_true(fmax(why.weight[1], why.weight[2]) > 0.9); /* it is the type whose arm 1 is good */
    assert_int_equal(why.arm, 0);
    assert_int_equal(why.purpose, SEGUE_EXPLOIT);
    assert_ok(segue_learner_close_task(learner, &task, NULL));
    segue_learner_destroy(learner);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

static void what_is_not_a_task_of_types_is_not_explained(void **state)
{
    (void)state;
    segue_learner_config config = config_of("tucb", 60);
    segue_learner *learner = learner_of(&config), *other = NULL;
    segue_explanation why;
    segue_task *task = NULL;
    config = config_of("tts", 60);
    other = learner_of(&config);
    assert_ok(segue_learner_open_task(learner, &task, NULL));
    assert_int_equal(segue_learner_explain(learner, task, &why, NULL), SEGUE_EDOMAIN);
    assert_int_equal(segue_learner_explain(other, task, &why, NULL), SEGUE_EDOMAIN);
    segue_learner_destroy(learner);
    assert_ok(segue_learner_open_task(other, &task, NULL));
    assert_ok(segue_learner_explain(other, task, &why, NULL)); /* no types yet: of none */
    assert_int_equal(why.n_types, 0);
    assert_near(why.weight[0], 1.0, 0.0);
    segue_learner_destroy(other);
}

/* Tasks without a step, of one step, all zeros, all ones, one arm only: everything stays finite. */
static void odd_tasks_do_no_harm(void **state)
{
    (void)state;
    static const char *const texts[] = {"tts", "tla", "ts-prior"};
    for (size_t i = 0; i < 3; i++) {
        segue_learner_config config = config_of(texts[i], 20);
        config.n_arms = 3;
        segue_learner *learner = learner_of(&config);
        for (int j = 0; j < repeats(2000); j++) {
            segue_task *task = NULL;
            const int kind = j / 7 % 5, steps = kind == 0 ? 0 : kind == 1 ? 1 : 20;
            assert_ok(segue_learner_open_task(learner, &task, NULL));
            for (int t = 0; t < steps; t++) {
                const size_t arm = segue_task_ask(task);
                assert_in_range(arm, 0, 2);
                assert_ok(segue_task_tell(task, kind == 4 ? 0 : arm, kind == 2 ? 0.0 : 1.0, NULL));
            }
            segue_explanation why;
            assert_ok(segue_learner_explain(learner, task, &why, NULL));
            for (size_t q = 0; q <= why.n_types; q++)
                assert_true(why.weight[q] >= 0.0 && why.weight[q] <= 1.0 + 1e-12);
            assert_ok(segue_learner_close_task(learner, &task, NULL));
        }
        assert_true(isfinite(segue_learner_info(learner).no_type));
        segue_learner_destroy(learner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_goes_by_what_is_known),
        cmocka_unit_test(types_are_found_and_explained),
        cmocka_unit_test(what_is_not_a_task_of_types_is_not_explained),
        cmocka_unit_test(odd_tasks_do_no_harm),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
