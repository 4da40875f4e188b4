/* point_em.c - expectation and maximisation for point models.
 *
 * Every task of model k has the means p_k: the logarithm of the likelihood of a task with sums S
 * and pulls T, in the order its rewards came in, is sum_i S_i ln p_ki + (T_i - S_i) ln(1 - p_ki).
 * The choice of arms depends only on earlier rewards, so no policy needs a correction.
 *
 * E: the share of task l in model k is proportional to w_k exp fit_lk (in logarithms).
 * M: w_k is the average share, p_ki the rewards of arm i over its pulls, tasks counting by their
 * shares, cut to [EDGE, 1 - EDGE]: that is the best mean within these bounds, since the expected
 * logarithm is concave in it, so that the likelihood cannot fall.  An arm that no task of a model
 * pulled keeps its mean.  (Dempster, Laird and Rubin 1977.)
 *
 * An iteration costs O(tasks x models x arms): two products of matrices, and a logarithm for every
 * mean, not for every task.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/em/point_em.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/linalg/linalg.h"
#include "core/math/exp.h"
#include "core/math/ln.h"
#include "core/stop.h"

#define EDGE       1e-6 /* distance of means from 0 and 1 */
#define START_EDGE 0.01 /* at a start: a model that one reward can exclude would get no tasks */
#define STILL      1e-4 /* nats: less growth ends the iteration */

static double cut(double x, double edge)
{
    return fmin(1.0 - edge, fmax(edge, x));
}

/* ---- init, fini -------------------------------------------------------------------------- */

segue_status segue_point_em_init(point_em *em, const task_window *tasks, size_t m, segue_error *err)
{
    const size_t n = tasks->count, width = 2 * tasks->n_arms;
    assert(m > 0 && n >= m);
    *em = (point_em){.n_tasks = n, .n_arms = tasks->n_arms, .m = m};
    em->counts = calloc(n * (width + m) + m * (2 * width + width / 2 + 1), sizeof *em->counts);
    if (!em->counts)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to fit %zu models to %zu tasks", m, n);
    em->share = em->counts + n * width;
    em->slope = em->share + n * m;
    em->total = em->slope + width * m;
    em->mean = em->total + width * m;
    em->weight = em->mean + width / 2 * m;
    for (size_t l = 0; l < n; l++) /* a row of the window has its pulls after its sums */
        memcpy(em->counts + l * width, segue_task_window_sum(tasks, l), width * sizeof *em->counts);
    return SEGUE_OK;
}

void segue_point_em_fini(point_em *em)
{
    free(em->counts);
    em->counts = NULL;
}

/* ---- iterate ----------------------------------------------------------------------------- */

/* Set share to the log-likelihood of every task under every model. */
static void fit_all(point_em *em)
{
    for (size_t k = 0; k < em->m; k++)
        for (size_t i = 0; i < em->n_arms; i++) {
            const double p = em->mean[k * em->n_arms + i], lost = segue_log1p(-p);
            em->slope[i * em->m + k] = segue_ln(p) - lost;
            em->slope[(em->n_arms + i) * em->m + k] = lost;
        }
    segue_linalg_multiply(em->n_tasks, 2 * em->n_arms, em->m, em->counts, em->slope, em->share);
}

/* Turn log-weights of one task into shares; returns the logarithm of their sum. */
static double share_out(double *share, size_t m, double *max)
{
    double best = -INFINITY, total = 0.0;
    for (size_t k = 0; k < m; k++)
        best = fmax(best, share[k]);
    for (size_t k = 0; k < m; k++) {
        share[k] = segue_exp(share[k] - best);
        total += share[k];
    }
    for (size_t k = 0; k < m; k++)
        share[k] /= total;
    *max = 1.0 / total;
    return best + segue_ln(fmax(1.0, total)); /* one of its terms is 1 */
}

static void expect(point_em *em)
{
    double certain = 0.0;
    fit_all(em);
    em->log_likelihood = 0.0;
    for (size_t l = 0; l < em->n_tasks; l++) {
        double *share = em->share + l * em->m, max;
        for (size_t k = 0; k < em->m; k++)
            share[k] += segue_ln(em->weight[k]);
        em->log_likelihood += share_out(share, em->m, &max);
        certain += max;
    }
    em->certainty = certain / (double)em->n_tasks;
}

static void weigh(point_em *em)
{
    memset(em->weight, 0, em->m * sizeof *em->weight);
    for (size_t l = 0; l < em->n_tasks; l++)
        for (size_t k = 0; k < em->m; k++)
            em->weight[k] += em->share[l * em->m + k];
    for (size_t k = 0; k < em->m; k++)
        em->weight[k] /= (double)em->n_tasks;
}

static void maximise(point_em *em)
{
    weigh(em);
    segue_linalg_multiply_left(em->n_tasks, em->m, 2 * em->n_arms, em->share, em->counts,
                               em->total);
    for (size_t k = 0; k < em->m; k++) {
        const double *sum = em->total + 2 * k * em->n_arms, *pulls = sum + em->n_arms;
        for (size_t i = 0; i < em->n_arms; i++)
            if (pulls[i] > 0.0)
                em->mean[k * em->n_arms + i] = cut(sum[i] / pulls[i], EDGE);
    }
}

void segue_point_em_step(point_em *em)
{
    maximise(em);
    expect(em);
    em->iterations++;
}

void segue_point_em_run(point_em *em, uint64_t max)
{
    double before = -INFINITY;
    for (uint64_t i = 0; i < max && em->log_likelihood - before > STILL; i++) {
        if (segue_stop_requested(em->stop))
            return;
        before = em->log_likelihood;
        segue_point_em_step(em);
    }
}

/* ---- starts ------------------------------------------------------------------------------ */

void segue_point_em_resume(point_em *em, const double *mean, const double *weight)
{
    memcpy(em->mean, mean, em->m * em->n_arms * sizeof *mean);
    memcpy(em->weight, weight, em->m * sizeof *weight);
    em->iterations = 0;
    expect(em);
}

/* Every model starts with the weight of at least one task: a weight of 0 would stay 0. */
void segue_point_em_start(point_em *em, const double *mean, const double *weight)
{
    const double n = (double)em->n_tasks, m = (double)em->m;
    double sum = 0.0;
    for (size_t i = 0; i < em->m * em->n_arms; i++)
        em->mean[i] = cut(mean[i], START_EDGE);
    for (size_t k = 0; k < em->m; k++)
        sum += weight[k];
    for (size_t k = 0; k < em->m; k++)
        em->weight[k] = (n * weight[k] / sum + 1.0) / (n + m);
    em->iterations = 0;
    expect(em);
}

/* Average the rewards of one task, with two pooled rewards added. */
static void copy_task(point_em *em, size_t task, const double *pooled, double *mean)
{
    const double *sum = em->counts + 2 * task * em->n_arms, *pulls = sum + em->n_arms;
    for (size_t i = 0; i < em->n_arms; i++)
        mean[i] = cut((sum[i] + 2.0 * pooled[i]) / (pulls[i] + 2.0), START_EDGE);
}

static double fit_of(const point_em *em, size_t task, const double *mean)
{
    const double *sum = em->counts + 2 * task * em->n_arms, *pulls = sum + em->n_arms;
    double fit = 0.0;
    for (size_t i = 0; i < em->n_arms; i++)
        fit += sum[i] * segue_ln(mean[i]) + (pulls[i] - sum[i]) * segue_log1p(-mean[i]);
    return fit;
}

/* Average the rewards of all tasks; 1/2 for an arm without pulls. */
static void pool(const point_em *em, double *pooled)
{
    for (size_t i = 0; i < em->n_arms; i++) {
        double sum = 0.0, pulls = 0.0;
        for (size_t l = 0; l < em->n_tasks; l++) {
            sum += em->counts[2 * l * em->n_arms + i];
            pulls += em->counts[(2 * l + 1) * em->n_arms + i];
        }
        pooled[i] = pulls > 0.0 ? sum / pulls : 0.5;
    }
}

/* Draw a task with probability proportional to its gain; uniformly, if no task gains. */
static size_t draw_task(const double *gain, size_t n, size_t step, segue_rng *rng)
{
    double all = 0.0;
    for (size_t l = 0; l < n; l++)
        all += gain[l * step];
    if (!(all > 0.0))
        return (size_t)(segue_rng_uniform(rng) * (double)n);
    double left = segue_rng_uniform(rng) * all;
    size_t drawn = 0;
    for (size_t l = 0; l < n && left >= 0.0; l++)
        if (gain[l * step] > 0.0) {
            drawn = l; /* the last one, if rounding leaves a remainder */
            left -= gain[l * step];
        }
    return drawn;
}

/* k-means++ (Arthur and Vassilvitskii 2007) with the divergence of the likelihood.  The gain of a
 * task is stored in its share, which is computed later; `slope` is scratch. */
void segue_point_em_draw(point_em *em, segue_rng *rng)
{
    double *pooled = em->slope, *own = pooled + em->n_arms; /* m >= 1: both fit */
    pool(em, pooled);
    memset(em->share, 0, em->n_tasks * em->m * sizeof *em->share);
    for (size_t k = 0; k < em->m; k++) {
        double *mean = em->mean + k * em->n_arms;
        copy_task(em, draw_task(em->share, em->n_tasks, em->m, rng), pooled, mean);
        for (size_t l = 0; l < em->n_tasks; l++) {
            copy_task(em, l, pooled, own);
            const double gain = fmax(0.0, fit_of(em, l, own) - fit_of(em, l, mean));
            double *smallest = em->share + l * em->m;
            *smallest = k == 0 ? gain : fmin(*smallest, gain);
        }
        em->weight[k] = 1.0 / (double)em->m;
    }
    em->iterations = 0;
    expect(em);
}
