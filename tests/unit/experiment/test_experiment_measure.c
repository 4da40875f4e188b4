/* test_experiment_measure.c - medians over runs, and quantities followed over tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "experiment/measure/measure.h"

/* ---- bands ------------------------------------------------------------------------------- */

/* The probability that the k-th smallest and k-th largest of n enclose the median: count all coin
 * tosses.
 */
static double coverage(size_t n, size_t k)
{
    double held = 0.0;
    for (size_t mask = 0; mask < (size_t)1 << n; mask++) {
        const size_t below = (size_t)__builtin_popcountll(mask);
        held += below >= k && n - below >= k;
    }
    return held / pow(2.0, (double)n);
}

static void the_band_of_a_median_holds_for_any_distribution(void **state)
{
    (void)state;
    double values[16];
    for (size_t n = 1; n <= 16; n++) {
        for (size_t i = 0; i < n; i++) /* 1 .. n, not in order */
            values[i] = (double)(i * 7 % n) + 1.0;
        if (n == 7 || n == 14)
            for (size_t i = 0; i < n; i++)
                values[i] = (double)(n - i);
        const segue_cell cell = {
            .runs = n, .tasks = 1, .every = 1, .n_points = 1, .track = {[1] = values}};
        const segue_median median = segue_cell_median(&cell, SEGUE_TRACK_COMPLEXITY, 0);
        const size_t k = (size_t)median.low;
        assert_near(median.middle, ((double)n + 1.0) / 2.0, 1e-12);
        assert_near(median.high, (double)(n + 1 - k), 1e-12);
        assert_true(k == 1 || coverage(n, k) >= 0.95);
        assert_true(k + 1 > n - k || coverage(n, k + 1) < 0.95);
    }
}

static void runs_without_a_number_are_excluded_from_a_median(void **state)
{
    (void)state;
    double values[] = {NAN, 3.0, NAN, 5.0};
    const segue_cell cell = {
        .runs = 4, .tasks = 1, .every = 1, .n_points = 1, .track = {[1] = values}};
    assert_near(segue_cell_median(&cell, SEGUE_TRACK_COMPLEXITY, 0).middle, 4.0, 1e-12);
    double none[] = {NAN, NAN};
    const segue_cell empty = {
        .runs = 2, .tasks = 1, .every = 1, .n_points = 1, .track = {[1] = none}};
    assert_true(isnan(segue_cell_median(&empty, SEGUE_TRACK_COMPLEXITY, 0).middle));
}

/* ---- measures ---------------------------------------------------------------------------- */

static double average_ucb(const segue_models *models)
{
    double sum = 0.0;
    for (size_t k = 0; k < models->n_models; k++) {
        segue_known_sets *sets = NULL;
        assert_ok(segue_known_sets_create(&sets, models, k, NULL));
        sum += models->weight[k] * segue_complexity_ucb(sets);
        segue_known_sets_destroy(sets);
    }
    return sum;
}

static double average_tucb(const segue_models *models, const segue_models *found, double eps)
{
    double sum = 0.0;
    for (size_t k = 0; k < models->n_models; k++) {
        segue_estimated_sets *sets = NULL;
        assert_ok(segue_estimated_sets_create(&sets, models, found, NULL, eps, k, NULL));
        sum += models->weight[k] * segue_complexity_tucb(sets);
        segue_estimated_sets_destroy(sets);
    }
    return sum;
}

/* Play tasks with a learner, and compare the points of its tracks with the learner itself. */
static void tracks_of_a_learner_equal_its_state(void **state)
{
    (void)state;
    enum { TASKS = 40, EVERY = 4, POINTS = TASKS / EVERY };
    segue_models *models = paper_models();
    segue_measure measure;
    double points[SEGUE_N_TRACKS * POINTS];
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    const segue_simulation sim = {
        .size = sizeof(segue_simulation), .environment = &env, .tasks = TASKS};
    assert_ok(segue_measure_init(&measure, SEGUE_TRACK_SET_MODELS, &sim, EVERY, NULL));
    assert_int_equal(segue_measure_size(&measure), 6 * POINTS);
    assert_ok(segue_measure_begin(&measure, 0, points, NULL));
    segue_learner_config config = segue_learner_defaults();
    config.method = "tucb";
    config.n_arms = 7;
    config.n_models = 5;
    config.horizon = 300;
    assert_ok(segue_learner_config_set(&config, "C", 0.05, NULL));
    segue_learner *learner = NULL;
    assert_ok(segue_learner_create(&learner, &config, NULL));
    segue_simulated_task *simulated = NULL;
    assert_ok(segue_simulated_task_create(&simulated, &env, NULL));
    double sum = 0.0, weights = 0.0;
    for (uint64_t j = 0; j < TASKS; j++) {
        segue_task *task = NULL;
        segue_simulated_task_begin(simulated, 3, 0, j, SEGUE_ANY_MODEL);
        assert_ok(segue_learner_open_task(learner, &task, NULL));
        const run_task played = {
            .number = j, .regret = segue_simulation_play(task, simulated, 300), .learner = learner};
        assert_ok(segue_learner_close_task(learner, &task, NULL));
        sum += played.regret;
        assert_ok(segue_measure_task(&measure, &played, j + 1 == TASKS, NULL));
        if ((j + 1) % EVERY != 0)
            continue;
        const size_t p = (size_t)(j / EVERY);
        const segue_models *found = segue_learner_models(learner);
        const double eps = segue_learner_info(learner).eps;
        assert_near(points[p], sum / EVERY, 1e-9);
        sum = 0.0;
        if (!found) {
            assert_near(points[POINTS + p], average_ucb(models), 1e-12);
            assert_true(isnan(points[2 * POINTS + p]));
            continue;
        }
        assert_near(points[POINTS + p], average_tucb(models, found, eps), 1e-12);
        assert_near(points[2 * POINTS + p], error_of(models, found, &weights), 1e-12);
        assert_near(points[3 * POINTS + p], eps, 0.0);
        assert_true(points[4 * POINTS + p] >= 0.0 && points[4 * POINTS + p] <= 5.0);
        /* a Euclidean norm is at least the largest entry, and at most sqrt(7) times it */
        assert_true(points[5 * POINTS + p] >= points[2 * POINTS + p]);
        assert_true(points[5 * POINTS + p] <= 2.6458 * points[2 * POINTS + p]);
    }
    segue_simulated_task_destroy(simulated);
    segue_learner_destroy(learner);
    segue_models_destroy(models);
}

static segue_status follow(void *context, const run_task *task, segue_error *err)
{
    return segue_measure_task(context, task, false, err);
}

/* Round robin does not adapt, so rewards and fresh rewards have the same distribution: both
 * estimates are near the truth, and they are not the same numbers.  Over 400 runs the error of
 * either has median 0.0095, and is 0.024 at most: 0.1 is a false alarm in far fewer than 1e-6. */
static void fresh_rewards_estimate_as_well_as_rewards_that_do_not_adapt(void **state)
{
    (void)state;
    enum { TASKS = 300, POINTS = 3 };
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_learner_config config = segue_learner_defaults();
    assert_ok(segue_learner_config_parse(&config, "tucb:identify=300,views=symmetric", NULL));
    config.n_models = 5;
    const segue_simulation sim = {.size = sizeof(segue_simulation),
                                  .environment = &env,
                                  .learner = &config,
                                  .steps = 2100,
                                  .tasks = TASKS,
                                  .runs = 1,
                                  .seed = 5,
                                  .threads = 1};
    segue_measure measure;
    double points[7 * POINTS];
    assert_ok(segue_measure_init(&measure, SEGUE_TRACK_SET_FRESH, &sim, TASKS / POINTS, NULL));
    assert_int_equal(segue_measure_size(&measure), 7 * POINTS);
    assert_ok(segue_measure_begin(&measure, 0, points, NULL));
    segue_runner *runner = NULL;
    run_totals totals;
    assert_ok(segue_runner_create(&runner, &sim, NULL));
    assert_ok(segue_runner_play(runner, 0, &totals, follow, &measure, NULL));
    const double error = points[3 * POINTS - 1], fresh = points[7 * POINTS - 1];
    assert_true(error < 0.1 && fresh < 0.1);
    assert_true(fabs(error - fresh) > 0.0);
    segue_measure_end(&measure);
    segue_runner_destroy(runner);
    segue_models_destroy(models);
}

static void types_are_counted_as_they_are_found(void **state)
{
    (void)state;
    enum { TASKS = 40, EVERY = 5, POINTS = TASKS / EVERY };
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_learner_config config = segue_learner_defaults();
    config.method = "tts";
    const segue_simulation sim = {.size = sizeof(segue_simulation),
                                  .environment = &env,
                                  .learner = &config,
                                  .steps = 200,
                                  .tasks = TASKS,
                                  .runs = 1,
                                  .threads = 1};
    segue_measure measure;
    double points[2 * POINTS];
    assert_ok(segue_measure_init(&measure, SEGUE_TRACK_SET_TYPES, &sim, EVERY, NULL));
    assert_int_equal(segue_measure_size(&measure), 2 * POINTS);
    assert_ok(segue_measure_begin(&measure, 0, points, NULL));
    segue_runner *runner = NULL;
    run_totals totals;
    assert_ok(segue_runner_create(&runner, &sim, NULL));
    assert_ok(segue_runner_play(runner, 0, &totals, follow, &measure, NULL));
    double sum = 0.0;
    for (size_t p = 0; p < POINTS; p++)
        sum += points[p] / POINTS;
    assert_near(sum, totals.regret, 1e-9);
    for (size_t p = 0; p < POINTS; p++) /* there are types from the first task on */
        assert_true(points[POINTS + p] >= 1.0 && points[POINTS + p] <= (double)(EVERY * (p + 1)));
    assert_near(points[2 * POINTS - 1], totals.n_types, 0.0);
    assert_true(totals.n_types >= 1.0);
    assert_true(totals.never_best > 0.0 && totals.never_best < 200.0);
    segue_runner_destroy(runner);
    segue_models_destroy(models);
}

/* Count the models that have a single possible best arm if their means are known to within eps.
 */
static size_t count_resolved(const segue_models *models, double eps)
{
    segue_estimated_sets *sets = NULL;
    size_t count = 0;
    assert_ok(segue_estimated_sets_create(&sets, models, models, NULL, eps, 0, NULL));
    for (size_t k = 0; k < models->n_models; k++) {
        size_t arms = 0;
        for (size_t i = 0; i < models->n_arms; i++)
            arms += sets->non_dominated[k * models->n_arms + i];
        count += arms == 1;
    }
    segue_estimated_sets_destroy(sets);
    return count;
}

/* The gaps to the best arm are .15, .14, .1, .255 and .05. */
static void models_are_resolved_when_eps_is_below_half_their_gap(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    assert_int_equal(count_resolved(models, 0.5), 0);
    assert_int_equal(count_resolved(models, 0.127), 1);
    assert_int_equal(count_resolved(models, 0.0745), 2);
    assert_int_equal(count_resolved(models, 0.0695), 3);
    assert_int_equal(count_resolved(models, 0.0495), 4);
    assert_int_equal(count_resolved(models, 0.0245), 5);
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_band_of_a_median_holds_for_any_distribution),
        cmocka_unit_test(runs_without_a_number_are_excluded_from_a_median),
        cmocka_unit_test(tracks_of_a_learner_equal_its_state),
        cmocka_unit_test(fresh_rewards_estimate_as_well_as_rewards_that_do_not_adapt),
        cmocka_unit_test(types_are_counted_as_they_are_found),
        cmocka_unit_test(models_are_resolved_when_eps_is_below_half_their_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
