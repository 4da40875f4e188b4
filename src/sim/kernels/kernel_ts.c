/* kernel_ts.c - Thompson sampling that draws one arm, and the others only if they could exceed it;
 * see bandit/policies/ts.c for the rule.
 *
 * Draw x for the arm that was pulled last. The posterior Beta(a, b) of another arm, a, b >= 1, is
 * log-concave: above x its density f lies below the tangent exponential f(x) exp(s (t - x)), s =
 * (a - 1) / x - (b - 1) / (1 - x), whose mass is M = f(x) / -s if s < 0. If M < 1, then with
 * probability 1 - M this arm is not above x; else t = x + Exp / -s is a candidate, accepted with
 * probability f(t) / (f(x) exp(s (t - x))). Accepted numbers have density f exactly, so that the
 * choice has the distribution of the plain form, from fewer numbers. Where s >= 0 or M >= 1 the
 * arm is drawn directly.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/kernels/kernel_ts.h"

#include "core/math/exp.h"
#include "core/math/ln.h"
#include "sim/kernels/arm_cursor.h"

#define LOG_2 0.69314718055994530942

/* log f(t), where log t and log(1 - t) are given. */
static double log_density(const beta_arm *arm, double log_t, double log_rest)
{
    return (arm->a - 1.0) * log_t + (arm->b - 1.0) * log_rest - arm->log_beta;
}

/* Return the exponent of a positive number; cheap. */
static int exponent_of(double x)
{
    union {
        double number;
        uint64_t bits;
    } view = {.number = x};
    return (int)(view.bits >> 52) - 1023;
}

/* Return the sample of an arm if it is above x, else any number that is not. */
static double above(const ziggurat *z, const beta_arm *arm, double x, double log_x, double log_rest,
                    segue_rng *rng)
{
    const double slope = (arm->a - 1.0) / x - (arm->b - 1.0) / (1.0 - x);
    const double log_f = log_density(arm, log_x, log_rest);
    if (!(slope < 0.0))
        return segue_ziggurat_beta(z, rng, arm->a, arm->b);
    const double u = 1.0 - segue_rng_uniform(rng);
    if (log_f < LOG_2 * (double)(exponent_of(u) + exponent_of(-slope)) - 1e-9)
        return -1.0; /* f(x) / -s < u holds without computing it exactly */
    const double mass = segue_exp(log_f) / -slope;
    if (!(mass < 1.0))
        return segue_ziggurat_beta(z, rng, arm->a, arm->b);
    if (u > mass)
        return -1.0;
    const double far = segue_log1p(-segue_rng_uniform(rng)) / slope, t = x + far;
    if (!(t < 1.0))
        return -1.0;
    const double log_acceptance =
        log_density(arm, segue_ln(t), segue_ln(1.0 - t)) - log_f - slope * far;
    return segue_log1p(-segue_rng_uniform(rng)) < log_acceptance ? t : -1.0;
}

size_t segue_kernel_ts_choose(const ziggurat *z, const beta_arm *arms, size_t n_arms, size_t first,
                              segue_rng *rng)
{
    const double x = segue_ziggurat_beta(z, rng, arms[first].a, arms[first].b);
    const bool inside = x > 0.0 && x < 1.0;
    const double log_x = segue_ln(x), log_rest = segue_ln(1.0 - x);
    size_t best = first;
    double value = x;
    for (size_t i = 0; i < n_arms; i++) {
        if (i == first)
            continue;
        const double t = inside ? above(z, &arms[i], x, log_x, log_rest, rng)
                                : segue_ziggurat_beta(z, rng, arms[i].a, arms[i].b);
        if (t > value) {
            value = t;
            best = i;
        }
    }
    return best;
}

void segue_kernel_ts_add(beta_arm *arm, bool success)
{
    double *raised = success ? &arm->a : &arm->b;
    arm->log_beta += segue_ln(*raised / (arm->a + arm->b));
    *raised += 1.0;
}

void segue_kernel_ts(kernel_run *run)
{
    const size_t n_arms = run->in.view->n_arms;
    beta_arm *arms = run->kernel->beta;
    size_t last = 0;
    for (size_t i = 0; i < n_arms; i++)
        arms[i] = (beta_arm){.a = 1.0, .b = 1.0};
    while (run->left > 0) {
        last = segue_kernel_ts_choose(&run->kernel->normal, arms, n_arms, last, run->in.rng);
        const double before = run->in.sum[last];
        pull_once(run, last);
        segue_kernel_ts_add(&arms[last], run->in.sum[last] > before);
    }
    *run->in.last_reason = SEGUE_BY_RULE;
}
