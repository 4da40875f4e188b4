/* test_simulation_visit.c - a simulation shows each task that it has played.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <stddef.h>

#include "segue/learner.h"
#include "segue/simulation.h"
#include "support.h"

enum { RUNS = 6, TASKS = 9, STEPS = 40 };

typedef struct seen {
    segue_played_task task[RUNS * TASKS];
    atomic_int count;
    int allowed; /* visits before one fails; 0: none does */
} seen;

/* Every task has a cell of its own, so no lock is needed. */
static segue_status see(void *context, const segue_played_task *task, segue_error *err)
{
    seen *s = context;
    const int number = atomic_fetch_add(&s->count, 1) + 1;
    s->task[task->run * TASKS + task->task] = *task;
    return s->allowed && number > s->allowed ? segue_fail(err, SEGUE_ESTOPPED, "enough") : SEGUE_OK;
}

static segue_simulation simulation_of(const segue_environment *env, size_t threads, seen *s)
{
    return (segue_simulation){.size = sizeof(segue_simulation),
                              .environment = env,
                              .steps = STEPS,
                              .tasks = TASKS,
                              .runs = RUNS,
                              .seed = 3,
                              .threads = threads,
                              .want_curve = true,
                              .visit = see,
                              .visit_context = s};
}

static void check_average(const segue_simulation *simulation, const seen *s)
{
    segue_simulation_result *result = NULL;
    assert_int_equal(segue_simulation_run(&result, simulation, NULL), SEGUE_OK);
    assert_int_equal(s->count, RUNS * TASKS);
    for (size_t task = 0; task < TASKS; task++) {
        double mean = 0.0;
        for (size_t run = 0; run < RUNS; run++) {
            const segue_played_task *played = &s->task[run * TASKS + task];
            assert_true(played->run == run && played->task == task && played->model < 5);
            assert_true(played->reward >= 0.0 && played->reward <= STEPS);
            mean += played->regret / RUNS;
        }
        assert_near(mean, result->curve[task].mean, 1e-12);
    }
    segue_simulation_result_destroy(result);
}

static void visited_regrets_average_to_the_curve(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    for (size_t threads = 1; threads <= 3; threads += 2) {
        seen policy = {.count = 0}, learner = {.count = 0};
        segue_simulation simulation = simulation_of(&env, threads, &policy);
        assert_int_equal(segue_policy_parse(&simulation.policy, "ts", NULL), SEGUE_OK);
        check_average(&simulation, &policy);
        segue_learner_config config = segue_learner_defaults();
        config.method = "tla";
        simulation.learner = &config;
        simulation.visit_context = &learner;
        check_average(&simulation, &learner);
    }
    segue_models_destroy(models);
}

static void a_visit_that_fails_ends_the_simulation(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    for (size_t threads = 1; threads <= 3; threads += 2) {
        seen s = {.allowed = 5};
        segue_simulation simulation = simulation_of(&env, threads, &s);
        segue_simulation_result *result = NULL;
        segue_error err = {.status = SEGUE_OK};
        assert_int_equal(segue_policy_parse(&simulation.policy, "ucb", NULL), SEGUE_OK);
        assert_int_equal(segue_simulation_run(&result, &simulation, &err), SEGUE_ESTOPPED);
        assert_string_equal(err.message, "enough");
        assert_null(result);
        /* Each thread may have been in a task when the first visit failed. */
        assert_in_range(s.count, 6, 5 + threads);
    }
    segue_models_destroy(models);
}

static void a_simulation_without_the_field_is_not_visited(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    seen s = {.count = 0};
    segue_simulation simulation = simulation_of(&env, 1, &s);
    segue_simulation_result *result = NULL;
    assert_int_equal(segue_policy_parse(&simulation.policy, "ucb", NULL), SEGUE_OK);
    simulation.size = offsetof(segue_simulation, visit); /* as an older program compiled it */
    assert_int_equal(segue_simulation_run(&result, &simulation, NULL), SEGUE_OK);
    assert_int_equal(s.count, 0);
    segue_simulation_result_destroy(result);
    segue_models_destroy(models);
}

/* True from the third question on. */
static bool stop_third(void *context)
{
    return atomic_fetch_add((atomic_int *)context, 1) + 1 >= 3;
}

static void check_stopped(segue_simulation *simulation, int expected)
{
    atomic_int asked = 0;
    segue_simulation_result *result = NULL;
    simulation->stop = stop_third;
    simulation->stop_context = &asked;
    assert_int_equal(segue_simulation_run(&result, simulation, NULL), SEGUE_ESTOPPED);
    assert_null(result);
    assert_int_equal(asked, expected);
}

static void a_long_task_is_stopped_in_its_middle(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    seen s = {.count = 0};
    segue_simulation simulation = simulation_of(&env, 1, &s);
    segue_learner_config config = segue_learner_defaults();
    config.method = "tla";
    simulation.steps = 100000;
    assert_int_equal(segue_policy_parse(&simulation.policy, "exp3", NULL), SEGUE_OK);
    check_stopped(&simulation, 3);
    simulation.learner = &config;
    check_stopped(&simulation, 3);
    assert_int_equal(s.count, 0);
    segue_models_destroy(models);
}

static void looking_for_a_stop_changes_no_number(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    seen s = {.count = 0}, other = {.count = 0};
    atomic_int asked = -1000000;
    segue_simulation simulation = simulation_of(&env, 1, &s);
    segue_simulation_result *result = NULL;
    simulation.steps = 3000;
    assert_int_equal(segue_policy_parse(&simulation.policy, "exp3", NULL), SEGUE_OK);
    assert_int_equal(segue_simulation_run(&result, &simulation, NULL), SEGUE_OK);
    segue_simulation_result_destroy(result);
    simulation.visit_context = &other;
    simulation.stop = stop_third;
    simulation.stop_context = &asked;
    assert_int_equal(segue_simulation_run(&result, &simulation, NULL), SEGUE_OK);
    segue_simulation_result_destroy(result);
    assert_int_equal(asked, -1000000 + 2 * RUNS * TASKS); /* after 1,024 and 2,048 steps */
    assert_memory_equal(s.task, other.task, sizeof s.task);
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visited_regrets_average_to_the_curve),
        cmocka_unit_test(a_visit_that_fails_ends_the_simulation),
        cmocka_unit_test(a_simulation_without_the_field_is_not_visited),
        cmocka_unit_test(a_long_task_is_stopped_in_its_middle),
        cmocka_unit_test(looking_for_a_stop_changes_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
