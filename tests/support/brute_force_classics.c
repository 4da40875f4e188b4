/* brute_force_classics.c - policies of the textbooks, recomputed from the history.
 * SPDX-License-Identifier: Apache-2.0 */
#include "brute_force.h"

#include <math.h>

static double pulls_of(const brute *b, size_t arm)
{
    return brute_pulls(b, b->past->task_start, arm);
}

static double mean_of(const brute *b, size_t arm)
{
    return brute_sum(b, b->past->task_start, arm) / pulls_of(b, arm);
}

size_t bf_moss(brute *b)
{
    double index[64] = {0};
    for (size_t i = 0; i < b->n_arms; i++) {
        const double T = pulls_of(b, i) + b->pending[i], ratio = b->n / ((double)b->n_arms * T);
        index[i] = pulls_of(b, i) == 0
                       ? brute_unseen(b, i)
                       : mean_of(b, i) + sqrt(ratio > 1 ? log(ratio) / T : 0) - brute_cost(b, i);
    }
    return brute_pick(b, index, NULL);
}

static double kl(double p, double q)
{
    return (p > 0 ? p * (log(p) - log(q)) : 0) + (p < 1 ? (1 - p) * (log1p(-p) - log1p(-q)) : 0);
}

size_t bf_imed(brute *b)
{
    double index[64] = {0}, best = 0;
    for (size_t i = 0; i < b->n_arms; i++)
        best = pulls_of(b, i) > 0 ? fmax(best, mean_of(b, i)) : best;
    for (size_t i = 0; i < b->n_arms; i++) {
        const double T = pulls_of(b, i) + b->pending[i];
        index[i] = pulls_of(b, i) == 0    ? brute_unseen(b, i)
                   : mean_of(b, i) < best ? -T * kl(mean_of(b, i), best) - log(T)
                                          : -log(T);
        index[i] = rint(index[i] * 1e9) * 1e-9; /* equal ones differ in the last bits */
    }
    return brute_pick(b, index, NULL);
}

/* P(X <= x) of Beta(p, q) by the power series, Abramowitz and Stegun 26.5.4. */
static double beta_series(double x, double p, double q)
{
    double term = 1, total = 1;
    for (double n = 0; term > 1e-17 * total; n++) {
        term *= x * (p + q + n) / (p + 1 + n);
        total += term;
    }
    return total / p * exp(p * log(x) + q * log1p(-x) + lgamma(p + q) - lgamma(p) - lgamma(q));
}

/* 1 - the quantile, by bisection. */
static double lack_of(double won, double lost, double tail)
{
    double low = 0, high = 1;
    if (tail >= 1)
        return 1;
    for (int i = 0; i < 48; i++) {
        const double y = 0.5 * (low + high);
        *(beta_series(y, 1 + lost, 1 + won) > tail ? &high : &low) = y;
    }
    return low;
}

static size_t bayes_ucb_with(const brute *b, double c)
{
    double index[64] = {0};
    const double tail = 1 / ((b->step + 1) * pow(fmax(1, log(b->n)), c));
    for (size_t i = 0; i < b->n_arms; i++) {
        const double won = brute_sum(b, b->past->task_start, i);
        const double lost = fmax(0, pulls_of(b, i) - won);
        const double more = 1 + b->pending[i] / (2 + won + lost);
        index[i] = -lack_of(more * (1 + won) - 1, more * (1 + lost) - 1, tail) - brute_cost(b, i);
    }
    return brute_first_largest(index, b->n_arms);
}

size_t bf_bayes_ucb(brute *b)
{
    return bayes_ucb_with(b, 0);
}

size_t bf_bayes_ucb_5(brute *b)
{
    return bayes_ucb_with(b, 5);
}

static size_t eps_greedy_with(brute *b, double share)
{
    double index[64] = {0};
    bool all = true;
    for (size_t i = 0; i < b->n_arms; i++) {
        all &= pulls_of(b, i) > 0;
        index[i] = pulls_of(b, i) == 0 ? brute_unseen(b, i) : mean_of(b, i);
    }
    if (all && share > 0 && segue_rng_uniform(&b->rng) < share)
        return (size_t)floor(segue_rng_uniform(&b->rng) * (double)b->n_arms);
    return brute_pick(b, index, NULL);
}

size_t bf_eps_greedy(brute *b)
{
    return eps_greedy_with(b, 0.1);
}

size_t bf_eps_greedy_falling(brute *b)
{
    return eps_greedy_with(b, fmin(1, 0.5 * (double)b->n_arms / b->step));
}

/* The probabilities after each reward of the task in turn. */
static size_t exp3_with(brute *b, double gamma)
{
    const double K = (double)b->n_arms;
    double w[64], p[64] = {0};
    for (size_t i = 0; i < b->n_arms; i++)
        w[i] = 1;
    for (size_t t = b->past->task_start; t <= b->past->length; t++) {
        double total = 0;
        for (size_t i = 0; i < b->n_arms; i++)
            total += w[i];
        for (size_t i = 0; i < b->n_arms; i++)
            p[i] = (1 - gamma) * w[i] / total + gamma / K;
        if (t < b->past->length)
            w[b->past->arm[t]] *= exp(gamma * b->past->reward[t] / p[b->past->arm[t]] / K);
    }
    const double u = segue_rng_uniform(&b->rng);
    double cumulated = 0;
    size_t arm = 0;
    for (arm = 0; arm + 1 < b->n_arms; arm++) {
        cumulated += p[arm];
        if (u < cumulated)
            break;
    }
    return arm;
}

size_t bf_exp3(brute *b)
{
    const double K = (double)b->n_arms;
    return exp3_with(b, fmin(1, sqrt(K * log(K) / ((exp(1) - 1) * b->n))));
}

size_t bf_exp3_half(brute *b)
{
    return exp3_with(b, 0.5);
}
