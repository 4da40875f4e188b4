/* bench_pending.c - the regret of asks that come before the rewards of earlier ones.
 *
 *     bench_pending [RUNS [STEPS [TASKS]]]
 *
 * The paper's models.  `one`: each reward comes before the next ask.  `batch`: ten asks, then their
 * ten rewards.  `late`: nine rewards are always missing, each comes ten asks later.  All three meet
 * the same tasks, and the rewards of an arm in the same order.  Learners play TASKS tasks per run,
 * and the last half counts; other policies play each task alone, `mla` and `mts` with the true
 * models.  The ratio of regrets is that of sums over all runs, with the standard error of its paired
 * differences.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <math.h>
#include <string.h>

#define PENDING  10
#define MAX_ARMS 16

typedef enum way { ONE, BATCH, LATE, N_WAYS } way;

typedef struct game {
    const segue_models *models;
    const char *policy;
    uint64_t steps, n_tasks;
    unsigned char *reward; /* n_arms x steps */
} game;

/* Allocate zeros, or exit. */
static void *new_bytes(size_t size)
{
    void *bytes = calloc(size, 1);
    if (!bytes)
        exit(1);
    return bytes;
}

/* Draw the rewards of one task; returns its model. */
static size_t draw_task(const game *g, uint64_t run, uint64_t task)
{
    segue_rng rng;
    segue_rng_init(&rng, 7, run, task, SEGUE_STREAM_MODEL);
    const size_t model = (size_t)(segue_rng_uniform(&rng) * (double)g->models->n_models);
    const double *mean = segue_models_row(g->models, model);
    for (size_t arm = 0; arm < g->models->n_arms; arm++) {
        segue_rng_init(&rng, 7, run, task, arm);
        for (uint64_t i = 0; i < g->steps; i++)
            g->reward[arm * g->steps + i] = segue_rng_uniform(&rng) < mean[arm];
    }
    return model;
}

/* Tell the oldest pending reward. */
static void tell_oldest(const game *g, segue_task *task, const size_t *asked, uint64_t at,
                        uint64_t *used)
{
    const size_t arm = asked[at];
    segue_error err;
    check(segue_task_tell(task, arm, g->reward[arm * g->steps + used[arm]++], &err), &err);
}

/* Play one task; returns its regret. */
static double play_task(const game *g, segue_task *task, size_t model, way how, size_t *asked)
{
    const double *mean = segue_models_row(g->models, model);
    uint64_t used[MAX_ARMS] = {0}, done = 0;
    double regret = 0.0;
    for (uint64_t t = 0; t < g->steps; t++) {
        asked[t] = segue_task_ask(task);
        regret += mean[g->models->best_arm[model]] - mean[asked[t]];
        const bool all = how == ONE || (how == BATCH && (t + 1) % PENDING == 0);
        const uint64_t until = all                               ? t + 1
                               : how == LATE && t + 1 >= PENDING ? t + 2 - PENDING
                                                                 : done;
        while (done < until)
            tell_oldest(g, task, asked, done++, used);
    }
    while (done < g->steps)
        tell_oldest(g, task, asked, done++, used);
    return regret;
}

static double play_learner(const game *g, uint64_t run, way how, size_t *asked)
{
    segue_learner_config config = segue_learner_defaults();
    segue_learner *learner = NULL;
    segue_task *task = NULL;
    segue_error err;
    double regret = 0.0;
    check(segue_learner_config_parse(&config, g->policy, &err), &err);
    config.n_arms = g->models->n_arms;
    config.horizon = g->steps;
    config.seed = run + 1;
    const bool learns = !segue_learner_method_find(g->policy)->without_transfer;
    check(segue_learner_create(&learner, &config, &err), &err);
    for (uint64_t j = 0; j < g->n_tasks; j++) {
        const size_t model = draw_task(g, run, j);
        check(segue_learner_open_task(learner, &task, &err), &err);
        const double of_task = play_task(g, task, model, how, asked);
        regret += !learns || 2 * j >= g->n_tasks ? of_task : 0.0;
        check(segue_learner_close_task(learner, &task, &err), &err);
    }
    segue_learner_destroy(learner);
    return regret / (double)(learns ? g->n_tasks - g->n_tasks / 2 : g->n_tasks);
}

/* A policy that knows the models plays each task alone. */
static double play_known(const game *g, uint64_t run, way how, size_t *asked)
{
    segue_task_config config = segue_task_defaults();
    segue_error err;
    double regret = 0.0;
    check(segue_policy_parse(&config.policy, g->policy, &err), &err);
    config.setting.n_arms = g->models->n_arms;
    config.setting.horizon = g->steps;
    config.setting.models = g->models;
    for (uint64_t j = 0; j < g->n_tasks; j++) {
        segue_task *task = NULL;
        config.seed = run * g->n_tasks + j + 1;
        const size_t model = draw_task(g, run, j);
        check(segue_task_create(&task, &config, &err), &err);
        regret += play_task(g, task, model, how, asked);
        segue_task_destroy(task);
    }
    return regret / (double)g->n_tasks;
}

static double play(const game *g, uint64_t run, way how, size_t *asked)
{
    return segue_learner_method_find(g->policy) ? play_learner(g, run, how, asked)
                                                : play_known(g, run, how, asked);
}

/* The ratio of two means of paired values, and its standard error. */
static void print_ratio(const double *value, const double *base, uint64_t runs)
{
    double sum = 0.0, total = 0.0, squares = 0.0;
    for (uint64_t r = 0; r < runs; r++) {
        sum += value[r];
        total += base[r];
    }
    const double ratio = sum / total;
    for (uint64_t r = 0; r < runs; r++)
        squares += pow(value[r] - ratio * base[r], 2.0);
    printf("  %6.2f %5.2f +- %.2f", sum / (double)runs, ratio, sqrt(squares) / total);
}

int main(int argc, char **argv)
{
    static const char *const policies[] = {"tla", "tts",    "ts-prior", "la", "ts",
                                           "ucb", "kl-ucb", "mla",      "mts"};
    const uint64_t runs = argc > 1 ? strtoull(argv[1], NULL, 10) : 20;
    segue_models_file paper;
    segue_error err;
    check(segue_models_file_read(&paper, PAPER_MODELS, SEGUE_MODELS_KNOWN, &err), &err);
    if (paper.models->n_arms > MAX_ARMS)
        exit(1);
    game g = {.models = paper.models,
              .steps = argc > 2 ? strtoull(argv[2], NULL, 10) : 300,
              .n_tasks = argc > 3 ? strtoull(argv[3], NULL, 10) : 100};
    g.reward = new_bytes(g.models->n_arms * g.steps);
    size_t *asked = new_bytes(g.steps * sizeof *asked);
    double *regret = new_numbers(N_WAYS * runs);
    printf("Regret per task, n = %llu, %llu runs of %llu tasks; ratios to one at a time\n\n",
           (unsigned long long)g.steps, (unsigned long long)runs, (unsigned long long)g.n_tasks);
    printf("%-10s %6s  %20s  %20s\n", "", "one", "batches of ten", "ten asks late");
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        g.policy = policies[p];
        for (way how = ONE; how < N_WAYS; how++)
            for (uint64_t r = 0; r < runs; r++)
                regret[how * runs + r] = play(&g, r, how, asked);
        double one = 0.0;
        for (uint64_t r = 0; r < runs; r++)
            one += regret[r] / (double)runs;
        printf("%-10s %6.2f", g.policy, one);
        print_ratio(regret + runs, regret, runs);
        print_ratio(regret + 2 * runs, regret, runs);
        printf("\n");
    }
    free(g.reward);
    free(asked);
    free(regret);
    segue_models_file_fini(&paper);
    return 0;
}
