/* test_lookahead.c - look-ahead against forms that share no code with it: all sequences of
 * rewards, long doubles.
 * SPDX-License-Identifier: Apache-2.0 */
#include "belief_fixture.h"

/* Half of the beliefs have points, some of which are 0 or 1. */
static belief_case *random_belief_case(segue_rng *rng, size_t max_components, size_t max_arms)
{
    const bool points = segue_rng_uniform(rng) < 0.5;
    belief_case *m = new_belief_case(random_between(rng, 1, max_components),
                                     random_between(rng, 2, max_arms), points);
    const segue_prior *prior = &m->belief.prior;
    random_weights(rng, m->weight, prior->n_components);
    for (size_t i = 0; i < prior->n_components * prior->n_arms; i++) {
        const double mean = segue_rng_uniform(rng), kappa = exp(8.0 * segue_rng_uniform(rng));
        m->a[i] = points ? fmin(1.0, fmax(0.0, 1.2 * mean - 0.1)) : kappa * mean + 1e-9;
        m->b[i] = kappa * (1.0 - mean) + 1e-9;
    }
    for (size_t i = 0; i < prior->n_arms; i++) {
        m->pulls[i] = random_between(rng, 0, 1) * random_between(rng, 0, 9);
        m->sum[i] = (double)m->pulls[i] * segue_rng_uniform(rng);
    }
    return m;
}

/* The mean of an arm under a component, after t more pulls of `pulled`, s of them successes. */
static long double mean_of(const belief_case *m, size_t q, size_t arm, size_t pulled, size_t t,
                           size_t s)
{
    const size_t index = q * m->belief.prior.n_arms + arm;
    if (!m->belief.prior.b)
        return m->a[index];
    const long double more = arm == pulled ? (long double)s : 0.0L;
    const long double of = arm == pulled ? (long double)t : 0.0L;
    return (m->a[index] + m->sum[arm] + more) /
           ((long double)m->a[index] + m->b[index] + (long double)m->pulls[arm] + of);
}

/* The probability of each sequence of t rewards of an arm with s successes, times the number of
 * such sequences, by adding a reward at a time. */
static void outcomes(const belief_case *m, size_t q, size_t arm, size_t block,
                     long double *probability)
{
    probability[0] = 1.0L;
    for (size_t t = 0; t < block; t++) {
        probability[t + 1] = 0.0L;
        for (size_t s = t + 1; s-- > 0;) {
            const long double mean = mean_of(m, q, arm, arm, t, s);
            probability[s + 1] += probability[s] * mean;
            probability[s] *= 1.0L - mean;
        }
    }
}

static long double value_of(const belief_case *m, size_t arm)
{
    long double value = 0.0L;
    for (size_t q = 0; q < m->belief.prior.n_components; q++)
        value += m->weight[q] * mean_of(m, q, arm, arm, 0, 0);
    return value;
}

static long double best_value(const belief_case *m)
{
    long double best = 0.0L;
    for (size_t arm = 0; arm < m->belief.prior.n_arms; arm++)
        best = fmaxl(best, value_of(m, arm));
    return best;
}

/* rise(arm, block), outcomes next apart in groups of `size`. */
static long double plain_rise(const belief_case *m, size_t arm, size_t block, size_t size)
{
    const segue_prior *prior = &m->belief.prior;
    long double probability[MAX_COMPONENTS][SEGUE_MAX_BLOCK + 1], expected = 0.0L;
    for (size_t q = 0; q < prior->n_components; q++)
        outcomes(m, q, arm, block, probability[q]);
    for (size_t first = 0; first <= block; first += size) {
        long double best = 0.0L;
        for (size_t k = 0; k < prior->n_arms; k++) {
            long double value = 0.0L;
            for (size_t q = 0; q < prior->n_components; q++)
                for (size_t s = first; s <= block && s < first + size; s++)
                    value += m->weight[q] * probability[q][s] * mean_of(m, q, k, arm, block, s);
            best = fmaxl(best, value);
        }
        expected += best;
    }
    return expected - best_value(m);
}

/* The largest gain of any block of an arm. */
static double plain_gain(const belief_case *m, size_t arm, size_t remaining)
{
    long double best = 0.0L;
    for (size_t block = 1; block <= SEGUE_MAX_BLOCK && block < remaining; block *= 2) {
        const long double rise = plain_rise(m, arm, block, (block + 16) / 16);
        const long double cost = (long double)block * (best_value(m) - value_of(m, arm));
        best = fmaxl(best, (long double)(remaining - block) * rise - cost);
    }
    return (double)best;
}

/* All sequences of rewards of a block, one by one: what the mixture makes of each. */
static double rise_of_all_sequences(const belief_case *m, size_t arm, size_t block)
{
    const segue_prior *prior = &m->belief.prior;
    long double expected = 0.0L;
    for (unsigned bits = 0; bits < 1u << block; bits++) {
        long double value[MAX_ARMS] = {0.0L}, best = 0.0L;
        for (size_t q = 0; q < prior->n_components; q++) {
            long double probability = m->weight[q];
            size_t s = 0;
            for (size_t t = 0; t < block; t++) {
                const long double mean = mean_of(m, q, arm, arm, t, s);
                probability *= bits >> t & 1 ? mean : 1.0L - mean;
                s += bits >> t & 1;
            }
            for (size_t k = 0; k < prior->n_arms; k++)
                value[k] += probability * mean_of(m, q, k, arm, block, s);
        }
        for (size_t k = 0; k < prior->n_arms; k++)
            best = fmaxl(best, value[k]);
        expected += best;
    }
    return (double)(expected - best_value(m));
}

static void a_rise_is_that_of_all_sequences_of_rewards(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 41, 0, 0, 0);
    for (int i = 0; i < repeats(300); i++) {
        belief_case *m = random_belief_case(&rng, 4, 5);
        const size_t arm = random_between(&rng, 0, m->belief.prior.n_arms - 1);
        for (size_t block = 1; block <= 8; block *= 2)
            /* components of a weight below 1e-7 are ignored, 3 at most */
            assert_near(segue_lookahead_gain(&m->belief, arm, block, m->memory),
                        rise_of_all_sequences(m, arm, block), 3e-7);
        free_belief_case(m);
    }
}

/* Groups tell less than outcomes: the rise is at most the exact one, and not below 0. */
static void groups_of_outcomes_lose_little(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 42, 0, 0, 0);
    double lost = 0.0, total = 0.0;
    for (int i = 0; i < repeats(1000); i++) {
        belief_case *m = random_belief_case(&rng, 6, 7);
        const size_t arm = random_between(&rng, 0, m->belief.prior.n_arms - 1);
        for (size_t block = 16; block <= 32; block *= 2) {
            const double rise = segue_lookahead_gain(&m->belief, arm, block, m->memory);
            const double exact = (double)plain_rise(m, arm, block, 1);
            assert_near(rise, (double)plain_rise(m, arm, block, (block + 16) / 16), 6e-7);
            assert_true(rise >= 0.0 && rise <= exact + 6e-7);
            lost += exact - rise;
            total += exact;
        }
        free_belief_case(m);
    }
    assert_true(lost < 0.03 * total);
}

/* The shortcuts do not change the result. */
static void it_finds_the_largest_gain_of_all(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 43, 0, 0, 0);
    size_t explores = 0;
    for (int i = 0; i < repeats(1500); i++) {
        belief_case *m = random_belief_case(&rng, 6, 7);
        const size_t remaining = random_between(&rng, 1, 300);
        const segue_lookahead ahead = segue_lookahead_choose(&m->belief, remaining, m->memory);
        const double gain = plain_gain(m, ahead.arm, remaining), slack = 1e-6 * (double)remaining;
        for (size_t arm = 0; arm < m->belief.prior.n_arms; arm++)
            assert_true(plain_gain(m, arm, remaining) <= gain + slack);
        if (ahead.exploits)
            assert_near((double)value_of(m, ahead.arm), (double)best_value(m), 1e-6);
        else
            assert_near(ahead.gain, gain, slack);
        explores += !ahead.exploits;
        free_belief_case(m);
    }
    assert_true(explores > (size_t)repeats(1500) / 10);
}

static long double log_choose(size_t n, size_t k)
{
    return lgammal((long double)n + 1) - lgammal((long double)k + 1) -
           lgammal((long double)(n - k) + 1);
}

static long double log_beta(long double a, long double b)
{
    return lgammal(a) + lgammal(b) - lgammal(a + b);
}

/* An arm of two that is certain, 0.5: the rise is E max(0, after - 0.5) - max(0, mean - 0.5). */
static void the_number_of_successes_is_beta_binomial(void **state)
{
    (void)state;
    const double shapes[][2] = {{1, 1}, {0.5, 0.5}, {30, 31}, {300, 310}, {1e-3, 2}, {2, 1e-3}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t block = 1; block <= 8; block *= 2) {
            const long double a = shapes[i][0], b = shapes[i][1];
            belief_case *m = new_belief_case(1, 2, false);
            *m = (belief_case){.belief = m->belief,
                               .a = {1e12, shapes[i][0]},
                               .b = {1e12, shapes[i][1]},
                               .weight = {1.0},
                               .memory = m->memory};
            long double expected = -fmaxl(0.5L, a / (a + b));
            for (size_t s = 0; s <= block; s++) {
                const long double t = (long double)block, x = (long double)s;
                expected +=
                    expl(log_choose(block, s) + log_beta(a + x, b + t - x) - log_beta(a, b)) *
                    fmaxl(0.5L, (a + x) / (a + b + t));
            }
            assert_near(segue_lookahead_gain(&m->belief, 1, block, m->memory), (double)expected,
                        1e-11); /* of lgamma, in plain doubles under valgrind */
            free_belief_case(m);
        }
}

/* Weights of 1e-200, means of 0 and 1, a million million pulls to come. */
static void extremes_stay_finite(void **state)
{
    (void)state;
    const double extreme[] = {0.0, 1.0, 1e-300, 1.0 - 1e-16, 0.5},
                 small_problem[] = {1e-200, 1e-8, 0.0};
    segue_rng rng;
    segue_rng_init(&rng, 44, 0, 0, 0);
    for (int i = 0; i < repeats(2000); i++) {
        belief_case *m = random_belief_case(&rng, 6, 7);
        const segue_prior *prior = &m->belief.prior;
        for (size_t j = 0; j < prior->n_components * prior->n_arms; j++) {
            const double mean = extreme[random_between(&rng, 0, 4)];
            m->a[j] = prior->b ? 1e6 * mean + 1e-6 : mean;
            m->b[j] = 1e6 * (1.0 - mean) + 1e-6;
        }
        for (size_t q = 1; q < prior->n_components; q++)
            m->weight[q] = small_problem[random_between(&rng, 0, 2)];
        m->weight[0] = 1.0;
        const segue_lookahead ahead =
            segue_lookahead_choose(&m->belief, SEGUE_MAX_HORIZON, m->memory);
        assert_true(ahead.arm < prior->n_arms && isfinite(ahead.gain) && ahead.gain >= 0.0);
        for (int t = 0; t < 50; t++) {
            const size_t arm = random_between(&rng, 0, prior->n_arms - 1);
            const double reward = t % 3 ? (double)(t % 2) : segue_rng_uniform(&rng);
            m->pulls[arm]++;
            m->sum[arm] += reward;
            segue_belief_update(&m->belief, arm, reward, m->weight);
            double total = 0.0;
            for (size_t q = 0; q < prior->n_components; q++)
                total += m->weight[q];
            if (segue_belief_is_possible(&m->belief))
                assert_near(total, 1.0, 1e-12);
            else
                assert_near(total, 0.0, 0.0);
        }
        free_belief_case(m);
    }
}

static void it_names_the_types_that_a_pull_separates(void **state)
{
    (void)state;
    belief_case *m = new_belief_case(3, 2, true);
    *m = (belief_case){.belief = m->belief,
                       .a = {0.5, 0.9, 0.5, 0.1, 0.4, 0.9},
                       .weight = {0.5, 0.3, 0.2},
                       .memory = m->memory};
    size_t pair[2];
    assert_true(
        segue_lookahead_separated_pair(&m->belief, 1, pair)); /* .9 and .1, the heavier .9 */
    assert_int_equal(pair[0], 0);
    assert_int_equal(pair[1], 1);
    assert_true(segue_lookahead_separated_pair(&m->belief, 0, pair)); /* .5 and .4 */
    assert_int_equal(pair[0], 0);
    assert_int_equal(pair[1], 2);
    m->a[4] = 0.5;
    assert_false(segue_lookahead_separated_pair(&m->belief, 0, pair));
    free_belief_case(m);
}

/* The paper's first open question: arm 3 is best for neither model, and tells them apart. */
static void an_arm_that_is_never_best_is_pulled_for_its_information(void **state)
{
    (void)state;
    const double mean[] = {0.6, 0.5, 0.05, 0.5, 0.6, 0.45};
    segue_models *models = models_of(3, 2, mean);
    segue_task *task = task_of("mla", models, 500);
    assert_int_equal(segue_task_ask(task), 2);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rise_is_that_of_all_sequences_of_rewards),
        cmocka_unit_test(groups_of_outcomes_lose_little),
        cmocka_unit_test(it_finds_the_largest_gain_of_all),
        cmocka_unit_test(the_number_of_successes_is_beta_binomial),
        cmocka_unit_test(extremes_stay_finite),
        cmocka_unit_test(it_names_the_types_that_a_pull_separates),
        cmocka_unit_test(an_arm_that_is_never_best_is_pulled_for_its_information),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
