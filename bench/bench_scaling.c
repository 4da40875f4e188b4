/* bench_scaling.c - growth of cost: of a step with arms and models, of a task with the number of
 * tasks before it, of memory with tasks. Prints CSV: curve, series, x, value. bench/scaling draws
 * it.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <malloc.h>
#include <math.h>

#include "bench.h"

#define MIN_SECONDS 0.1 /* shortest CPU time of a measurement */

static segue_models *random_models(size_t arms, size_t models)
{
    segue_error err;
    segue_rng rng;
    segue_models *set = NULL;
    double *mean = new_numbers(arms * models);
    segue_rng_init(&rng, 3, arms, models, 0);
    for (size_t i = 0; i < arms * models; i++)
        mean[i] = segue_rng_uniform(&rng);
    check(segue_models_create(&set, SEGUE_MODELS_KNOWN, arms, models, mean, NULL, &err), &err);
    free(mean);
    return set;
}

/* ---- a step ------------------------------------------------------------------------------ */

/* Return the CPU seconds of `runs` runs. */
static double time_runs(segue_simulation *sim, uint64_t runs)
{
    segue_error err;
    segue_simulation_result *result = NULL;
    const double start = cpu_seconds();
    sim->runs = runs;
    check(segue_simulation_run(&result, sim, &err), &err);
    segue_simulation_result_destroy(result);
    return cpu_seconds() - start;
}

/* Return nanoseconds per step: the cost of additional runs, without tables and set-up. */
static double step_cost(const segue_models *models, const char *policy, segue_kernels kernel)
{
    segue_error err;
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    const uint64_t min = 10 * models->n_arms;
    segue_simulation sim = {.size = sizeof(segue_simulation),
                            .environment = &env,
                            .steps = min > 5000 ? min : 5000,
                            .tasks = 1,
                            .seed = 1,
                            .threads = 1,
                            .kernel = kernel};
    check(segue_policy_parse(&sim.policy, policy, &err), &err);
    const double once = time_runs(&sim, 1);
    uint64_t runs = 1;
    double more = 0.0;
    while (more < MIN_SECONDS && once < 10 * MIN_SECONDS) {
        runs *= 2;
        more = time_runs(&sim, runs + 1) - once;
    }
    return 1e9 * (more > 0.0 ? more / (double)runs : once) / (double)sim.steps;
}

static void step_costs(const char *curve, size_t x, const segue_models *models,
                       const char *const *policies)
{
    for (; *policies; policies++) {
        printf("%s,%s,%zu,%.4g\n", curve, *policies, x,
               step_cost(models, *policies, SEGUE_KERNEL_FAST));
        printf("%s,%s (plain),%zu,%.4g\n", curve, *policies, x,
               step_cost(models, *policies, SEGUE_KERNEL_PLAIN));
        (void)fflush(stdout);
    }
}

static void curves_of_steps(void)
{
    static const size_t arms[] = {2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
    static const size_t sizes[] = {1, 2, 5, 10, 20, 50, 64, 100, 200, 500, 1000};
    static const char *const by_arms[] = {"ucb", "mucb", "ts", NULL};
    static const char *const by_models[] = {"mucb", "umucb:eps=0.1", "mts", NULL};
    for (size_t i = 0; i < sizeof arms / sizeof *arms; i++) {
        segue_models *models = random_models(arms[i], 5);
        step_costs("step-arms", arms[i], models, by_arms);
        segue_models_destroy(models);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        segue_models *models = random_models(7, sizes[i]);
        step_costs("step-models", sizes[i], models, by_models);
        segue_models_destroy(models);
    }
}

/* ---- a task ------------------------------------------------------------------------------ */

/* The work of a learner after each task: moments, and RTP when it is due. */
typedef struct estimation {
    segue_moments *moments;
    segue_estimator *estimator;
    const segue_models *models;
    double *views;
    double growth;
    uint64_t next; /* fit */
    segue_rng rng;
} estimation;

static void estimation_init(estimation *s, const segue_models *models)
{
    segue_error err;
    segue_estimator_config config = segue_estimator_defaults();
    config.n_arms = models->n_arms;
    config.n_models = models->n_models;
    *s = (estimation){.models = models,
                      .growth = models->n_arms > SEGUE_MAX_DENSE_ARMS ? 0.05 : 0.0,
                      .next = 1,
                      .views = new_numbers(3 * models->n_arms)};
    segue_rng_init(&s->rng, 4, 0, 0, 0);
    check(segue_moments_create(&s->moments, models->n_arms, SEGUE_VIEWS_PAPER, &err), &err);
    check(segue_estimator_create(&s->estimator, &config, &err), &err);
}

static void estimation_fini(estimation *s)
{
    segue_moments_destroy(s->moments);
    segue_estimator_destroy(s->estimator);
    free(s->views);
}

/* Learn from one task whose views have noise of deviation 0.1; returns CPU seconds. */
static double learn_task(estimation *s)
{
    segue_error err;
    const size_t n = s->models->n_arms;
    const size_t model = (size_t)(segue_rng_uniform(&s->rng) * (double)s->models->n_models);
    for (size_t i = 0; i < 3 * n; i++)
        s->views[i] = segue_models_row(s->models, model)[i % n] + 0.1 * segue_rng_normal(&s->rng);
    const double start = cpu_seconds();
    check(segue_moments_add(s->moments, s->views, 1.0, &err), &err);
    const uint64_t tasks = segue_moments_tasks(s->moments);
    if (tasks >= s->next) {
        check(segue_estimator_fit(s->estimator, s->moments, &err), &err);
        const double grown = ceil((1.0 + s->growth) * (double)tasks);
        s->next = grown > (double)tasks ? (uint64_t)grown : tasks + 1;
    }
    return cpu_seconds() - start;
}

static void curves_of_tasks(size_t arms, uint64_t max)
{
    segue_models *models = random_models(arms, 5);
    estimation s;
    const struct mallinfo2 before = mallinfo2();
    estimation_init(&s, models);
    uint64_t j = 0;
    for (uint64_t upto = 10; upto <= max; upto = upto * 2) {
        double seconds = 0.0;
        const uint64_t from = j;
        while (j < upto) {
            seconds += learn_task(&s);
            j++;
        }
        const struct mallinfo2 now = mallinfo2();
        printf("task-tasks,%zu arms,%llu,%.4g\n", arms, (unsigned long long)upto,
               1e6 * seconds / (double)(upto - from));
        printf("memory-tasks,%zu arms,%llu,%.4g\n", arms, (unsigned long long)upto,
               1e-6 * (double)(now.uordblks + now.hblkhd - before.uordblks - before.hblkhd));
        (void)fflush(stdout);
    }
    estimation_fini(&s);
    segue_models_destroy(models);
}

int main(void)
{
    puts("curve,series,x,value");
    curves_of_tasks(7, 100000);
    curves_of_tasks(50, 20000);
    curves_of_tasks(200, 20000);
    curves_of_tasks(1000, 10240);
    curves_of_steps();
    return 0;
}
