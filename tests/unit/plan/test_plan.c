/* test_plan.c - gains and power of a plan on runs with known gains, and a plan as a whole.
 *
 * Tests of coverage state their false-alarm rate: the number of intervals that cover is binomial,
 * and the bound lies five standard deviations below its mean at the least coverage that is allowed,
 * so a false alarm happens once in 3 million.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan_fixture.h"

#define SHARE_10 2 /* the share of 10 % among those of a plan */
#define SHARE_50 4

/* The smallest number of `trials` intervals that must cover if each does with probability `p`. */
static double min_covered(double trials, double p)
{
    return trials * p - 5.0 * sqrt(trials * p * (1.0 - p));
}

static bool covers(const segue_interval *x, double truth)
{
    return x->low <= truth && truth <= x->high;
}

/* ---- gains ------------------------------------------------------------------------------- */

/* The learner loses 1 in each of the first 20 tasks, and gains 1 in each of the others; a run is
 * better or worse as a whole, and each task has noise. */
static void fill_gains(plan_runs *runs, uint64_t seed)
{
    for (uint64_t run = 0; run < runs->runs; run++) {
        segue_rng rng;
        segue_rng_init(&rng, seed, run, 0, 0);
        const double luck = draw_near(&rng, 0.0, 0.3);
        for (uint64_t task = 0; task < runs->tasks; task++)
            runs->regret[SEGUE_PLAN_TS][run * runs->tasks + task] =
                draw_near(&rng, (task < 20 ? -1.0 : 1.0) + luck, 1.0);
    }
}

static void gains_are_sums_over_the_tasks_of_a_run(void **state)
{
    (void)state;
    enum { RUNS = 3, TASKS = 60 };
    plan_runs runs = make_runs(RUNS, TASKS);
    double total[RUNS];
    segue_plan_gain gain;
    for (size_t run = 0; run < RUNS; run++)
        for (size_t task = 0; task < TASKS; task++) /* gains of the runs: 0.75, 1 and 1.25 */
            runs.regret[SEGUE_PLAN_LA][run * TASKS + task] =
                (task < 20 ? -1.0 : 1.0) * (0.75 + 0.25 * (double)run);
    segue_plan_gain_over(&gain, &runs, SEGUE_PLAN_LA, total);
    assert_near(gain.per_task.value, 1.0, 1e-12);
    assert_near(gain.per_task.high - 1.0, 4.302652729911275 * 0.25 / sqrt(3.0), 1e-9);
    assert_near(gain.pays_from.value, 41.0, 0.0); /* the total is 0 after 40 tasks */
    assert_near(segue_plan_gain_total(&runs, SEGUE_PLAN_LA, 30).value, -10.0, 1e-12);
    /* After the last simulated task the gain per task stays. */
    assert_near(segue_plan_gain_total(&runs, SEGUE_PLAN_LA, 1060).value, 1020.0, 1e-9);
    segue_plan_play_fini(&runs);
}

static void a_learner_that_is_never_ahead_does_not_pay(void **state)
{
    (void)state;
    plan_runs runs = make_runs(4, 30);
    double total[4];
    segue_plan_gain gain;
    for (size_t i = 0; i < 4 * 30; i++)
        runs.regret[SEGUE_PLAN_LEARNER][i] = 1.0 + 0.01 * (double)(i % 4);
    segue_plan_gain_over(&gain, &runs, SEGUE_PLAN_TS, total);
    assert_true(isnan(gain.pays_from.value));
    assert_true(isinf(gain.pays_from.high));
    assert_true(gain.per_task.high < 0.0);
    segue_plan_play_fini(&runs);
}

/* 300 plans of 12 runs.  Student's intervals cover in 95 %; that of the first task is checked
 * against 90 %, since it is read off a whole curve. */
static void intervals_of_gains_cover(void **state)
{
    (void)state;
    enum { PLANS = 300, RUNS = 12, TASKS = 80 };
    plan_runs runs = make_runs(RUNS, TASKS);
    double total[RUNS], in_total = 0.0, in_later = 0.0, in_rate = 0.0, in_from = 0.0;
    for (uint64_t plan = 0; plan < PLANS; plan++) {
        segue_plan_gain gain;
        fill_gains(&runs, 100 + plan);
        segue_plan_gain_over(&gain, &runs, SEGUE_PLAN_TS, total);
        const segue_interval now = segue_plan_gain_total(&runs, SEGUE_PLAN_TS, 50);
        const segue_interval later = segue_plan_gain_total(&runs, SEGUE_PLAN_TS, 1000);
        in_total += covers(&now, 10.0);
        in_later += covers(&later, 960.0);
        in_rate += covers(&gain.per_task, 1.0);
        in_from += covers(&gain.pays_from, 41.0);
    }
    assert_true(in_total >= min_covered(PLANS, 0.95));
    assert_true(in_later >= min_covered(PLANS, 0.95));
    assert_true(in_rate >= min_covered(PLANS, 0.95));
    assert_true(in_from >= min_covered(PLANS, 0.90));
    segue_plan_play_fini(&runs);
}

/* ---- power ------------------------------------------------------------------------------- */

#define DEVIATION 0.1 /* of a task's reward */

/* Rewards of tasks: 0.5 without transfer, and `gain` more with it, from the first task on. */
static void fill_rewards(plan_runs *runs, double gain, uint64_t seed)
{
    segue_rng rng;
    segue_rng_init(&rng, seed, 0, 0, 0);
    for (uint64_t i = 0; i < runs->runs * runs->tasks; i++) {
        runs->reward[SEGUE_PLAN_TS][i] = draw_near(&rng, 0.5, DEVIATION);
        runs->reward[SEGUE_PLAN_LEARNER][i] = draw_near(&rng, 0.5 + gain, DEVIATION);
        runs->regret[SEGUE_PLAN_TS][i] = draw_near(&rng, gain, 0.5 * DEVIATION);
    }
}

static segue_plan_config config_of(uint64_t max_tasks, uint64_t seed)
{
    return (segue_plan_config){
        .range = 1.0, .steps = 1, .max_tasks = max_tasks, .seed = seed, .threads = 1};
}

static plan_crossings find_crossings(const plan_runs *runs, uint64_t max_tasks, uint64_t seed)
{
    const segue_plan_config config = config_of(max_tasks, seed);
    plan_crossings out;
    assert_ok(segue_plan_power_find(&out, runs, &config, NULL));
    return out;
}

/* A confidence sequence excludes 0 from below in at most 2.5 %, at whatever time. */
static void nothing_is_shown_where_nothing_is_gained(void **state)
{
    (void)state;
    enum { RUNS = 400 };
    plan_runs runs = make_runs(RUNS, 300);
    fill_rewards(&runs, 0.0, 1);
    const segue_plan_config config = config_of(300, 1); /* none is redrawn */
    plan_crossings found;
    assert_ok(segue_plan_power_find(&found, &runs, &config, NULL));
    const double max_shown = RUNS * 0.025 + 5.0 * sqrt(RUNS * 0.025 * 0.975);
    for (size_t share = 0; share < SEGUE_N_PLAN_SHARES; share++)
        assert_true(segue_plan_power_at(&found, share, 300).value * RUNS <= max_shown);
    segue_plan_power_fini(&found);
    segue_plan_play_fini(&runs);
}

/* The number of tasks at which the boundary, for known variances, equals the gain: docs/math.md,
 * "The effect of transfer".  Half of the experiments are over it by then, roughly. */
static double tasks_at_boundary(double gain, double control)
{
    for (double tasks = 10.0;; tasks += 1.0) {
        const double size = tasks * control * (1.0 - control);
        const double z2 = (1.0 + 25.0 / size) * log((1.0 + size / 25.0) / (0.05 * 0.05));
        if (gain >= DEVIATION * sqrt(z2 / size))
            return tasks;
    }
}

static void half_of_the_experiments_are_done_where_the_boundary_is_the_gain(void **state)
{
    (void)state;
    enum { RUNS = 400 };
    plan_runs runs = make_runs(RUNS, 40);
    fill_rewards(&runs, 0.04, 2);
    const plan_crossings found = find_crossings(&runs, 2000, 2);
    for (size_t share = SHARE_10; share <= SHARE_50; share++) {
        const double median = found.task[share][PLAN_LEVEL_VALUE][RUNS / 2];
        const double expected = tasks_at_boundary(0.04, segue_plan_control_share(share));
        assert_true(median > 0.75 * expected && median < 1.2 * expected);
    }
    plan_crossings copy = found;
    segue_plan_power_fini(&copy);
    segue_plan_play_fini(&runs);
}

/* Truth: 4,000 runs, with rewards of their own.  200 plans of 50 runs and 40 tasks each: power and
 * tasks are redrawn from 1,000 tasks, whose mean is uncertain.  Wilson's interval covers in 93 % or
 * more at this power; the bound is for 90 %. */
static void intervals_of_power_cover(void **state)
{
    (void)state;
    enum { RUNS = 50, TASKS = 40, TRUTH = 4000 };
    const int plans = repeats(200);
    plan_runs large = make_runs(TRUTH, TASKS), runs = make_runs(RUNS, TASKS);
    double in_power = 0.0, in_tasks = 0.0;
    fill_rewards(&large, 0.05, 3);
    plan_crossings found = find_crossings(&large, 1000, 3);
    const double tasks = segue_plan_power_tasks(&found, SHARE_50).value;
    segue_plan_power_fini(&found);
    for (int plan = 0; plan < plans; plan++) {
        fill_rewards(&runs, 0.05, 1000 + (uint64_t)plan);
        found = find_crossings(&runs, 1000, (uint64_t)plan);
        const segue_interval power = segue_plan_power_at(&found, SHARE_50, (uint64_t)tasks);
        const segue_interval needed = segue_plan_power_tasks(&found, SHARE_50);
        in_power += covers(&power, SEGUE_PLAN_POWER);
        in_tasks += covers(&needed, tasks);
        segue_plan_power_fini(&found);
    }
    assert_true(in_power >= min_covered(plans, 0.90));
    assert_true(in_tasks >= min_covered(plans, 0.90));
    segue_plan_play_fini(&large);
    segue_plan_play_fini(&runs);
}

/* ---- a plan ------------------------------------------------------------------------------ */

static double weight[] = {0.5, 0.5}, mean[] = {0.8, 0.2, 0.2, 0.2, 0.8, 0.2},
              concentration[] = {50, 50, 50, 50, 50, 50};

static const segue_population population = {.n_types = 2,
                                            .n_arms = 3,
                                            .weight = weight,
                                            .mean = mean,
                                            .concentration = concentration,
                                            .dispersion = 1.0};

static segue_plan_config small_plan(void)
{
    return (segue_plan_config){.population = &population,
                               .n_types = 2,
                               .n_populations = 1,
                               .range = 1.0,
                               .learner = "tla",
                               .steps = 12,
                               .max_tasks = 5000,
                               .simulated = 120,
                               .runs = 12,
                               .seed = 5,
                               .threads = 1};
}

static void drawn_tasks_have_the_means_and_the_spread_of_their_types(void **state)
{
    (void)state;
    segue_plan_config config = small_plan();
    segue_models *models = NULL;
    segue_stats first = {.count = 0}; /* of arm 0 in tasks of the first type */
    assert_ok(segue_plan_draw_models(&models, &config, 3, NULL));
    for (size_t k = 0; k < models->n_models; k++)
        if (segue_models_row(models, k)[0] > 0.5)
            segue_stats_add(&first, segue_models_row(models, k)[0]);
    /* Five standard errors: of a share of 1,000, of a mean, and of a variance. */
    const double variance = 0.8 * 0.2 / 51.0;
    assert_near((double)first.count, 500.0, 5.0 * sqrt(250.0));
    assert_near(first.mean, 0.8, 5.0 * sqrt(variance / 400.0));
    assert_near(segue_stats_variance(&first), variance, 5.0 * variance * sqrt(3.0 / 400.0));
    segue_models_destroy(models);
}

/* Rewards of ts are at most those of the best arm; the gain is at most the regret of ts. */
static void a_plan_is_consistent(void **state)
{
    (void)state;
    const segue_plan_config config = small_plan();
    segue_plan_result result;
    assert_ok(segue_plan_compute(&result, &config, NULL));
    assert_true(result.ts_reward > 0.2 * 12 && result.ts_reward < 0.8 * 12);
    assert_true(result.gain[SEGUE_PLAN_TS].per_task.low > 0.0);
    assert_true(result.gain[SEGUE_PLAN_TS].per_task.value < 0.8 * 12 - result.ts_reward);
    assert_true(result.gain[SEGUE_PLAN_TS].pays_from.value < 60.0);
    assert_true(result.recommended <= result.fastest && result.fastest < SEGUE_N_PLAN_SHARES);
    for (size_t i = 1; i < result.n_rows; i++) {
        assert_true(result.row[i].tasks > result.row[i - 1].tasks);
        for (size_t share = 0; share < SEGUE_N_PLAN_SHARES; share++)
            assert_true(result.row[i].power[share].value >= result.row[i - 1].power[share].value);
    }
    assert_non_null(strstr(result.text, "With 3 arms, 12 steps per task and 2 types"));
}

static void a_plan_does_not_depend_on_threads(void **state)
{
    (void)state;
    segue_plan_config config = small_plan();
    segue_plan_result one, three;
    memset(&one, 0, sizeof one);
    memset(&three, 0, sizeof three);
    assert_ok(segue_plan_compute(&one, &config, NULL));
    config.threads = 3;
    assert_ok(segue_plan_compute(&three, &config, NULL));
    assert_string_equal(one.text, three.text);
    assert_memory_equal(one.row, three.row, one.n_rows * sizeof *one.row);
}

static void gains_are_in_units_of_reward(void **state)
{
    (void)state;
    segue_plan_config config = small_plan();
    segue_plan_result one, four;
    assert_ok(segue_plan_compute(&one, &config, NULL));
    config.range = 4.0;
    assert_ok(segue_plan_compute(&four, &config, NULL));
    assert_near(four.gain[SEGUE_PLAN_LA].per_task.value,
                4.0 * one.gain[SEGUE_PLAN_LA].per_task.value, 1e-9);
    assert_near(four.share[SHARE_50].tasks.value, one.share[SHARE_50].tasks.value, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gains_are_sums_over_the_tasks_of_a_run),
        cmocka_unit_test(a_learner_that_is_never_ahead_does_not_pay),
        cmocka_unit_test(intervals_of_gains_cover),
        cmocka_unit_test(nothing_is_shown_where_nothing_is_gained),
        cmocka_unit_test(half_of_the_experiments_are_done_where_the_boundary_is_the_gain),
        cmocka_unit_test(intervals_of_power_cover),
        cmocka_unit_test(drawn_tasks_have_the_means_and_the_spread_of_their_types),
        cmocka_unit_test(a_plan_is_consistent),
        cmocka_unit_test(a_plan_does_not_depend_on_threads),
        cmocka_unit_test(gains_are_in_units_of_reward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
