/* bench_graded.c - the regret of policies and learners on graded rewards, with three dispersions: 1,
 * estimated, and the true one of each type and arm.
 *
 *     bench_graded LAW STEPS TASKS RUNS SEED [POLICY ...]
 *
 * Each run has five random types of seven arms.  All policies meet the same tasks, and the rewards
 * of an arm in the same order.  CSV: regret per task, its standard error over the runs, and the 99th
 * percentile of the regret of a task.  `bench_graded list` prints the laws.
 *
 * The true dispersion of a type and arm is that of DRAWS rewards.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <math.h>
#include <string.h>

#include "bandit/task/task.h"
#include "sim/arm_stream.h"

#define ARMS         7
#define TYPES        5
#define DRAWS        20000
#define MAX_POLICIES 8
#define CORRELATION  0.9 /* of successive rewards of an arm: law `correlated` */

/* How the parameter of the law depends on type, arm and task. */
typedef enum variation { SAME, BY_ARM, BY_TYPE, DRIFT, CORRELATED } variation;

typedef struct law {
    const char *name, *rewards;
    double low, high; /* of the means */
    variation varies;
} law;

static const law laws[] = {
    {"bernoulli", "bernoulli", 0.0, 1.0, SAME},    {"beta:5", "beta:5", 0.0, 1.0, SAME},
    {"beta:20", "beta:20", 0.0, 1.0, SAME},        {"beta:200", "beta:200", 0.0, 1.0, SAME},
    {"normal:.1", "normal:0.1", 0.1, 0.9, SAME},   {"two points", "twopoint:0.5", 0.0, 0.5, SAME},
    {"ten grades", "grades:10", 0.0, 1.0, SAME},   {"zeros", "zeros:0.4", 0.012, 0.08, SAME},
    {"lognormal", "lognormal:1", 0.05, 0.6, SAME}, {"jackpot", "jackpot:0.05", 0.05, 0.2, SAME},
    {"by arm", "beta:10", 0.0, 1.0, BY_ARM},       {"by type", "beta:10", 0.0, 1.0, BY_TYPE},
    {"drift", "beta:2", 0.0, 1.0, DRIFT},          {"correlated", "beta:20", 0.0, 1.0, CORRELATED},
};
enum { N_LAWS = sizeof laws / sizeof *laws, N_MODES = 3 };

static const char *const modes[N_MODES] = {"1", "estimated", "true"};

/* One run: its types and their true weights of rewards. */
typedef struct environment {
    const law *law;
    double mean[TYPES][ARMS], weight[TYPES][ARMS];
    uint64_t steps, tasks, seed;
} environment;

/* A policy in one mode. */
typedef struct contest {
    const char *name;
    int mode;
    segue_learner *learner;
    segue_stats regret; /* over runs */
    double *task;       /* runs x tasks */
} contest;

/* Return the law of a task's arm. */
static segue_rewards rewards_of(const environment *e, size_t type, size_t arm, uint64_t task)
{
    segue_error err;
    segue_rewards rewards;
    check(segue_rewards_parse(&rewards, e->law->rewards, &err), &err);
    if ((e->law->varies == BY_ARM && arm % 2 == 0) || (e->law->varies == BY_TYPE && type % 2 == 0))
        rewards.parameter = 100.0;
    if (e->law->varies == DRIFT) /* from 2 to 200 */
        rewards.parameter = 2.0 * pow(100.0, (double)task / (double)e->tasks);
    return rewards;
}

static double true_weight(const environment *e, size_t type, size_t arm, uint64_t task)
{
    arm_stream stream;
    segue_stats stats = {0};
    const segue_rewards rewards = rewards_of(e, type, arm, task);
    const double mean = e->mean[type][arm];
    if (rewards.law == SEGUE_BERNOULLI)
        return 1.0;
    if (rewards.law == SEGUE_BETA)
        return 1.0 + rewards.parameter;
    if (rewards.law == SEGUE_GRADES)
        return rewards.parameter;
    segue_arm_stream_open(&stream, mean, e->seed + 1000000, type, 0, arm);
    for (int i = 0; i < DRAWS; i++)
        segue_stats_add(&stats, segue_arm_stream_next(&stream, &rewards));
    return fmax(1.0, mean * (1.0 - mean) / fmax(1e-9, segue_stats_variance(&stats)));
}

static void draw_types(environment *e)
{
    segue_rng rng;
    segue_rng_init(&rng, e->seed, 0, 0, 77);
    for (size_t q = 0; q < TYPES; q++)
        for (size_t i = 0; i < ARMS; i++)
            e->mean[q][i] = e->law->low + (e->law->high - e->law->low) * segue_rng_uniform(&rng);
    for (size_t q = 0; q < TYPES; q++)
        for (size_t i = 0; i < ARMS; i++)
            e->weight[q][i] = true_weight(e, q, i, 0);
}

/* The rewards of one arm; correlated ones follow the normal law that drives them. */
typedef struct source {
    arm_stream stream;
    segue_rewards rewards;
    double state, sd;
    bool is_correlated;
} source;

static double next_reward(source *s)
{
    if (!s->is_correlated)
        return segue_arm_stream_next(&s->stream, &s->rewards);
    const double x = s->stream.mean + s->sd * s->state;
    s->state = CORRELATION * s->state +
               sqrt(1.0 - CORRELATION * CORRELATION) * segue_rng_normal(&s->stream.rng);
    return fmin(1.0, fmax(0.0, x));
}

static void open_sources(const environment *e, size_t type, uint64_t task, source *s)
{
    for (size_t i = 0; i < ARMS; i++) {
        const double mean = e->mean[type][i];
        s[i] = (source){.rewards = rewards_of(e, type, i, task),
                        .is_correlated = e->law->varies == CORRELATED};
        segue_arm_stream_open(&s[i].stream, mean, e->seed, 0, task, i);
        s[i].sd = sqrt(mean * (1.0 - mean) / (1.0 + s[i].rewards.parameter));
        s[i].state = s[i].is_correlated ? segue_rng_normal(&s[i].stream.rng) : 0.0;
    }
}

static void begin_run(contest *c, const environment *e)
{
    segue_error err;
    char name[64];
    segue_learner_config config = segue_learner_defaults();
    (void)snprintf(name, sizeof name, "%s:dispersion=%s", c->name, c->mode == 0 ? "1" : "auto");
    check(segue_learner_config_parse(&config, name, &err), &err);
    config.n_arms = ARMS;
    config.horizon = e->steps;
    config.n_tasks = e->tasks;
    config.seed = e->seed;
    check(segue_learner_create(&c->learner, &config, &err), &err);
}

static double play(contest *c, const environment *e, size_t type, uint64_t j)
{
    segue_error err;
    source sources[ARMS];
    segue_task *task = NULL;
    double regret = 0.0, best = 0.0;
    double weight[ARMS];
    for (size_t i = 0; i < ARMS; i++) {
        best = fmax(best, e->mean[type][i]);
        weight[i] = e->law->varies == DRIFT ? true_weight(e, type, i, j) : e->weight[type][i];
    }
    open_sources(e, type, j, sources);
    check(segue_learner_open_task(c->learner, &task, &err), &err);
    if (c->mode == 2)
        segue_task_give_weights(task, weight);
    for (uint64_t t = 0; t < e->steps; t++) {
        const size_t arm = segue_task_ask(task);
        check(segue_task_tell(task, arm, next_reward(&sources[arm]), &err), &err);
        regret += best - e->mean[type][arm];
    }
    check(segue_learner_close_task(c->learner, &task, &err), &err);
    return regret;
}

static void play_run(contest *c, size_t n_contests, const environment *e, uint64_t run)
{
    double sum[MAX_POLICIES * N_MODES] = {0.0};
    segue_rng rng;
    segue_rng_init(&rng, e->seed, 1, 0, 78);
    for (size_t k = 0; k < n_contests; k++)
        begin_run(&c[k], e);
    for (uint64_t j = 0; j < e->tasks; j++) {
        const size_t type = (size_t)(segue_rng_uniform(&rng) * TYPES);
        for (size_t k = 0; k < n_contests; k++)
            sum[k] += c[k].task[run * e->tasks + j] = play(&c[k], e, type, j);
    }
    for (size_t k = 0; k < n_contests; k++) {
        segue_stats_add(&c[k].regret, sum[k] / (double)e->tasks);
        segue_learner_destroy(c[k].learner);
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const law *find_law(const char *name)
{
    for (size_t i = 0; i < N_LAWS; i++)
        if (strcmp(laws[i].name, name) == 0)
            return &laws[i];
    (void)fprintf(stderr, "bench: there is no law '%s'; 'bench_graded list' prints them\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    static char *usual[] = {"ts", "la", "ts-prior", "tts", "tla"};
    char **policy = argc > 6 ? argv + 6 : usual;
    const size_t n_policies = argc > 6 ? (size_t)argc - 6 : 5, n_contests = n_policies * N_MODES;
    contest contests[MAX_POLICIES * N_MODES] = {{.name = NULL}};
    for (size_t i = 0; argc == 2 && strcmp(argv[1], "list") == 0 && i < N_LAWS; i++)
        (void)puts(laws[i].name);
    if (argc < 6 || n_policies > MAX_POLICIES)
        return argc == 2 ? 0 : 2;
    environment e = {.law = find_law(argv[1]),
                     .steps = strtoull(argv[2], NULL, 10),
                     .tasks = strtoull(argv[3], NULL, 10)};
    const uint64_t runs = strtoull(argv[4], NULL, 10), seed = strtoull(argv[5], NULL, 10);
    for (size_t k = 0; k < n_contests; k++) {
        contests[k] = (contest){.name = policy[k / N_MODES], .mode = (int)(k % N_MODES)};
        contests[k].task = new_numbers(runs * e.tasks);
    }
    for (uint64_t run = 0; run < runs; run++) {
        e.seed = seed + run;
        draw_types(&e);
        play_run(contests, n_contests, &e, run);
    }
    (void)puts("law,steps,policy,dispersion,regret,se,p99");
    for (size_t k = 0; k < n_contests; k++) {
        contest *c = &contests[k];
        qsort(c->task, runs * e.tasks, sizeof *c->task, ascending);
        (void)printf("%s,%llu,%s,%s,%.4f,%.4f,%.2f\n", e.law->name, (unsigned long long)e.steps,
                     c->name, modes[c->mode], c->regret.mean,
                     segue_stats_standard_error(&c->regret),
                     c->task[(size_t)(0.99 * (double)(runs * e.tasks))]);
        free(c->task);
    }
    return 0;
}
