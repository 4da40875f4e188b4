/* test_sampler_formulas.c - the formulas of sampled types against independent answers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/random/rng_sample.h"
#include "sampler_fixture.h"

typedef long double real;

enum { MAX_TASKS = 24, MAX_ARMS = 4, STEPS = 160 };

/* A window of tasks, and the memory for a set of them. */
typedef struct drawn_tasks {
    task_window window;
    uint32_t index[MAX_TASKS];
    double scratch[4 * MAX_TASKS];
} drawn_tasks;

static task_set set_of_all(drawn_tasks *t)
{
    for (uint32_t l = 0; l < MAX_TASKS; l++)
        t->index[l] = l;
    return (task_set){.tasks = &t->window,
                      .index = t->index,
                      .count = t->window.count,
                      .won = t->scratch,
                      .lost = t->scratch + MAX_TASKS,
                      .pulls = t->scratch + 2 * MAX_TASKS,
                      .scratch = t->scratch + 3 * MAX_TASKS};
}

/* Rewards of a task whose means are Beta(kappa p, kappa (1 - p)); some arms are not pulled. */
static void draw_task(segue_rng *rng, size_t n_arms, const double *p, double kappa, size_t pulls,
                      double *sum, double *pulled)
{
    double mean[MAX_ARMS];
    for (size_t i = 0; i < n_arms; i++)
        mean[i] = segue_rng_beta(rng, kappa * p[i], kappa * (1.0 - p[i]));
    play(rng, n_arms, mean, random_between(rng, 1, pulls), false, true, sum, pulled);
    if (n_arms > 1 && segue_rng_uniform(rng) < 0.3)
        sum[0] = pulled[0] = 0.0;
}

/* `count` tasks of one type. */
static void draw_tasks(drawn_tasks *t, segue_rng *rng, size_t n_arms, size_t count, double kappa,
                       size_t pulls)
{
    double p[MAX_ARMS], sum[MAX_ARMS], pulled[MAX_ARMS];
    segue_task_window_init(&t->window, n_arms, MAX_TASKS);
    assert_ok(segue_task_window_reserve(&t->window, count, NULL));
    for (size_t i = 0; i < n_arms; i++)
        p[i] = segue_rng_uniform(rng);
    for (size_t l = 0; l < count; l++) {
        draw_task(rng, n_arms, p, kappa, pulls, sum, pulled);
        segue_task_window_add(&t->window, l + 1, sum, pulled);
    }
}

/* ---- plain forms ------------------------------------------------------------------------- */

static real plain_ratio(real a, real b, real won, real lost)
{
    return lgammal(a + won) + lgammal(b + lost) - lgammal(a + b + won + lost) - lgammal(a) -
           lgammal(b) + lgammal(a + b);
}

/* The log-likelihood of an arm in all tasks, given p (and q = 1 - p). */
static real plain_given_mean(const task_window *w, size_t arm, real kappa, real p, real q)
{
    real sum = 0;
    for (size_t l = 0; l < w->count; l++) {
        const real won = segue_task_window_sum(w, l)[arm];
        const real pulls = segue_task_window_pulls(w, l)[arm];
        sum += plain_ratio(kappa * p, kappa * q, won, pulls - won);
    }
    return sum;
}

/* ln of the integral over p in 0 to 1, by the double exponential rule. */
static real integrate(const task_window *w, size_t arm, real kappa)
{
    static real value[2 * STEPS + 1];
    real max = -INFINITY, total = 0;
    for (int k = -STEPS; k <= STEPS; k++) {
        const real t = 3.0L * (real)k / STEPS, x = acosl(-1) * sinhl(t);
        const real p = 1 / (1 + expl(-x)), q = 1 / (1 + expl(x));
        value[k + STEPS] = plain_given_mean(w, arm, kappa, p, q) +
                           logl(p * q * acosl(-1) * coshl(t) * 3.0L / STEPS);
        max = fmaxl(max, value[k + STEPS]);
    }
    for (int k = 0; k <= 2 * STEPS; k++)
        total += expl(value[k] - max);
    return max + logl(total);
}

/* ln M(kappa) of kappas.c. */
static real plain_marginal(const task_window *w, size_t arm, real kappa)
{
    real won = 0, n = 0;
    for (size_t l = 0; l < w->count; l++) {
        const real pulls = segue_task_window_pulls(w, l)[arm];
        won += (kappa + 1) / (kappa + pulls) * (real)segue_task_window_sum(w, l)[arm];
        n += (kappa + 1) / (kappa + pulls) * pulls;
    }
    const real p = (1 + won) / (2 + n), q = (1 + n - won) / (2 + n);
    return plain_given_mean(w, arm, kappa, p, q) + lgammal(1 + won) + lgammal(1 + n - won) -
           lgammal(2 + n) - won * logl(p) - (n - won) * logl(q);
}

/* ---- scores ------------------------------------------------------------------------------ */

/* The error of the score of a random set, of tasks drawn with one kappa. */
static double error_of_score(segue_rng *rng, size_t kappa, size_t tasks, size_t pulls)
{
    drawn_tasks t;
    kappas k = {.count = kappa + 1};
    for (size_t g = 0; g < N_KAPPAS; g++)
        k.log_share[g] = g == kappa ? 0.0 : -INFINITY;
    draw_tasks(&t, rng, 1, random_between(rng, 1, tasks), segue_type_table_kappa(kappa), pulls);
    const task_set set = set_of_all(&t);
    const double error = segue_kappas_score(&k, &set) -
                         (double)integrate(&t.window, 0, segue_type_table_kappa(kappa));
    segue_task_window_fini(&t.window);
    return error;
}

/* The formula is an approximation.  Of 1000 other sets per kappa, of up to 20 tasks and 40 pulls,
 * 99 % were off by less than 0.75 nats and by less than 12 / kappa.  With 2 % each, 9 of 30 are
 * beyond that, for any of 14 kappas, with a probability of 14 * 1.4e7 * 0.02^9 = 1e-7. */
static void scores_are_integrals_over_the_mean(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 90, 0, 0, 0);
    for (size_t g = 0; g < N_KAPPAS; g++) {
        const double bound = fmin(0.75, 12.0 / segue_type_table_kappa(g));
        int beyond = 0;
        for (int r = 0; r < repeats(30); r++)
            beyond += !(fabs(error_of_score(&rng, g, 20, 40)) <= bound);
        assert_true(beyond < 9);
    }
}

/* One task of one pull: ln 1/2, whatever kappa is. */
static void the_score_of_one_pull_is_exact(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 97, 0, 0, 0);
    for (int r = 0; r < repeats(20); r++) {
        drawn_tasks t;
        kappas k = {.count = N_KAPPAS};
        for (size_t g = 0; g < N_KAPPAS; g++)
            k.log_share[g] = -log(N_KAPPAS);
        draw_tasks(&t, &rng, 1, 1, 30.0, 1);
        const task_set set = set_of_all(&t);
        assert_near(segue_kappas_score(&k, &set), -log(2.0), 1e-12);
        segue_task_window_fini(&t.window);
    }
}

/* The formula itself, to rounding: several arms, kappas summed by their shares. */
static void scores_sum_kappas_by_their_shares(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 91, 0, 0, 0);
    for (int r = 0; r < repeats(300); r++) {
        drawn_tasks t;
        kappas k = {.count = random_between(&rng, 1, N_KAPPAS)};
        double share[N_KAPPAS], all = 0.0;
        real expected = 0;
        for (size_t g = 0; g < k.count; g++)
            all += share[g] = segue_rng_uniform(&rng) + 1e-3;
        for (size_t g = 0; g < N_KAPPAS; g++)
            k.log_share[g] = g < k.count ? log(share[g] / all) : -INFINITY;
        draw_tasks(&t, &rng, MAX_ARMS, random_between(&rng, 1, MAX_TASKS), 30.0, 200);
        for (size_t i = 0; i < MAX_ARMS; i++) {
            real sum = 0;
            const real shift = plain_marginal(&t.window, i, segue_type_table_kappa(0));
            for (size_t g = 0; g < k.count; g++)
                sum += (real)share[g] / all *
                       expl(plain_marginal(&t.window, i, segue_type_table_kappa(g)) - shift);
            expected += shift + logl(sum);
        }
        const task_set set = set_of_all(&t);
        assert_near(segue_kappas_score(&k, &set), (double)expected,
                    1e-10 * (1.0 + fabs((double)expected)));
        segue_task_window_fini(&t.window);
    }
}

/* ---- the table --------------------------------------------------------------------------- */

/* A table of types with random kappas and a few random tasks each. */
static type_table random_table(segue_rng *rng, size_t n_types, size_t tasks)
{
    double p[MAX_ARMS], sum[MAX_ARMS], pulls[MAX_ARMS];
    type_table t;
    assert_ok(segue_type_table_init(&t, MAX_ARMS, NULL));
    for (size_t c = 0; c < n_types; c++) {
        assert_int_equal(segue_type_table_append(&t, c + 1), c);
        for (size_t i = 0; i < MAX_ARMS; i++) {
            p[i] = segue_rng_uniform(rng);
            segue_type_table_set(&t, c, i, 0.0, 0.0, random_between(rng, 0, N_KAPPAS - 1));
        }
        for (size_t l = 0; l < tasks; l++) {
            draw_task(rng, MAX_ARMS, p, 20.0, 300, sum, pulls);
            segue_type_table_add(&t, c, sum, pulls, 1.0);
        }
    }
    return t;
}

/* The predictive log-likelihood, from `won` and `pulls` of the table. */
static real plain_log_likelihood(const type_table *t, size_t type, const double *sum,
                                 const double *pulls)
{
    real log_lik = 0;
    for (size_t i = 0; i < t->n_arms; i++) {
        const size_t at = type * t->n_arms + i;
        const real n = 2 + (real)t->pulls[at], p = (1 + (real)t->won[at]) / n;
        const real c = 1 / (1 / (real)segue_type_table_kappa(t->kappa[at]) + 1 / n);
        log_lik += plain_ratio(c * p, c * (1 - p), sum[i], (real)pulls[i] - (real)sum[i]);
    }
    return log_lik;
}

static void likelihoods_are_products_of_beta_binomials(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 92, 0, 0, 0);
    for (int r = 0; r < repeats(1000); r++) {
        double p[MAX_ARMS], sum[MAX_ARMS], pulls[MAX_ARMS];
        type_table t = random_table(&rng, 2, random_between(&rng, 0, 10));
        for (size_t i = 0; i < MAX_ARMS; i++)
            p[i] = segue_rng_uniform(&rng);
        draw_task(&rng, MAX_ARMS, p, 2.0, 300, sum, pulls);
        const double expected = (double)plain_log_likelihood(&t, 1, sum, pulls);
        assert_near(segue_type_table_log_likelihood(&t, 1, sum, pulls), expected,
                    1e-9 * (1.0 + fabs(expected)));
        segue_type_table_fini(&t);
    }
}

/* To rounding: sums of up to 11 tasks of at most 131073 effective pulls each. */
static void what_is_removed_leaves_no_trace(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 93, 0, 0, 0);
    for (int r = 0; r < repeats(1000); r++) {
        double p[MAX_ARMS] = {0.1, 0.5, 0.9, 0.99}, sum[MAX_ARMS], pulls[MAX_ARMS];
        type_table t = random_table(&rng, 1, random_between(&rng, 1, 10));
        type_table before;
        assert_ok(segue_type_table_init(&before, MAX_ARMS, NULL));
        segue_type_table_copy(&before, &t);
        draw_task(&rng, MAX_ARMS, p, 5.0, 300, sum, pulls);
        segue_type_table_add(&t, 0, sum, pulls, 1.0);
        assert_near(t.size[0], before.size[0] + 1.0, 0.0);
        segue_type_table_add(&t, 0, sum, pulls, -1.0);
        assert_near(t.size[0], before.size[0], 0.0);
        for (size_t i = 0; i < MAX_ARMS; i++) {
            assert_near(t.won[i], before.won[i], 1e-12 * (1.0 + before.pulls[i]));
            assert_near(t.pulls[i], before.pulls[i], 1e-12 * (1.0 + before.pulls[i]));
            assert_near(t.a[i], before.a[i], 1e-11 * (before.a[i] + before.b[i]));
            assert_near(t.b[i], before.b[i], 1e-11 * (before.a[i] + before.b[i]));
        }
        segue_type_table_fini(&t);
        segue_type_table_fini(&before);
    }
}

/* Where one kappa is certain, the Beta over all kappas is the predictive Beta from the first task on
 * that pulls the arm; until then it is flat. */
static void played_betas_follow_the_predictive_ones(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 94, 0, 0, 0);
    for (int r = 0; r < repeats(300); r++) {
        double p[MAX_ARMS], sum[MAX_ARMS], pulls[MAX_ARMS];
        type_table t = random_table(&rng, 1, 0);
        for (size_t i = 0; i < MAX_ARMS; i++)
            p[i] = segue_rng_uniform(&rng);
        for (int l = 0; l < 20; l++) {
            draw_task(&rng, MAX_ARMS, p, 5.0, 300, sum, pulls);
            segue_type_table_add(&t, 0, sum, pulls, 1.0);
            segue_type_table_play(&t, 0, sum, pulls);
            for (size_t i = 0; i < MAX_ARMS; i++) {
                const double c = t.a[i] + t.b[i];
                const bool is_pulled = t.pulls[i] > 0.0;
                assert_near(t.play_a[i] / c, is_pulled ? t.a[i] / c : 1.0 / c, 1e-9);
                assert_near(t.play_b[i] / c, is_pulled ? t.b[i] / c : 1.0 / c, 1e-9);
            }
        }
        segue_type_table_fini(&t);
    }
}

/* ---- shares and choices ------------------------------------------------------------------- */

/* Three types, random tasks in them, and memories of random weights. */
static segue_sampler *random_partition(segue_rng *rng, size_t tasks)
{
    segue_sampler *s = new_default(MAX_ARMS, 1);
    double p[3][MAX_ARMS], sum[MAX_ARMS], pulls[MAX_ARMS], all = 0.0;
    for (size_t c = 0; c < 3; c++) {
        make_type(s, random_between(rng, 2, N_KAPPAS - 1));
        for (size_t i = 0; i < MAX_ARMS; i++)
            p[c][i] = 0.3 + 0.4 * segue_rng_uniform(rng);
    }
    for (size_t l = 0; l < tasks; l++) {
        const size_t type = l < 3 ? l : random_between(rng, 0, 2);
        draw_task(rng, MAX_ARMS, p[type], 20.0, 6, sum, pulls);
        s->finished += random_between(rng, 0, 2); /* some tasks are not in the window */
        position(s, sum, pulls, (uint32_t)type);
    }
    for (size_t h = 0; h < N_HALF_LIVES; h++)
        all += s->memory[h] = segue_rng_uniform(rng);
    for (size_t h = 0; h < N_HALF_LIVES; h++)
        s->memory[h] /= all;
    s->alpha = 0.25 + segue_rng_uniform(rng);
    return s;
}

static void shares_decay_with_half_lives(void **state)
{
    (void)state;
    const double half_life[N_HALF_LIVES] = {6.0, 25.0, 100.0, INFINITY};
    segue_rng rng;
    segue_rng_init(&rng, 95, 0, 0, 0);
    for (int r = 0; r < repeats(200); r++) {
        segue_sampler *s = random_partition(&rng, random_between(&rng, 3, 200));
        double share[MAX_SAMPLED_TYPES], expected[3] = {0.0}, none = 0.0;
        s->finished += random_between(&rng, 0, 3);
        for (size_t h = 0; h < N_HALF_LIVES; h++) {
            double count[3] = {0.0}, all = s->alpha;
            for (size_t l = 0; l < s->tasks.count; l++) {
                const uint64_t age = s->finished - segue_task_window_number(&s->tasks, l);
                count[s->type_of[l]] += exp2(-(double)age / half_life[h]);
                all += exp2(-(double)age / half_life[h]);
            }
            for (size_t c = 0; c < 3; c++)
                expected[c] += s->memory[h] * count[c] / all;
            none += s->memory[h] * s->alpha / all;
        }
        assert_near(segue_sampler_mixing_shares(s, share), none, 1e-12);
        for (size_t c = 0; c < 3; c++)
            assert_near(share[c], expected[c], 1e-12);
        segue_sampler_destroy(s);
    }
}

/* The probability of each type, and of a new one, for the last task, which is in no type. */
static void enumerate(const segue_sampler *s, double *probability)
{
    const size_t task = s->tasks.count - 1, n = s->types.n_types;
    const double *sum = sum_of(s, task), *pulls = pulls_of(s, task);
    real weight[TYPE_SLOTS], all = 0, flat = logl((real)s->alpha);
    for (size_t i = 0; i < s->config.n_arms; i++)
        flat += plain_ratio(1, 1, sum[i], (real)pulls[i] - (real)sum[i]);
    for (size_t c = 0; c <= n; c++)
        all += weight[c] =
            c < n ? (real)s->types.size[c] * expl(plain_log_likelihood(&s->types, c, sum, pulls))
                  : expl(flat);
    for (size_t c = 0; c <= n; c++)
        probability[c] = (double)(weight[c] / all);
}

/* Draw the last task's type many times; returns chi-squared of the counts. */
static double chi_squared(segue_sampler *s, segue_rng *rng, int draws)
{
    const size_t task = s->tasks.count - 1, n = s->types.n_types;
    double count[4] = {0.0}, probability[4], chi = 0.0;
    enumerate(s, probability);
    for (int k = 0; k < draws; k++) {
        segue_sampler_moves_assign(s, task, rng);
        count[s->type_of[task]] += 1.0;
        segue_sampler_moves_remove(s, task);
        assert_int_equal(s->types.n_types, n);
    }
    for (size_t c = 0; c <= n; c++) {
        const double expected = probability[c] * draws;
        chi += (count[c] - expected) * (count[c] - expected) / expected;
    }
    return chi;
}

/* Three types and a new one: chi-squared has 3 degrees of freedom and exceeds 39.9 with a
 * probability of 1.1e-8; of 20 any does with 2.3e-7.  (Expected counts are 100 at least.) */
static void types_are_drawn_with_their_probabilities(void **state)
{
    (void)state;
    const double half[MAX_ARMS] = {0.5, 0.5, 0.5, 0.5};
    segue_rng rng;
    segue_rng_init(&rng, 96, 0, 0, 0);
    for (int done = 0; done < repeats(20);) {
        segue_sampler *s = random_partition(&rng, 12);
        double sum[MAX_ARMS], pulls[MAX_ARMS], p[4];
        draw_task(&rng, MAX_ARMS, half, 20.0, 4, sum, pulls);
        position(s, sum, pulls, NO_TYPE);
        enumerate(s, p);
        if (fmin(fmin(p[0], p[1]), fmin(p[2], p[3])) > 0.01) {
            assert_true(chi_squared(s, &rng, 10000) < 39.9);
            done++;
        }
        segue_sampler_destroy(s);
    }
}

/* Four drawn kappas are spread evenly; to them come those of pulled arms of several tasks. */
static void shares_of_kappas_are_counted(void **state)
{
    (void)state;
    const double sum[2] = {3, 0}, pulls[2] = {10, 0}; /* one arm is not pulled */
    const double expected[5] = {0.8, 1.8, 1.8, 0.8, 0.8};
    segue_sampler *s = new_default(2, 1);
    kappas k;
    for (uint32_t c = 0; c < 3; c++) {
        make_type(s, c);
        for (size_t l = 0; l <= c; l++) /* 1, 2 and 3 tasks */
            position(s, sum, pulls, c);
    }
    segue_kappas_estimate(&k, &s->types, 10.0);
    assert_int_equal(k.count, 5); /* 1, 2, 4, 8, 16 */
    for (size_t g = 0; g < 5; g++)
        assert_near(exp(k.log_share[g]), expected[g] / 6.0, 1e-12);
    segue_kappas_estimate(&k, &s->types, 1e9);
    assert_int_equal(k.count, N_KAPPAS);
    segue_sampler_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_integrals_over_the_mean),
        cmocka_unit_test(the_score_of_one_pull_is_exact),
        cmocka_unit_test(scores_sum_kappas_by_their_shares),
        cmocka_unit_test(likelihoods_are_products_of_beta_binomials),
        cmocka_unit_test(what_is_removed_leaves_no_trace),
        cmocka_unit_test(played_betas_follow_the_predictive_ones),
        cmocka_unit_test(shares_decay_with_half_lives),
        cmocka_unit_test(types_are_drawn_with_their_probabilities),
        cmocka_unit_test(shares_of_kappas_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
