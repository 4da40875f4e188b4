/* test_shadow_coverage.c - the intervals of shadow mode hold at every time.
 *
 * Tasks of three arms and STEPS steps run through the state of the service (shadow_state.h).  The
 * truth after a task is the mean, over all steps so far, of what the candidate and the caller
 * expected, which the simulation knows.  A run fails if an interval lacks the truth after any of its
 * tasks.  With p = 0.05 the allowed share of failing runs, a test fails if more than n p + 4.9
 * sqrt(n p (1 - p)) of n runs fail: at p that has probability 5e-7 for each of the 16 comparisons,
 * by the normal approximation, and 8e-6 for the program.  An ordinary interval, of 1.96 standard
 * errors, that is read as often does fail.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/shadow/shadow_state.h"
#include "support.h"

#define TASKS   150
#define STEPS   20
#define ARMS    3
#define ALARM   4.9
#define WITHIN  0.05 /* of the runs may fail */
#define PURPOSE 0x300000000ULL

static int n_runs;

/* ---- policies ---------------------------------------------------------------------------- */

/* The history of a task: pulls and sums of rewards per arm. */
typedef struct view {
    double pulls[ARMS], sum[ARMS];
    int step;
} view;

typedef void policy(const view *v, segue_rng *rng, double p[ARMS]);

static double mean_of(const view *v, int arm)
{
    return (v->sum[arm] + 0.5) / (v->pulls[arm] + 1.0);
}

static void greedy(const view *v, double sign, double share, double p[ARMS])
{
    int best = 0;
    for (int a = 1; a < ARMS; a++)
        best = sign * mean_of(v, a) > sign * mean_of(v, best) ? a : best;
    for (int a = 0; a < ARMS; a++)
        p[a] = share / ARMS + (a == best ? 1.0 - share : 0.0);
}

static void uniform(const view *v, segue_rng *rng, double p[ARMS])
{
    (void)v, (void)rng;
    for (int a = 0; a < ARMS; a++)
        p[a] = 1.0 / ARMS;
}

static void epsilon_greedy(const view *v, segue_rng *rng, double p[ARMS])
{
    (void)rng;
    greedy(v, 1.0, 0.1, p);
}

static void pure_greedy(const view *v, segue_rng *rng, double p[ARMS])
{
    (void)rng;
    greedy(v, 1.0, 0.0, p);
}

static void worst(const view *v, segue_rng *rng, double p[ARMS])
{
    (void)rng;
    greedy(v, -1.0, 0.0, p);
}

/* Weights depend on the rewards, and become small. */
static void by_rewards(const view *v, segue_rng *rng, double p[ARMS])
{
    double sum = 0.0;
    (void)rng;
    for (int a = 0; a < ARMS; a++)
        sum += p[a] = exp(2.0 * v->sum[a] - 1.0 * v->pulls[a]);
    for (int a = 0; a < ARMS; a++)
        p[a] /= sum;
}

static void in_turn(const view *v, segue_rng *rng, double p[ARMS])
{
    (void)rng;
    for (int a = 0; a < ARMS; a++)
        p[a] = v->step % ARMS == a;
}

/* The candidate's probabilities are shares of 10 draws, as a policy that samples has them: the draws
 * choose by sampled means. */
static void sampling(const view *v, segue_rng *rng, double p[ARMS])
{
    for (int a = 0; a < ARMS; a++)
        p[a] = 0.0;
    for (int i = 0; i < 10; i++) {
        double max = -1.0;
        int best = 0;
        for (int a = 0; a < ARMS; a++) {
            const double drawn =
                segue_rng_beta(rng, 1.0 + v->sum[a], 1.0 + v->pulls[a] - v->sum[a]);
            if (drawn > max) {
                max = drawn;
                best = a;
            }
        }
        p[best] += 0.1;
    }
}

/* ---- runs -------------------------------------------------------------------------------- */

typedef struct scenario {
    const char *name;
    policy *caller, *candidate;
    bool tells; /* the caller gives its probabilities */
    bool equal; /* all arms are equally good */
} scenario;

/* The share of the probability that a policy's choices have in a mean reward. */
static double value(const double p[ARMS], const double mean[ARMS])
{
    double sum = 0.0;
    for (int a = 0; a < ARMS; a++)
        sum += p[a] * mean[a];
    return sum;
}

static int draw(segue_rng *rng, const double p[ARMS])
{
    double left = segue_rng_uniform(rng);
    int arm = 0;
    while (arm < ARMS - 1 && (left -= p[arm]) >= 0.0)
        arm++;
    return arm;
}

/* The weighted reward of a step, whose mean is the difference. */
static double weighted(const double p[ARMS], const double q[ARMS], int arm, double reward)
{
    return (p[arm] / q[arm] - 1.0) * (reward - 0.5);
}

/* One step; returns the true difference at it. */
static double play_step(const scenario *s, view *v, const double mean[ARMS], segue_rng *rng,
                        shadow_state *shadow, segue_stats *plain)
{
    double q[ARMS], p[ARMS];
    s->caller(v, rng, q);
    s->candidate(v, rng, p);
    const int arm = draw(rng, q), other = draw(rng, p);
    const double reward = segue_rng_uniform(rng) < mean[arm];
    segue_shadow_state_add(
        shadow,
        &(segue_stored_reward){
            .arm = (size_t)arm,
            .value = reward,
            .probability = s->tells ? q[arm] : 0.0,
            .shadow = {.is_set = true, .arm = (size_t)other, .probability = p[arm]}},
        0.0, 1.0);
    segue_stats_add(plain, weighted(p, q, arm, reward));
    v->pulls[arm] += 1.0;
    v->sum[arm] += reward;
    v->step++;
    return value(p, mean) - value(q, mean);
}

static bool covers(const segue_off_policy *steps, double truth)
{
    segue_confseq now;
    return !segue_off_policy_interval(steps, &now) ||
           (now.low <= truth + 1e-9 && now.high >= truth - 1e-9);
}

static bool ordinary_covers(const segue_stats *plain, double truth)
{
    const double n = (double)plain->count;
    return fabs(plain->mean - truth) <= 1.96 * sqrt(plain->squares / (n - 1.0) / n);
}

/* Failures of both intervals and of an ordinary one, and runs in which the one with probabilities
 * excluded 0 at the end. */
typedef struct outcome {
    int known, any, found, ordinary;
} outcome;

static void play_run(const scenario *s, uint64_t run, outcome *out)
{
    static const double means[2][ARMS] = {{0.8, 0.2, 0.4}, {0.1, 0.3, 0.9}};
    static const double same[ARMS] = {0.3, 0.3, 0.3};
    shadow_state shadow = {.tasks = 0};
    segue_rng rng;
    double truth = 0.0;
    segue_stats plain = {.count = 0};
    bool known = true, any = true, ordinary = true;
    segue_confseq now;
    segue_rng_init(&rng, 1, run, 0, PURPOSE);
    for (int j = 0; j < TASKS; j++) {
        view v = {.step = 0};
        const double *mean = s->equal ? same : means[segue_rng_uniform(&rng) < 0.5];
        for (int t = 0; t < STEPS; t++)
            truth += play_step(s, &v, mean, &rng, &shadow, &plain);
        segue_shadow_state_end_task(&shadow);
        known = known && covers(&shadow.known, truth / (double)shadow.steps);
        any = any && covers(&shadow.any, truth / (double)shadow.steps);
        ordinary = ordinary && ordinary_covers(&plain, truth / (double)shadow.steps);
    }
    out->known += !known;
    out->ordinary += !ordinary;
    out->any += !any;
    out->found +=
        segue_off_policy_interval(&shadow.known, &now) && (now.low > 0.0 || now.high < 0.0);
}

static const scenario scenarios[] = {
    {"better, caller uniform", uniform, pure_greedy, true, false},
    {"better, caller uniform, sampled", uniform, sampling, true, false},
    {"worse, caller epsilon-greedy", epsilon_greedy, worst, true, false},
    {"nearly equal, caller epsilon-greedy", epsilon_greedy, sampling, true, false},
    {"equal arms, caller by rewards", by_rewards, pure_greedy, true, true},
    {"caller by rewards", by_rewards, sampling, true, false},
    {"deterministic caller", in_turn, pure_greedy, true, false},
    {"no probabilities", epsilon_greedy, worst, false, false},
};

static void intervals_hold_at_every_time(void **state)
{
    const double limit = n_runs * WITHIN + ALARM * sqrt(n_runs * WITHIN * (1.0 - WITHIN));
    (void)state;
    for (size_t k = 0; k < sizeof scenarios / sizeof *scenarios; k++) {
        outcome o = {.known = 0};
        for (int run = 0; run < n_runs; run++)
            play_run(&scenarios[k], (uint64_t)run + (k << 20), &o);
        print_message("%-36s without the truth: %d and %d of %d, ordinary %d; 0 excluded: %d\n",
                      scenarios[k].name, o.known, o.any, n_runs, o.ordinary, o.found);
        assert_true(o.known <= limit);
        assert_true(o.any <= limit);
        if (k == 0) /* about 0.3 of the runs */
            assert_true(o.ordinary > limit);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(intervals_hold_at_every_time)};
    n_runs = argc > 1 ? atoi(argv[1]) : 400;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
