/* test_retest.c - arms that look-ahead may have given up too early.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/lookahead/retest.h"

#include <math.h>

#include "belief_fixture.h"

/* E(x - bar)+ of Beta(a, b), a, b >= 1, by the midpoint rule. */
static double integral(double bar, double a, double b)
{
    const int parts = 20000;
    double above = 0.0, all = 0.0;
    for (int i = 0; i < parts; i++) {
        const double x = (i + 0.5) / parts, density = pow(x, a - 1.0) * pow(1.0 - x, b - 1.0);
        all += density;
        above += x > bar ? (x - bar) * density : 0.0;
    }
    return above / all;
}

static void the_excess_is_an_integral(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 61, 0, 0, 0);
    for (int i = 0; i < repeats(100); i++) {
        const double a = 1.0 + 20.0 * segue_rng_uniform(&rng);
        const double b = 1.0 + 20.0 * segue_rng_uniform(&rng), bar = segue_rng_uniform(&rng);
        assert_true(fabs(segue_retest_excess(bar, a, b) - integral(bar, a, b)) < 1e-6);
    }
    assert_true(segue_retest_excess(1.0, 2.0, 1.0) == 0.0);
    assert_true(fabs(segue_retest_excess(0.0, 2.0, 1.0) - 2.0 / 3.0) < 1e-15);
}

/* Arm 0 pays 0.7; arm 1 had two rewards of 0. All components are flat. */
static belief_case *unlucky_case(size_t n_components)
{
    belief_case *m = new_belief_case(n_components, 2, false);
    segue_rng rng;
    segue_rng_init(&rng, 62, 0, 0, 0);
    random_weights(&rng, m->weight, n_components);
    for (size_t i = 0; i < 2 * n_components; i++)
        m->a[i] = m->b[i] = 1.0;
    m->pulls[0] = 1000;
    m->sum[0] = 700.0;
    m->pulls[1] = 2;
    return m;
}

static void an_unlucky_arm_gets_another_pull_in_a_long_task(void **state)
{
    (void)state;
    belief_case *m = unlucky_case(3);
    assert_true(segue_lookahead_choose(&m->belief, 5000, m->memory).exploits);
    assert_int_equal(segue_retest_choose(&m->belief, 0, 1002, 5000), 1);
    assert_int_equal(segue_retest_choose(&m->belief, 0, 1002, 50), 0); /* few pulls are left */
    assert_int_equal(segue_retest_choose(&m->belief, 0, 10, 5000), 0); /* a task's first steps */
    m->pulls[1] = 20;
    assert_int_equal(segue_retest_choose(&m->belief, 0, 1020, 5000), 0); /* it is bad */
    free_belief_case(m);
}

static void an_arm_that_is_not_allowed_or_known_is_not_tested_again(void **state)
{
    (void)state;
    belief_case *m = unlucky_case(1);
    const bool allowed[] = {true, false};
    m->belief.allowed = allowed;
    assert_int_equal(segue_retest_choose(&m->belief, 0, 1002, 5000), 0);
    m->belief.allowed = NULL;
    m->belief.prior.b = NULL; /* points */
    m->a[0] = 0.7;
    m->a[1] = 0.8;
    assert_int_equal(segue_retest_choose(&m->belief, 0, 1002, 5000), 0);
    free_belief_case(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_excess_is_an_integral),
        cmocka_unit_test(an_unlucky_arm_gets_another_pull_in_a_long_task),
        cmocka_unit_test(an_arm_that_is_not_allowed_or_known_is_not_tested_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
