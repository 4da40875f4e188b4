/* test_sampler_near.c - how common types are near a task, and which arms of a type are tested.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/lookahead/test_pull.h"
#include "core/math/log_gamma.h"
#include "sampler_fixture.h"

enum { N_ARMS = 2, N_TYPES = 3 };

static const double half_life[N_HALF_LIVES] = {6.0, 25.0, 100.0, INFINITY};

/* Three types, random tasks in them, and memories of random weights or only the last. */
static segue_sampler *random_partition(segue_rng *rng, size_t tasks, bool forgets)
{
    const double sum[N_ARMS] = {1.0, 0.0}, pulls[N_ARMS] = {2.0, 1.0};
    segue_sampler *s = new_default(N_ARMS, 1);
    double all = 0.0;
    for (size_t c = 0; c < N_TYPES; c++)
        make_type(s, 5);
    for (size_t l = 0; l < tasks; l++)
        position(s, sum, pulls, (uint32_t)(l < N_TYPES ? l : random_between(rng, 0, N_TYPES - 1)));
    for (size_t h = 0; h < N_HALF_LIVES; h++)
        all += s->memory[h] =
            forgets ? segue_rng_uniform(rng) : (h == N_HALF_LIVES - 1 ? 1.0 : 0.0);
    for (size_t h = 0; h < N_HALF_LIVES; h++)
        s->memory[h] /= all;
    s->alpha = 0.25 + segue_rng_uniform(rng);
    return s;
}

/* The share of a type (NO_TYPE: of a new one) near a task, given the tasks from 0 to `end`. */
static double plain_share(const segue_sampler *s, size_t task, size_t end, uint32_t type)
{
    double share = 0.0, squares = 0.0;
    for (size_t h = 0; h < N_HALF_LIVES; h++)
        squares += s->memory[h] * s->memory[h];
    for (size_t h = 0; h < N_HALF_LIVES; h++) {
        double own = 0.0, all = s->alpha;
        for (size_t l = 0; l < end; l++) {
            const double weight = exp2(-fabs((double)l - (double)task) / half_life[h]);
            all += l != task ? weight : 0.0;
            own += l != task && s->type_of[l] == type ? weight : 0.0;
        }
        share += s->memory[h] * s->memory[h] / squares * (type == NO_TYPE ? s->alpha : own) / all;
    }
    return share;
}

static void shares_count_tasks_by_distance(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 71, 0, 0, 0);
    for (int r = 0; r < repeats(100); r++) {
        segue_sampler *s = random_partition(&rng, random_between(&rng, 4, 150), true);
        const size_t n = s->tasks.count, task = random_between(&rng, 0, n - 1);
        double share[MAX_SAMPLED_TYPES];
        segue_sampler_near_begin(s);
        assert_near(segue_sampler_near_shares(s, task, share), plain_share(s, task, n, NO_TYPE),
                    1e-12);
        for (uint32_t c = 0; c < N_TYPES; c++)
            assert_near(share[c], plain_share(s, task, n, c), 1e-12);
        segue_sampler_destroy(s);
    }
}

/* By the definition: the product over tasks of shares given those before, two types over one. */
static double plain_log_division(const segue_sampler *s, uint32_t first, uint32_t second)
{
    bool has[2] = {false, false};
    double sum = 0.0;
    for (size_t l = 0; l < s->tasks.count; l++) {
        const uint32_t type = s->type_of[l];
        if (type != first && type != second)
            continue;
        const bool is_new = !has[type == second];
        if (has[0] || has[1])
            sum += log(plain_share(s, l, l, is_new ? NO_TYPE : type) /
                       (plain_share(s, l, l, first) + plain_share(s, l, l, second)));
        has[type == second] = true;
    }
    return sum;
}

static void divisions_multiply_shares(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 72, 0, 0, 0);
    for (int r = 0; r < repeats(100); r++) {
        segue_sampler *s = random_partition(&rng, random_between(&rng, 4, 60), true);
        assert_near(segue_sampler_near_log_division(s, 0, 2), plain_log_division(s, 0, 2), 1e-9);
        segue_sampler_destroy(s);
    }
}

/* Without forgetting they are those of a Dirichlet process (Antoniak 1974). */
static void without_forgetting_it_is_a_dirichlet_process(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 73, 0, 0, 0);
    for (int r = 0; r < repeats(100); r++) {
        segue_sampler *s = random_partition(&rng, random_between(&rng, 4, 150), false);
        const double n0 = s->types.size[0], n2 = s->types.size[2], n = (double)s->tasks.count;
        const double alpha = 0.1 + segue_rng_uniform(&rng);
        assert_near(segue_sampler_near_log_division(s, 0, 2),
                    log(s->alpha) + segue_log_gamma(n0) + segue_log_gamma(n2) -
                        segue_log_gamma(n0 + n2),
                    1e-9);
        assert_near(segue_sampler_near_log_births(s, alpha),
                    N_TYPES * log(alpha) + segue_log_gamma(alpha) - segue_log_gamma(alpha + n),
                    1e-9);
        segue_sampler_destroy(s);
    }
}

/* ---- tests of arms ------------------------------------------------------------------------- */

/* One type of some tasks: the first arm pays 1 / 2, the second had `pulls` rewards of 0. */
static double rate_of(size_t tasks, double pulls, double *gain)
{
    segue_sampler *s = new_default(N_ARMS, 1);
    sampler_prior p;
    double tests[SEGUE_MAX_COMPONENTS], all[SEGUE_MAX_COMPONENTS * N_ARMS];
    make_type(s, N_KAPPAS - 1);
    for (size_t l = 0; l < tasks; l++) {
        const double sum[N_ARMS] = {20.0, 0.0}, pulled[N_ARMS] = {40.0, l == 0 ? pulls : 0.0};
        position(s, sum, pulled, 0);
        segue_type_table_play(&s->types, 0, sum, pulled);
    }
    segue_sampler_recent_update(s);
    segue_sampler_prior_describe(s, &p);
    segue_sampler_tests_fill(s, &p, tests, all);
    assert_true(tests[0] == 0.0 && all[N_ARMS + p.arm[1]] == 0.0);
    *gain = all[N_ARMS + 1];
    segue_sampler_destroy(s);
    return tests[1];
}

static void an_arm_is_tested_until_it_cannot_gain(void **state)
{
    (void)state;
    double last = INFINITY, gain;
    for (double pulls = 1.0; pulls < 40.0; pulls *= 2.0) {
        (void)rate_of(20, pulls, &gain);
        assert_true(gain < last || gain == 0.0);
        last = gain;
    }
    assert_true(rate_of(20, 1.0, &gain) > 0.5 && gain > SEGUE_TEST_PULL_COST * 0.5);
    assert_true(rate_of(20, 40.0, &gain) == 0.0 && gain < SEGUE_TEST_PULL_COST * 0.5);
    assert_true(rate_of(1, 1.0, &gain) == 0.0); /* a type of one task may not come back */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_count_tasks_by_distance),
        cmocka_unit_test(divisions_multiply_shares),
        cmocka_unit_test(without_forgetting_it_is_a_dirichlet_process),
        cmocka_unit_test(an_arm_is_tested_until_it_cannot_gain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
