/* weights.c - the weights of the models: non-negative least squares on the first moment.
 *
 * M1 = sum rho_k mu_k; the method of Lawson and Hanson (1974): models enter one by one by the
 * steepest gain, a least-squares problem is solved on those that are in, and those that it would
 * make negative go out again.  m <= n.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/linalg/linalg.h"
#include "estimate/estimator_method.h"

#define MIN_SUM    0.5 /* weights sum to 1, except for noise */
#define MAX_SUM    2.0
#define MIN_LAMBDA 0.5
#define NO_GAIN    1e-12 /* of the largest: a model that gains less does not enter */

typedef struct problem {
    size_t m, n;
    const double *mean;   /* m x n */
    const double *target; /* n */
    double *weight;       /* m */
    bool *in;             /* m */
    double *rows, *rhs;   /* m x n, n: scratch of the solver */
    double *solution;     /* m */
} problem;

double segue_weights_from_lambda(double lambda)
{
    const double bounded = fmax(MIN_LAMBDA, lambda);
    return 1.0 / (bounded * bounded);
}

static double dot(const double *x, const double *y, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Least squares on the models that are in.  @retval SEGUE_EDOMAIN  they are dependent */
static segue_status solve_on_those_in(problem *p, segue_error *err)
{
    size_t count = 0, at = 0;
    for (size_t k = 0; k < p->m; k++)
        if (p->in[k])
            memcpy(p->rows + count++ * p->n, p->mean + k * p->n, p->n * sizeof *p->rows);
    memcpy(p->rhs, p->target, p->n * sizeof *p->rhs);
    const segue_status status = segue_linalg_least_squares(count, p->n, p->rows, p->rhs, err);
    for (size_t k = 0; k < p->m; k++)
        p->solution[k] = p->in[k] ? p->rhs[at++] : 0.0;
    return status;
}

/* Go towards the solution until a weight reaches zero, and drop that model.  Returns true if the
 * solution was reached. */
static bool step_towards_solution(problem *p)
{
    double share = 1.0;
    size_t dropped = p->m;
    for (size_t k = 0; k < p->m; k++)
        if (p->in[k] && p->solution[k] <= 0.0) {
            const double step = p->weight[k] / (p->weight[k] - p->solution[k]);
            if (dropped == p->m || step < share) {
                share = step;
                dropped = k;
            }
        }
    for (size_t k = 0; k < p->m; k++)
        if (p->in[k])
            p->weight[k] += share * (p->solution[k] - p->weight[k]);
    if (dropped == p->m)
        return true;
    p->in[dropped] = false;
    p->weight[dropped] = 0.0;
    return false;
}

/* The model that is not in and gains most, or m. */
static size_t steepest(const problem *p, double min)
{
    size_t best = p->m;
    memcpy(p->rhs, p->target, p->n * sizeof *p->rhs);
    for (size_t k = 0; k < p->m; k++)
        for (size_t i = 0; i < p->n && p->in[k]; i++)
            p->rhs[i] -= p->weight[k] * p->mean[k * p->n + i];
    for (size_t k = 0; k < p->m; k++) {
        const double gain = p->in[k] ? 0.0 : dot(p->mean + k * p->n, p->rhs, p->n);
        if (gain > min) {
            min = gain;
            best = k;
        }
    }
    return best;
}

static segue_status find_weights(problem *p, segue_error *err)
{
    double scale = 0.0;
    for (size_t k = 0; k < p->m; k++)
        scale = fmax(scale, fabs(dot(p->mean + k * p->n, p->target, p->n)));
    for (size_t round = 0; round < 3 * p->m; round++) {
        const size_t next = steepest(p, NO_GAIN * scale);
        if (next == p->m)
            break;
        p->in[next] = true;
        do {
            const segue_status status = solve_on_those_in(p, err);
            if (status != SEGUE_OK)
                return status;
        } while (!step_towards_solution(p));
    }
    double sum = 0.0;
    for (size_t k = 0; k < p->m; k++)
        sum += p->weight[k];
    if (!(sum > MIN_SUM && sum < MAX_SUM))
        return segue_fail(err, SEGUE_EDOMAIN, "the weights of the models sum to %g", sum);
    return SEGUE_OK;
}

segue_status segue_weights_nonnegative(size_t m, size_t n, const double *mean, const double *target,
                                       double *weight, segue_error *err)
{
    problem p = {.m = m, .n = n, .mean = mean, .target = target, .weight = weight};
    segue_status status = SEGUE_ENOMEM;
    p.in = calloc(m, sizeof *p.in);
    p.rows = calloc(m * n + n + m, sizeof *p.rows);
    if (p.in && p.rows) {
        p.rhs = p.rows + m * n;
        p.solution = p.rhs + n;
        memset(weight, 0, m * sizeof *weight);
        status = find_weights(&p, err);
    } else {
        (void)segue_fail(err, status, "out of memory for the weights of %zu models", m);
    }
    free(p.in);
    free(p.rows);
    return status;
}
