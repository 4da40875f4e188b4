/* test_transfer.c - background refits and versions of the shared prior.
 * SPDX-License-Identifier: Apache-2.0 */
#include "transfer_fixture.h"

/* tucb: the same models, and the same trust in them; others have none. */
static void have_same_models(const segue_learner *a, const segue_learner *b)
{
    const segue_models *one = segue_learner_models(a), *two = segue_learner_models(b);
    assert_int_equal(one != NULL, two != NULL);
    assert_near(segue_learner_info(a).eps, segue_learner_info(b).eps, 0.0);
    for (size_t i = 0; one && i < one->n_models * one->n_arms; i++)
        assert_near(one->mean[i], two->mean[i], 0.0);
}

static void a_refit_published_at_once_is_the_plain_order(void **state)
{
    (void)state;
    static const char *const texts[] = {"tts", "tla", "tla:window=16", "tucb", "tucb:estimator=em"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        segue_learner *plain = learner_of(texts[i], false),
                      *background = learner_of(texts[i], true);
        size_t refits = 0;
        for (uint64_t j = 0; j < 60; j++) {
            segue_task *a = open_a_task(plain), *b = open_a_task(background);
            play(a, j % 2, j, STEPS);
            play(b, j % 2, j, STEPS);
            assert_memory_equal(segue_task_info(a).pulls, segue_task_info(b).pulls,
                                ARMS * sizeof(uint64_t));
            assert_ok(segue_learner_close_task(plain, &a, NULL));
            assert_ok(segue_learner_close_task(background, &b, NULL));
            assert_false(segue_learner_refit_due(plain));
            if (!segue_learner_refit_due(background))
                continue;
            run_and_publish(background, begin(background));
            refits++;
        }
        assert_true(refits >= 5); /* estimates at 8, 12, 16, 20, 26, ..., types more often */
        assert_int_equal(segue_learner_info(plain).n_types, segue_learner_info(background).n_types);
        assert_near(segue_learner_info(plain).no_type, segue_learner_info(background).no_type, 0.0);
        have_same_models(plain, background);
        segue_learner_destroy(plain);
        segue_learner_destroy(background);
    }
}

/* Tell tasks first .. last - 1 of the two types in turn, with as many rewards of every arm. */
static void tell_tasks(segue_learner *learner, uint64_t first, uint64_t last)
{
    for (uint64_t j = first; j < last; j++) {
        segue_task *task = open_a_task(learner);
        segue_rng rng;
        segue_rng_init(&rng, 93, 0, j, 0);
        for (size_t t = 0; t < STEPS; t++)
            tell(task, t % ARMS, segue_rng_uniform(&rng) < mean_of(j % 2, t % ARMS) ? 1.0 : 0.0);
        assert_ok(segue_learner_close_task(learner, &task, NULL));
    }
}

/* Tasks that are closed during a refit count as those that are closed after it. */
static void tasks_closed_meanwhile_are_learned_from(void **state)
{
    (void)state;
    segue_learner *learner = learner_of("tla", true), *after = learner_of("tla", true);
    tell_tasks(learner, 0, 20);
    tell_tasks(after, 0, 20);
    assert_true(segue_learner_info(learner).n_types >= 1); /* before any refit */
    segue_refit *refit = begin(learner);
    tell_tasks(learner, 20, 40);
    run_and_publish(learner, refit);
    run_and_publish(after, begin(after));
    tell_tasks(after, 20, 40);
    are_same(learner, after);
    assert_true(segue_learner_refit_due(learner)); /* the tasks have doubled meanwhile */
    segue_learner_destroy(learner);
    segue_learner_destroy(after);
}

static void *run_in_thread(void *refit)
{
    return segue_refit_run(refit, NULL) == SEGUE_OK ? refit : NULL;
}

/* A thread fits while tasks are opened, played and closed; the outcome is that of the same order
 * in one thread. */
static void a_thread_can_refit_while_tasks_go_on(void **state)
{
    segue_learner *threaded = learner_of(*state, true), *alone = learner_of(*state, true);
    uint64_t done = 12;
    play_tasks(threaded, 0, done);
    play_tasks(alone, 0, done);
    for (int round = 0; round < 4; round++, done += 30) {
        pthread_t thread;
        void *outcome = NULL;
        segue_refit *refit = begin(threaded), *other = begin(alone);
        assert_int_equal(pthread_create(&thread, NULL, run_in_thread, refit), 0);
        play_tasks(threaded, done, done + 30);
        assert_int_equal(pthread_join(thread, &outcome), 0);
        assert_non_null(outcome);
        assert_ok(segue_learner_refit_publish(threaded, &refit, NULL));
        play_tasks(alone, done, done + 30);
        run_and_publish(alone, other);
        are_same(threaded, alone);
    }
    segue_learner_destroy(threaded);
    segue_learner_destroy(alone);
}

static void refits_out_of_turn_are_refused(void **state)
{
    (void)state;
    segue_learner *learner = learner_of("tts", true), *other = learner_of("tts", true);
    segue_refit *refit = NULL, *second = NULL;
    segue_error err;
    says(segue_learner_refit_begin(learner, &refit, &err), &err, "no refit is due");
    assert_null(refit);
    play_tasks(learner, 0, 8);
    play_tasks(other, 0, 8);
    refit = begin(learner);
    says(segue_learner_refit_begin(learner, &second, &err), &err, "no refit is due");
    says(segue_learner_refit_publish(learner, &refit, &err), &err, "was not run");
    assert_ok(segue_refit_run(refit, NULL));
    says(segue_learner_refit_publish(other, &refit, &err), &err, "not of this learner");
    assert_non_null(refit);
    segue_refit_destroy(refit); /* given up: due again */
    assert_true(segue_learner_refit_due(learner));
    refit = begin(learner);
    assert_ok(segue_refit_run(refit, NULL));
    assert_ok(segue_learner_merge(learner, other, NULL));
    says(segue_learner_refit_publish(learner, &refit, &err), &err, "before it was merged");
    segue_refit_destroy(refit);
    segue_refit_destroy(NULL);
    refit = begin(other);
    segue_learner_destroy(other); /* the refit outlives it */
    assert_ok(segue_refit_run(refit, NULL));
    segue_refit_destroy(refit);
    segue_learner_destroy(learner);
}

static void ts_prior_needs_no_refits(void **state)
{
    (void)state;
    segue_learner *learner = learner_of("ts-prior", true);
    play_tasks(learner, 0, 30);
    assert_false(segue_learner_refit_due(learner));
    assert_true(segue_learner_version(learner) >= 20); /* it learns as tasks close */
    segue_learner_destroy(learner);
}

/* tucb: tasks that were closed since are the next estimate's; until then its age counts them. */
static void tucb_estimates_in_the_background(void **state)
{
    (void)state;
    segue_learner *learner = learner_of("tucb", true);
    play_tasks(learner, 0, 30);
    assert_int_equal(segue_learner_version(learner), 0);
    assert_null(segue_learner_models(learner));
    segue_refit *refit = begin(learner);
    play_tasks(learner, 30, 40);
    run_and_publish(learner, refit);
    assert_non_null(segue_learner_models(learner));
    const uint64_t late = segue_learner_info(learner).age;
    assert_in_range(late, 1, 10); /* tasks with fewer than three rewards of an arm are excluded */
    assert_true(segue_learner_refit_due(learner));
    run_and_publish(learner, begin(learner));
    assert_int_equal(segue_learner_info(learner).age, 0);
    assert_false(segue_learner_refit_due(learner));
    segue_learner_destroy(learner);
}

/* An open refit is not in the file: the loaded learner is due again, and goes its own way. */
static void a_learner_saved_during_a_refit_is_due_again(void **state)
{
    (void)state;
    segue_learner *learner = learner_of("tla", true);
    segue_error err;
    play_tasks(learner, 0, 10);
    segue_refit *refit = begin(learner);
    segue_learner *loaded = load(learner);
    assert_true(segue_learner_get_config(loaded)->background);
    assert_true(segue_learner_refit_due(loaded));
    assert_ok(segue_refit_run(refit, NULL));
    says(segue_learner_refit_publish(loaded, &refit, &err), &err, "not of this learner");
    run_and_publish(learner, refit);
    run_and_publish(loaded, begin(loaded));
    are_same(learner, loaded);
    segue_learner_destroy(learner);
    segue_learner_destroy(loaded);
}

static void versions_grow_with_the_shared_prior(void **state)
{
    (void)state;
    segue_learner *learner = learner_of("tts", true), *other = learner_of("tts", true);
    uint64_t version = 99;
    assert_int_equal(segue_learner_version(learner), 0); /* no types yet: no shared prior */
    segue_task *first = open_a_task(learner);
    play_tasks(learner, 0, 10);
    assert_int_equal(segue_learner_version(learner), 10); /* every closed task changes it */
    segue_task *task = open_a_task(learner);
    run_and_publish(learner, begin(learner));
    assert_int_equal(segue_learner_version(learner), 11);
    play_tasks(learner, 10, 13);
    assert_int_equal(segue_learner_version(learner), 14);
    assert_ok(segue_learner_task_version(learner, first, &version, NULL));
    assert_int_equal(version, 0);
    assert_ok(segue_learner_task_version(learner, task, &version, NULL));
    assert_int_equal(version, 10);
    segue_task *later = open_a_task(learner);
    assert_ok(segue_learner_task_version(learner, later, &version, NULL));
    assert_int_equal(version, 14);
    assert_int_equal(segue_learner_task_version(other, later, &version, NULL), SEGUE_EDOMAIN);
    segue_learner *loaded = load(learner);
    assert_int_equal(segue_learner_version(loaded), 14);
    assert_ok(segue_learner_add_arm(learner, NULL));
    assert_int_equal(segue_learner_version(learner), 15);
    segue_learner_destroy(loaded);
    segue_learner_destroy(learner);
    segue_learner_destroy(other);
}

/* The weight of the types in which an arm is the best, of a task that is closed. */
static double weight_of_best(const segue_type_list *types, const segue_type_posterior *posterior,
                             size_t arm)
{
    double weight = 0.0;
    for (size_t n = 0; n < types->n_types; n++) {
        const double *mean = types->mean + n * ARMS;
        bool is_best = true;
        for (size_t i = 0; i < ARMS; i++)
            is_best = is_best && mean[i] <= mean[arm];
        weight += is_best ? posterior->weight[n + 1] : 0.0;
    }
    return weight;
}

/* There may be more types than the two, but they agree on the best arm. */
static void a_closed_task_is_remembered_for_what_it_was(void **state)
{
    (void)state;
    segue_learner *learner = learner_of("tla", false), *tucb = learner_of("tucb", false);
    segue_type_posterior posterior;
    segue_explanation why;
    segue_type_list types;
    assert_false(segue_learner_last_posterior(learner, &posterior));
    play_tasks(learner, 0, 40);
    assert_ok(segue_learner_types(learner, &types, NULL));
    segue_task *task = open_a_task(learner);
    play(task, 1, 500, STEPS);
    assert_ok(segue_learner_explain(learner, task, &why, NULL));
    const uint64_t version = segue_learner_version(learner);
    assert_ok(segue_learner_close_task(learner, &task, NULL));
    assert_true(segue_learner_last_posterior(learner, &posterior));
    assert_int_equal(posterior.version, version);
    assert_in_range(posterior.n_types, 2, 40);
    assert_int_equal(posterior.n_types, types.n_types);
    assert_int_equal(posterior.n_types, why.n_types);
    assert_memory_equal(posterior.weight, why.weight, (1 + why.n_types) * sizeof(double));
    assert_true(weight_of_best(&types, &posterior, 1) > 0.9);
    segue_type_list_fini(&types);
    segue_learner *loaded = load(learner);
    assert_false(segue_learner_last_posterior(loaded, &posterior));
    play_tasks(tucb, 0, 3);
    assert_false(segue_learner_last_posterior(tucb, &posterior));
    segue_learner_destroy(loaded);
    segue_learner_destroy(learner);
    segue_learner_destroy(tucb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refit_published_at_once_is_the_plain_order),
        cmocka_unit_test(tasks_closed_meanwhile_are_learned_from),
        cmocka_unit_test_prestate(a_thread_can_refit_while_tasks_go_on, "tla"),
        cmocka_unit_test_prestate(a_thread_can_refit_while_tasks_go_on, "tucb"),
        cmocka_unit_test_prestate(a_thread_can_refit_while_tasks_go_on, "tucb:estimator=em"),
        cmocka_unit_test(refits_out_of_turn_are_refused),
        cmocka_unit_test(ts_prior_needs_no_refits),
        cmocka_unit_test(tucb_estimates_in_the_background),
        cmocka_unit_test(a_learner_saved_during_a_refit_is_due_again),
        cmocka_unit_test(versions_grow_with_the_shared_prior),
        cmocka_unit_test(a_closed_task_is_remembered_for_what_it_was),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
