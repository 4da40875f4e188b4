/* test_simulation.c - simulations: regret, threads, progress.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/parallel.h"
#include "simulate_fixture.h"
#include "support.h"

static void regret_counts_the_gaps_of_the_pulls(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulated_task *simulated = new_simulated_task(&env, 59, 0, 4);
    const uint64_t pulls[] = {1, 0, 2, 0, 100, 4, 0};
    assert_near(segue_simulated_task_regret(simulated, pulls), 0.35 + 2 * 0.5 + 4 * 0.05, 1e-12);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

static void all_policies_of_a_run_see_the_same_rewards(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    size_t count;
    const segue_policy *const *policies = segue_policy_all(&count);
    segue_simulated_task *reference = new_simulated_task(&env, 60, 3, 2);
    double first[7];
    for (size_t arm = 0; arm < 7; arm++)
        first[arm] = segue_simulated_task_reward(reference, arm);
    for (size_t i = 0; i < count; i++) {
        segue_simulated_task *simulated = new_simulated_task(&env, 60, 3, 2);
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

static void threads_do_not_change_any_bit(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
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
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
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
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulation_result *result = simulate(&env, "mucb", 400, 0, 30, 9, 2);
    double total = 0, variance = 0;
    for (size_t k = 0; k < 5; k++) {
        segue_stats stats = {0};
        for (uint64_t r = 0; r < 30; r++) {
            segue_simulated_task *simulated = new_simulated_task(&env, 9, k * 30 + r, k);
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
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulation_result *result = simulate(&env, "carried-ucb", 100, 20, 25, 3, 2);
    double sum = 0;
    assert_int_equal(result->n_tasks, 20);
    for (size_t j = 0; j < 20; j++)
        sum += result->curve[j].mean / 20.0;
    assert_near(sum, result->regret.mean, 1e-9);
    segue_simulation_result_destroy(result);
    segue_models_destroy(models);
}

/* The model index helps: over 30 tasks told-ucb ends below ucb by more than 10 standard errors, and
 * by construction starts as ucb with its logarithm does: m (n J)^3 is m n^2 / delta with delta =
 * 1/(n J^3). */
static void knowing_the_model_helps_over_tasks(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulation_result *with_index = simulate(&env, "told-ucb", 300, 30, 40, 5, 2);
    segue_simulation_result *ucb = simulate(&env, "ucb", 300, 30, 40, 5, 2);
    segue_simulation_result *wide = simulate(&env, "ucb:delta=1.2345679012e-7", 300, 30, 40, 5, 2);
    assert_near(with_index->curve[0].mean, wide->curve[0].mean, 1e-9);
    assert_true(with_index->regret.mean + 10 * (with_index->regret.se + ucb->regret.se) <
                ucb->regret.mean);
    segue_simulation_result_destroy(with_index);
    segue_simulation_result_destroy(wide);
    segue_simulation_result_destroy(ucb);
    segue_models_destroy(models);
}

static void uniform_and_mixed_tasks_have_no_models(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment uniform = {.size = sizeof(segue_environment), .uniform_arms = 4},
                            mixed = {
                                .size = sizeof(segue_environment), .models = models, .mixed = 1.0};
    segue_simulation_result *result = simulate(&uniform, "ts", 50, 0, 20, 1, 1);
    assert_int_equal(result->n_models, 1);
    assert_near(result->regret.mean, result->by_model[0].mean, 0.0);
    segue_simulation_result_destroy(result);
    result = simulate(&mixed, "mucb", 50, 3, 20, 1, 1);
    assert_int_equal(result->n_models, 1);
    segue_simulation_result_destroy(result);

    segue_simulation sim = {.size = sizeof(segue_simulation),
                            .environment = &uniform,
                            .policy = policy_of("mucb"),
                            .steps = 10,
                            .runs = 1,
                            .threads = 1};
    assert_int_equal(segue_simulation_run(&result, &sim, NULL), SEGUE_EUSAGE);
    sim.environment = &mixed;
    sim.policy = policy_of("told-ucb");
    assert_int_equal(segue_simulation_run(&result, &sim, NULL), SEGUE_EUSAGE);
    assert_null(result);
    segue_models_destroy(models);
}

static void wrong_simulations_are_rejected(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    const segue_environment switched = {
        .size = sizeof(segue_environment), .models = models, .switch_at = 2, .switch_to = models};
    const segue_simulation good = {.size = sizeof(segue_simulation),
                                   .environment = &env,
                                   .policy = policy_of("ucb"),
                                   .steps = 10,
                                   .runs = 1,
                                   .threads = 1};
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

static void a_simulation_of_another_size_is_rejected(void **state)
{
    (void)state;
    segue_error err;
    const segue_environment env = {.size = sizeof(segue_environment), .uniform_arms = 3};
    segue_simulation sim = {.size = sizeof(segue_simulation),
                            .environment = &env,
                            .steps = 10,
                            .runs = 1,
                            .threads = 1};
    assert_ok(segue_policy_parse(&sim.policy, "ts", &err));
    assert_ok(segue_simulation_check(&sim, &err));
    sim.size++;
    assert_int_equal(segue_simulation_check(&sim, &err), SEGUE_EDOMAIN);
    assert_non_null(strstr(err.message, "segue_simulation has"));
}

static void one_run_has_no_standard_error(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulation_result *result = simulate(&env, "ucb", 20, 0, 1, 1, 1);
    assert_true(isfinite(result->regret.mean) && isnan(result->regret.se));
    segue_simulation_result_destroy(result);
    segue_models_destroy(models);
}

typedef struct sums {
    uint64_t slot[16];
    uint64_t next; /* the item that must be committed next */
    uint64_t fails_at;
} sums;

static segue_status work(void *context, size_t worker, uint64_t item, segue_error *err)
{
    sums *t = context;
    t->slot[worker] = item * item;
    return item == t->fails_at ? segue_fail(err, SEGUE_EIO, "item %d", (int)item) : SEGUE_OK;
}

static void commit(void *context, size_t worker, uint64_t item)
{
    sums *t = context;
    assert_true(t->next == item && t->slot[worker] == item * item);
    t->next++;
}

static void work_is_committed_in_order(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 16; threads *= 4) {
        sums t = {.next = 0, .fails_at = UINT64_MAX};
        assert_ok(segue_parallel_run(threads, 5000, work, commit, &t, NULL));
        assert_true(t.next == 5000);
        segue_error err;
        t = (sums){.next = 0, .fails_at = 1234};
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
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    double last = 0;
    const segue_simulation sim = {.size = sizeof(segue_simulation),
                                  .environment = &env,
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
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
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
static void a_simulation_of_tasks_is_the_average_of_its_plays(void **state)
{
    (void)state;
    enum { RUNS = 12, TASKS = 9 };
    segue_models *models = weighted_models();
    const segue_environment env = {.size = sizeof(segue_environment),
                                   .models = models,
                                   .spread = 5.0}; /* so that no model may fit */
    segue_simulation_result *result = simulate(&env, "mucb", 200, TASKS, RUNS, 12, 2);
    double sum[5] = {0}, count[5] = {0}, empty = 0, all = 0;
    double run_sum[RUNS][5] = {{0}}, run_count[RUNS][5] = {{0}};
    segue_simulated_task *simulated = new_simulated_task(&env, 12, 0, SEGUE_ANY_MODEL);
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

/* After a switch to the opposite set, a policy that knows the first finds no model left. */
static void known_models_are_those_before_the_switch(void **state)
{
    (void)state;
    const double first[] = {0.95, 0.05}, second[] = {0.05, 0.95};
    segue_models *a = models_of(2, 1, first), *b = models_of(2, 1, second);
    const segue_environment env = {
        .size = sizeof(segue_environment), .models = a, .switch_at = 2, .switch_to = b};
    segue_simulation_result *result = simulate(&env, "mucb", 500, 2, 20, 13, 1);
    assert_true(result->no_model_left > 100);
    assert_near(result->curve[0].mean, 0.0, 0.0);
    assert_true(result->curve[1].mean > 1.0);
    segue_simulation_result_destroy(result);
    segue_models_destroy(a);
    segue_models_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regret_counts_the_gaps_of_the_pulls),
        cmocka_unit_test(all_policies_of_a_run_see_the_same_rewards),
        cmocka_unit_test(threads_do_not_change_any_bit),
        cmocka_unit_test(another_seed_gives_other_numbers),
        cmocka_unit_test(a_simulation_is_the_average_of_its_plays),
        cmocka_unit_test(a_curve_averages_to_the_regret),
        cmocka_unit_test(knowing_the_model_helps_over_tasks),
        cmocka_unit_test(uniform_and_mixed_tasks_have_no_models),
        cmocka_unit_test(wrong_simulations_are_rejected),
        cmocka_unit_test(a_simulation_of_another_size_is_rejected),
        cmocka_unit_test(one_run_has_no_standard_error),
        cmocka_unit_test(work_is_committed_in_order),
        cmocka_unit_test(progress_goes_forward_to_the_end),
        cmocka_unit_test(regret_is_averaged_by_the_weights),
        cmocka_unit_test(a_simulation_of_tasks_is_the_average_of_its_plays),
        cmocka_unit_test(known_models_are_those_before_the_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
