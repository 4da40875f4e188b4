/* test_test_pull.c - pulls whose rewards are for later tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/lookahead/test_pull.h"

#include <math.h>

#include "belief_fixture.h"

/* Random Betas, counts, rates and gains; component 0 is no type. */
typedef struct test_case {
    belief_case *m;
    double tests[MAX_COMPONENTS], gain[MAX_COMPONENTS * MAX_ARMS];
} test_case;

static test_case random_case(segue_rng *rng, size_t n_components, size_t n_arms)
{
    test_case c = {.m = new_belief_case(n_components, n_arms, false)};
    random_weights(rng, c.m->weight, n_components);
    for (size_t q = 1; q < n_components; q++)
        c.tests[q] = segue_rng_uniform(rng);
    for (size_t i = 0; i < n_components * n_arms; i++) {
        c.m->a[i] = 0.1 + 5.0 * segue_rng_uniform(rng);
        c.m->b[i] = 0.1 + 5.0 * segue_rng_uniform(rng);
        c.gain[i] = i < n_arms ? 0.0 : 4.0 * segue_rng_uniform(rng) - 1.0;
    }
    for (size_t i = 0; i < n_arms; i++)
        c.m->pulls[i] = i % 3;
    return c;
}

/* The arm that a component tests, by the definition; n_arms: none. */
static size_t plain_choice(const test_case *c, size_t q)
{
    const segue_belief *belief = &c->m->belief;
    const size_t n = belief->prior.n_arms;
    double best = 0.0, max_net = 0.0;
    size_t found = n;
    for (size_t i = 0; i < n; i++)
        best = fmax(best, segue_belief_mean(belief, q, i));
    for (size_t i = 0; i < n; i++) {
        const double net = c->gain[q * n + i] / (1.0 + (double)belief->pulls[i]) -
                           3.0 * (best - segue_belief_mean(belief, q, i));
        if (net > max_net && (!belief->allowed || belief->allowed[i])) {
            max_net = net;
            found = i;
        }
    }
    return found;
}

static void components_test_by_their_squared_weights(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 81, 0, 0, 0);
    for (int r = 0; r < repeats(200); r++) {
        test_case c = random_case(&rng, 1 + (size_t)r % 5, 2 + (size_t)r % 8);
        segue_belief *belief = &c.m->belief;
        belief->prior.tests = c.tests;
        belief->prior.gain = c.gain;
        double from = 0.0;
        for (size_t q = 0; q < belief->prior.n_components; q++) {
            const double rate = c.m->weight[q] * c.m->weight[q] * c.tests[q];
            if (rate > 1e-9)
                assert_int_equal(segue_test_pull_choose(belief, from + 0.5 * rate),
                                 plain_choice(&c, q));
            from += rate;
        }
        assert_true(fabs(segue_test_pull_rate(belief) - from) < 1e-12);
        free_belief_case(c.m);
    }
}

static void an_arm_that_is_not_allowed_is_not_tested(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 82, 0, 0, 0);
    test_case c = random_case(&rng, 2, 3);
    const bool allowed[3] = {true, true, false};
    c.m->belief.prior.tests = c.tests;
    c.m->belief.prior.gain = c.gain;
    c.gain[5] = 100.0;
    assert_int_equal(segue_test_pull_choose(&c.m->belief, 0.0), 2);
    c.m->belief.allowed = allowed;
    assert_true(segue_test_pull_choose(&c.m->belief, 0.0) != 2);
    free_belief_case(c.m);
}

static void a_prior_without_tests_has_none(void **state)
{
    (void)state;
    belief_case *m = new_belief_case(2, 2, false);
    assert_true(segue_test_pull_rate(&m->belief) == 0.0);
    free_belief_case(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_test_by_their_squared_weights),
        cmocka_unit_test(an_arm_that_is_not_allowed_is_not_tested),
        cmocka_unit_test(a_prior_without_tests_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
