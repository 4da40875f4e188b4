/* bench_large.c - the cost of estimation with many arms: CPU time and memory.
 *
 * Tasks of 20 random models of 1,000 arms give views with normal noise of deviation 0.15; moments
 * add each task, and RTP is solved again each time the tasks have grown by a share. The generation
 * of views is not counted.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "bench.h"

enum { MODELS = 20 };

typedef struct cost {
    double add, fit; /* CPU seconds */
    uint64_t fits;
} cost;

static void make_views(const double *models, size_t arms, segue_rng *rng, double *views)
{
    const double *mean = models + (size_t)(segue_rng_uniform(rng) * MODELS) * arms;
    for (size_t i = 0; i < 3 * arms; i++)
        views[i] = mean[i % arms] + 0.15 * segue_rng_normal(rng);
}

static double largest_error(const segue_models *found, const double *models)
{
    double largest = 0.0;
    for (size_t k = 0; k < found->n_models; k++) { /* of the nearest true model */
        double nearest = INFINITY;
        for (size_t l = 0; l < MODELS; l++) {
            double off = 0.0;
            for (size_t i = 0; i < found->n_arms; i++)
                off =
                    fmax(off, fabs(segue_models_row(found, k)[i] - models[l * found->n_arms + i]));
            nearest = fmin(nearest, off);
        }
        largest = fmax(largest, nearest);
    }
    return largest;
}

static cost learn(segue_moments *moments, segue_estimator *estimator, const double *models,
                  size_t arms, uint64_t tasks, double growth)
{
    segue_error err;
    segue_rng rng;
    cost total = {.fits = 0};
    double *views = new_numbers(3 * arms);
    segue_rng_init(&rng, 1, 0, 0, 0);
    uint64_t next = MODELS;
    for (uint64_t j = 1; j <= tasks; j++) {
        make_views(models, arms, &rng, views);
        const double start = cpu_seconds();
        check(segue_moments_add(moments, views, 1.0, &err), &err);
        const double added = cpu_seconds();
        total.add += added - start;
        if (j < next && j < tasks)
            continue;
        check(segue_estimator_fit(estimator, moments, &err), &err);
        total.fit += cpu_seconds() - added;
        total.fits++;
        next = (uint64_t)ceil((1.0 + growth) * (double)j);
    }
    free(views);
    return total;
}

static void run(size_t arms, uint64_t tasks, double growth)
{
    segue_error err;
    segue_rng rng;
    segue_moments *moments = NULL;
    segue_estimator *estimator = NULL;
    segue_estimator_config config = segue_estimator_defaults();
    config.n_arms = arms;
    config.n_models = MODELS;
    double *models = new_numbers(MODELS * arms);
    segue_rng_init(&rng, 2, 0, 0, 0);
    for (size_t i = 0; i < MODELS * arms; i++)
        models[i] = segue_rng_uniform(&rng);
    check(segue_moments_create(&moments, arms, SEGUE_VIEWS_PAPER, &err), &err);
    check(segue_estimator_create(&estimator, &config, &err), &err);
    const cost c = learn(moments, estimator, models, arms, tasks, growth);
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    printf("%5zu arms, %6llu tasks, solved at each +%g %%: %6.2f s to add, %6.2f s in %3llu "
           "solutions; "
           "most memory so far %ld MB; largest error of a mean %.4f\n",
           arms, (unsigned long long)tasks, 100.0 * growth, c.add, c.fit,
           (unsigned long long)c.fits, usage.ru_maxrss / 1000,
           largest_error(segue_estimator_models(estimator), models));
    segue_moments_destroy(moments);
    segue_estimator_destroy(estimator);
    free(models);
}

int main(void)
{
    run(200, 10000, 0.01);
    run(1000, 10000, 0.05);
    run(1000, 10000, 0.01);
    return 0;
}
