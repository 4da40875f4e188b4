/* bench.c - the suite: the random-number limit, and every kernel beside its plain form.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "segue/rng.h"
#include "segue/simulate.h"
#include "segue/stats.h"

#define DRAWS 4000000

/* A simulation to be timed; where there is a kernel, plain too. */
typedef struct contest {
    const char *name, *policy;
    uint64_t steps, tasks, runs;
    bool kernel; /* there is one */
    double must; /* the least ratio that is asked for; 0: none */
} contest;

static const contest contests[] = {
    {"ucb, n = 5000", "ucb", 5000, 0, 60, true, 20.0},
    {"ucb+, n = 5000", "ucb+", 5000, 0, 60, true, 16.0},
    {"mucb, n = 5000", "mucb", 5000, 0, 60, true, 20.0},
    {"ucb, n = 100", "ucb", 100, 0, 2000, true, 2.0},
    {"umucb, eps = 0.05", "umucb:eps=0.05", 5000, 0, 20, true, 30.0},
    {"umucb, eps = 0.5", "umucb:eps=0.5", 5000, 0, 10, true, 25.0},
    {"umucb, eps infinite", "umucb:eps=1e300", 5000, 0, 10, true, 50.0},
    {"mts, n = 5000", "mts", 5000, 0, 20, true, 5.0},
    {"ts, n = 5000", "ts", 5000, 0, 4, true, 4.5},
    {"tucb, J = 500", "tucb", 5000, 500, 1, true, 0.0},
    {"kl-ucb, n = 5000", "kl-ucb", 5000, 0, 2, false, 0.0},
    {"sw-ucb, n = 5000", "sw-ucb", 5000, 10, 2, false, 0.0},
    {"d-ucb, n = 5000", "d-ucb", 5000, 10, 2, false, 0.0},
};
enum { CONTESTS = sizeof contests / sizeof *contests, LIMITS = 2 };

static double cpu_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the limit --------------------------------------------------------------------------- */

/* Nanoseconds a draw: 64 random bits, compared with a threshold. */
static double time_draws(void)
{
    segue_rng rng;
    segue_rng_open(&rng, 1, 0, 0, 0);
    const uint64_t threshold = segue_bernoulli_threshold(0.45) << 11;
    volatile uint64_t sink = 0; /* the draws are made */
    uint64_t ones = 0;
    const double start = cpu_seconds();
    for (int i = 0; i < DRAWS; i++)
        ones += segue_rng_next(&rng) < threshold;
    sink = ones;
    (void)sink;
    return 1e9 * (cpu_seconds() - start) / DRAWS;
}

/* The same by blocks of 64, as the simulator draws. */
static double time_blocks(void)
{
    segue_rng rng;
    segue_rng_open(&rng, 1, 0, 0, 0);
    const uint64_t threshold = segue_bernoulli_threshold(0.45);
    volatile uint64_t sink = 0;
    uint64_t bits = 0;
    const double start = cpu_seconds();
    for (int i = 0; i < DRAWS / 64; i++)
        bits ^= segue_bernoulli_block(&rng, threshold);
    sink = bits;
    (void)sink;
    return 1e9 * (cpu_seconds() - start) / DRAWS;
}

/* ---- simulations ------------------------------------------------------------------------- */

/* Nanoseconds a step, or a task where a learner learns after each. */
static segue_status time_contest(const contest *c, const segue_environment *env,
                                 segue_kernels kernel, double *out, segue_error *err)
{
    segue_learner_config learner = segue_learner_defaults();
    segue_simulation sim = {.environment = env,
                            .steps = c->steps,
                            .tasks = c->tasks,
                            .runs = c->runs,
                            .seed = 1,
                            .threads = 1,
                            .kernel = kernel};
    const bool learns = segue_learner_is_named(c->policy);
    segue_status status = learns ? segue_learner_parse(&learner, c->policy, err)
                                 : segue_policy_parse(&sim.policy, c->policy, err);
    if (learns)
        sim.learner = &learner;
    segue_result *result = NULL;
    const double start = cpu_seconds();
    if (status == SEGUE_OK)
        status = segue_simulate(&result, &sim, err);
    const double seconds = cpu_seconds() - start;
    segue_result_destroy(result);
    const double tasks =
        (double)c->runs * (c->tasks ? (double)c->tasks : (double)segue_environment_models(env));
    *out = 1e9 * seconds / (learns ? tasks : tasks * (double)c->steps);
    return status;
}

/* ---- all of it --------------------------------------------------------------------------- */

/* The times of all rounds: limits, then contests, then their plain forms. */
typedef struct times {
    double limit[LIMITS][SEGUE_MOST_ROUNDS];
    double fast[CONTESTS][SEGUE_MOST_ROUNDS];
    double plain[CONTESTS][SEGUE_MOST_ROUNDS];
} times;

static segue_status run_round(times *t, size_t round, const segue_environment *env,
                              segue_error *err)
{
    segue_status status = SEGUE_OK;
    t->limit[0][round] = time_draws();
    t->limit[1][round] = time_blocks();
    for (size_t i = 0; i < CONTESTS && status == SEGUE_OK; i++) {
        status = time_contest(&contests[i], env, SEGUE_KERNEL_FAST, &t->fast[i][round], err);
        if (status == SEGUE_OK && contests[i].kernel)
            status = time_contest(&contests[i], env, SEGUE_KERNEL_PLAIN, &t->plain[i][round], err);
    }
    return status;
}

static segue_measured measured(const char *name, const char *unit, double *rounds, size_t count)
{
    const double median = segue_quantile(rounds, count, 0.5);
    return (segue_measured){
        .name = name,
        .unit = unit,
        .median = median,
        .spread =
            (segue_quantile(rounds, count, 0.75) - segue_quantile(rounds, count, 0.25)) / median,
        .ratio = NAN,
        .of_limit = NAN};
}

/* The median over rounds of plain / fast, each of one round. */
static double ratio_of(const double *plain, const double *fast, size_t rounds)
{
    double ratios[SEGUE_MOST_ROUNDS];
    for (size_t i = 0; i < rounds; i++)
        ratios[i] = plain[i] / fast[i];
    return segue_quantile(ratios, rounds, 0.5);
}

static void fill(segue_measured *out, times *t, size_t rounds)
{
    out[0] = measured("limit: a Bernoulli draw", "draw", t->limit[0], rounds);
    out[1] = measured("the same in blocks of 64", "draw", t->limit[1], rounds);
    out[0].of_limit = 1.0;
    out[1].of_limit = out[0].median / out[1].median;
    for (size_t i = 0; i < CONTESTS; i++) {
        const contest *c = &contests[i];
        const bool learns = segue_learner_is_named(c->policy);
        const double ratio = c->kernel ? ratio_of(t->plain[i], t->fast[i], rounds) : NAN;
        segue_measured *m = &out[LIMITS + i];
        *m = measured(c->name, learns ? "task" : "step", t->fast[i], rounds); /* which sorts */
        m->ratio = ratio;
        m->must = c->must;
        if (!learns)
            m->of_limit = out[0].median / m->median;
    }
}

segue_status segue_bench_run(segue_measured **out, size_t *count, const segue_models *models,
                             size_t rounds, void (*tell)(void *context, size_t round),
                             void *context, segue_error *err)
{
    const segue_environment env = {.models = models};
    segue_status status = SEGUE_OK;
    *count = LIMITS + CONTESTS;
    *out = calloc(*count, sizeof **out);
    times *t = calloc(1, sizeof *t);
    if (!*out || !t)
        status = segue_fail(err, SEGUE_ENOMEM, "out of memory for the benchmarks");
    for (size_t round = 0; round < rounds && status == SEGUE_OK; round++) {
        tell(context, round);
        status = run_round(t, round, &env, err);
    }
    if (status == SEGUE_OK)
        fill(*out, t, rounds);
    free(t);
    if (status != SEGUE_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}
