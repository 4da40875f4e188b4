/* test_brute_force.c - every policy against a form that recomputes all from the history.
 * SPDX-License-Identifier: Apache-2.0 */
#include "brute_force.h"
#include "support.h"

#define TASKS_EACH 200 /* random tasks per policy */

typedef struct pair {
    const char *policy;
    size_t (*brute_force)(brute *);
    uint64_t tasks; /* per run */
} pair;

static const pair pairs[] = {
    {"ucb", bf_ucb, 1},
    {"ucb+", bf_ucb_plus, 1},
    {"mucb", bf_mucb, 1},
    {"umucb", bf_umucb, 1},
    {"umucb:eps=0.13", bf_umucb_eps, 1},
    {"umucb:eps=2", bf_umucb_large, 1},
    {"mts", bf_mts, 1},
    {"ucb-test", bf_ucb_test, 1},
    {"sw-ucb", bf_sw_ucb, 4},
    {"sw-ucb:window=20,xi=0.3", bf_sw_ucb_short, 4},
    {"d-ucb", bf_d_ucb, 4},
    {"carried-ucb", bf_carried_ucb, 4},
    {"told-ucb", bf_told_ucb, 4},
    {"ucb1", bf_ucb1, 1},
    {"kl-ucb", bf_kl_ucb, 1},
    {"ts", bf_ts, 1},
    {"la", bf_la, 1},
    {"ts:dispersion=1", bf_ts_plain, 1},
    {"la:dispersion=1", bf_la_plain, 1},
    {"mla", bf_mla, 1},
    {"moss", bf_moss, 1},
    {"imed", bf_imed, 1},
    {"bayes-ucb", bf_bayes_ucb, 1},
    {"bayes-ucb:c=5", bf_bayes_ucb_5, 1},
    {"eps-greedy", bf_eps_greedy, 1},
    {"eps-greedy:c=0.5", bf_eps_greedy_falling, 1},
    {"exp3", bf_exp3, 1},
    {"exp3:gamma=0.5", bf_exp3_half, 1},
    {"round-robin", bf_round_robin, 1},
};

/* Rewards that are still to be told. */
typedef struct queue {
    size_t length;
    size_t arm[64];
    double reward[64];
} queue;

/* A reward of an arm came; `all`: it was the last that was expected. */
static void expect_fewer(brute *b, size_t arm, bool all)
{
    b->pending[arm] = fmax(0, b->pending[arm] - 1);
    for (size_t i = 0; i < b->n_arms; i++)
        b->pending[i] *= all ? 0 : 1 - 1 / 200.0;
}

/* Tell one of the rewards that wait, whichever. */
static void tell_one(segue_task *task, history *past, queue *waiting, brute *b, segue_rng *rng)
{
    const size_t i = random_between(rng, 0, waiting->length - 1);
    expect_fewer(b, waiting->arm[i], waiting->length == 1);
    past->arm[past->length] = waiting->arm[i];
    past->reward[past->length] = waiting->reward[i];
    past->model_index[past->length] = b->model_index;
    tell(task, waiting->arm[i], waiting->reward[i]);
    past->length++;
    waiting->length--;
    waiting->arm[i] = waiting->arm[waiting->length];
    waiting->reward[i] = waiting->reward[waiting->length];
}

/* One task: every choice must be the brute-force form's.  With `late` up to 40 rewards are
 * outstanding, and come in any order. */
static void compare_task(const pair *p, segue_task *task, segue_simulated_task *simulated,
                         history *past, brute *b, bool late, segue_rng *rng)
{
    queue waiting = {.length = 0};
    past->task_start = past->length;
    memset(b->asked, 0, sizeof b->asked);
    memset(b->pending, 0, sizeof b->pending);
    b->step = 0;
    b->last = b->n_arms;
    b->weighed = 0;
    for (uint64_t t = 0; t < (uint64_t)b->n; t++) {
        const size_t expected = p->brute_force(b), arm = segue_task_ask(task);
        if (arm != expected)
            fail_msg("%s, step %d: pulled %zu, not %zu", p->policy, (int)b->step, arm, expected);
        b->last = arm;
        b->asked[arm]++;
        b->pending[arm]++;
        b->step++;
        waiting.arm[waiting.length] = arm;
        waiting.reward[waiting.length++] = segue_simulated_task_reward(simulated, arm);
        while (waiting.length > 40 ||
               (waiting.length > 0 && (!late || segue_rng_uniform(rng) < 0.5)))
            tell_one(task, past, &waiting, b, rng);
    }
    while (waiting.length > 0)
        tell_one(task, past, &waiting, b, rng);
}

/* Random costs of arms, of switches, or of both. */
static void set_costs(segue_task *task, brute *b, uint64_t run, segue_rng *rng)
{
    for (size_t i = 0; run % 3 != 1 && i < b->n_arms; i++)
        b->cost[i] = 0.5 * segue_rng_uniform(rng);
    if (run % 3 != 0)
        b->switch_cost = pow(segue_rng_uniform(rng), 2.0);
    assert_ok(segue_task_set_costs(task, b->cost, b->switch_cost, NULL));
}

/* One run of a policy; returns how many tasks it had. */
static uint64_t compare_run(const pair *p, const segue_models *models, uint64_t run, uint64_t n,
                            bool late, bool costly)
{
    const segue_environment env = {
        .size = sizeof(segue_environment),
        .models = models,
        /* every other run has rewards between 0 and 1 */
        .rewards = run % 2 ? (segue_rewards){.law = SEGUE_BETA, .parameter = 5.0}
                           : (segue_rewards){.law = SEGUE_BERNOULLI},
    };
    segue_simulated_task *simulated = new_simulated_task(&env, 31, run, SEGUE_ANY_MODEL);
    segue_task_config config = segue_task_defaults();
    segue_task *task = NULL;
    segue_rng rng;
    static history past;
    past.length = 0;
    config.policy = policy_of(p->policy);
    config.setting = (segue_setting){.n_arms = models->n_arms,
                                     .models = models,
                                     .n_model_indices = models->n_models,
                                     .horizon = n,
                                     .n_tasks = p->tasks};
    assert_ok(segue_task_create(&task, &config, NULL));
    brute b = {.models = models,
               .n_arms = models->n_arms,
               .n = (double)n,
               .tasks = (double)p->tasks,
               .past = &past};
    segue_rng_init(&rng, 35, run, 0, 0);
    if (costly)
        set_costs(task, &b, run, &rng);
    for (uint64_t j = 0; j < p->tasks; j++) {
        segue_simulated_task_begin(simulated, 31, run, j, SEGUE_ANY_MODEL);
        b.model_index = segue_simulated_task_model(simulated);
        segue_rng_init(&b.rng, 31, run, j, SEGUE_STREAM_POLICY);
        segue_task_next(task, &b.rng, b.model_index);
        compare_task(p, task, simulated, &past, &b, late, &rng);
    }
    segue_task_destroy(task);
    segue_simulated_task_destroy(simulated);
    return p->tasks;
}

static void compare_all(bool late, bool costly)
{
    segue_rng rng;
    segue_rng_init(&rng, 32, 0, 0, 0);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        uint64_t tasks = 0;
        if (costly && !policy_of(pairs[i].policy).policy->takes_costs)
            continue;
        for (uint64_t run = 0; tasks < (uint64_t)repeats(TASKS_EACH); run++) {
            segue_models *models = random_models(&rng, 2, 10, 1, 6);
            tasks +=
                compare_run(&pairs[i], models, run, random_between(&rng, 1, 160), late, costly);
            segue_models_destroy(models);
        }
    }
}

static void every_policy_pulls_as_its_brute_force_form(void **state)
{
    (void)state;
    compare_all(false, false);
}

static void every_policy_does_so_with_late_and_disordered_rewards(void **state)
{
    (void)state;
    compare_all(true, false);
}

static void policies_that_take_costs_pull_so_with_costs(void **state)
{
    (void)state;
    compare_all(false, true);
    compare_all(true, true);
}

/* ucb-test must commit somewhere, or its comparison says little: sets whose models differ on
 * every arm, long enough. */
static void ucb_test_agrees_also_where_it_commits(void **state)
{
    (void)state;
    const double mean[] = {0.05, 0.95, 0.2, 0.9, 0.1, 0.9};
    segue_models *models = models_of(3, 2, mean);
    for (uint64_t run = 0; run < 20; run++)
        (void)compare_run(&(pair){"ucb-test", bf_ucb_test, 1}, models, run, 300, false, false);
    segue_task *task = task_of("ucb-test", models, 300);
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulated_task *simulated = new_simulated_task(&env, 33, 0, 0);
    (void)segue_simulation_play(task, simulated, 300);
    assert_true(segue_task_info(task).pulls[1] > 200); /* committed to the best arm */
    segue_task_destroy(task);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

/* The paper's models share the mean of arm 3, so that no test can tell them apart by Gmin. */
static void ucb_test_on_the_papers_models_is_ucb(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    for (uint64_t run = 0; run < 20; run++) {
        segue_task *plain = task_of("ucb", models, 2000), *test = task_of("ucb-test", models, 2000);
        segue_simulated_task *a = new_simulated_task(&env, 34, run, run % 5),
                             *b = new_simulated_task(&env, 34, run, run % 5);
        for (int t = 0; t < 2000; t++) {
            const size_t arm = segue_task_ask(plain);
            assert_int_equal(segue_task_ask(test), arm);
            tell(plain, arm, segue_simulated_task_reward(a, arm));
            tell(test, arm, segue_simulated_task_reward(b, arm));
        }
        segue_task_destroy(plain);
        segue_task_destroy(test);
        segue_simulated_task_destroy(a);
        segue_simulated_task_destroy(b);
    }
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_pulls_as_its_brute_force_form),
        cmocka_unit_test(policies_that_take_costs_pull_so_with_costs),
        cmocka_unit_test(every_policy_does_so_with_late_and_disordered_rewards),
        cmocka_unit_test(ucb_test_agrees_also_where_it_commits),
        cmocka_unit_test(ucb_test_on_the_papers_models_is_ucb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
