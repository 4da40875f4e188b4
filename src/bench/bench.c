/* bench.c - the benchmark suite: the random-number limit, every kernel beside its plain form,
 * learners.
 *
 * A contest is a simulation that is timed beside a baseline. All contests run once per round; the
 * result is the median over rounds of the time and of the ratio to the baseline. CPU time of the
 * process, one thread unless a contest says otherwise.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "segue/environment.h"
#include "segue/internal.h"
#include "segue/rng.h"
#include "segue/simulation.h"
#include "segue/stats.h"

#define DRAWS 4000000

/* The baseline of a contest. */
typedef enum baseline_kind {
    NOTHING,
    PLAIN,      /* the plain form */
    ONE_THREAD, /* two threads beside one: CPU time should be equal */
    PLAYING     /* the play of a learner, whose learning is timed */
} baseline_kind;

/* A simulation that is timed. */
typedef struct contest {
    const char *name, *policy;
    uint64_t steps, tasks, runs;
    baseline_kind rival;
    bool slow;         /* it takes seconds per round */
    double must;       /* required ratio; 0: none */
    const char *other; /* policy of the plain form, if its options differ */
} contest;

/* The plain tUCB solves RTP from scratch, as the paper does, with fewer starts and iterations. */
#define PLAIN_TUCB "tucb:start=cold,L=10,N=30"

static const contest contests[] = {
    {"ucb, n = 5000", "ucb", 5000, 0, 60, PLAIN, false, 20.0, NULL},
    {"ucb+, n = 5000", "ucb+", 5000, 0, 60, PLAIN, false, 16.0, NULL},
    {"mucb, n = 5000", "mucb", 5000, 0, 60, PLAIN, false, 20.0, NULL},
    {"ucb, n = 100", "ucb", 100, 0, 2000, PLAIN, false, 2.0, NULL},
    {"umucb, eps = 0.05", "umucb:eps=0.05", 5000, 0, 20, PLAIN, false, 30.0, NULL},
    {"umucb, eps = 0.5", "umucb:eps=0.5", 5000, 0, 10, PLAIN, false, 25.0, NULL},
    {"umucb, eps infinite", "umucb:eps=1e300", 5000, 0, 10, PLAIN, false, 50.0, NULL},
    {"mts, n = 5000", "mts", 5000, 0, 20, PLAIN, false, 5.0, NULL},
    {"ts, n = 5000", "ts", 5000, 0, 4, PLAIN, false, 4.5, NULL},
    {"tts, J = 100", "tts", 5000, 100, 1, PLAIN, false, 0.0, NULL},
    {"tucb, J = 500", "tucb", 5000, 500, 1, PLAIN, false, 0.0, PLAIN_TUCB},
    {"kl-ucb, n = 5000", "kl-ucb", 5000, 0, 2, NOTHING, false, 0.0, NULL},
    {"sw-ucb, n = 5000", "sw-ucb", 5000, 10, 2, NOTHING, false, 0.0, NULL},
    {"d-ucb, n = 5000", "d-ucb", 5000, 10, 2, NOTHING, false, 0.0, NULL},
    {"tucb, J = 5000", "tucb", 5000, 5000, 1, PLAIN, true, 15.0, PLAIN_TUCB},
    {"its rtp beside its play", "tucb", 5000, 5000, 1, PLAYING, true, 1.0, NULL},
    {"tucb, 2 threads by 1", "tucb", 5000, 1000, 4, ONE_THREAD, true, 1.0 / 1.15, NULL},
};
enum { CONTESTS = sizeof contests / sizeof *contests, LIMITS = 2 };

static double cpu_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the limit --------------------------------------------------------------------------- */

/* Return nanoseconds per draw: 64 random bits, compared with a threshold. */
static double time_draws(void)
{
    segue_rng rng;
    segue_rng_init(&rng, 1, 0, 0, 0);
    const uint64_t threshold = segue_rng_bernoulli_threshold(0.45) << 11;
    volatile uint64_t sink = 0; /* prevents removal of the loop */
    uint64_t ones = 0;
    const double start = cpu_seconds();
    for (int i = 0; i < DRAWS; i++)
        ones += segue_rng_next(&rng) < threshold;
    sink = ones;
    (void)sink;
    return 1e9 * (cpu_seconds() - start) / DRAWS;
}

/* Return nanoseconds per draw in blocks of 64, as the simulator draws. */
static double time_blocks(void)
{
    segue_rng rng;
    segue_rng_init(&rng, 1, 0, 0, 0);
    const uint64_t threshold = segue_rng_bernoulli_threshold(0.45);
    volatile uint64_t sink = 0;
    uint64_t bits = 0;
    const double start = cpu_seconds();
    for (int i = 0; i < DRAWS / 64; i++)
        bits ^= segue_rng_bernoulli_block(&rng, threshold);
    sink = bits;
    (void)sink;
    return 1e9 * (cpu_seconds() - start) / DRAWS;
}

/* ---- simulations ------------------------------------------------------------------------- */

static bool learns(const contest *c)
{
    const segue_learner_method *method = segue_learner_method_find(c->policy);
    return method && !method->without_transfer;
}

/* Measure nanoseconds per step, or per task where a learner learns after each. */
static segue_status time_simulation(const contest *c, const char *policy,
                                    const segue_environment *env, segue_kernels kernel,
                                    size_t threads, double *out, segue_error *err)
{
    segue_learner_config learner = segue_learner_defaults();
    segue_simulation sim = {.size = sizeof(segue_simulation),
                            .environment = env,
                            .steps = c->steps,
                            .tasks = c->tasks,
                            .runs = c->runs,
                            .seed = 1,
                            .threads = threads,
                            .kernel = kernel};
    SEGUE_TRY(learns(c) ? segue_learner_config_parse(&learner, policy, err)
                        : segue_policy_parse(&sim.policy, policy, err));
    if (learns(c))
        sim.learner = &learner;
    segue_simulation_result *result = NULL;
    const double start = cpu_seconds();
    const segue_status status = segue_simulation_run(&result, &sim, err);
    const double seconds = cpu_seconds() - start;
    segue_simulation_result_destroy(result);
    const double tasks =
        (double)c->runs * (c->tasks ? (double)c->tasks : (double)segue_environment_models(env));
    *out = 1e9 * seconds / (learns(c) ? tasks : tasks * (double)c->steps);
    return status;
}

/* A learner and the means to play its tasks. */
typedef struct learner_bench {
    segue_learner *learner;
    segue_simulated_task *simulated;
    segue_kernel *kernel;
} learner_bench;

static segue_status learner_bench_init(learner_bench *p, const contest *c,
                                       const segue_environment *env, segue_error *err)
{
    segue_learner_config config = segue_learner_defaults();
    config.method = "tucb";
    config.n_arms = segue_environment_arms(env);
    config.n_models = segue_environment_models(env);
    config.horizon = c->steps;
    config.n_tasks = c->tasks;
    *p = (learner_bench){.learner = NULL};
    SEGUE_TRY(segue_learner_create(&p->learner, &config, err));
    SEGUE_TRY(segue_simulated_task_create(&p->simulated, env, err));
    return segue_kernel_create(&p->kernel, config.n_arms, c->steps, err);
}

static void learner_bench_fini(learner_bench *p)
{
    segue_learner_destroy(p->learner);
    segue_simulated_task_destroy(p->simulated);
    segue_kernel_destroy(p->kernel);
}

/* Play a task to its end, by a kernel if there is one. */
static void play_task(const learner_bench *p, segue_task *task, uint64_t steps)
{
    double regret = 0.0;
    if (!segue_kernel_play(p->kernel, task, p->simulated, steps, &regret))
        (void)segue_simulation_play(task, p->simulated, steps);
}

/* Measure nanoseconds per task of learning and of playing. */
static segue_status time_learner(const contest *c, const segue_environment *env, double *learn,
                                 double *play, segue_error *err)
{
    learner_bench p;
    segue_status status = learner_bench_init(&p, c, env, err);
    *learn = *play = 0.0;
    for (uint64_t j = 0; j < c->tasks && status == SEGUE_OK; j++) {
        segue_task *task = NULL;
        const double start = cpu_seconds();
        segue_simulated_task_begin(p.simulated, 1, 0, j, SEGUE_ANY_MODEL);
        status = segue_learner_open_task(p.learner, &task, err);
        if (status == SEGUE_OK)
            play_task(&p, task, c->steps);
        const double middle = cpu_seconds();
        if (status == SEGUE_OK)
            status = segue_learner_close_task(p.learner, &task, err);
        *play += 1e9 * (middle - start) / (double)c->tasks;
        *learn += 1e9 * (cpu_seconds() - middle) / (double)c->tasks;
    }
    learner_bench_fini(&p);
    return status;
}

static segue_status time_contest(const contest *c, const segue_environment *env, double *fast,
                                 double *rival, segue_error *err)
{
    if (c->rival == PLAYING)
        return time_learner(c, env, fast, rival, err);
    SEGUE_TRY(time_simulation(c, c->policy, env, SEGUE_KERNEL_FAST, c->rival == ONE_THREAD ? 2 : 1,
                              fast, err));
    if (c->rival == ONE_THREAD)
        return time_simulation(c, c->policy, env, SEGUE_KERNEL_FAST, 1, rival, err);
    if (c->rival == PLAIN)
        return time_simulation(c, c->other ? c->other : c->policy, env, SEGUE_KERNEL_PLAIN, 1,
                               rival, err);
    return SEGUE_OK;
}

/* ---- the suite --------------------------------------------------------------------------- */

/* Times of all rounds: limits, contests, baselines. */
typedef struct times {
    size_t contests; /* number of contests */
    double limit[LIMITS][SEGUE_MAX_ROUNDS];
    double fast[CONTESTS][SEGUE_MAX_ROUNDS];
    double rival[CONTESTS][SEGUE_MAX_ROUNDS];
} times;

/* Return the number of contests: slow ones come last. */
static size_t count_contests(bool slow)
{
    size_t count = 0;
    while (count < CONTESTS && (slow || !contests[count].slow))
        count++;
    return count;
}

static segue_status run_round(times *t, size_t round, const segue_environment *env,
                              segue_error *err)
{
    t->limit[0][round] = time_draws();
    t->limit[1][round] = time_blocks();
    for (size_t i = 0; i < t->contests; i++)
        SEGUE_TRY(time_contest(&contests[i], env, &t->fast[i][round], &t->rival[i][round], err));
    return SEGUE_OK;
}

/* Return the distance of the quartiles as a share of the median; sorts the numbers. */
static double spread_of(double *numbers, size_t count)
{
    return (segue_stats_quantile(numbers, count, 0.75) -
            segue_stats_quantile(numbers, count, 0.25)) /
           segue_stats_quantile(numbers, count, 0.5);
}

static segue_bench_result measured(const char *name, const char *unit, double *rounds, size_t count)
{
    return (segue_bench_result){.name = name,
                                .unit = unit,
                                .median = segue_stats_quantile(rounds, count, 0.5),
                                .spread = spread_of(rounds, count),
                                .ratio = NAN,
                                .ratio_spread = NAN,
                                .of_limit = NAN};
}

/* Fill the ratio rival / fast: the median over rounds, and its spread. */
static void compare(segue_bench_result *m, const double *rival, const double *fast, size_t rounds)
{
    double ratios[SEGUE_MAX_ROUNDS];
    for (size_t i = 0; i < rounds; i++)
        ratios[i] = rival[i] / fast[i];
    m->ratio = segue_stats_quantile(ratios, rounds, 0.5);
    m->ratio_spread = spread_of(ratios, rounds);
}

static void fill(segue_bench_result *out, times *t, size_t rounds)
{
    out[0] = measured("limit: a Bernoulli draw", "draw", t->limit[0], rounds);
    out[1] = measured("the same in blocks of 64", "draw", t->limit[1], rounds);
    out[0].of_limit = 1.0;
    out[1].of_limit = out[0].median / out[1].median;
    for (size_t i = 0; i < t->contests; i++) {
        const contest *c = &contests[i];
        segue_bench_result pair = {.ratio = NAN, .ratio_spread = NAN}, *m = &out[LIMITS + i];
        if (c->rival != NOTHING)
            compare(&pair, t->rival[i], t->fast[i], rounds);
        *m = measured(c->name, learns(c) ? "task" : "step", t->fast[i],
                      rounds); /* sorts the times */
        m->ratio = pair.ratio;
        m->ratio_spread = pair.ratio_spread;
        m->must = c->must;
        if (!learns(c))
            m->of_limit = out[0].median / m->median;
    }
}

segue_status segue_bench_run(segue_bench_result **out, size_t *count, const segue_models *models,
                             size_t rounds, bool slow, void (*tell)(void *context, size_t round),
                             void *context, segue_error *err)
{
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_status status = SEGUE_OK;
    *count = LIMITS + count_contests(slow);
    *out = calloc(*count, sizeof **out);
    times *t = calloc(1, sizeof *t);
    if (!*out || !t)
        status = segue_fail_no_memory(err, "the benchmarks");
    else
        t->contests = count_contests(slow);
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
