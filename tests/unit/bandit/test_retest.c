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

/* The two sides of the rule for an arm, by their definition: gain over price. */
static double ratio_of(const belief_case *m, size_t best, size_t arm, double remaining)
{
    const segue_prior *p = &m->belief.prior;
    double excess = 0.0, lack = 0.0, mean_step = 0.0, max_step = 0.0;
    for (size_t q = 0; q < p->n_components; q++) {
        const size_t e = q * p->n_arms + best, i = q * p->n_arms + arm;
        const double a = m->a[i] + m->sum[arm];
        const double b = m->b[i] + (double)m->pulls[arm] - m->sum[arm];
        const double total = m->a[e] + m->b[e] + (double)m->pulls[best];
        const double bar = (m->a[e] + m->sum[best]) / total, step = 1.0 / (a + b);
        excess += m->weight[q] * step * integral(bar, a, b);
        lack += m->weight[q] * (bar - a / (a + b));
        mean_step += m->weight[q] * step;
        max_step = fmax(max_step, step);
    }
    const double unknown = mean_step / max_step;
    return remaining * sqrt(remaining / 300.0) * pow(unknown, 1.5) * excess /
           (0.35 * fmax(lack, 1e-12));
}

/* Types from wide to narrow; the best arm has a thousand pulls, the others have few. */
static void fill_case(belief_case *m, segue_rng *rng)
{
    const double widest = pow(10.0, 3.0 * segue_rng_uniform(rng));
    random_weights(rng, m->weight, 3);
    for (size_t k = 0; k < 9; k++) {
        m->a[k] = 1.0 + widest * segue_rng_uniform(rng);
        m->b[k] = 1.0 + widest * segue_rng_uniform(rng);
    }
    for (size_t i = 0; i < 3; i++) {
        m->pulls[i] = i == 0 ? 1000 : (uint64_t)(20.0 * segue_rng_uniform(rng));
        m->sum[i] = floor((double)m->pulls[i] * (i == 0 ? 0.8 : segue_rng_uniform(rng)));
    }
}

static void the_rule_is_its_formula(void **state)
{
    (void)state;
    segue_rng rng;
    size_t tested = 0, clear = 0;
    segue_rng_init(&rng, 63, 0, 0, 0);
    for (int k = 0; k < repeats(200); k++) {
        belief_case *m = new_belief_case(3, 3, false);
        fill_case(m, &rng);
        const double one = ratio_of(m, 0, 1, 2000.0), two = ratio_of(m, 0, 2, 2000.0);
        const double larger = fmax(one, two);
        if (fabs(larger - 1.0) > 1e-3 && fabs(one - two) > 1e-3 * larger) {
            const size_t expected = larger < 1.0 ? 0 : one > two ? 1 : 2;
            assert_int_equal(segue_retest_choose(&m->belief, 0, 1040, 2000), expected);
            clear++;
            tested += expected > 0;
        }
        free_belief_case(m);
    }
    assert_true(tested > 0 && tested < clear);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_excess_is_an_integral),
        cmocka_unit_test(an_unlucky_arm_gets_another_pull_in_a_long_task),
        cmocka_unit_test(the_rule_is_its_formula),
        cmocka_unit_test(an_arm_that_is_not_allowed_or_known_is_not_tested_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
