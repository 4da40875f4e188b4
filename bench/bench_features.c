/* bench_features.c - what features of tasks save, and what useless ones cost.
 *
 *     bench_features [RUNS [STEPS [TASKS [LEARNER]]]]
 *
 * The paper's models.  A run plays TASKS tasks of STEPS steps; the regret of the first 20 steps of each
 * task counts, over all tasks and over the last half.  All rows of a learner meet the same tasks, and the
 * rewards of an arm in the same order.  Ratios are to the row without features, of sums over all runs,
 * with the standard error of their paired differences.
 *
 *   names     a category that names the model
 *   noisy     a category that names it in 60 % of the tasks, else it is one of all at random
 *   number    a number around the model's index, with standard deviation 0.5
 *   copies    16 times the noisy category, under 16 names: they are far from independent
 *   useless   1, 4 and 16 features that say nothing: categories of 4, and numbers, in turn
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <math.h>
#include <string.h>

#define EARLY 20 /* steps that count */

typedef enum kind {
    NONE,
    NAMES,
    NOISY,
    NUMBER,
    COPIES,
    USELESS_1,
    USELESS_4,
    USELESS_16,
    N_KINDS
} kind;

static const char *const kind_names[N_KINDS] = {"none",   "names",     "noisy",     "number",
                                                "copies", "useless 1", "useless 4", "useless 16"};

/* Names, texts and values of the features of a task. */
typedef struct feature_set {
    segue_feature item[SEGUE_MAX_FEATURES];
    char name[SEGUE_MAX_FEATURES][8], text[SEGUE_MAX_FEATURES][8];
    size_t n;
} feature_set;

static void add_text(feature_set *set, size_t category)
{
    const size_t k = set->n++;
    (void)snprintf(set->name[k], sizeof set->name[k], "f%02zu", k % 100);
    (void)snprintf(set->text[k], sizeof set->text[k], "c%02zu", category % 100);
    set->item[k] = (segue_feature){.name = set->name[k], .text = set->text[k]};
}

static void add_number(feature_set *set, double number)
{
    const size_t k = set->n++;
    (void)snprintf(set->name[k], sizeof set->name[k], "f%02zu", k % 100);
    set->item[k] = (segue_feature){.name = set->name[k], .number = number};
}

/* A standard normal number. */
static double draw_normal(segue_rng *rng)
{
    const double u = 1.0 - segue_rng_uniform(rng), v = segue_rng_uniform(rng);
    return sqrt(-2.0 * log(u)) * cos(2.0 * 3.14159265358979323846 * v);
}

static void draw_useless(feature_set *set, size_t n, segue_rng *rng)
{
    for (size_t k = 0; k < n; k++) {
        if (k % 2 == 0)
            add_text(set, (size_t)(4.0 * segue_rng_uniform(rng)));
        else
            add_number(set, draw_normal(rng));
    }
}

static void draw_features(kind what, size_t model, size_t n_models, segue_rng *rng,
                          feature_set *set)
{
    set->n = 0;
    const size_t any = (size_t)(segue_rng_uniform(rng) * (double)n_models);
    const size_t noisy = segue_rng_uniform(rng) < 0.6 ? model : any;
    if (what == NAMES)
        add_text(set, model);
    if (what == NOISY)
        add_text(set, noisy);
    if (what == NUMBER)
        add_number(set, (double)model + 0.5 * draw_normal(rng));
    for (size_t k = 0; what == COPIES && k < SEGUE_MAX_FEATURES; k++)
        add_text(set, noisy);
    if (what >= USELESS_1)
        draw_useless(set, what == USELESS_1 ? 1 : what == USELESS_4 ? 4 : 16, rng);
}

typedef struct game {
    const segue_models *models;
    const char *learner;
    uint64_t steps, n_tasks;
    segue_simulated_task *simulated;
    double seconds; /* of opening and closing tasks */
} game;

/* Play a task; returns the regret of its first steps. */
static double play_task(const game *g, segue_task *task)
{
    const double *mean = segue_simulated_task_means(g->simulated);
    const size_t model = segue_simulated_task_model(g->simulated);
    const double best = mean[g->models->best_arm[model]];
    segue_error err;
    double regret = 0.0;
    for (uint64_t t = 0; t < g->steps; t++) {
        const size_t arm = segue_task_ask(task);
        regret += t < EARLY ? best - mean[arm] : 0.0;
        check(segue_task_tell(task, arm, segue_simulated_task_reward(g->simulated, arm), &err),
              &err);
    }
    return regret;
}

static segue_learner *create(const game *g, uint64_t run)
{
    segue_learner_config config = segue_learner_defaults();
    segue_learner *learner = NULL;
    segue_error err;
    check(segue_learner_config_parse(&config, g->learner, &err), &err);
    config.n_arms = g->models->n_arms;
    config.horizon = g->steps;
    config.seed = run + 1;
    check(segue_learner_create(&learner, &config, &err), &err);
    return learner;
}

/* Play a run; regret[0] is that of all tasks, regret[1] that of the last half. */
static void play_run(game *g, uint64_t run, kind what, double *regret)
{
    segue_learner *learner = create(g, run);
    feature_set set;
    segue_error err;
    regret[0] = regret[1] = 0.0;
    for (uint64_t j = 0; j < g->n_tasks; j++) {
        segue_task *task = NULL;
        segue_rng rng;
        segue_simulated_task_begin(g->simulated, 55, run, j, SEGUE_ANY_MODEL);
        segue_rng_init(&rng, 56, run, j, SEGUE_STREAM_MODEL);
        draw_features(what, segue_simulated_task_model(g->simulated), g->models->n_models, &rng,
                      &set);
        const double start = cpu_seconds();
        check(segue_learner_open_task_with(learner, set.item, set.n, &task, &err), &err);
        const double opened = cpu_seconds();
        const double of_task = play_task(g, task);
        const double played = cpu_seconds();
        check(segue_learner_close_task(learner, &task, &err), &err);
        g->seconds += cpu_seconds() - played + opened - start;
        regret[0] += of_task;
        regret[1] += 2 * j >= g->n_tasks ? of_task : 0.0;
    }
    segue_learner_destroy(learner);
}

/* Print the mean per task, the ratio of two sums of paired values, and its standard error. */
static void print_ratio(const double *value, const double *base, uint64_t runs, uint64_t n_tasks)
{
    double sum = 0.0, total = 0.0, squares = 0.0;
    for (uint64_t r = 0; r < runs; r++) {
        sum += value[2 * r];
        total += base[2 * r];
    }
    const double ratio = sum / total;
    for (uint64_t r = 0; r < runs; r++)
        squares += pow(value[2 * r] - ratio * base[2 * r], 2.0);
    printf("  %7.4f %6.3f +- %.3f", sum / (double)(runs * n_tasks), ratio, sqrt(squares) / total);
}

static void play_learner(game *g, uint64_t runs)
{
    double *regret = new_numbers(2 * N_KINDS * runs);
    for (kind what = NONE; what < N_KINDS; what++) {
        double *of_kind = regret + 2 * what * runs;
        g->seconds = 0.0;
        for (uint64_t r = 0; r < runs; r++)
            play_run(g, r, what, of_kind + 2 * r);
        printf("%-5s %-10s", g->learner, kind_names[what]);
        print_ratio(of_kind, regret, runs, g->n_tasks);
        print_ratio(of_kind + 1, regret + 1, runs, g->n_tasks - g->n_tasks / 2);
        printf("  %6.0f us\n", 1e6 * g->seconds / (double)(runs * g->n_tasks));
        (void)fflush(stdout);
    }
    free(regret);
}

int main(int argc, char **argv)
{
    static const char *const learners[] = {"tla", "tts"};
    const uint64_t runs = argc > 1 ? strtoull(argv[1], NULL, 10) : 400;
    segue_models_file paper;
    segue_error err;
    check(segue_models_file_read(&paper, PAPER_MODELS, SEGUE_MODELS_KNOWN, &err), &err);
    const segue_environment env = {.size = sizeof env, .models = paper.models};
    game g = {.models = paper.models,
              .steps = argc > 2 ? strtoull(argv[2], NULL, 10) : 100,
              .n_tasks = argc > 3 ? strtoull(argv[3], NULL, 10) : 200};
    check(segue_simulated_task_create(&g.simulated, &env, &err), &err);
    printf(
        "Regret of the first %d of %llu steps, %llu runs of %llu tasks; ratios to no features\n\n",
        EARLY, (unsigned long long)g.steps, (unsigned long long)runs,
        (unsigned long long)g.n_tasks);
    printf("%-16s  %22s  %22s  %9s\n", "", "all tasks", "last half", "per task");
    for (size_t p = 0; p < sizeof learners / sizeof *learners; p++) {
        g.learner = learners[p];
        if (argc <= 4 || strcmp(argv[4], g.learner) == 0)
            play_learner(&g, runs);
    }
    segue_simulated_task_destroy(g.simulated);
    segue_models_file_fini(&paper);
    return 0;
}
