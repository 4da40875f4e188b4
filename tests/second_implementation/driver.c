/* driver.c - play tasks whose rewards stand in a table, through the public API of the library.
 *
 * The second implementation (the Python files beside this one) plays the same tables, so that every
 * pull can be compared.  Standard input holds jobs of blank-separated words:
 *
 *   task POLICY KIND K M N, M x K means, K x N rewards
 *       KIND is known or estimated; M = 0: no model set.  Row i of the table holds the rewards of
 *       arm i in the order of its pulls.  Prints the steps without an active model, then N arms.
 *   learner LEARNER K M N J TASKS, for each task K x N rewards
 *       Prints per task five lines: its arms; "found tasks eps" of the estimate after it; the
 *       eigenvalues of M2; the lambdas; the means, model by model.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "segue/segue.h"

enum { MAX_SPEC = 200 };

/* The sizes of a job. */
typedef struct sizes {
    size_t n_arms, n_models, n_steps, n_tasks, n_played;
} sizes;

/* End the program: a test has no other use for an error. */
static void stop(const char *message)
{
    fprintf(stderr, "driver: %s\n", message);
    exit(1);
}

/* Stop unless a call of the library succeeded. */
static void check(segue_status status, const segue_error *err)
{
    if (status != SEGUE_OK)
        stop(err->message);
}

/* Read the sizes of a task: K M N. */
static sizes read_sizes(void)
{
    sizes size = {0};
    if (scanf("%zu %zu %zu", &size.n_arms, &size.n_models, &size.n_steps) != 3)
        stop("K, M or N is missing");
    return size;
}

/* Read `count` numbers; the caller frees them. */
static double *read_numbers(size_t count)
{
    double *numbers = calloc(count ? count : 1, sizeof *numbers);
    if (!numbers)
        stop("out of memory");
    for (size_t i = 0; i < count; i++)
        if (scanf("%lf", &numbers[i]) != 1)
            stop("a number is missing");
    return numbers;
}

/* Print a row of numbers with all their digits. */
static void print_row(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s%.17g", i ? " " : "", numbers[i]);
    putchar('\n');
}

/* Play a task on a table of rewards and print its arms. */
static void play(segue_task *task, const double *table, size_t n_arms, size_t n_steps)
{
    segue_error err;
    size_t *used = calloc(n_arms, sizeof *used);
    if (!used)
        stop("out of memory");
    for (size_t t = 0; t < n_steps; t++) {
        size_t arm = segue_task_ask(task);
        double reward = table[arm * n_steps + used[arm]++];
        check(segue_task_tell(task, arm, reward, &err), &err);
        printf("%s%zu", t ? " " : "", arm);
    }
    putchar('\n');
    free(used);
}

/* Read a model set; NULL if it has no models. */
static segue_models *read_models(segue_models_kind kind, const sizes *size)
{
    segue_models *models = NULL;
    segue_error err;
    double *means = read_numbers(size->n_arms * size->n_models);
    if (size->n_models)
        check(segue_models_create(&models, kind, size->n_arms, size->n_models, means, NULL, &err),
              &err);
    free(means);
    return models;
}

/* One task of a policy. */
static void run_task(const char *spec, segue_models_kind kind)
{
    segue_error err;
    segue_task *task;
    sizes size = read_sizes();
    segue_models *models = read_models(kind, &size);
    double *table = read_numbers(size.n_arms * size.n_steps);
    segue_task_config config = segue_task_defaults();
    check(segue_policy_parse(&config.policy, spec, &err), &err);
    config.setting.n_arms = size.n_arms;
    config.setting.models = models;
    config.setting.horizon = size.n_steps;
    check(segue_task_create(&task, &config, &err), &err);
    play(task, table, size.n_arms, size.n_steps);
    printf("%zu\n", (size_t)segue_task_info(task).no_model_left);
    segue_task_destroy(task);
    free(table);
    segue_models_destroy(models);
}

/* Print the estimate of a learner: four lines. */
static void print_estimate(const segue_learner *learner)
{
    segue_learner_summary info = segue_learner_info(learner);
    const segue_models *models = segue_learner_models(learner);
    bool found = models && info.estimate.found;
    printf("%d %zu %.17g\n", found, (size_t)info.estimate.n_tasks, info.eps);
    print_row(info.estimate.eigenvalue, info.estimate.eigenvalue ? info.estimate.n_eigenvalues : 0);
    print_row(info.estimate.lambda, found ? info.estimate.n_models : 0);
    print_row(found ? models->mean : NULL, found ? models->n_models * models->n_arms : 0);
}

/* A learner over tasks. */
static void run_learner(const char *spec)
{
    segue_error err;
    segue_learner *learner;
    sizes size = read_sizes();
    if (scanf("%zu %zu", &size.n_tasks, &size.n_played) != 2)
        stop("J or TASKS is missing");
    segue_learner_config config = segue_learner_defaults();
    check(segue_learner_config_parse(&config, spec, &err), &err);
    config.n_arms = size.n_arms;
    config.n_models = size.n_models;
    config.horizon = size.n_steps;
    config.n_tasks = size.n_tasks;
    check(segue_learner_create(&learner, &config, &err), &err);
    for (size_t j = 0; j < size.n_played; j++) {
        segue_task *task;
        double *table = read_numbers(size.n_arms * size.n_steps);
        check(segue_learner_open_task(learner, &task, &err), &err);
        play(task, table, size.n_arms, size.n_steps);
        check(segue_learner_close_task(learner, &task, &err), &err);
        print_estimate(learner);
        free(table);
    }
    segue_learner_destroy(learner);
}

int main(void)
{
    char job[16], spec[MAX_SPEC], kind[16];
    while (scanf("%15s %199s", job, spec) == 2) {
        if (strcmp(job, "learner") == 0)
            run_learner(spec);
        else if (strcmp(job, "task") == 0 && scanf("%15s", kind) == 1)
            run_task(spec,
                     strcmp(kind, "known") == 0 ? SEGUE_MODELS_KNOWN : SEGUE_MODELS_ESTIMATED);
        else
            stop("a job is neither 'task' nor 'learner'");
    }
    return 0;
}
