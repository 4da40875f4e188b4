/* test_sim.c - reward families, environments, plays and simulations.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/parallel.h"
#include "sim/truncated_normal.h"
#include "support.h"

/* ---- reward families --------------------------------------------------------------------- */

/* The mean of the cut normal by Simpson's rule, in 4,000 steps over the part of [0, 1] that
 * carries the mass. */
static double simpson_mean(double location, double sd)
{
    const double mode = fmin(1.0, fmax(0.0, location));
    const double slope = fabs(location - mode) / (sd * sd); /* decay from the edge */
    const double reach = fmin(1.0, slope > 0 ? fmin(40.0 / slope, 12.0 * sd) : 12.0 * sd);
    const double low = fmax(0.0, mode - reach), high = fmin(1.0, mode + reach);
    double mass = 0, moment = 0;
    for (int i = 0; i <= 4000; i++) {
        const double x = low + (high - low) * i / 4000;
        const double z = (x - location) / sd, top = (mode - location) / sd;
        const double w = (i == 0 || i == 4000 ? 1
                          : i % 2             ? 4
                                              : 2) *
                         exp(0.5 * (mode - x) / sd * (top + z));
        mass += w;
        moment += w * x;
    }
    return moment / mass;
}

static void the_cut_normal_has_the_mean_asked_for(void **state)
{
    (void)state;
    const double sds[] = {0.001, 0.03, 0.1, 0.5, 2.0, 100.0};
    const double means[] = {1e-6, 0.001, 0.03, 0.2, 0.5, 0.725, 0.97, 0.9999};
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < 8; k++) {
            const double location = segue_truncated_normal_location(means[k], sds[i]);
            if (!(fabs(simpson_mean(location, sds[i]) / means[k] - 1.0) < 1e-6))
                fail_msg("mean %g, sd %g: location %g has mean %.12g", means[k], sds[i], location,
                         simpson_mean(location, sds[i]));
        }
}

/* The average of 200,000 rewards against the mean, in units of the standard error seen; |z| < 6.2
 * for 24 cases: false alarm 24 * 5.7e-10 (the rewards are bounded, so the normal law serves). */
static void every_family_pays_its_mean_within_bounds(void **state)
{
    (void)state;
    static const char *const laws[] = {"bernoulli",  "beta:0.5",   "beta:20",
                                       "normal:0.1", "normal:1.5", "twopoint:0.9"};
    const double mean[] = {0.02, 0.45, 0.725, 0.89};
    segue_models *models = models_of(4, 1, mean);
    for (size_t i = 0; i < 6; i++) {
        segue_environment env = {.models = models};
        assert_ok(segue_rewards_parse(&env.rewards, laws[i], NULL));
        segue_simulated_task *simulated = world_of(&env, 51, i, 0);
        for (size_t arm = 0; arm < 4; arm++) {
            segue_stats stats = {0};
            for (int t = 0; t < 200000; t++) {
                const double x = segue_simulated_task_reward(simulated, arm);
                assert_true(x >= 0.0 && x <= 1.0);
                segue_stats_add(&stats, x);
            }
            if (!(fabs(stats.mean - mean[arm]) < 6.2 * segue_stats_standard_error(&stats)))
                fail_msg("%s pays %g, not %g", laws[i], stats.mean, mean[arm]);
        }
        segue_simulated_task_destroy(simulated);
    }
    segue_models_destroy(models);
}

/* The whole law of the cut normal, by Kolmogorov-Smirnov against its distribution function, in the
 * three ways it is drawn: P(sqrt(n) D > 3) < 2 exp(-2 * 3^2) = 3e-8 each, five times. */
static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void the_cut_normal_has_its_law(void **state)
{
    (void)state;
    enum { N = 50000 };
    static double x[N];
    const double cases[][2] = {{0.4, 0.2}, {0.7, 1.5}, {-0.3, 0.25}, {1.4, 0.3}, {-20.0, 5.0}};
    for (size_t c = 0; c < 5; c++) {
        const double location = cases[c][0], sd = cases[c][1];
        segue_rng rng;
        segue_rng_init(&rng, 52, c, 0, 0);
        for (int i = 0; i < N; i++)
            x[i] = segue_truncated_normal_draw(&rng, location, sd);
        qsort(x, N, sizeof *x, ascending);
        const double low = erfc(location / sd / sqrt(2.0)); /* in the tail that keeps digits */
        const double high = erfc((location - 1.0) / sd / sqrt(2.0));
        double distance = 0;
        for (int i = 0; i < N; i++) {
            const double cdf = (erfc((location - x[i]) / sd / sqrt(2.0)) - low) / (high - low);
            distance = fmax(distance, fmax(cdf - (double)i / N, (i + 1.0) / N - cdf));
        }
        if (!(sqrt(N) * distance < 3.0))
            fail_msg("location %g, sd %g: sqrt(n) D = %g", location, sd, sqrt(N) * distance);
    }
}

static void a_sure_mean_pays_itself_in_every_family(void **state)
{
    (void)state;
    static const char *const laws[] = {"bernoulli", "beta:3", "normal:0.2", "twopoint:1"};
    const double mean[] = {0.0, 1.0};
    segue_models *models = models_of(2, 1, mean);
    for (size_t i = 0; i < 4; i++) {
        segue_environment env = {.models = models};
        assert_ok(segue_rewards_parse(&env.rewards, laws[i], NULL));
        segue_simulated_task *simulated = world_of(&env, 53, 0, 0);
        for (int t = 0; t < 200; t++) {
            assert_near(segue_simulated_task_reward(simulated, 0), 0.0, 0.0);
            assert_near(segue_simulated_task_reward(simulated, 1), 1.0, 0.0);
        }
        segue_simulated_task_destroy(simulated);
    }
    segue_models_destroy(models);
}

static void wrong_families_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"poisson",      "beta",  "bernoulli:3", "beta:0",
                                        "beta:x",       "beta:", "normal:0",    "normal:1e9",
                                        "twopoint:1.5", "",      "twopoint:-1", "betas:3"};
    segue_rewards rewards;
    segue_error err;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const segue_status status = segue_rewards_parse(&rewards, wrong[i], &err);
        if (segue_status_exit_code(status) != 2)
            fail_msg("'%s' was not refused", wrong[i]);
    }
}

/* ---- environments ------------------------------------------------------------------------ */

static void environments_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const double two[] = {0.1, 0.2};
    segue_models *other = models_of(2, 1, two);
    segue_models *astray = NULL; /* an estimated set */
    assert_ok(segue_models_create(&astray, SEGUE_MODELS_ESTIMATED, 2, 1, two, NULL, NULL));
    const segue_rewards half = {.family = SEGUE_TWOPOINT, .parameter = 0.5};
    const segue_environment wrong[] = {
        {.models = NULL},
        {.models = models, .uniform_arms = 3},
        {.uniform_arms = 1},
        {.uniform_arms = 3, .spread = 2.0},
        {.uniform_arms = 3, .mixed = 2.0},
        {.models = models, .spread = -1.0},
        {.models = models, .spread = NAN},
        {.models = models, .mixed = INFINITY},
        {.models = models, .mixed = 1.0, .spread = 1.0},
        {.models = models, .switch_at = 3},
        {.models = models, .switch_to = models},
        {.models = models, .switch_at = 3, .switch_to = other},
        {.models = models, .rewards = half},
        {.models = other, .rewards = half, .spread = 3.0},
        {.uniform_arms = 3, .rewards = half},
        {.models = models, .rewards = {.family = SEGUE_NORMAL}},
        {.models = models, .rewards = {.family = SEGUE_BETA, .parameter = NAN}},
        {.models = models, .rewards = {.family = (segue_family)77, .parameter = 1.0}},
        {.models = models, .spread = 1e-310},
        {.models = astray},
    };
    segue_error err;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (segue_status_exit_code(segue_environment_check(&wrong[i], &err)) != 2)
            fail_msg("environment %zu was not refused", i);
    segue_models_destroy(astray);
    segue_models_destroy(models);
    segue_models_destroy(other);
}

/* Models come by their weights: the counts of 50,000 draws, each binomial; |z| < 5.2 for 3:
 * false alarm below 7e-7. */
static void models_are_drawn_by_their_weights(void **state)
{
    (void)state;
    enum { N = 50000 };
    const double mean[] = {.1, .2, .3, .4, .5, .6, .7, .8}, weight[] = {0.5, 0.0, 0.2, 0.3};
    segue_models *models = NULL;
    assert_ok(segue_models_create(&models, SEGUE_MODELS_KNOWN, 2, 4, mean, weight, NULL));
    const segue_environment env = {.models = models};
    segue_simulated_task *simulated = world_of(&env, 54, 0, SEGUE_ANY_MODEL);
    double count[4] = {0};
    for (uint64_t task = 0; task < N; task++) {
        segue_simulated_task_begin(simulated, 54, 0, task, SEGUE_ANY_MODEL);
        count[segue_simulated_task_model(simulated)]++;
    }
    assert_near(count[1], 0.0, 0.0);
    for (size_t k = 0; k < 4; k++)
        assert_true(fabs(count[k] - N * weight[k]) <=
                    5.2 * sqrt(N * weight[k] * (1.0 - weight[k])));
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

/* Means drawn around a model have the Beta's mean and variance; a Dirichlet mixture has the
 * Dirichlet's.  30,000 draws, |z| < 5.2 on each of four: false alarm below 1e-6 (variances by
 * their own standard error, from bounded numbers). */
static void spread_and_mixture_have_their_moments(void **state)
{
    (void)state;
    enum { N = 30000 };
    const double mean[] = {0.3, 0.8, 1.0, 0.0};
    segue_models *models = models_of(2, 2, mean);
    /* Beta(6, 14): variance .3 * .7 / 21.  Mixture of arm 1: .3 + .7 s, s ~ Beta(2, 2). */
    const segue_environment envs[] = {{.models = models, .spread = 20.0},
                                      {.models = models, .mixed = 4.0}};
    const double expected[] = {0.3, 0.3 + 0.7 * 0.5}, variance[] = {.3 * .7 / 21, .49 * .25 / 5};
    for (size_t e = 0; e < 2; e++) {
        segue_simulated_task *simulated = world_of(&envs[e], 55, 0, 0);
        segue_stats stats = {0}, squares = {0};
        for (uint64_t task = 0; task < N; task++) {
            segue_simulated_task_begin(simulated, 55, 0, task, 0);
            const double x = segue_simulated_task_means(simulated)[0];
            segue_stats_add(&stats, x);
            segue_stats_add(&squares, (x - expected[e]) * (x - expected[e]));
        }
        assert_true(fabs(stats.mean - expected[e]) < 5.2 * segue_stats_standard_error(&stats));
        assert_true(fabs(squares.mean - variance[e]) < 5.2 * segue_stats_standard_error(&squares));
        segue_simulated_task_destroy(simulated);
    }
    segue_models_destroy(models);
}

static void sure_means_do_not_spread(void **state)
{
    (void)state;
    const double mean[] = {0.0, 1.0};
    segue_models *models = models_of(2, 1, mean);
    const segue_environment env = {.models = models, .spread = 2.0};
    segue_simulated_task *simulated = world_of(&env, 56, 0, 0);
    assert_near(segue_simulated_task_means(simulated)[0], 0.0, 0.0);
    assert_near(segue_simulated_task_means(simulated)[1], 1.0, 0.0);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

/* A task is a pure model unless two shares are above about 1e-3, which has probability
 * 1e-6 ln(1000) < 1e-5 at this concentration; three such tasks of a hundred: 2e-10. */
static void a_tiny_mixture_concentration_gives_pure_models(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.models = models, .mixed = 1e-6};
    segue_simulated_task *simulated = world_of(&env, 57, 0, SEGUE_ANY_MODEL);
    int impure = 0;
    for (uint64_t task = 0; task < 100; task++) {
        segue_simulated_task_begin(simulated, 57, 0, task, SEGUE_ANY_MODEL);
        double nearest = INFINITY;
        for (size_t k = 0; k < 5; k++)
            nearest = fmin(nearest, fabs(segue_simulated_task_means(simulated)[0] -
                                         segue_models_row(models, k)[0]));
        impure += nearest > 1e-3;
    }
    assert_true(impure <= 2);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

static void a_switch_brings_the_other_set(void **state)
{
    (void)state;
    const double first[] = {0.1, 0.2, 0.3, 0.4}, second[] = {0.9, 0.8};
    segue_models *a = models_of(2, 2, first), *b = models_of(2, 1, second);
    const segue_environment env = {.models = a, .switch_at = 5, .switch_to = b};
    segue_simulated_task *simulated = world_of(&env, 58, 0, SEGUE_ANY_MODEL);
    for (uint64_t task = 0; task < 10; task++) {
        segue_simulated_task_begin(simulated, 58, 0, task, SEGUE_ANY_MODEL);
        const bool after = task >= 4; /* task 5 is the fifth */
        assert_int_equal(segue_simulated_task_means(simulated)[0] == 0.9, after);
        assert_int_equal(segue_simulated_task_model(simulated) == 2, after);
    }
    assert_int_equal(segue_environment_models(&env), 3);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(a);
    segue_models_destroy(b);
}

/* ---- plays ------------------------------------------------------------------------------- */

static void regret_counts_the_gaps_of_the_pulls(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.models = models};
    segue_simulated_task *simulated = world_of(&env, 59, 0, 4);
    const uint64_t pulls[] = {1, 0, 2, 0, 100, 4, 0};
    assert_near(segue_simulated_task_regret(simulated, pulls), 0.35 + 2 * 0.5 + 4 * 0.05, 1e-12);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

static void all_policies_of_a_run_see_the_same_rewards(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.models = models};
    size_t count;
    const segue_policy *const *policies = segue_policy_all(&count);
    segue_simulated_task *reference = world_of(&env, 60, 3, 2);
    double first[7];
    for (size_t arm = 0; arm < 7; arm++)
        first[arm] = segue_simulated_task_reward(reference, arm);
    for (size_t i = 0; i < count; i++) {
        segue_simulated_task *simulated = world_of(&env, 60, 3, 2);
        segue_task *task = task_of(policies[i]->name, models, 300);
        bool seen[7] = {false};
        for (int t = 0; t < 300; t++) {
            const size_t arm = segue_task_ask(task);
            const double reward = segue_simulated_task_reward(simulated, arm);
            if (!seen[arm])
                assert_near(reward, first[arm], 0.0);
            seen[arm] = true;
            tell(task, arm, reward);
        }
        segue_task_destroy(task);
        segue_simulated_task_destroy(simulated);
    }
    segue_simulated_task_destroy(reference);
    segue_models_destroy(models);
}

static segue_simulation_result *simulate(const segue_environment *env, const char *policy,
                                         uint64_t steps, uint64_t tasks, uint64_t runs,
                                         uint64_t seed, size_t threads)
{
    const segue_simulation sim = {.environment = env,
                                  .policy = policy_of(policy),
                                  .steps = steps,
                                  .tasks = tasks,
                                  .runs = runs,
                                  .seed = seed,
                                  .threads = threads,
                                  .want_curve = tasks > 0};
    segue_simulation_result *result = NULL;
    segue_error err;
    if (segue_simulation_run(&result, &sim, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    return result;
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.models = models};
    static const char *const policies[] = {"ucb", "ts", "told-ucb", "sw-ucb"};
    for (size_t p = 0; p < 4; p++)
        for (uint64_t tasks = 0; tasks <= 6; tasks += 3) {
            segue_simulation_result *one = simulate(&env, policies[p], 50, tasks, 300, 7, 1);
            const size_t threads[] = {2, 7};
            for (size_t i = 0; i < 2; i++) {
                segue_simulation_result *many =
                    simulate(&env, policies[p], 50, tasks, 300, 7, threads[i]);
                assert_memory_equal(&one->regret, &many->regret, sizeof one->regret);
                assert_memory_equal(one->by_model, many->by_model, 5 * sizeof *one->by_model);
                if (tasks)
                    assert_memory_equal(one->curve, many->curve, tasks * sizeof *one->curve);
                segue_simulation_result_destroy(many);
            }
            segue_simulation_result_destroy(one);
        }
    segue_models_destroy(models);
}

static void another_seed_gives_other_numbers(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.models = models};
    segue_simulation_result *a = simulate(&env, "ucb", 100, 0, 10, 1, 1);
    segue_simulation_result *b = simulate(&env, "ucb", 100, 0, 10, 2, 1);
    assert_true(a->regret.mean != b->regret.mean);
    segue_simulation_result_destroy(a);
    segue_simulation_result_destroy(b);
    segue_models_destroy(models);
}

/* A simulation is the average of single plays of the named streams, model by model. */
static void a_simulation_is_the_average_of_its_plays(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.models = models};
    segue_simulation_result *result = simulate(&env, "mucb", 400, 0, 30, 9, 2);
    double total = 0, variance = 0;
    for (size_t k = 0; k < 5; k++) {
        segue_stats stats = {0};
        for (uint64_t r = 0; r < 30; r++) {
            segue_simulated_task *simulated = world_of(&env, 9, k * 30 + r, k);
            segue_task *task = task_of("mucb", models, 400);
            segue_stats_add(&stats, segue_simulation_play(task, simulated, 400));
            segue_task_destroy(task);
            segue_simulated_task_destroy(simulated);
        }
        assert_near(result->by_model[k].mean, stats.mean, 1e-9);
        assert_near(result->by_model[k].se, segue_stats_standard_error(&stats), 1e-9);
        total += stats.mean / 5.0;
        variance += segue_stats_standard_error(&stats) * segue_stats_standard_error(&stats) / 25.0;
    }
    assert_near(result->regret.mean, total, 1e-9);
    assert_near(result->regret.se, sqrt(variance), 1e-9);
    segue_simulation_result_destroy(result);
    segue_models_destroy(models);
}

static void a_curve_averages_to_the_regret(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.models = models};
    segue_simulation_result *result = simulate(&env, "carried-ucb", 100, 20, 25, 3, 2);
    double sum = 0;
    assert_int_equal(result->n_tasks, 20);
    for (size_t j = 0; j < 20; j++)
        sum += result->curve[j].mean / 20.0;
    assert_near(sum, result->regret.mean, 1e-9);
    segue_simulation_result_destroy(result);
    segue_models_destroy(models);
}

/* What is told is worth something: over 30 tasks told-ucb ends below ucb by more than 10 standard
 * errors, and by construction starts like it. */
static void being_told_the_model_helps_over_tasks(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.models = models};
    segue_simulation_result *told = simulate(&env, "told-ucb", 300, 30, 40, 5, 2);
    segue_simulation_result *ucb = simulate(&env, "ucb", 300, 30, 40, 5, 2);
    assert_near(told->curve[0].mean, ucb->curve[0].mean, 1e-9);
    assert_true(told->regret.mean + 10 * (told->regret.se + ucb->regret.se) < ucb->regret.mean);
    segue_simulation_result_destroy(told);
    segue_simulation_result_destroy(ucb);
    segue_models_destroy(models);
}

static void uniform_and_mixed_tasks_have_no_models(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment uniform = {.uniform_arms = 4}, mixed = {.models = models, .mixed = 1.0};
    segue_simulation_result *result = simulate(&uniform, "ts", 50, 0, 20, 1, 1);
    assert_int_equal(result->n_models, 1);
    assert_near(result->regret.mean, result->by_model[0].mean, 0.0);
    segue_simulation_result_destroy(result);
    result = simulate(&mixed, "mucb", 50, 3, 20, 1, 1);
    assert_int_equal(result->n_models, 1);
    segue_simulation_result_destroy(result);

    segue_simulation sim = {
        .environment = &uniform, .policy = policy_of("mucb"), .steps = 10, .runs = 1, .threads = 1};
    assert_int_equal(segue_simulation_run(&result, &sim, NULL), SEGUE_EUSAGE);
    sim.environment = &mixed;
    sim.policy = policy_of("told-ucb");
    assert_int_equal(segue_simulation_run(&result, &sim, NULL), SEGUE_EUSAGE);
    assert_null(result);
    segue_models_destroy(models);
}

static void wrong_simulations_are_refused(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.models = models};
    const segue_environment switched = {.models = models, .switch_at = 2, .switch_to = models};
    const segue_simulation good = {
        .environment = &env, .policy = policy_of("ucb"), .steps = 10, .runs = 1, .threads = 1};
    segue_simulation bad[7];
    for (size_t i = 0; i < 7; i++)
        bad[i] = good;
    bad[0].steps = 0;
    bad[1].runs = 0;
    bad[2].threads = 0;
    bad[3].threads = SEGUE_MAX_THREADS + 1;
    bad[4].want_curve = true;
    bad[5].environment = &switched;
    bad[6].tasks = SEGUE_MAX_TASKS + 1;
    assert_ok(segue_simulation_check(&good, NULL));
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(segue_status_exit_code(segue_simulation_check(&bad[i], NULL)), 2);
    segue_models_destroy(models);
}

static void one_run_has_no_standard_error(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.models = models};
    segue_simulation_result *result = simulate(&env, "ucb", 20, 0, 1, 1, 1);
    assert_true(isfinite(result->regret.mean) && isnan(result->regret.se));
    segue_simulation_result_destroy(result);
    segue_models_destroy(models);
}

/* ---- threads ----------------------------------------------------------------------------- */

typedef struct tally {
    uint64_t slot[16];
    uint64_t next; /* the item that must be committed next */
    uint64_t fails_at;
} tally;

static segue_status work(void *context, size_t worker, uint64_t item, segue_error *err)
{
    tally *t = context;
    t->slot[worker] = item * item;
    return item == t->fails_at ? segue_fail(err, SEGUE_EIO, "item %d", (int)item) : SEGUE_OK;
}

static void commit(void *context, size_t worker, uint64_t item)
{
    tally *t = context;
    assert_true(t->next == item && t->slot[worker] == item * item);
    t->next++;
}

static void work_is_committed_in_order(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 16; threads *= 4) {
        tally t = {.next = 0, .fails_at = UINT64_MAX};
        assert_ok(segue_parallel_run(threads, 5000, work, commit, &t, NULL));
        assert_true(t.next == 5000);
        segue_error err;
        t = (tally){.next = 0, .fails_at = 1234};
        assert_int_equal(segue_parallel_run(threads, 5000, work, commit, &t, &err), SEGUE_EIO);
        assert_string_equal(err.message, "item 1234");
        assert_true(t.next == 1234);
    }
}

static void count_progress(void *context, double done, double total)
{
    double *last = context; /* a share */
    assert_true(done / total >= *last && done <= total);
    *last = done / total;
}

static void progress_goes_forward_to_the_end(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.models = models};
    double last = 0;
    const segue_simulation sim = {.environment = &env,
                                  .policy = policy_of("ucb"),
                                  .steps = 100,
                                  .runs = 400,
                                  .threads = 3,
                                  .progress = count_progress,
                                  .progress_context = &last};
    segue_simulation_result *result = NULL;
    assert_ok(segue_simulation_run(&result, &sim, NULL));
    assert_near(last, 1.0, 0.0);
    segue_simulation_result_destroy(result);
    segue_models_destroy(models);
}

/* A set whose models come with unequal weights, one of them never. */
static segue_models *weighted_models(void)
{
    static const double weight[] = {0.1, 0.4, 0.0, 0.3, 0.2};
    segue_models *paper = paper_models(), *models = NULL;
    assert_ok(segue_models_create(&models, SEGUE_MODELS_KNOWN, 7, 5, paper->mean, weight, NULL));
    segue_models_destroy(paper);
    return models;
}

static void regret_is_averaged_by_the_weights(void **state)
{
    (void)state;
    segue_models *models = weighted_models();
    const segue_environment env = {.models = models};
    segue_simulation_result *result = simulate(&env, "ucb", 100, 0, 20, 11, 2);
    double mean = 0, variance = 0;
    for (size_t k = 0; k < 5; k++) {
        mean += models->weight[k] * result->by_model[k].mean;
        variance += pow(models->weight[k] * result->by_model[k].se, 2);
    }
    assert_near(result->regret.mean, mean, 1e-12);
    assert_near(result->regret.se, sqrt(variance), 1e-12);
    segue_simulation_result_destroy(result);
    segue_models_destroy(models);
}

/* With tasks: everything recomputed from single plays of the named streams. */
static void a_simulation_of_tasks_is_made_of_its_plays(void **state)
{
    (void)state;
    enum { RUNS = 12, TASKS = 9 };
    segue_models *models = weighted_models();
    const segue_environment env = {.models = models, .spread = 5.0}; /* so that no model may fit */
    segue_simulation_result *result = simulate(&env, "mucb", 200, TASKS, RUNS, 12, 2);
    double sum[5] = {0}, count[5] = {0}, empty = 0, all = 0;
    double run_sum[RUNS][5] = {{0}}, run_count[RUNS][5] = {{0}};
    segue_simulated_task *simulated = world_of(&env, 12, 0, SEGUE_ANY_MODEL);
    segue_task *task = task_of("mucb", models, 200);
    for (uint64_t r = 0; r < RUNS; r++)
        for (uint64_t j = 0; j < TASKS; j++) {
            segue_rng rng;
            segue_simulated_task_begin(simulated, 12, r, j, SEGUE_ANY_MODEL);
            segue_rng_init(&rng, 12, r, j, SEGUE_STREAM_POLICY);
            segue_task_next(task, &rng, 0);
            const double regret = segue_simulation_play(task, simulated, 200);
            const size_t k = segue_simulated_task_model(simulated);
            run_sum[r][k] += regret;
            run_count[r][k]++;
            all += regret / RUNS / TASKS;
            empty += (double)segue_task_info(task).no_model_left / RUNS / TASKS;
        }
    assert_near(result->regret.mean, all, 1e-10);
    assert_true(empty > 0);
    assert_near(result->no_model_left, empty, 1e-10);
    for (size_t k = 0; k < 5; k++) {
        double squares = 0;
        for (size_t r = 0; r < RUNS; r++) {
            sum[k] += run_sum[r][k];
            count[k] += run_count[r][k];
        }
        if (count[k] == 0) {
            assert_true(isnan(result->by_model[k].mean));
            continue;
        }
        for (size_t r = 0; r < RUNS; r++)
            squares += pow(run_sum[r][k] - sum[k] / count[k] * run_count[r][k], 2);
        assert_near(result->by_model[k].mean, sum[k] / count[k], 1e-10);
        assert_near(result->by_model[k].se, sqrt(squares * RUNS / (RUNS - 1.0)) / count[k], 1e-9);
    }
    segue_task_destroy(task);
    segue_simulated_task_destroy(simulated);
    segue_simulation_result_destroy(result);
    segue_models_destroy(models);
}

/* The streams of a task's model and means are 2^32 and 2^32 + 1, for good. */
static void models_and_means_come_from_their_own_streams(void **state)
{
    (void)state;
    segue_models *models = weighted_models();
    const segue_environment drawn = {.models = models}, uniform = {.uniform_arms = 3};
    segue_simulated_task *a = world_of(&drawn, 1, 0, SEGUE_ANY_MODEL);
    segue_simulated_task *b = world_of(&uniform, 1, 0, SEGUE_ANY_MODEL);
    for (uint64_t task = 0; task < 200; task++) {
        segue_rng rng;
        segue_simulated_task_begin(a, 77, 5, task, SEGUE_ANY_MODEL);
        segue_simulated_task_begin(b, 77, 5, task, SEGUE_ANY_MODEL);
        segue_rng_init(&rng, 77, 5, task, UINT64_C(4294967296));
        const double u = segue_rng_uniform(&rng);
        assert_int_equal(segue_simulated_task_model(a), u < 0.1   ? 0
                                                        : u < 0.5 ? 1
                                                        : u < 0.8 ? 3
                                                                  : 4);
        segue_rng_init(&rng, 77, 5, task, UINT64_C(4294967297));
        for (size_t arm = 0; arm < 3; arm++)
            assert_near(segue_simulated_task_means(b)[arm], segue_rng_uniform(&rng), 0.0);
    }
    segue_simulated_task_destroy(a);
    segue_simulated_task_destroy(b);
    segue_models_destroy(models);
}

/* After a switch to the opposite set, a policy that knows the first finds no model left. */
static void known_models_are_those_before_the_switch(void **state)
{
    (void)state;
    const double first[] = {0.95, 0.05}, second[] = {0.05, 0.95};
    segue_models *a = models_of(2, 1, first), *b = models_of(2, 1, second);
    const segue_environment env = {.models = a, .switch_at = 2, .switch_to = b};
    segue_simulation_result *result = simulate(&env, "mucb", 500, 2, 20, 13, 1);
    assert_true(result->no_model_left > 100);
    assert_near(result->curve[0].mean, 0.0, 0.0);
    assert_true(result->curve[1].mean > 1.0);
    segue_simulation_result_destroy(result);
    segue_models_destroy(a);
    segue_models_destroy(b);
}

/* Means next to 0 or 1, in every family that has to solve or reject: no draw takes for ever. */
static void tiny_means_pay_and_end(void **state)
{
    (void)state;
    static const char *const laws[] = {"beta:0.001", "beta:1000000", "normal:0.001",
                                       "normal:0.1", "normal:100",   "twopoint:1"};
    const double mean[] = {1e-320, 1e-200, 1e-20, 1e-5, 1.0 - 1e-16, 1.0 - 1e-9};
    segue_models *models = models_of(6, 1, mean);
    for (size_t i = 0; i < 6; i++) {
        segue_environment env = {.models = models};
        assert_ok(segue_rewards_parse(&env.rewards, laws[i], NULL));
        segue_simulated_task *simulated = world_of(&env, 14, 0, 0);
        for (size_t arm = 0; arm < 6; arm++)
            for (int t = 0; t < 100; t++) {
                const double x = segue_simulated_task_reward(simulated, arm);
                assert_true(x >= 0.0 && x <= 1.0);
            }
        segue_simulated_task_destroy(simulated);
    }
    const segue_environment spread = {
        .models = models, .spread = 0.1, .rewards = {.family = SEGUE_NORMAL, .parameter = 0.1}};
    segue_simulation_result *result = simulate(&spread, "ucb", 20, 0, 400, 1, 1);
    assert_true(isfinite(result->regret.mean));
    segue_simulation_result_destroy(result);
    segue_models_destroy(models);
}

static void a_mixture_is_never_above_its_models(void **state)
{
    (void)state;
    double mean[2 * 6];
    for (size_t i = 0; i < 12; i++)
        mean[i] = 0.9;
    segue_models *models = models_of(2, 6, mean);
    const segue_environment env = {
        .models = models, .mixed = 1.0, .rewards = {.family = SEGUE_TWOPOINT, .parameter = 0.9}};
    segue_simulated_task *simulated = world_of(&env, 15, 0, SEGUE_ANY_MODEL);
    for (uint64_t task = 0; task < 1000; task++) {
        segue_simulated_task_begin(simulated, 15, 0, task, SEGUE_ANY_MODEL);
        assert_true(segue_simulated_task_means(simulated)[0] <= 0.9);
        assert_true(segue_simulated_task_reward(simulated, 0) <= 0.9);
    }
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cut_normal_has_the_mean_asked_for),
        cmocka_unit_test(every_family_pays_its_mean_within_bounds),
        cmocka_unit_test(the_cut_normal_has_its_law),
        cmocka_unit_test(a_sure_mean_pays_itself_in_every_family),
        cmocka_unit_test(wrong_families_are_refused),
        cmocka_unit_test(environments_that_make_no_sense_are_refused),
        cmocka_unit_test(models_are_drawn_by_their_weights),
        cmocka_unit_test(spread_and_mixture_have_their_moments),
        cmocka_unit_test(sure_means_do_not_spread),
        cmocka_unit_test(a_tiny_mixture_concentration_gives_pure_models),
        cmocka_unit_test(a_switch_brings_the_other_set),
        cmocka_unit_test(regret_counts_the_gaps_of_the_pulls),
        cmocka_unit_test(all_policies_of_a_run_see_the_same_rewards),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(another_seed_gives_other_numbers),
        cmocka_unit_test(a_simulation_is_the_average_of_its_plays),
        cmocka_unit_test(a_curve_averages_to_the_regret),
        cmocka_unit_test(being_told_the_model_helps_over_tasks),
        cmocka_unit_test(uniform_and_mixed_tasks_have_no_models),
        cmocka_unit_test(wrong_simulations_are_refused),
        cmocka_unit_test(one_run_has_no_standard_error),
        cmocka_unit_test(work_is_committed_in_order),
        cmocka_unit_test(progress_goes_forward_to_the_end),
        cmocka_unit_test(regret_is_averaged_by_the_weights),
        cmocka_unit_test(a_simulation_of_tasks_is_made_of_its_plays),
        cmocka_unit_test(models_and_means_come_from_their_own_streams),
        cmocka_unit_test(known_models_are_those_before_the_switch),
        cmocka_unit_test(tiny_means_pay_and_end),
        cmocka_unit_test(a_mixture_is_never_above_its_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
