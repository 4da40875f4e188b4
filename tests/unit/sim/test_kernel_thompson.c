/* test_kernel_thompson.c - kernels of ts and tts choose from the distributions of the plain forms.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/belief_policy.h"
#include "bandit/policies/prior_policies.h"
#include "sim/kernels/kernel_ts.h"
#include "support.h"

/* Choices by the plain form and by screening, N of each, on tasks with given counts.  The two
 * tables are compared by chi-squared, whose upper 1e-6 quantile with 6 degrees of freedom is 38.3
 * (below it for fewer); there are 12 of them, so a false alarm has probability 1.2e-5.  A choice
 * that is made with another probability by 0.015 is found with probability above 0.99: of N =
 * 200,000 the standard error of a difference is at most 0.0016. */
static void screening_chooses_from_the_same_distribution(void **state)
{
    (void)state;
    enum { ARMS = 7, CASES = 12 };
    const int n = repeats(200000);
    const segue_policy *ts = policy_of("ts").policy;
    ziggurat z;
    segue_rng rng;
    segue_ziggurat_init(&z);
    segue_rng_init(&rng, 21, 0, 0, 0);
    for (size_t c = 0; c < CASES; c++) {
        uint64_t pulls[ARMS];
        double sum[ARMS], plain[ARMS] = {0}, fast[ARMS] = {0}, distance = 0.0;
        beta_arm arms[ARMS];
        for (size_t i = 0; i < ARMS; i++) { /* from none at all to a clear leader */
            pulls[i] = c == 0 ? 0 : random_between(&rng, 0, c < 6 ? 8 : 60 * (1 + (i == 2) * 40));
            arms[i] = (beta_arm){.a = 1.0, .b = 1.0};
            sum[i] = 0.0;
            for (uint64_t t = 0; t < pulls[i]; t++) {
                const bool one = segue_rng_uniform(&rng) < 0.2 + 0.1 * (double)i;
                sum[i] += one;
                segue_kernel_ts_add(&arms[i], one);
            }
            assert_near(arms[i].log_beta,
                        lgamma(arms[i].a) + lgamma(arms[i].b) - lgamma(arms[i].a + arms[i].b),
                        1e-9);
        }
        const segue_task_view view = {.n_arms = ARMS, .asked = pulls, .pulls = pulls, .sum = sum};
        for (int i = 0; i < n; i++) {
            plain[ts->choose(&view, &rng).arm] += 1.0;
            fast[segue_kernel_ts_choose(&z, arms, ARMS, c % ARMS, &rng)] += 1.0;
        }
        for (size_t i = 0; i < ARMS; i++)
            if (plain[i] + fast[i] > 0.0)
                distance += (plain[i] - fast[i]) * (plain[i] - fast[i]) / (plain[i] + fast[i]);
        if (!(distance < 38.3))
            fail_msg("case %zu: chi-squared %g", c, distance);
    }
}

/* Regret of whole tasks: means of 1,000 tasks per model, each form with its own numbers. |z| < 4.9
 * has probability 1 - 1e-6; with standard errors of 0.15 a difference of 1.3, of 20, is found with
 * probability 0.99. */
static void regret_of_whole_tasks_is_the_same(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulation_result *results[2];
    for (int i = 0; i < 2; i++) {
        const segue_simulation sim = {.size = sizeof(segue_simulation),
                                      .environment = &env,
                                      .policy = policy_of("ts"),
                                      .steps = 300,
                                      .runs = (uint64_t)repeats(1000),
                                      .seed = (uint64_t)i + 1,
                                      .threads = 2,
                                      .kernel = i ? SEGUE_KERNEL_PLAIN : SEGUE_KERNEL_FAST};
        assert_ok(segue_simulation_run(&results[i], &sim, NULL));
    }
    const segue_regret a = results[0]->regret, b = results[1]->regret;
    assert_true(fabs(a.mean - b.mean) < 4.9 * sqrt(a.se * a.se + b.se * b.se));
    segue_simulation_result_destroy(results[0]);
    segue_simulation_result_destroy(results[1]);
    segue_models_destroy(models);
}

/* A belief of given counts with storage of its own. */
typedef struct belief_case {
    segue_belief belief;
    segue_leader_cache lead;
    double a[42], b[42], weight[6], sum[7], scratch[14];
    uint64_t pulls[7];
} belief_case;

/* Types of 7 arms from flat to sharp, shapes below 1 among them; pulls from none to a clear leader,
 * of a task of one of the types.  Every third belief is sharpened. */
static void random_belief_case(belief_case *m, segue_rng *rng, size_t c)
{
    *m = (belief_case){.belief = {.prior = {.n_components = 1 + c % 6, .n_arms = 7},
                                  .sharpness = c % 3 == 2 ? 3.5 : 1.0}};
    m->belief.prior.weight = m->belief.weight = m->weight;
    m->belief.prior.a = m->a;
    m->belief.prior.b = m->b;
    m->belief.pulls = m->pulls;
    m->belief.sum = m->sum;
    m->belief.leader = &m->lead;
    m->belief.scratch = m->scratch;
    for (size_t q = 0; q <= c % 6; q++)
        m->weight[q] = 1.0 / (double)(1 + c % 6);
    for (size_t i = 0; i < 42; i++) {
        const double mean = segue_rng_uniform(rng), sharp = exp(7.0 * segue_rng_uniform(rng));
        m->a[i] = 0.1 + sharp * mean;
        m->b[i] = 0.1 + sharp * (1.0 - mean);
    }
    for (size_t i = 0; i < 7; i++) {
        const double mean = m->a[i] / (m->a[i] + m->b[i]);
        m->pulls[i] = c == 0 ? 0 : random_between(rng, 0, c < 6 ? 8 : 60 * (1 + (i == 2) * 40));
        for (uint64_t t = 0; t < m->pulls[i]; t++)
            m->sum[i] += segue_rng_uniform(rng) < mean;
    }
}

/* By the definition: a component, then the mean of every arm from the sharpened Beta. */
static size_t draw_by_definition(const segue_belief *belief, segue_rng *rng)
{
    const segue_prior *prior = &belief->prior;
    const size_t q = segue_belief_draw_component(belief, rng);
    size_t best = 0;
    double value = -1.0;
    for (size_t i = 0; i < prior->n_arms; i++) {
        const double won = belief->sum[i], lost = (double)belief->pulls[i] - won;
        const double c = belief->sharpness;
        const double x = segue_rng_beta(rng, c * (prior->a[q * prior->n_arms + i] + won),
                                        c * (prior->b[q * prior->n_arms + i] + lost));
        best = x > value ? i : best;
        value = fmax(x, value);
    }
    return best;
}

static double distance_of(const double *one, const double *two, size_t count)
{
    double distance = 0.0;
    for (size_t i = 0; i < count; i++)
        if (one[i] + two[i] > 0.0)
            distance += (one[i] - two[i]) * (one[i] - two[i]) / (one[i] + two[i]);
    return distance;
}

/* Both forms beside the definition, as above: 12 beliefs and two tables of each, so that a false
 * alarm has probability 2.4e-5.  Of N = 100,000 the standard error of a difference is at most
 * 0.0022: a probability that is off by 0.02 is found with probability above 0.99. */
static void both_forms_of_tts_choose_from_the_same_distribution(void **state)
{
    (void)state;
    const int n = repeats(100000);
    ziggurat z;
    segue_rng rng;
    segue_ziggurat_init(&z);
    segue_rng_init(&rng, 22, 0, 0, 0);
    for (size_t c = 0; c < 12; c++) {
        belief_case m;
        double defined[7] = {0.0}, plain[7] = {0.0}, fast[7] = {0.0};
        random_belief_case(&m, &rng, c);
        for (int i = 0; i < n; i++) {
            defined[draw_by_definition(&m.belief, &rng)] += 1.0;
            plain[segue_belief_thompson(&m.belief, NULL, &rng)] += 1.0;
            fast[segue_belief_thompson(&m.belief, &z, &rng)] += 1.0;
        }
        const double one = distance_of(plain, defined, 7), two = distance_of(fast, defined, 7);
        if (!(one < 38.3 && two < 38.3))
            fail_msg("belief %zu: chi-squared %g and %g", c, one, two);
    }
}

static double log_beta(double a, double b)
{
    return lgamma(a) + lgamma(b) - lgamma(a + b);
}

/* The probability that Beta(c, d) is above Beta(a, b), for a whole c: by parts, c times. */
static double above_of(double a, double b, double c, double d)
{
    double sum = 0.0;
    for (int k = 0; k < (int)c; k++) {
        const double i = k;
        sum += exp(log_beta(a + i, b + d) - log(d + i) - log_beta(1.0 + i, d) - log_beta(a, b));
    }
    return sum;
}

/* Where one arm leads, choices of the other one are rare, and a table of few is blunt: how often
 * there are any is held against its exact probability.  |z| < 5.3, of 2 forms and 5 pairs, raises a
 * false alarm with probability 1.2e-6.  Of half a million, one of 0.013 that is off by
 * 10 % is found with probability 0.99. */
static void a_clear_leader_loses_as_often_as_it_should(void **state)
{
    (void)state;
    const double pairs[][4] = {{60, 40, 30, 40},
                               {600, 400, 55, 55},
                               {30, 2, 60, 15},
                               {8, 100, 3, 150},
                               {300, 300, 14, 26}};
    const int n = repeats(500000);
    ziggurat z;
    segue_rng rng;
    segue_ziggurat_init(&z);
    segue_rng_init(&rng, 23, 0, 0, 0);
    for (size_t c = 0; c < 10; c++) {
        const double *p = pairs[c / 2], weight[] = {0.5, 0.5};
        const double a[] = {p[0], p[2], p[0], p[2]}, b[] = {p[1], p[3], p[1], p[3]};
        const double sum[2] = {0.0}, exact = above_of(p[0], p[1], p[2], p[3]);
        const uint64_t pulls[2] = {0};
        double scratch[4], others = 0.0;
        segue_leader_cache lead = {.holds = false};
        const segue_belief belief = {
            .prior = {.n_components = 2, .n_arms = 2, .weight = weight, .a = a, .b = b},
            .weight = weight,
            .pulls = pulls,
            .sum = sum,
            .sharpness = 1.0,
            .leader = &lead,
            .scratch = scratch};
        for (int i = 0; i < n; i++)
            others += (double)segue_belief_thompson(&belief, c % 2 ? &z : NULL, &rng);
        const double score = (others - n * exact) / sqrt(n * exact * (1.0 - exact));
        if (!(fabs(score) < 5.3))
            fail_msg("pair %zu: %g of %d, not %g; z = %g", c, others, n, n * exact, score);
    }
}

static segue_choice choose_by_definition(const segue_task_view *view, segue_rng *rng)
{
    segue_belief belief = segue_belief_policy_belief(view);
    belief.sharpness = segue_belief_policy_sharpness(view, view->step);
    belief.power = segue_belief_policy_power(view);
    return (segue_choice){.arm = draw_by_definition(&belief, rng)};
}

/* The paper's models as types, sharp and less so, and none of them. */
static void paper_prior(segue_prior *prior, double *numbers)
{
    segue_models *models = paper_models();
    double *weight = numbers, *a = numbers + 6, *b = numbers + 48;
    for (size_t i = 0; i < 42; i++) {
        const double sharp = i % 2 ? 30.0 : 300.0, mean = i < 7 ? 0.5 : models->mean[i - 7];
        a[i] = i < 7 ? 1.0 : sharp * mean;
        b[i] = i < 7 ? 1.0 : sharp * (1.0 - mean);
        weight[i % 6] = 1.0 / 6.0;
    }
    *prior = (segue_prior){
        .n_components = 6, .n_arms = 7, .weight = weight, .a = a, .b = b, .draws = 1.0};
    segue_models_destroy(models);
}

/* Regret of tasks that are with_prior one prior, and sharpen their draws or not: by the definition,
 * the plain form, the kernel. */
static segue_stats regret_of_form(const segue_policy *policy, bool sharpens, bool fast,
                                  uint64_t seed)
{
    enum { STEPS = 300 };
    double numbers[90];
    segue_prior prior;
    paper_prior(&prior, numbers);
    prior.sharpens = sharpens;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_task_config config = segue_task_defaults();
    config.policy.policy = policy;
    config.setting.n_arms = 7;
    config.setting.horizon = STEPS; /* to which the sharpness rises */
    segue_task *task = NULL;
    segue_kernel *kernel = NULL;
    assert_ok(segue_task_create(&task, &config, NULL));
    assert_ok(segue_kernel_create(&kernel, 7, STEPS, NULL));
    segue_task_set_prior(task, &prior);
    segue_stats stats = {.count = 0};
    for (uint64_t run = 0; run < (uint64_t)repeats(3000); run++) {
        segue_simulated_task *simulated = new_simulated_task(&env, seed, run, run % 5);
        segue_rng rng;
        double regret = 0.0;
        segue_rng_init(&rng, seed, run, 0, SEGUE_STREAM_POLICY);
        segue_task_next(task, &rng, 0);
        if (fast)
            assert_true(segue_kernel_play(kernel, task, simulated, STEPS, &regret));
        else
            regret = segue_simulation_play(task, simulated, STEPS);
        segue_stats_add(&stats, regret);
        segue_simulated_task_destroy(simulated);
    }
    segue_kernel_destroy(kernel);
    segue_task_destroy(task);
    segue_models_destroy(models);
    return stats;
}

/* 3,000 tasks of each form, each with its own numbers; |z| < 4.9 four times, so that a false alarm
 * has probability 4e-6.  With standard errors of 0.16 a difference of 1.7 is found with probability
 * 0.99. */
static void regret_of_whole_tasks_of_tts_is_the_same(void **state)
{
    (void)state;
    segue_policy defined = segue_policy_tts;
    defined.choose = choose_by_definition;
    for (int sharpens = 0; sharpens < 2; sharpens++) {
        const segue_stats forms[] = {regret_of_form(&defined, sharpens, false, 31),
                                     regret_of_form(&segue_policy_tts, sharpens, false, 32),
                                     regret_of_form(&segue_policy_tts, sharpens, true, 33)};
        for (size_t i = 1; i < 3; i++) {
            const double error =
                hypot(segue_stats_standard_error(&forms[0]), segue_stats_standard_error(&forms[i]));
            if (!(fabs(forms[i].mean - forms[0].mean) < 4.9 * error))
                fail_msg("form %zu: %g, not %g (%g)", i, forms[i].mean, forms[0].mean, error);
        }
    }
}

/* Points may all be contradicted. */
static void the_plain_form_of_tts_plays_point_priors(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    const segue_prior prior = segue_belief_point_prior(models);
    segue_task_config config = segue_task_defaults();
    config.policy.policy = &segue_policy_tts;
    config.setting.n_arms = 7;
    segue_task *task = NULL;
    segue_kernel *kernel = NULL;
    assert_ok(segue_task_create(&task, &config, NULL));
    assert_ok(segue_kernel_create(&kernel, 7, 100, NULL));
    segue_simulated_task *simulated = new_simulated_task(&env, 1, 0, 0);
    double regret;
    segue_task_set_prior(task, &prior);
    assert_false(segue_kernel_play(kernel, task, simulated, 100, &regret));
    segue_task_set_prior(task, NULL);
    assert_true(segue_kernel_play(kernel, task, simulated, 100, &regret));
    segue_simulated_task_destroy(simulated);
    segue_kernel_destroy(kernel);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(screening_chooses_from_the_same_distribution),
        cmocka_unit_test(regret_of_whole_tasks_is_the_same),
        cmocka_unit_test(both_forms_of_tts_choose_from_the_same_distribution),
        cmocka_unit_test(a_clear_leader_loses_as_often_as_it_should),
        cmocka_unit_test(regret_of_whole_tasks_of_tts_is_the_same),
        cmocka_unit_test(the_plain_form_of_tts_plays_point_priors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
