/* test_sampler_recent.c - tasks of long ago count less: the Betas of the next task, and the draw of
 * its type.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sampler_fixture.h"

enum { N_ARMS = 3, N_TYPES = 3 };

static const double half_life[N_HALF_LIVES] = {6.0, 25.0, 100.0, INFINITY};

/* Three types, random tasks in them, and memories of random weights. */
static segue_sampler *random_partition(segue_rng *rng, size_t tasks)
{
    segue_sampler *s = new_default(N_ARMS, 1);
    double all = 0.0;
    for (size_t c = 0; c < N_TYPES; c++)
        make_type(s, random_between(rng, 2, N_KAPPAS - 1));
    for (size_t l = 0; l < tasks; l++) {
        const size_t type = l < N_TYPES ? l : random_between(rng, 0, N_TYPES - 1);
        const double mean[N_ARMS] = {0.3, 0.5, 0.4 + 0.1 * (double)type};
        double sum[N_ARMS], pulls[N_ARMS];
        play(rng, N_ARMS, mean, 6, true, true, sum, pulls);
        s->finished += random_between(rng, 0, 2); /* some tasks are not in the window */
        position(s, sum, pulls, (uint32_t)type);
        segue_type_table_play(&s->types, type, sum, pulls);
    }
    for (size_t h = 0; h < N_HALF_LIVES; h++)
        all += s->memory[h] = segue_rng_uniform(rng);
    for (size_t h = 0; h < N_HALF_LIVES; h++)
        s->memory[h] /= all;
    return s;
}

static double weight_of(const segue_sampler *s, size_t task)
{
    const uint64_t age = s->finished - segue_task_window_number(&s->tasks, task);
    double weight = 0.0;
    for (size_t h = 0; h < N_HALF_LIVES; h++)
        weight += s->memory[h] * exp2(-(double)age / half_life[h]);
    return weight;
}

/* Sum up the rewards and pulls of an arm of a type, each task by its weight (or all alike). */
static void sum_up(const segue_sampler *s, size_t type, size_t arm, bool all_alike, double *won,
                   double *pulls)
{
    const double kappa = segue_type_table_kappa(s->types.kappa[type * N_ARMS + arm]);
    *won = *pulls = 0.0;
    for (size_t l = 0; l < s->tasks.count; l++) {
        const double pulled = pulls_of(s, l)[arm];
        const double weight = all_alike ? 1.0 : weight_of(s, l);
        if (s->type_of[l] != type || pulled == 0.0)
            continue;
        *won += weight * sum_of(s, l)[arm] * (kappa + 1.0) / (kappa + pulled);
        *pulls += weight * pulled * (kappa + 1.0) / (kappa + pulled);
    }
}

static void check_next(const segue_sampler *s, size_t type, size_t arm)
{
    const type_table *t = &s->types;
    const size_t at = type * N_ARMS + arm;
    const double total = t->play_a[at] + t->play_b[at], next = t->next_a[at] + t->next_b[at];
    double won, pulls, all_won, all_pulls;
    sum_up(s, type, arm, false, &won, &pulls);
    sum_up(s, type, arm, true, &all_won, &all_pulls);
    const double shift = (1.0 + won) / (2.0 + pulls) - (1.0 + all_won) / (2.0 + all_pulls);
    const double spread = fmax(1e-6, 1.0 / total - 1.0 / (all_pulls + 2.0));
    assert_near(t->next_pulls[at], pulls, 1e-9 * (1.0 + pulls));
    assert_near(t->next_a[at] / next, t->play_a[at] / total + shift, 1e-9);
    assert_near(1.0 / next, spread + 1.0 / (pulls + 2.0), 1e-9);
}

static void next_betas_weigh_tasks_by_age(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 97, 0, 0, 0);
    for (int r = 0; r < repeats(100); r++) {
        segue_sampler *s = random_partition(&rng, random_between(&rng, 3, 200));
        segue_sampler_recent_update(s);
        for (size_t at = 0; at < N_TYPES * N_ARMS; at++)
            check_next(s, at / N_ARMS, at % N_ARMS);
        segue_sampler_destroy(s);
    }
}

/* With all weight on the memory that never forgets, the next task is like any further one. */
static void without_forgetting_nothing_changes(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 98, 0, 0, 0);
    segue_sampler *s = new_default(N_ARMS, 1);
    learn_tasks_of(s, &rng, (const double[]){0.2, 0.8, 0.5, 0.9, 0.1, 0.5}, 2, 40, 20);
    memcpy(s->memory, (const double[N_HALF_LIVES]){0.0, 0.0, 0.0, 1.0}, sizeof s->memory);
    segue_sampler_recent_update(s);
    for (size_t at = 0; at < s->types.n_types * N_ARMS; at++) {
        const double total = s->types.play_a[at] + s->types.play_b[at];
        assert_near(s->types.next_a[at] / total, s->types.play_a[at] / total, 1e-9);
        assert_near(s->types.next_b[at] / total, s->types.play_b[at] / total, 1e-9);
    }
    segue_sampler_destroy(s);
}

/* An arm of a type that has not come for long is hardly known any more; its mean was 0.1. */
static void a_type_of_long_ago_is_uncertain(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 99, 0, 0, 0);
    segue_sampler *s = new_default(2, 1);
    learn_tasks_of(s, &rng, (const double[]){0.9, 0.1}, 1, 30, 20);
    const double before = s->types.next_a[1] + s->types.next_b[1];
    learn_tasks_of(s, &rng, (const double[]){0.2, 0.6}, 1, 20, 20);
    const size_t old = s->types.won[0] > 0.5 * s->types.pulls[0] ? 0 : 1;
    const double after = s->types.next_a[old * 2 + 1] + s->types.next_b[old * 2 + 1];
    assert_true(s->types.next_pulls[old * 2 + 1] < 0.5 * s->types.pulls[old * 2 + 1]);
    assert_true(after < before);
    segue_sampler_destroy(s);
}

/* The probability of each type, and of a new one, for the last task, which is in no type. */
static void enumerate(const segue_sampler *s, double *probability)
{
    const size_t task = s->tasks.count - 1;
    double share[MAX_SAMPLED_TYPES], all = 0.0;
    share[N_TYPES] = segue_sampler_mixing_shares(s, share);
    for (size_t c = 0; c <= N_TYPES; c++) {
        double fit = 0.0;
        for (size_t i = 0; i < N_ARMS; i++) {
            const double a = c < N_TYPES ? s->types.a[c * N_ARMS + i] : 1.0;
            const double b = c < N_TYPES ? s->types.b[c * N_ARMS + i] : 1.0;
            const double won = sum_of(s, task)[i], lost = pulls_of(s, task)[i] - won;
            fit += lgamma(a + won) + lgamma(b + lost) - lgamma(a + b + won + lost) - lgamma(a) -
                   lgamma(b) + lgamma(a + b);
        }
        all += probability[c] = share[c] * exp(fit);
    }
    for (size_t c = 0; c <= N_TYPES; c++)
        probability[c] /= all;
}

static double chi_squared(segue_sampler *s, const double *probability, segue_rng *rng, int draws)
{
    double count[N_TYPES + 1] = {0.0}, chi = 0.0;
    for (int k = 0; k < draws; k++) {
        segue_sampler_moves_assign_last(s, rng);
        count[s->type_of[s->tasks.count - 1]] += 1.0;
        segue_sampler_moves_remove(s, s->tasks.count - 1);
    }
    for (size_t c = 0; c <= N_TYPES; c++) {
        const double expected = probability[c] * draws;
        chi += (count[c] - expected) * (count[c] - expected) / expected;
    }
    return chi;
}

/* Chi-squared has 3 degrees of freedom and exceeds 39.9 with a probability of 1.1e-8; of 20 any does
 * with 2.3e-7.  (Expected counts are 100 at least.) */
static void the_type_of_the_last_task_is_drawn_by_predicted_shares(void **state)
{
    (void)state;
    const double half[N_ARMS] = {0.5, 0.5, 0.5};
    segue_rng rng;
    segue_rng_init(&rng, 100, 0, 0, 0);
    for (int done = 0; done < repeats(20);) {
        segue_sampler *s = random_partition(&rng, 12);
        double sum[N_ARMS], pulls[N_ARMS], p[N_TYPES + 1];
        play(&rng, N_ARMS, half, 4, false, true, sum, pulls);
        position(s, sum, pulls, NO_TYPE);
        enumerate(s, p);
        if (fmin(fmin(p[0], p[1]), fmin(p[2], p[3])) > 0.01) {
            assert_true(chi_squared(s, p, &rng, 10000) < 39.9);
            done++;
        }
        segue_sampler_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_betas_weigh_tasks_by_age),
        cmocka_unit_test(without_forgetting_nothing_changes),
        cmocka_unit_test(a_type_of_long_ago_is_uncertain),
        cmocka_unit_test(the_type_of_the_last_task_is_drawn_by_predicted_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
