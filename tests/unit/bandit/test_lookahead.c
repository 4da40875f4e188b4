/* test_lookahead.c - beliefs, look-ahead, and the policies made of them.
 *
 * Look-ahead is held against forms that share no code with it: every sequence of rewards, exact
 * dynamic programming, long doubles.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/lookahead.h"
#include "bandit/policies/prior_policies.h"
#include "bandit/task.h"
#include "support.h"

#define MOST_ARMS       10
#define MOST_COMPONENTS 6

/* A belief with storage of its own. */
typedef struct mind {
    segue_belief belief;
    double a[MOST_COMPONENTS * MOST_ARMS], b[MOST_COMPONENTS * MOST_ARMS];
    double weight[MOST_COMPONENTS], sum[MOST_ARMS];
    uint64_t pulls[MOST_ARMS];
    void *memory;
} mind;

static mind *new_mind(size_t n_components, size_t n_arms, bool points)
{
    mind *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->memory = malloc(segue_lookahead_scratch_size(n_components, n_arms));
    assert_non_null(m->memory);
    m->belief = (segue_belief){.prior = {.n_components = n_components,
                                         .n_arms = n_arms,
                                         .weight = m->weight,
                                         .a = m->a,
                                         .b = points ? NULL : m->b},
                               .weight = m->weight,
                               .pulls = m->pulls,
                               .sum = m->sum};
    return m;
}

static void drop_mind(mind *m)
{
    free(m->memory);
    free(m);
}

/* Weights, some of them tiny; sum 1. */
static void random_weights(segue_rng *rng, double *weight, size_t count)
{
    double total = 0.0;
    for (size_t q = 0; q < count; q++)
        total += weight[q] = pow(segue_rng_uniform(rng) + 1e-9, 1.0 + 4.0 * (double)(q % 2));
    for (size_t q = 0; q < count; q++)
        weight[q] /= total;
}

/* Every other mind is made of points, some of which are 0 or 1. */
static mind *random_mind(segue_rng *rng, size_t most_components, size_t most_arms)
{
    const bool points = segue_rng_uniform(rng) < 0.5;
    mind *m = new_mind(random_between(rng, 1, most_components), random_between(rng, 2, most_arms),
                       points);
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

/* ---- the definition, outcome by outcome -------------------------------------------------- */

/* The mean of an arm under a component, after t more pulls of `pulled`, s of them successes. */
static long double mean_of(const mind *m, size_t q, size_t arm, size_t pulled, size_t t, size_t s)
{
    const size_t place = q * m->belief.prior.n_arms + arm;
    if (!m->belief.prior.b)
        return m->a[place];
    const long double more = arm == pulled ? (long double)s : 0.0L;
    const long double of = arm == pulled ? (long double)t : 0.0L;
    return (m->a[place] + m->sum[arm] + more) /
           ((long double)m->a[place] + m->b[place] + (long double)m->pulls[arm] + of);
}

/* The probability of each sequence of t rewards of an arm with s successes, times the number of
 * such sequences, by adding a reward at a time. */
static void outcomes(const mind *m, size_t q, size_t arm, size_t block, long double *chance)
{
    chance[0] = 1.0L;
    for (size_t t = 0; t < block; t++) {
        chance[t + 1] = 0.0L;
        for (size_t s = t + 1; s-- > 0;) {
            const long double mean = mean_of(m, q, arm, arm, t, s);
            chance[s + 1] += chance[s] * mean;
            chance[s] *= 1.0L - mean;
        }
    }
}

static long double value_of(const mind *m, size_t arm)
{
    long double value = 0.0L;
    for (size_t q = 0; q < m->belief.prior.n_components; q++)
        value += m->weight[q] * mean_of(m, q, arm, arm, 0, 0);
    return value;
}

static long double best_value(const mind *m)
{
    long double best = 0.0L;
    for (size_t arm = 0; arm < m->belief.prior.n_arms; arm++)
        best = fmaxl(best, value_of(m, arm));
    return best;
}

/* rise(arm, block), outcomes told apart in groups of `size`. */
static long double plain_rise(const mind *m, size_t arm, size_t block, size_t size)
{
    const segue_prior *prior = &m->belief.prior;
    long double chance[MOST_COMPONENTS][SEGUE_MAX_BLOCK + 1], expected = 0.0L;
    for (size_t q = 0; q < prior->n_components; q++)
        outcomes(m, q, arm, block, chance[q]);
    for (size_t first = 0; first <= block; first += size) {
        long double best = 0.0L;
        for (size_t k = 0; k < prior->n_arms; k++) {
            long double value = 0.0L;
            for (size_t q = 0; q < prior->n_components; q++)
                for (size_t s = first; s <= block && s < first + size; s++)
                    value += m->weight[q] * chance[q][s] * mean_of(m, q, k, arm, block, s);
            best = fmaxl(best, value);
        }
        expected += best;
    }
    return expected - best_value(m);
}

/* The largest gain of any block of an arm. */
static double plain_gain(const mind *m, size_t arm, size_t remaining)
{
    long double best = 0.0L;
    for (size_t block = 1; block <= SEGUE_MAX_BLOCK && block < remaining; block *= 2) {
        const long double rise = plain_rise(m, arm, block, (block + 16) / 16);
        const long double cost = (long double)block * (best_value(m) - value_of(m, arm));
        best = fmaxl(best, (long double)(remaining - block) * rise - cost);
    }
    return (double)best;
}

/* ---- look-ahead -------------------------------------------------------------------------- */

/* All sequences of rewards of a block, one by one: what the mixture makes of each. */
static double rise_of_all_sequences(const mind *m, size_t arm, size_t block)
{
    const segue_prior *prior = &m->belief.prior;
    long double expected = 0.0L;
    for (unsigned bits = 0; bits < 1u << block; bits++) {
        long double value[MOST_ARMS] = {0.0L}, best = 0.0L;
        for (size_t q = 0; q < prior->n_components; q++) {
            long double chance = m->weight[q];
            size_t s = 0;
            for (size_t t = 0; t < block; t++) {
                const long double mean = mean_of(m, q, arm, arm, t, s);
                chance *= bits >> t & 1 ? mean : 1.0L - mean;
                s += bits >> t & 1;
            }
            for (size_t k = 0; k < prior->n_arms; k++)
                value[k] += chance * mean_of(m, q, k, arm, block, s);
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
        mind *m = random_mind(&rng, 4, 5);
        const size_t arm = random_between(&rng, 0, m->belief.prior.n_arms - 1);
        for (size_t block = 1; block <= 8; block *= 2)
            /* components of a weight below 1e-7 are left out, 3 at most */
            assert_near(segue_lookahead_gain(&m->belief, arm, block, m->memory),
                        rise_of_all_sequences(m, arm, block), 3e-7);
        drop_mind(m);
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
        mind *m = random_mind(&rng, 6, 7);
        const size_t arm = random_between(&rng, 0, m->belief.prior.n_arms - 1);
        for (size_t block = 16; block <= 32; block *= 2) {
            const double rise = segue_lookahead_gain(&m->belief, arm, block, m->memory);
            const double exact = (double)plain_rise(m, arm, block, 1);
            assert_near(rise, (double)plain_rise(m, arm, block, (block + 16) / 16), 6e-7);
            assert_true(rise >= 0.0 && rise <= exact + 6e-7);
            lost += exact - rise;
            total += exact;
        }
        drop_mind(m);
    }
    assert_true(lost < 0.03 * total);
}

/* What makes it cheap may not change what is found. */
static void it_finds_the_largest_gain_of_all(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 43, 0, 0, 0);
    size_t explores = 0;
    for (int i = 0; i < repeats(1500); i++) {
        mind *m = random_mind(&rng, 6, 7);
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
        drop_mind(m);
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
            mind *m = new_mind(1, 2, false);
            *m = (mind){.belief = m->belief,
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
            drop_mind(m);
        }
}

/* Weights of 1e-200, means of 0 and 1, a million million pulls to come. */
static void extremes_stay_finite(void **state)
{
    (void)state;
    const double extreme[] = {0.0, 1.0, 1e-300, 1.0 - 1e-16, 0.5}, tiny[] = {1e-200, 1e-8, 0.0};
    segue_rng rng;
    segue_rng_init(&rng, 44, 0, 0, 0);
    for (int i = 0; i < repeats(2000); i++) {
        mind *m = random_mind(&rng, 6, 7);
        const segue_prior *prior = &m->belief.prior;
        for (size_t j = 0; j < prior->n_components * prior->n_arms; j++) {
            const double mean = extreme[random_between(&rng, 0, 4)];
            m->a[j] = prior->b ? 1e6 * mean + 1e-6 : mean;
            m->b[j] = 1e6 * (1.0 - mean) + 1e-6;
        }
        for (size_t q = 1; q < prior->n_components; q++)
            m->weight[q] = tiny[random_between(&rng, 0, 2)];
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
        drop_mind(m);
    }
}

static void it_names_the_types_that_a_pull_tells_apart(void **state)
{
    (void)state;
    mind *m = new_mind(3, 2, true);
    *m = (mind){.belief = m->belief,
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
    drop_mind(m);
}

/* The paper's first open question: arm 3 is best for neither model, and tells them apart. */
static void an_arm_that_is_never_best_is_pulled_for_what_it_tells(void **state)
{
    (void)state;
    const double mean[] = {0.6, 0.5, 0.05, 0.5, 0.6, 0.45};
    segue_models *models = models_of(3, 2, mean);
    segue_task *task = task_of("mla", models, 500);
    assert_int_equal(segue_task_ask(task), 2);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

/* ---- against the optimum ----------------------------------------------------------------- */

#define MAX_STEPS   12
#define MOST_STATES 18564 /* C(18, 6): successes and failures of 3 arms, at most 12 together */

/* A tiny problem: two point models.  Its states are the successes and failures of each arm. */
typedef struct tiny {
    mind *m;
    size_t steps;
    bool optimal; /* else look-ahead chooses */
    double prior[2];
    size_t count[6]; /* of the state: successes and failures of arm 0, of arm 1, ... */
    double
        regret[MOST_STATES]; /* still to come, times the probability of the state; NaN: unknown */
} tiny;

static size_t choose(size_t n, size_t k)
{
    size_t product = 1;
    for (size_t i = 0; i < k; i++)
        product = product * (n - i) / (i + 1);
    return n < k ? 0 : product;
}

/* The number of a state: that of a subset in the combinatorial number system. */
static size_t state_number(const tiny *p)
{
    size_t number = 0, position = 0;
    for (size_t i = 0; i < 2 * p->m->belief.prior.n_arms; i++) {
        position += p->count[i];
        number += choose(position + i, i + 1);
    }
    return number;
}

/* The probability of a model and of the rewards of the state, in the order in which they came. */
static double joint(const tiny *p, size_t model)
{
    double product = p->prior[model];
    for (size_t arm = 0; arm < p->m->belief.prior.n_arms; arm++) {
        const double mean = p->m->a[model * p->m->belief.prior.n_arms + arm];
        product *=
            pow(mean, (double)p->count[2 * arm]) * pow(1.0 - mean, (double)p->count[2 * arm + 1]);
    }
    return product;
}

static size_t steps_left(const tiny *p)
{
    size_t left = p->steps;
    for (size_t i = 0; i < 6; i++)
        left -= p->count[i];
    return left;
}

static double regret_to_go(tiny *p);

/* The regret of a pull of an arm here, and of all that comes after it. */
static double regret_of_arm(tiny *p, size_t arm)
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

static double regret_of_choice(tiny *p)
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
    double least = INFINITY;
    for (size_t arm = 0; arm < p->m->belief.prior.n_arms; arm++)
        least = fmin(least, regret_of_arm(p, arm));
    return least;
}

static double regret_to_go(tiny *p)
{
    if (steps_left(p) == 0)
        return 0.0;
    double *known = &p->regret[state_number(p)];
    if (isnan(*known))
        *known = regret_of_choice(p);
    return *known;
}

static double regret_of(tiny *p, bool optimal)
{
    p->optimal = optimal;
    for (size_t i = 0; i < MOST_STATES; i++)
        p->regret[i] = NAN;
    return regret_to_go(p);
}

static void random_tiny(tiny *p, segue_rng *rng)
{
    memset(p->count, 0, sizeof p->count);
    p->steps = random_between(rng, 2, MAX_STEPS);
    p->m = new_mind(2, random_between(rng, 2, 3), true);
    random_weights(rng, p->prior, 2);
    for (size_t i = 0; i < 2 * p->m->belief.prior.n_arms; i++)
        p->m->a[i] = segue_rng_uniform(rng);
}

/* Look-ahead is a rule of thumb; how far is it from what can be had?  A regret of less than a
 * thousandth of a pull, as where one arm is best for both models, counts as a thousandth. */
static void it_is_next_to_optimal_in_a_thousand_tiny_problems(void **state)
{
    (void)state;
    tiny *p = malloc(sizeof *p);
    assert_non_null(p);
    segue_rng rng;
    segue_rng_init(&rng, 45, 0, 0, 0);
    double total = 0.0, worst = 0.0;
    const int problems = repeats(1000);
    for (int i = 0; i < problems; i++) {
        random_tiny(p, &rng);
        const double optimal = regret_of(p, true), ours = regret_of(p, false);
        assert_true(ours >= optimal - 1e-12);
        const double ratio = fmax(1e-3, ours) / fmax(1e-3, optimal);
        total += ratio;
        worst = fmax(worst, ratio);
        drop_mind(p->m);
    }
    print_message("look-ahead / optimal: %.4f on average, %.3f at most\n", total / problems, worst);
    assert_true(total / problems <= 1.03);
    assert_true(worst <= 2.0);
    free(p);
}

/* ---- one code ---------------------------------------------------------------------------- */

static segue_task *taught_task(const segue_policy *policy, const segue_prior *prior,
                               uint64_t horizon)
{
    segue_task_config config = segue_task_defaults();
    segue_task *task = NULL;
    config.policy = (segue_policy_spec){.policy = policy};
    config.setting.n_arms = prior->n_arms;
    config.setting.horizon = horizon;
    assert_ok(segue_task_create(&task, &config, NULL));
    segue_task_set_prior(task, prior);
    return task;
}

/* Two tasks see the same rewards, some of them late, and must pull alike; the same stream. */
static void play_alike(segue_task *one, segue_task *two, const segue_environment *env, uint64_t run,
                       uint64_t steps)
{
    segue_simulated_task *simulated = world_of(env, 46, run, SEGUE_ANY_MODEL);
    segue_rng rng;
    segue_rng_init(&rng, 46, run, 0, SEGUE_STREAM_POLICY);
    segue_task_next(one, &rng, 0);
    segue_task_next(two, &rng, 0);
    size_t waiting = 0, arm[4];
    for (uint64_t t = 0; t < steps; t++) {
        arm[waiting] = segue_task_ask(one);
        assert_int_equal(segue_task_ask(two), arm[waiting]);
        waiting++;
        while (waiting > run % 4) {
            const size_t told = arm[--waiting];
            const double reward = segue_simulated_task_reward(simulated, told);
            tell(one, told, reward);
            tell(two, told, reward);
        }
    }
    segue_simulated_task_destroy(simulated);
}

/* Both policies of taught.h beside their relatives, over random tasks. */
static void relatives_pull_alike(const segue_policy *taught, const char *relative, bool points)
{
    segue_rng rng;
    segue_rng_init(&rng, 47, points, 0, 0);
    double ones[10];
    for (size_t i = 0; i < 10; i++)
        ones[i] = 1.0;
    for (uint64_t run = 0; run < (uint64_t)repeats(400); run++) {
        segue_models *models = random_models(&rng, 2, 10, 1, 6);
        const segue_environment env = {
            .models = models,
            .rewards = run % 2 ? (segue_rewards){.family = SEGUE_BETA, .parameter = 5.0}
                               : (segue_rewards){.family = SEGUE_BERNOULLI}};
        const uint64_t steps = random_between(&rng, 1, 200);
        const segue_prior prior = points ? segue_belief_point_prior(models)
                                         : segue_belief_flat_prior(models->n_arms, ones);
        segue_task *one = task_of(relative, models, steps);
        segue_task *two = taught_task(taught, &prior, steps);
        play_alike(one, two, &env, run, steps);
        segue_task_destroy(one);
        segue_task_destroy(two);
        segue_models_destroy(models);
    }
}

static void with_one_flat_component_they_are_ts_and_la(void **state)
{
    (void)state;
    relatives_pull_alike(&segue_policy_tts, "ts", false);
    relatives_pull_alike(&segue_policy_tla, "la", false);
}

static void with_the_models_as_points_they_are_mts_and_mla(void **state)
{
    (void)state;
    relatives_pull_alike(&segue_policy_tts, "mts", true);
    relatives_pull_alike(&segue_policy_tla, "mla", true);
}

static void without_a_prior_both_are_ts(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.models = models};
    const segue_policy *const taught[] = {&segue_policy_tts, &segue_policy_tla};
    for (size_t i = 0; i < 2; i++)
        for (uint64_t run = 0; run < 50; run++) {
            segue_task *one = task_of("ts", models, 100), *two = NULL;
            segue_task_config config = segue_task_defaults();
            config.policy.policy = taught[i];
            config.setting.n_arms = 7;
            assert_ok(segue_task_create(&two, &config, NULL));
            play_alike(one, two, &env, run, 100);
            segue_task_destroy(one);
            segue_task_destroy(two);
        }
    segue_models_destroy(models);
}

/* A task that is taught again has forgotten the rewards of the one before. */
static void a_new_prior_begins_anew(void **state)
{
    (void)state;
    const double mean[] = {0.9, 0.1, 0.1, 0.9}, weight[] = {0.9, 0.1}, other[] = {0.1, 0.9};
    segue_prior prior = {.n_components = 2, .n_arms = 2, .weight = weight, .a = mean};
    segue_task *task = taught_task(&segue_policy_tla, &prior, 3);
    for (int i = 0; i < 50; i++)
        tell(task, 0, 1.0);
    assert_int_equal(segue_task_ask(task), 0);
    segue_rng rng;
    segue_rng_init(&rng, 48, 0, 0, 0);
    segue_task_next(task, &rng, 0);
    prior.weight = other;
    segue_task_set_prior(task, &prior);
    assert_int_equal(segue_task_ask(task), 1);
    segue_task_destroy(task);
}

/* What a draw has found out of the other arms is forgotten when one of them has a reward.  The
 * leader pays at most about 0.62, the other one 0.95 and more after 2,000 rewards of 1: it is above
 * but for a probability below 1e-50. */
static void a_lead_ends_when_another_arm_turns_out_well(void **state)
{
    (void)state;
    const double a[] = {600.0, 2.0, 500.0, 1.0}, b[] = {400.0, 18.0, 500.0, 9.0};
    const double weight[] = {0.5, 0.5};
    const segue_prior prior = {.n_components = 2, .n_arms = 2, .weight = weight, .a = a, .b = b};
    segue_task *task = taught_task(&segue_policy_tts, &prior, 10000);
    for (int t = 0; t < 100; t++)
        tell(task, segue_task_ask(task), t % 5 < 3);
    for (int t = 0; t < 2000; t++)
        tell(task, 1, 1.0);
    for (int t = 0; t < 100; t++)
        assert_int_equal(segue_task_ask(task), 1);
    segue_task_destroy(task);
}

static void mla_survives_what_no_model_can_give(void **state)
{
    (void)state;
    const double mean[] = {1.0, 0.0, 1.0, 0.5};
    segue_models *models = models_of(2, 2, mean);
    segue_task *task = task_of("mla", models, 100);
    tell(task, 0, 0.0); /* both say that arm 0 always pays 1 */
    for (int t = 0; t < 20; t++) {
        assert_true(segue_task_ask(task) < 2);
        assert_int_equal(segue_task_info(task).last_reason, SEGUE_NO_MODEL_LEFT);
    }
    segue_task_destroy(task);
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rise_is_that_of_all_sequences_of_rewards),
        cmocka_unit_test(groups_of_outcomes_lose_little),
        cmocka_unit_test(it_finds_the_largest_gain_of_all),
        cmocka_unit_test(the_number_of_successes_is_beta_binomial),
        cmocka_unit_test(extremes_stay_finite),
        cmocka_unit_test(it_names_the_types_that_a_pull_tells_apart),
        cmocka_unit_test(an_arm_that_is_never_best_is_pulled_for_what_it_tells),
        cmocka_unit_test(it_is_next_to_optimal_in_a_thousand_tiny_problems),
        cmocka_unit_test(with_one_flat_component_they_are_ts_and_la),
        cmocka_unit_test(with_the_models_as_points_they_are_mts_and_mla),
        cmocka_unit_test(without_a_prior_both_are_ts),
        cmocka_unit_test(a_new_prior_begins_anew),
        cmocka_unit_test(a_lead_ends_when_another_arm_turns_out_well),
        cmocka_unit_test(mla_survives_what_no_model_can_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
