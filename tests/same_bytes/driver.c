/* driver.c - play 1,000 tasks with the library alone, and print hashes of what comes out.
 *
 *     driver FILE          learners are saved to FILE
 *
 * Per learner: its name, a hash of all arms and rewards, and one of the saved learner.  tests/test_same_bytes_builds.py
 * compares these lines between compilers, options and processors.  It links with no BLAS (no_blas.c): learners
 * of up to 20 arms do not use one.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "segue/segue.h"

enum { ARMS = 5, MODELS = 4, STEPS = 40 };

/* A learner, the law of the rewards, and the number of tasks: together 1,000. */
typedef struct play {
    const char *learner, *rewards;
    uint64_t tasks;
} play;

static const play plays[] = {
    {"tla", "bernoulli", 200},
    {"tts", "bernoulli", 150},
    {"tla", "beta:20", 50},
    {"tts", "normal:0.2", 50},
    {"ts-prior", "grades:3", 50},
    {"tucb:models=4", "bernoulli", 100},
    {"auto", "lognormal:1", 50},
    {"tucb:models=4,estimator=em", "bernoulli", 50},
    {"dp-ts", "bernoulli", 50},
    {"tucb:models=4,estimator=eca", "bernoulli", 25},
    {"tucb:models=4,estimator=algorithm-b", "bernoulli", 25},
    {"hier-ts", "beta:5", 25},
    {"ada-ts", "bernoulli", 25},
    {"club", "bernoulli", 25},
    {"v-ids", "bernoulli", 25},
    {"kl-ucb", "bernoulli", 25},
    {"bayes-ucb", "bernoulli", 25},
    {"imed", "zeros:0.95", 25},
    {"exp3", "jackpot:0.05", 25},
};

static const double means[] = {0.9, 0.3, 0.5, 0.2, 0.4, 0.3, 0.8, 0.2, 0.4, 0.1,
                               0.1, 0.4, 0.3, 0.7, 0.6, 0.5, 0.2, 0.6, 0.3, 0.85};

static void check(segue_status status, const segue_error *err)
{
    if (status == SEGUE_OK)
        return;
    (void)fprintf(stderr, "driver: %s\n", err->message);
    exit(segue_status_exit_code(status));
}

/* FNV-1a. */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t play_task(segue_learner *learner, segue_simulated_task *simulated, uint64_t hash)
{
    segue_error err;
    segue_task *task = NULL;
    check(segue_learner_open_task(learner, &task, &err), &err);
    for (int step = 0; step < STEPS; step++) {
        const size_t arm = segue_task_ask(task);
        const double reward = segue_simulated_task_reward(simulated, arm);
        const uint64_t number = arm; /* a size_t has other bytes elsewhere */
        hash = hash_bytes(hash, &number, sizeof number);
        hash = hash_bytes(hash, &reward, sizeof reward);
        check(segue_task_tell(task, arm, reward, &err), &err);
    }
    check(segue_learner_close_task(learner, &task, &err), &err);
    return hash;
}

static uint64_t hash_file(const char *path)
{
    unsigned char bytes[4096];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    FILE *in = fopen(path, "rb");
    size_t size = 0;
    if (!in) {
        perror(path);
        exit(1);
    }
    while ((size = fread(bytes, 1, sizeof bytes, in)) > 0)
        hash = hash_bytes(hash, bytes, size);
    (void)fclose(in);
    return hash;
}

static void run(const play *p, const segue_models *models, const char *path)
{
    segue_error err;
    segue_learner *learner = NULL;
    segue_simulated_task *simulated = NULL;
    segue_environment env = {.size = sizeof env, .models = models};
    segue_learner_config config = segue_learner_defaults();
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    check(segue_rewards_parse(&env.rewards, p->rewards, &err), &err);
    check(segue_learner_config_parse(&config, p->learner, &err), &err);
    config.n_arms = ARMS;
    config.horizon = STEPS;
    config.n_tasks = p->tasks;
    check(segue_simulated_task_create(&simulated, &env, &err), &err);
    check(segue_learner_create(&learner, &config, &err), &err);
    for (uint64_t j = 0; j < p->tasks; j++) {
        segue_simulated_task_begin(simulated, 7, 0, j, SEGUE_ANY_MODEL);
        hash = play_task(learner, simulated, hash);
    }
    check(segue_learner_save(learner, path, &err), &err);
    printf("%s %s %016" PRIx64 " %016" PRIx64 "\n", p->learner, p->rewards, hash, hash_file(path));
    segue_learner_destroy(learner);
    segue_simulated_task_destroy(simulated);
}

int main(int argc, char **argv)
{
    segue_error err;
    segue_models *models = NULL;
    if (argc != 2) {
        (void)fputs("usage: driver FILE\n", stderr);
        return 2;
    }
    check(segue_models_create(&models, SEGUE_MODELS_KNOWN, ARMS, MODELS, means, NULL, &err), &err);
    for (size_t k = 0; k < sizeof plays / sizeof *plays; k++)
        run(&plays[k], models, argv[1]);
    segue_models_destroy(models);
    return 0;
}
