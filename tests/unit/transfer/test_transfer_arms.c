/* test_transfer_arms.c - arms added and retired, merged learners, extreme tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "transfer_fixture.h"

/* the first two learn types */
static const char *const methods[] = {"tts",     "tla",   "ts-prior", "ada-ts",
                                      "hier-ts", "dp-ts", "club",     "v-ids"};
enum { N_METHODS = sizeof methods / sizeof *methods };

/* The share of pulls of the added arm in 16 tasks, which stay open. */
static double share_of_added_arm(segue_learner *learner)
{
    double pulls = 0.0;
    for (uint64_t j = 0; j < 16; j++) {
        segue_task *task = open_a_task(learner);
        play(task, j % 2, 2000 + j, STEPS);
        pulls += (double)segue_task_info(task).pulls[ARMS];
    }
    return pulls / (16.0 * STEPS);
}

/* A fourth arm, better than all: it is found, and tasks that were open have never heard of it. */
static void an_added_arm_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_METHODS; i++) {
        segue_learner *learner = learner_of(methods[i], false);
        play_tasks(learner, 0, 30);
        segue_task *before = open_a_task(learner);
        assert_ok(segue_learner_add_arm(learner, NULL));
        assert_int_equal(segue_learner_get_config(learner)->n_arms, ARMS + 1);
        play_tasks(learner, 30, 90);
        play(before, 0, 1000, STEPS);
        assert_int_equal(segue_task_tell(before, ARMS, 1.0, NULL), SEGUE_EDOMAIN);
        assert_ok(segue_learner_close_task(learner, &before, NULL));
        segue_learner *loaded = load(learner);
        segue_task *task = open_a_task(learner), *same = open_a_task(loaded);
        play(task, 0, 1001, STEPS);
        play(same, 0, 1001, STEPS);
        assert_memory_equal(segue_task_info(task).pulls, segue_task_info(same).pulls,
                            (ARMS + 1) * sizeof(uint64_t));
        assert_true(share_of_added_arm(learner) > 1.0 / 3.0);
        segue_learner_destroy(learner);
        segue_learner_destroy(loaded);
    }
}

/* Before there is anything to teach, and while a refit is open. */
static void arms_are_added_at_any_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_METHODS; i++) {
        segue_learner *learner = learner_of(methods[i], false);
        assert_ok(segue_learner_add_arm(learner, NULL));
        play_tasks(learner, 0, 12);
        segue_learner_destroy(learner);
    }
    segue_learner *learner = learner_of("tla", true), *same = learner_of("tla", true);
    play_tasks(learner, 0, 10);
    play_tasks(same, 0, 10);
    segue_refit *refit = begin(learner);
    assert_ok(segue_learner_add_arm(learner, NULL));
    play_tasks(learner, 10, 12);
    run_and_publish(learner, refit);
    refit = begin(same);
    assert_ok(segue_refit_run(refit, NULL));
    assert_ok(segue_learner_add_arm(same, NULL));
    play_tasks(same, 10, 12);
    assert_ok(segue_learner_refit_publish(same, &refit, NULL));
    are_same(learner, same);
    play_tasks(learner, 12, 40);
    segue_learner_destroy(learner);
    segue_learner_destroy(same);
}

static void a_retired_arm_is_never_pulled(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_METHODS; i++) {
        segue_learner *learner = learner_of(methods[i], false);
        play_tasks(learner, 0, 20);
        segue_task *before = open_a_task(learner);
        assert_ok(segue_learner_retire_arm(learner, 0, NULL));
        assert_ok(segue_learner_retire_arm(learner, 0, NULL)); /* already */
        assert_true(segue_learner_is_retired(learner, 0));
        assert_false(segue_learner_is_retired(learner, 1));
        segue_learner *loaded = load(learner);
        assert_true(segue_learner_is_retired(loaded, 0));
        segue_task *task = NULL;
        for (uint64_t j = 20; j < 60; j++) {
            task = open_a_task(learner);
            segue_task *same = open_a_task(loaded);
            play(task, j % 2, j, STEPS);
            play(same, j % 2, j, STEPS);
            assert_int_equal(segue_task_info(task).pulls[0], 0);
            assert_memory_equal(segue_task_info(task).pulls, segue_task_info(same).pulls,
                                ARMS * sizeof(uint64_t));
            assert_ok(segue_learner_close_task(learner, &task, NULL));
            assert_ok(segue_learner_close_task(loaded, &same, NULL));
        }
        for (int t = 0; t < 20; t++) /* it was open before: the arm is good, and pulled */
            tell(before, segue_task_ask(before), segue_task_info(before).pulls[0] > 0 ? 1.0 : 0.5);
        play(before, 0, 1000, STEPS);
        assert_true(segue_task_info(before).pulls[0] > 0);
        task = open_a_task(learner);
        tell(task, 0, 1.0); /* somebody pulled it all the same */
        segue_learner_destroy(learner);
        segue_learner_destroy(loaded);
    }
}

static void one_arm_is_left(void **state)
{
    (void)state;
    segue_error err;
    segue_learner *learner = learner_of("tla", false);
    says(segue_learner_retire_arm(learner, ARMS, &err), &err, "there is no arm 3");
    assert_ok(segue_learner_retire_arm(learner, 2, NULL));
    assert_ok(segue_learner_retire_arm(learner, 0, NULL));
    says(segue_learner_retire_arm(learner, 1, &err), &err, "arm 1 is the last one");
    play_tasks(learner, 0, 20);
    assert_ok(segue_learner_add_arm(learner, NULL)); /* behind retired ones */
    assert_false(segue_learner_is_retired(learner, ARMS));
    assert_ok(segue_learner_retire_arm(learner, 1, NULL));
    segue_task *task = open_a_task(learner);
    assert_int_equal(segue_task_ask(task), ARMS);
    segue_learner_destroy(learner);
}

static void tucb_keeps_its_arms(void **state)
{
    (void)state;
    segue_error err;
    segue_learner *learner = learner_of("tucb", false);
    says(segue_learner_add_arm(learner, &err), &err, "tucb cannot take another arm");
    says(segue_learner_retire_arm(learner, 0, &err), &err, "tasks that pulled every arm");
    segue_learner_destroy(learner);
}

/* A learner that has seen tasks of one type only, with rewards of all arms.  If it chose the arms, it
 * would soon pull but the best one: two such learners have little that tells their types apart. */
static segue_learner *learner_of_type(const char *text, size_t type, uint64_t tasks)
{
    segue_learner *learner = learner_of(text, false);
    for (uint64_t j = 0; j < tasks; j++) {
        segue_task *task = open_a_task(learner);
        segue_rng rng;
        segue_rng_init(&rng, 94, type, j, 0);
        for (size_t t = 0; t < STEPS; t++)
            tell(task, t % ARMS, segue_rng_uniform(&rng) < mean_of(type, t % ARMS) ? 1.0 : 0.0);
        assert_ok(segue_learner_close_task(learner, &task, NULL));
    }
    return learner;
}

/* The share of types with about the means of a type of the fixture. */
static double share_of_type(const segue_learner *learner, size_t type)
{
    segue_type_list types;
    double share = 0.0;
    assert_ok(segue_learner_types(learner, &types, NULL));
    for (size_t n = 0; n < types.n_types; n++) {
        bool is_near = true;
        for (size_t i = 0; i < ARMS; i++)
            is_near = is_near && fabs(types.mean[n * ARMS + i] - mean_of(type, i)) < 0.1;
        share += is_near ? types.weight[n] : 0.0;
    }
    segue_type_list_fini(&types);
    return share;
}

/* Means of 30 tasks with 13 rewards of an arm each have a standard error of at most 0.023: 0.1 is
 * more than four of them, so that of 12 means one is farther off with probability 8e-4 at most, and
 * the seeds are fixed.  Likelihoods of a task under the two types differ by a factor of about
 * exp(45), so that no task is given to the wrong one. */
static void merged_learners_know_what_both_knew(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        segue_learner *one = learner_of_type(methods[i], 0, 30),
                      *two = learner_of_type(methods[i], 1, 40);
        segue_task *open = open_a_task(two);
        const uint64_t version = segue_learner_version(one);
        assert_near(share_of_type(one, 1) + share_of_type(two, 0), 0.0, 0.0);
        assert_ok(segue_learner_merge(one, two, NULL));
        assert_true(segue_learner_info(one).n_types >= 2);
        assert_true(share_of_type(one, 0) > 0.2 && share_of_type(one, 1) > 0.2);
        assert_int_equal(segue_learner_info(one).opened, 70);
        assert_int_equal(segue_learner_info(one).closed, 70);
        assert_int_equal(segue_learner_version(one), version + 1);
        assert_int_equal(segue_learner_info(two).opened, 41);
        play(open, 1, 1000, STEPS);
        assert_ok(segue_learner_close_task(two, &open, NULL));
        play_tasks(one, 100, 130);
        segue_learner_destroy(one);
        segue_learner_destroy(two);
    }
}

/* Sums over tasks are equal for one learner and for two that are merged. */
static void sums_of_merged_learners_add_up(void **state)
{
    (void)state;
    segue_learner *all = learner_of("tucb:identify=1000", false);
    segue_learner *one = learner_of("tucb:identify=1000", false);
    segue_learner *two = learner_of("tucb:identify=1000", false);
    play_tasks(all, 0, 120);
    play_tasks(one, 0, 60);
    play_tasks(two, 60, 120);
    assert_ok(segue_learner_merge(one, two, NULL));
    const segue_models *a = segue_learner_models(all), *b = segue_learner_models(one);
    assert_non_null(a);
    assert_non_null(b);
    double weights;
    assert_near(error_of(a, b, &weights), 0.0, 1e-6); /* where the power method starts differs */
    assert_int_equal(segue_learner_info(one).age, 0);
    assert_near(segue_learner_info(one).eps, segue_learner_info(all).eps, 1e-12);
    segue_type_list found;
    assert_ok(segue_learner_types(one, &found, NULL));
    for (size_t k = 0; k < found.n_types * found.n_arms; k++) /* for people: what can be */
        assert_true(found.mean[k] >= 0.0 && found.mean[k] <= 1.0);
    segue_type_list_fini(&found);
    play_tasks(one, 200, 210);
    segue_learner_destroy(all);
    segue_learner_destroy(one);
    segue_learner_destroy(two);

    one = learner_of("tucb:C=0.5", false);
    two = learner_of("tucb:C=50", false);
    play_tasks(two, 0, 5);
    assert_ok(segue_learner_merge(one, two, NULL));
    assert_near(segue_learner_info(one).c, 0.5, 0.0); /* as it was told */
    segue_learner_destroy(one);
    segue_learner_destroy(two);

    one = learner_of_type("ts-prior", 0, 30);
    two = learner_of_type("ts-prior", 1, 30);
    assert_ok(segue_learner_merge(one, two, NULL));
    segue_task *task = open_a_task(one);
    bool exact = true;
    double alone[ARMS], merged[ARMS];
    assert_ok(segue_task_probabilities(task, NULL, 4000, merged, &exact, NULL));
    task = open_a_task(two);
    assert_ok(segue_task_probabilities(task, NULL, 4000, alone, &exact, NULL));
    assert_true(alone[1] > 0.9);                     /* it knew but one good arm ... */
    assert_true(merged[0] > 0.2 && merged[1] > 0.2); /* ... and there are two */
    segue_learner_destroy(one);
    segue_learner_destroy(two);
}

/* Tasks with a mean of .2 or .8, seen in two rewards of .1 less and .1 more.  E m^2 is estimated by
 * the average of m^2 - .01, .33; the mean is .5; so kappa = .25 / (.33 - .25) - 1 = 2.125. */
static void a_prior_is_right_of_rewards_between_0_and_1(void **state)
{
    (void)state;
    segue_learner *learner = learner_of("ts-prior", false);
    for (size_t j = 0; j < 40; j++) {
        segue_task *task = open_a_task(learner);
        for (size_t arm = 0; arm < ARMS; arm++) {
            const double m = (j + arm) % 2 == 0 ? 0.2 : 0.8;
            tell(task, arm, m - 0.1);
            tell(task, arm, m + 0.1);
        }
        assert_ok(segue_learner_close_task(learner, &task, NULL));
    }
    for (size_t arm = 0; arm < ARMS; arm++) {
        assert_near(learner->current->prior.a[arm], 0.5 * 2.125, 1e-9);
        assert_near(learner->current->prior.b[arm], 0.5 * 2.125, 1e-9);
    }
    segue_learner_destroy(learner);
}

static void what_does_not_go_together_is_not_merged(void **state)
{
    (void)state;
    segue_error err;
    segue_learner *tts = learner_of("tts", false), *tla = learner_of("tla", false);
    says(segue_learner_merge(tts, tts, &err), &err, "with itself");
    says(segue_learner_merge(tts, tla, &err), &err, "tts cannot take over what tla has learned");
    segue_learner *wide = learner_of("tts", false);
    assert_ok(segue_learner_add_arm(wide, NULL));
    says(segue_learner_merge(tts, wide, &err), &err, "of 3 and of 4 arms");
    segue_learner_config config = *segue_learner_get_config(tts);
    config.highest = 2.0;
    segue_learner *scaled = NULL;
    assert_ok(segue_learner_create(&scaled, &config, NULL));
    says(segue_learner_merge(tts, scaled, &err), &err, "from 0 to 1 and from 0 to 2");
    segue_learner *em = learner_of("tucb:estimator=em", false), *tucb = learner_of("tucb", false);
    segue_learner *symmetric = learner_of("tucb:views=symmetric", false);
    says(segue_learner_merge(tucb, em, &err), &err, "em cannot be merged");
    says(segue_learner_merge(tucb, symmetric, &err), &err,
         "another estimator, number of models, views");
    segue_learner *const all[] = {tts, tla, wide, scaled, em, tucb, symmetric};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        segue_learner_destroy(all[i]);
}

/* Rewards in [-1, 3], tasks of different lengths, three open at once: as with rewards in [0, 1]. */
static void any_range_any_length_any_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        segue_learner *plain = learner_of(methods[i], false), *scaled = NULL;
        segue_learner_config config = *segue_learner_get_config(plain);
        segue_task *a[3] = {NULL}, *b[3] = {NULL};
        segue_rng rng;
        segue_rng_init(&rng, 92, i, 0, 0);
        config.lowest = -1.0;
        config.highest = 3.0;
        assert_ok(segue_learner_create(&scaled, &config, NULL));
        for (int t = 0; t < repeats(20000); t++) {
            const size_t k = random_between(&rng, 0, 2);
            if (!a[k]) {
                a[k] = open_a_task(plain);
                b[k] = open_a_task(scaled);
            }
            const size_t arm = segue_task_ask(a[k]);
            const double reward = segue_rng_uniform(&rng) < mean_of(k % 2, arm) ? 1.0 : 0.25;
            assert_int_equal(segue_task_ask(b[k]), arm);
            tell(a[k], arm, reward);
            tell(b[k], arm, -1.0 + 4.0 * reward);
            if (segue_rng_uniform(&rng) < 0.04) { /* lengths from 1 on, 25 on average */
                assert_ok(segue_learner_close_task(plain, &a[k], NULL));
                assert_ok(segue_learner_close_task(scaled, &b[k], NULL));
            }
        }
        assert_int_equal(segue_learner_info(plain).n_types, segue_learner_info(scaled).n_types);
        assert_near(segue_learner_info(plain).no_type, segue_learner_info(scaled).no_type, 0.0);
        segue_learner_destroy(plain);
        segue_learner_destroy(scaled);
    }
}

/* Nothing that a learner says is NaN, infinite or out of range. */
static void is_sane(segue_learner *learner)
{
    const segue_learner_summary info = segue_learner_info(learner);
    segue_task *task = open_a_task(learner);
    segue_explanation why;
    double sum = 0.0, probability[ARMS];
    bool exact;
    assert_true(info.no_type >= 0.0 && info.no_type <= 1.0);
    assert_ok(segue_learner_explain(learner, task, &why, NULL));
    assert_true(isfinite(why.gain) && why.gain >= 0.0);
    for (size_t q = 0; q <= why.n_types; q++) {
        assert_true(why.weight[q] >= 0.0 && why.weight[q] <= 1.0);
        sum += why.weight[q];
    }
    assert_near(sum, 1.0, 1e-9);
    assert_ok(segue_task_probabilities(task, NULL, 10, probability, &exact, NULL));
    assert_near(probability[0] + probability[1] + probability[2], 1.0, 1e-12);
    play(task, 0, 7, STEPS);
    assert_ok(segue_learner_close_task(learner, &task, NULL));
    segue_learner_destroy(load(learner)); /* what cannot be is not loaded */
}

enum { ZEROS, ONES, ONE_BEST, ONE_PULLED, EMPTY, SINGLE, IDENTICAL, N_KINDS };

/* The rewards of a task of a kind. */
static void tell_kind(segue_task *task, int kind, uint64_t number)
{
    const int steps = kind == EMPTY ? 0 : kind == SINGLE ? 1 : 2 * ARMS;
    for (int t = 0; t < steps; t++) {
        const size_t arm = kind == ONE_PULLED ? 1 : (size_t)t % ARMS;
        const double reward = kind == ZEROS      ? 0.0
                              : kind == ONES     ? 1.0
                              : kind == ONE_BEST ? (arm == 2 ? 1.0 : 0.0)
                              : kind == SINGLE   ? (double)(number % 2)
                                                 : 0.5;
        tell(task, arm, reward);
    }
}

/* Learners of types get fewer tasks, since they refit to 512 tasks after every eighth: still, the
 * window slides, and all is drawn again hundreds of times. */
static void extreme_tasks_do_no_harm(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (int kind = 0; kind < N_KINDS; kind++) {
            segue_learner *learner = learner_of(methods[i], false);
            const int all = kind == IDENTICAL ? 100000 : 10000;
            const int count = repeats(i < 2 ? all / (kind == IDENTICAL ? 20 : 8) : all);
            for (int j = 0; j < count; j++) {
                segue_task *task = open_a_task(learner);
                tell_kind(task, kind, (uint64_t)j);
                assert_ok(segue_learner_close_task(learner, &task, NULL));
            }
            is_sane(learner);
            segue_learner_destroy(learner);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_added_arm_is_found),
        cmocka_unit_test(arms_are_added_at_any_time),
        cmocka_unit_test(a_retired_arm_is_never_pulled),
        cmocka_unit_test(one_arm_is_left),
        cmocka_unit_test(tucb_keeps_its_arms),
        cmocka_unit_test(merged_learners_know_what_both_knew),
        cmocka_unit_test(sums_of_merged_learners_add_up),
        cmocka_unit_test(what_does_not_go_together_is_not_merged),
        cmocka_unit_test(a_prior_is_right_of_rewards_between_0_and_1),
        cmocka_unit_test(any_range_any_length_any_order),
        cmocka_unit_test(extreme_tasks_do_no_harm),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
