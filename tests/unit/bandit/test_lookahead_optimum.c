/* test_lookahead_optimum.c - look-ahead against the optimum, by exact dynamic programming.
 * SPDX-License-Identifier: Apache-2.0 */
#include "belief_fixture.h"

#define MAX_STEPS  12
#define MAX_STATES 18564 /* C(18, 6): successes and failures of 3 arms, at most 12 together */

/* A small_problem problem: two point models.  Its states are the successes and failures of each
 * arm. */
typedef struct small_problem {
    belief_case *m;
    size_t steps;
    bool optimal; /* else look-ahead chooses */
    double prior[2];
    size_t count[6];           /* of the state: successes and failures of arm 0, of arm 1, ... */
    double regret[MAX_STATES]; /* still to come, times the probability of the state; NaN: unknown */
} small_problem;

static size_t choose(size_t n, size_t k)
{
    size_t product = 1;
    for (size_t i = 0; i < k; i++)
        product = product * (n - i) / (i + 1);
    return n < k ? 0 : product;
}

/* The number of a state: that of a subset in the combinatorial number system. */
static size_t state_number(const small_problem *p)
{
    size_t number = 0, position = 0;
    for (size_t i = 0; i < 2 * p->m->belief.prior.n_arms; i++) {
        position += p->count[i];
        number += choose(position + i, i + 1);
    }
    return number;
}

/* The probability of a model and of the rewards of the state, in the order in which they came. */
static double joint(const small_problem *p, size_t model)
{
    double product = p->prior[model];
    for (size_t arm = 0; arm < p->m->belief.prior.n_arms; arm++) {
        const double mean = p->m->a[model * p->m->belief.prior.n_arms + arm];
        product *=
            pow(mean, (double)p->count[2 * arm]) * pow(1.0 - mean, (double)p->count[2 * arm + 1]);
    }
    return product;
}

static size_t steps_left(const small_problem *p)
{
    size_t left = p->steps;
    for (size_t i = 0; i < 6; i++)
        left -= p->count[i];
    return left;
}

static double regret_to_go(small_problem *p);

/* The regret of a pull of an arm here, and of all that comes after it. */
static double regret_of_arm(small_problem *p, size_t arm)
{
    const size_t n_arms = p->m->belief.prior.n_arms;
    double regret = 0.0;
    for (size_t q = 0; q < 2; q++) {
        const double *mean = p->m->a + q * n_arms;
        double best = 0.0;
        for (size_t k = 0; k < n_arms; k++)
            best = fmax(best, mean[k]);
        regret += joint(p, q) * (best - mean[arm]);
    }
    for (size_t i = 2 * arm; i < 2 * arm + 2; i++) {
        p->count[i]++;
        regret += regret_to_go(p);
        p->count[i]--;
    }
    return regret;
}

static double regret_of_choice(small_problem *p)
{
    const double total = joint(p, 0) + joint(p, 1);
    if (!(total > 0.0))
        return 0.0; /* cannot be reached */
    if (!p->optimal) {
        for (size_t q = 0; q < 2; q++)
            p->m->weight[q] = joint(p, q) / total;
        return regret_of_arm(
            p, segue_lookahead_choose(&p->m->belief, steps_left(p), p->m->memory).arm);
    }
    double smallest = INFINITY;
    for (size_t arm = 0; arm < p->m->belief.prior.n_arms; arm++)
        smallest = fmin(smallest, regret_of_arm(p, arm));
    return smallest;
}

static double regret_to_go(small_problem *p)
{
    if (steps_left(p) == 0)
        return 0.0;
    double *known = &p->regret[state_number(p)];
    if (isnan(*known))
        *known = regret_of_choice(p);
    return *known;
}

static double regret_of(small_problem *p, bool optimal)
{
    p->optimal = optimal;
    for (size_t i = 0; i < MAX_STATES; i++)
        p->regret[i] = NAN;
    return regret_to_go(p);
}

static void random_small_problem(small_problem *p, segue_rng *rng)
{
    memset(p->count, 0, sizeof p->count);
    p->steps = random_between(rng, 2, MAX_STEPS);
    p->m = new_belief_case(2, random_between(rng, 2, 3), true);
    random_weights(rng, p->prior, 2);
    for (size_t i = 0; i < 2 * p->m->belief.prior.n_arms; i++)
        p->m->a[i] = segue_rng_uniform(rng);
}

/* Look-ahead is a rule of thumb; how far is it from what can be had?  A regret of less than a
 * thousandth of a pull, as where one arm is best for both models, counts as a thousandth. */
static void it_is_next_to_optimal_in_a_thousand_small_problems(void **state)
{
    (void)state;
    small_problem *p = malloc(sizeof *p);
    assert_non_null(p);
    segue_rng rng;
    segue_rng_init(&rng, 45, 0, 0, 0);
    double total = 0.0, worst = 0.0;
    const int problems = repeats(1000);
    for (int i = 0; i < problems; i++) {
        random_small_problem(p, &rng);
        const double optimal = regret_of(p, true), ours = regret_of(p, false);
        assert_true(ours >= optimal - 1e-12);
        const double ratio = fmax(1e-3, ours) / fmax(1e-3, optimal);
        total += ratio;
        worst = fmax(worst, ratio);
        free_belief_case(p->m);
    }
    print_message("look-ahead / optimal: %.4f on average, %.3f at most\n", total / problems, worst);
    assert_true(total / problems <= 1.03);
    assert_true(worst <= 2.0);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_next_to_optimal_in_a_thousand_small_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
