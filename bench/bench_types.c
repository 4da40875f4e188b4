/* bench_types.c - the cost of learners of types: of a decision, and of the work after a task.
 *
 *     bench_types [SEED]
 *
 * ts, tts and tla play the same 5,000 tasks of 300 steps on the paper's models (7 arms, 5 types),
 * task by task in turn, so that load of the machine affects all alike. CPU time of one thread: a
 * decision is the ask, the reward and the tell.  Refits are those of a background thread: the close
 * is what the caller waits for, which is the close itself, the copy for a refit, its
 * publication and the next open; the task is all work after it, on average.  CSV, microseconds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#define STEPS 300
#define TASKS 5000

/* A policy alone, or a learner. */
typedef struct contest {
    const char *name;
    segue_task *task;          /* of a policy */
    segue_learner *learner;    /* or NULL */
    double play, close, refit; /* CPU seconds */
} contest;

static void begin_policy(contest *c, size_t n_arms)
{
    segue_error err;
    segue_task_config config = segue_task_defaults();
    check(segue_policy_parse(&config.policy, c->name, &err), &err);
    config.setting = (segue_setting){.n_arms = n_arms, .horizon = STEPS, .n_tasks = TASKS};
    check(segue_task_create(&c->task, &config, &err), &err);
}

static void begin_learner(contest *c, size_t n_arms, uint64_t seed)
{
    segue_error err;
    segue_learner_config config = segue_learner_defaults();
    check(segue_learner_config_parse(&config, c->name, &err), &err);
    config.n_arms = n_arms;
    config.horizon = STEPS;
    config.n_tasks = TASKS;
    config.seed = seed;
    config.background = true;
    check(segue_learner_create(&c->learner, &config, &err), &err);
}

static void play_policy(contest *c, segue_simulated_task *simulated, uint64_t seed, uint64_t j)
{
    segue_rng rng;
    segue_rng_init(&rng, seed, 0, j, SEGUE_STREAM_POLICY);
    segue_task_next(c->task, &rng, 0);
    const double start = cpu_seconds();
    (void)segue_simulation_play(c->task, simulated, STEPS);
    c->play += cpu_seconds() - start;
}

/* Refit as a background thread would. */
static void refit(contest *c)
{
    segue_error err;
    segue_refit *refit = NULL;
    const double start = cpu_seconds();
    check(segue_learner_refit_begin(c->learner, &refit, &err), &err);
    const double copied = cpu_seconds();
    check(segue_refit_run(refit, &err), &err);
    const double fitted = cpu_seconds();
    check(segue_learner_refit_publish(c->learner, &refit, &err), &err);
    c->refit += fitted - copied;
    c->close += copied - start + cpu_seconds() - fitted;
}

static void play_learner(contest *c, segue_simulated_task *simulated)
{
    segue_error err;
    segue_task *task = NULL;
    const double before = cpu_seconds();
    check(segue_learner_open_task(c->learner, &task, &err), &err);
    const double start = cpu_seconds();
    (void)segue_simulation_play(task, simulated, STEPS);
    const double middle = cpu_seconds();
    check(segue_learner_close_task(c->learner, &task, &err), &err);
    c->play += middle - start;
    c->close += start - before + cpu_seconds() - middle;
    if (segue_learner_refit_due(c->learner))
        refit(c);
}

static void play_task(contest *c, segue_simulated_task *simulated, uint64_t seed, uint64_t j)
{
    segue_simulated_task_begin(simulated, seed, 0, j, SEGUE_ANY_MODEL);
    if (c->learner)
        play_learner(c, simulated);
    else
        play_policy(c, simulated, seed, j);
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    contest contests[] = {{.name = "ts"}, {.name = "tts"}, {.name = "tla"}};
    const size_t n_contests = sizeof contests / sizeof *contests;
    segue_error err;
    segue_models_file paper;
    segue_simulated_task *simulated = NULL;
    check(segue_models_file_read(&paper, PAPER_MODELS, SEGUE_MODELS_KNOWN, &err), &err);
    const segue_environment env = {.size = sizeof(segue_environment), .models = paper.models};
    check(segue_simulated_task_create(&simulated, &env, &err), &err);
    begin_policy(&contests[0], paper.models->n_arms);
    for (size_t i = 1; i < n_contests; i++)
        begin_learner(&contests[i], paper.models->n_arms, seed);
    for (uint64_t j = 0; j < TASKS; j++)
        for (size_t i = 0; i < n_contests; i++)
            play_task(&contests[i], simulated, seed, j);
    printf("policy,decision,close,task\n");
    for (size_t i = 0; i < n_contests; i++) {
        const contest *c = &contests[i];
        printf("%s,%.3f,%.1f,%.1f\n", c->name, c->play / TASKS / STEPS * 1e6,
               c->close / TASKS * 1e6, (c->close + c->refit) / TASKS * 1e6);
        segue_task_destroy(contests[i].task);
        segue_learner_destroy(contests[i].learner);
    }
    segue_simulated_task_destroy(simulated);
    segue_models_file_fini(&paper);
    return 0;
}
