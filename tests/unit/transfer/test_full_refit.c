/* test_full_refit.c - refits in a row, after a learner has learned from a log.
 * SPDX-License-Identifier: Apache-2.0 */
#include "transfer_fixture.h"

/* Three types, each with a best arm of its own. */
static const double three_types[] = {.8, .2, .2, .2, .8, .2, .2, .2, .8};

/* A learner that has learned from a log of tasks of the three types in turn; the log pulls its arms
 * in turn. */
static segue_learner *learner_of_log(const char *method, uint64_t seed, uint64_t n_tasks)
{
    segue_learner_config config = segue_learner_defaults();
    segue_learner *learner = NULL;
    config.method = method;
    config.n_arms = ARMS;
    config.horizon = STEPS;
    config.seed = seed;
    assert_ok(segue_learner_create(&learner, &config, NULL));
    for (uint64_t j = 0; j < n_tasks; j++) {
        segue_task *task = open_a_task(learner);
        segue_rng rng;
        segue_rng_init(&rng, seed, 92, j, 0);
        for (size_t t = 0; t < STEPS; t++)
            tell(task, t % ARMS,
                 segue_rng_uniform(&rng) < three_types[j % 3 * ARMS + t % ARMS] ? 1.0 : 0.0);
        assert_ok(segue_learner_close_task(learner, &task, NULL));
    }
    return learner;
}

static void clear_types_are_found_for_nearly_all_seeds(void **state)
{
    (void)state;
    const int seeds = repeats(20);
    int found = 0;
    for (int seed = 0; seed < seeds; seed++) {
        segue_learner *learner = learner_of_log("tla", (uint64_t)seed, 120);
        assert_ok(segue_learner_refit_fully(learner, NULL));
        found += segue_learner_info(learner).n_types == 3;
        segue_learner_destroy(learner);
    }
    if (seeds == 20 && found < 16) /* a short run only plays them */
        fail_msg("three types in %d of %d seeds", found, seeds);
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
    (void)state;
    segue_learner *one = learner_of_log("tts", 3, 40), *two = learner_of_log("tts", 3, 40);
    segue_learner *loaded = load(one);
    const uint64_t version = segue_learner_version(one);
    assert_ok(segue_learner_refit_fully(one, NULL));
    assert_ok(segue_learner_refit_fully(two, NULL));
    assert_ok(segue_learner_refit_fully(loaded, NULL));
    assert_true(segue_learner_version(one) > version); /* tasks opened later have the new types */
    are_same(one, two);
    are_same(one, loaded);
    play_tasks(one, 40, 60);
    play_tasks(two, 40, 60);
    are_same(one, two);
    segue_learner_destroy(one);
    segue_learner_destroy(two);
    segue_learner_destroy(loaded);
}

static void an_open_refit_refuses_it(void **state)
{
    (void)state;
    segue_learner *learner = learner_of("tla", true);
    segue_error err;
    play_tasks(learner, 0, 9);
    segue_refit *refit = begin(learner);
    says(segue_learner_refit_fully(learner, &err), &err, "a refit is open");
    run_and_publish(learner, refit);
    play_tasks(learner, 9, 18);
    assert_true(segue_learner_refit_due(learner));
    assert_ok(segue_learner_refit_fully(learner, NULL));
    assert_false(segue_learner_refit_due(learner));
    segue_learner_destroy(learner);
}

/* Tasks that are open meanwhile go on as they began, and count when they close. */
static void open_tasks_go_on(void **state)
{
    (void)state;
    segue_learner *learner = learner_of("tla", false);
    play_tasks(learner, 0, 20);
    segue_task *task = open_a_task(learner);
    play(task, 0, 20, STEPS / 2);
    assert_ok(segue_learner_refit_fully(learner, NULL));
    play(task, 0, 21, STEPS / 2);
    assert_ok(segue_learner_close_task(learner, &task, NULL));
    assert_int_equal(segue_learner_info(learner).closed, 21);
    segue_learner_destroy(learner);
}

static void a_refit_that_is_stopped_changes_nothing(void **state)
{
    (void)state;
    const atomic_bool stop = true;
    segue_error err;
    segue_learner *learner = learner_of_log("tla", 3, 60);
    segue_learner *same = load(learner);
    assert_int_equal(segue_learner_refit_until(learner, &stop, &err), SEGUE_ESTOPPED);
    are_same(learner, same);
    segue_learner_destroy(same);
    segue_learner_destroy(learner);
}

static void other_methods_and_empty_learners_do_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {"tucb", "ts-prior", "ts", "dp-ts"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        segue_learner *learner = learner_of(texts[i], false);
        play_tasks(learner, 0, 12);
        segue_learner *same = load(learner);
        assert_ok(segue_learner_refit_fully(learner, NULL));
        are_same(learner, same);
        segue_learner_destroy(same);
        segue_learner_destroy(learner);
    }
    segue_learner *empty = learner_of("tla", false);
    assert_ok(segue_learner_refit_fully(empty, NULL));
    assert_int_equal(segue_learner_info(empty).n_types, 0);
    play_tasks(empty, 0, 20);
    assert_true(segue_learner_info(empty).n_types >= 2);
    segue_learner_destroy(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clear_types_are_found_for_nearly_all_seeds),
        cmocka_unit_test(the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(an_open_refit_refuses_it),
        cmocka_unit_test(open_tasks_go_on),
        cmocka_unit_test(a_refit_that_is_stopped_changes_nothing),
        cmocka_unit_test(other_methods_and_empty_learners_do_nothing),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
