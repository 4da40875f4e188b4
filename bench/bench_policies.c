/* bench_policies.c - steps per second of every policy, beside the random-number limit.
 *
 * CPU time of one thread. The rounds are interleaved, limit and policies in turn, so that load of
 * the machine affects all alike; the result is the share of the limit in the same run. The limit
 * is a loop that draws 64 random bits and compares them with a threshold, once per draw; blocks of
 * 64 (segue_rng_bernoulli_block), which the simulator draws, are shown beside it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#define ROUNDS  7
#define STEPS   5000 /* per task, as in the paper */
#define SECONDS 0.04 /* shortest measurement */
#define DRAWS   2000000

static double scalar_draws(uint64_t *sink)
{
    segue_rng rng;
    segue_rng_init(&rng, 1, 0, 0, 0);
    const uint64_t threshold = segue_rng_bernoulli_threshold(0.45) << 11;
    const double start = cpu_seconds();
    for (int i = 0; i < DRAWS; i++)
        *sink += segue_rng_next(&rng) < threshold;
    return DRAWS / (cpu_seconds() - start);
}

static double block_draws(uint64_t *sink)
{
    segue_rng rng;
    segue_rng_init(&rng, 1, 0, 0, 0);
    const uint64_t threshold = segue_rng_bernoulli_threshold(0.45);
    const double start = cpu_seconds();
    for (int i = 0; i < DRAWS / 64; i++)
        *sink += segue_rng_bernoulli_block(&rng, threshold);
    return DRAWS / (cpu_seconds() - start);
}

/* A contest: one policy on one model set. */
typedef struct contest {
    const segue_policy *policy;
    segue_models *models;
    segue_environment env;
    segue_task *task;
    segue_simulated_task *simulated;
    double rate[ROUNDS];
} contest;

static void contest_init(contest *c, const segue_policy *policy, segue_models *models)
{
    segue_error err;
    segue_task_config config = segue_task_defaults();
    *c = (contest){.policy = policy,
                   .models = models,
                   .env = {.size = sizeof(segue_environment), .models = models}};
    check(segue_policy_parse(&config.policy, policy->name, &err), &err);
    config.setting = (segue_setting){.n_arms = models->n_arms,
                                     .models = models,
                                     .n_model_indices = models->n_models,
                                     .horizon = STEPS,
                                     .n_tasks = 1};
    check(segue_task_create(&c->task, &config, &err), &err);
    check(segue_simulated_task_create(&c->simulated, &c->env, &err), &err);
}

static double steps_a_second(contest *c)
{
    double steps = 0.0, seconds = 0.0;
    const double start = cpu_seconds();
    for (uint64_t run = 0; seconds < SECONDS; run++) {
        segue_rng rng;
        const size_t model = (size_t)(run % c->models->n_models);
        segue_simulated_task_begin(c->simulated, 1, run, 0, model);
        segue_rng_init(&rng, 1, run, 0, SEGUE_STREAM_POLICY);
        segue_task_reset(c->task);
        segue_task_next(c->task, &rng, model);
        (void)segue_simulation_play(c->task, c->simulated, STEPS);
        steps += STEPS;
        seconds = cpu_seconds() - start;
    }
    return steps / seconds;
}

static segue_models *random_models(size_t n_arms, size_t n_models)
{
    segue_rng rng;
    segue_error err;
    segue_models *models = NULL;
    double *mean = calloc(n_arms * n_models, sizeof *mean);
    segue_rng_init(&rng, 1, 0, 0, 0);
    for (size_t i = 0; mean && i < n_arms * n_models; i++)
        mean[i] = segue_rng_uniform(&rng);
    if (!mean)
        exit(1);
    check(segue_models_create(&models, SEGUE_MODELS_KNOWN, n_arms, n_models, mean, NULL, &err),
          &err);
    free(mean);
    return models;
}

static void print_rate(const char *name, size_t n_arms, double *rate, double limit)
{
    const double median = segue_stats_quantile(rate, ROUNDS, 0.5);
    const double spread =
        (segue_stats_quantile(rate, ROUNDS, 0.75) - segue_stats_quantile(rate, ROUNDS, 0.25));
    char arms[24] = "";
    if (n_arms)
        (void)snprintf(arms, sizeof arms, "%zu", n_arms);
    printf("%-24s %4s %11.3e %7.1f %% %9.1f %9.4f\n", name, arms, median, 100.0 * spread / median,
           1e9 / median, median / limit);
}

int main(void)
{
    size_t n_policies;
    const segue_policy *const *policies = segue_policy_all(&n_policies);
    segue_models_file paper;
    segue_error err;
    check(segue_models_file_read(&paper, PAPER_MODELS, SEGUE_MODELS_KNOWN, &err), &err);
    segue_models *models[] = {paper.models, random_models(100, 5)};
    contest *contests = calloc(2 * n_policies, sizeof *contests);
    double scalar[ROUNDS], block[ROUNDS];
    uint64_t sink = 0;
    if (!contests)
        return 1;
    for (size_t i = 0; i < 2 * n_policies; i++)
        contest_init(&contests[i], policies[i % n_policies], models[i / n_policies]);
    for (size_t round = 0; round < ROUNDS; round++) {
        scalar[round] = scalar_draws(&sink);
        block[round] = block_draws(&sink);
        for (size_t i = 0; i < 2 * n_policies; i++)
            contests[i].rate[round] = steps_a_second(&contests[i]);
    }

    printf(
        "Steps per second, one thread, CPU time, median of %d interleaved rounds\n"
        "(segue %s, %s; tasks of %d steps; the paper's models, and 5 random ones of 100 arms)\n\n",
        ROUNDS, segue_version(), segue_version_build(), STEPS);
    printf("%-24s %4s %11s %9s %9s %9s\n", "", "arms", "a second", "spread", "ns each", "of limit");
    const double limit = segue_stats_quantile(scalar, ROUNDS, 0.5);
    print_rate("limit: Bernoulli draws", 0, scalar, limit);
    print_rate("the same, blocks of 64", 0, block, limit);
    for (size_t i = 0; i < 2 * n_policies; i++) {
        print_rate(contests[i].policy->name, contests[i].models->n_arms, contests[i].rate, limit);
        segue_task_destroy(contests[i].task);
        segue_simulated_task_destroy(contests[i].simulated);
    }
    segue_models_file_fini(&paper);
    segue_models_destroy(models[1]);
    free(contests);
    return sink == 0; /* the draws were made */
}
