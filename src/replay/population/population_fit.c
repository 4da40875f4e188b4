/* population_fit.c - fit a population: from one type on, split the type whose split gains most.
 *
 * Tasks of two types that share one show it in the covariance of their arms: noise of rewards is
 * independent between arms, so the covariance of cell averages of two arms is that of their means.
 * A type is split along the leading eigenvector of that covariance among its tasks, with the
 * diagonal, which has the noise, removed.  Every type is split in turn, a few EM iterations
 * tell which split is best, and EM fits the winner.  The number of types minimises AIC; two rises
 * in a row end the search.
 *
 * Cost: about 300 EM iterations for four types.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay/population/population_em.h"

#define TRY_ITERATIONS   8    /* of a split, before the best one is chosen */
#define FIT_ITERATIONS   300  /* of the winner, at most */
#define MIN_GAIN         0.01 /* nats: a smaller gain of an iteration ends a fit */
#define POWER_ITERATIONS 25
#define MAX_RISES        2 /* of AIC in a row: the last search */

typedef struct fit {
    population_em em;
    segue_population base;                       /* types before a split */
    segue_population tried;                      /* best split so far */
    segue_population best;                       /* smallest AIC so far */
    double *direction, *next, *noise, *variance; /* n_arms each */
    double *residual;                            /* n_arms: of one task */
    segue_rng rng;
} fit;

/* ---- direction of a split ---------------------------------------------------------------- */

/* Deviations of a task's averages from a type, towards 0 where they have few pulls. */
static void residuals_of(const fit *f, size_t type, size_t l)
{
    const size_t arms = f->em.n_arms;
    const double *sum = f->em.tasks.row + 2 * arms * l, *pulls = sum + arms;
    for (size_t i = 0; i < arms; i++)
        f->residual[i] = (sum[i] - pulls[i] * f->base.mean[type * arms + i]) / (pulls[i] + 1.0);
}

/* next = sum_l r_l z_l (z_l . direction) over tasks; returns the size of the type. */
static double multiply(fit *f, size_t type, const double *posterior)
{
    const size_t arms = f->em.n_arms;
    double size = 0.0;
    memset(f->next, 0, arms * sizeof *f->next);
    memset(f->noise, 0, arms * sizeof *f->noise);
    for (size_t l = 0; l < f->em.n_tasks; l++) {
        if (posterior[l] < 1e-3)
            continue;
        residuals_of(f, type, l);
        double along = 0.0;
        for (size_t i = 0; i < arms; i++)
            along += f->residual[i] * f->direction[i];
        for (size_t i = 0; i < arms; i++) {
            f->next[i] += posterior[l] * f->residual[i] * along;
            f->noise[i] += posterior[l] * f->residual[i] * f->residual[i];
        }
        size += posterior[l];
    }
    return size;
}

static double normalise(double *x, size_t count)
{
    double square = 0.0;
    for (size_t i = 0; i < count; i++)
        square += x[i] * x[i];
    const double length = sqrt(square);
    for (size_t i = 0; i < count && length > 0.0; i++)
        x[i] /= length;
    return length;
}

/* Find the direction by power iterations on covariance - diagonal + largest of the diagonal, which
 * has no negative eigenvalue; returns the eigenvalue without that shift. */
static double find_direction(fit *f, size_t type, const double *posterior)
{
    const size_t arms = f->em.n_arms;
    double value = 0.0;
    for (size_t i = 0; i < arms; i++)
        f->direction[i] = segue_rng_uniform(&f->rng) - 0.5;
    (void)normalise(f->direction, arms);
    for (size_t k = 0; k < POWER_ITERATIONS; k++) {
        const double size = multiply(f, type, posterior);
        double shift = 0.0;
        for (size_t i = 0; i < arms; i++)
            shift = fmax(shift, f->noise[i]);
        if (!(shift > 0.0))
            return 0.0;
        for (size_t i = 0; i < arms; i++)
            f->direction[i] = f->next[i] + (shift - f->noise[i]) * f->direction[i];
        value = (normalise(f->direction, arms) - shift) / size;
    }
    return value;
}

/* ---- splits ------------------------------------------------------------------------------ */

static double variance_of(double mean, double concentration)
{
    return mean * (1.0 - mean) / (concentration + 1.0);
}

/* Set an arm of a type to the mean m + shift and to the variance that the split leaves. */
static void shift_arm(segue_population *p, size_t at, double m, double shift, double variance)
{
    p->mean[at] = fmin(1.0 - 0.1 * (1.0 - m), fmax(0.1 * m, m + shift));
    const double left = fmax(0.2 * variance, variance - shift * shift);
    p->concentration[at] = fmax(1.0, p->mean[at] * (1.0 - p->mean[at]) / left - 1.0);
}

/* Replace `type` of the base by two types, on both sides of it. */
static void split(fit *f, size_t type, double eigenvalue)
{
    const size_t arms = f->em.n_arms, other = f->base.n_types;
    segue_population *now = &f->em.now;
    double along = 0.0;
    for (size_t i = 0; i < arms; i++) {
        const size_t at = type * arms + i;
        f->variance[i] = variance_of(f->base.mean[at], f->base.concentration[at]);
        along += f->direction[i] * f->direction[i] * f->variance[i];
    }
    const double size = sqrt(fmax(eigenvalue, 0.25 * along));
    segue_population_em_copy(now, &f->base);
    now->n_types = other + 1;
    now->weight[type] = now->weight[other] = 0.5 * f->base.weight[type];
    for (size_t i = 0; i < arms; i++) {
        const double m = f->base.mean[type * arms + i], shift = size * f->direction[i];
        shift_arm(now, type * arms + i, m, shift, f->variance[i]);
        shift_arm(now, other * arms + i, m, -shift, f->variance[i]);
    }
}

/* Try to split each type of the base; `em.now` becomes the best result. */
static void try_splits(fit *f)
{
    double best = -INFINITY;
    segue_population_em_copy(&f->base, &f->em.now);
    for (size_t q = 0; q < f->base.n_types; q++) {
        segue_population_em_copy(&f->em.now, &f->base);
        segue_population_em_expect(&f->em);
        split(f, q, find_direction(f, q, f->em.posterior + q * f->em.n_tasks));
        segue_population_em_run(&f->em, TRY_ITERATIONS, MIN_GAIN);
        if (f->em.objective > best) {
            best = f->em.objective;
            segue_population_em_copy(&f->tried, &f->em.now);
        }
    }
    segue_population_em_copy(&f->em.now, &f->tried);
}

/* ---- number of types --------------------------------------------------------------------- */

/* AIC with the correction for few tasks (Hurvich and Tsai 1989). */
static double aic_of(const population_em *em)
{
    const double k = em->n_parameters, rest = fmax(1.0, (double)em->n_tasks - k - 1.0);
    return 2.0 * (k + k * (k + 1.0) / rest - em->now.log_likelihood);
}

static void grow(fit *f, size_t max_types)
{
    size_t rises = 0;
    f->best.aic = INFINITY;
    for (;;) {
        segue_population_em_run(&f->em, FIT_ITERATIONS, MIN_GAIN);
        f->em.now.aic = aic_of(&f->em);
        rises = f->em.now.aic < f->best.aic ? 0 : rises + 1;
        if (rises == 0)
            segue_population_em_copy(&f->best, &f->em.now);
        if (rises == MAX_RISES || f->em.now.n_types == max_types ||
            segue_stop_requested(f->em.stop))
            return;
        try_splits(f);
    }
}

/* ---- all --------------------------------------------------------------------------------- */

static void fit_fini(fit *f)
{
    segue_population_em_fini(&f->em);
    segue_population_fini(&f->base);
    segue_population_fini(&f->tried);
    segue_population_fini(&f->best);
    free(f->direction);
}

static segue_status fit_init(fit *f, const segue_counts *counts, const size_t *task, size_t count,
                             size_t max_types, segue_error *err)
{
    const size_t arms = counts->n_arms;
    f->direction = calloc(5 * arms, sizeof *f->direction);
    if (!f->direction)
        return segue_fail_no_memory(err, "the fit of the distribution of tasks");
    f->next = f->direction + arms;
    f->noise = f->next + arms;
    f->variance = f->noise + arms;
    f->residual = f->variance + arms;
    SEGUE_TRY(segue_population_init(&f->base, arms, max_types, err));
    SEGUE_TRY(segue_population_init(&f->tried, arms, max_types, err));
    SEGUE_TRY(segue_population_init(&f->best, arms, max_types, err));
    return segue_population_em_init(&f->em, counts, task, count, max_types, err);
}

segue_status segue_population_fit(segue_population *out, const segue_counts *counts,
                                  const segue_population_config *config, segue_error *err)
{
    const size_t limit = SEGUE_MAX_POPULATION_TASKS;
    const size_t max_types = config->max_types ? config->max_types : SEGUE_MAX_POPULATION_TYPES;
    const size_t count = counts->n_tasks < limit ? counts->n_tasks : limit;
    size_t task[SEGUE_MAX_POPULATION_TASKS];
    fit f = {.direction = NULL};
    *out = (segue_population){.weight = NULL};
    segue_rng_init(&f.rng, config->seed, config->run, 0, SEGUE_STREAM_ESTIMATOR);
    segue_population_em_sample_tasks(&f.rng, counts->n_tasks, count, task);
    segue_status status = fit_init(&f, counts, task, count, max_types, err);
    if (status == SEGUE_OK)
        status = segue_population_init(out, counts->n_arms, max_types, err);
    if (status == SEGUE_OK) {
        f.em.stop = config->stop;
        grow(&f, max_types);
        segue_population_em_copy_sorted(out, &f.best);
        status = segue_stop_check(config->stop, err);
    }
    if (status != SEGUE_OK)
        segue_population_fini(out);
    fit_fini(&f);
    return status;
}
