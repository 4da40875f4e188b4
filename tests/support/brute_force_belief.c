/* brute_force_belief.c - la, mla and round-robin, recomputed from the history, outcome by outcome.
 * SPDX-License-Identifier: Apache-2.0 */
#include "brute_force.h"
#include "support.h"

/* A belief of la or mla: one Beta per arm, or the models as points. */
typedef struct mixture {
    size_t n_arms, count;
    int points;
    double weight[64], mean[64][64]; /* of each component; of each and of each arm */
    double strength[64];             /* a + b of each arm */
    double each[64];                 /* rewards of 0 or 1 that a reward counts as */
} mixture;

static mixture flat_belief(brute *b)
{
    mixture p = {.n_arms = b->n_arms, .count = 1, .weight = {1}};
    for (size_t i = 0; i < b->n_arms; i++) {
        p.each[i] = b->plain ? 1 : brute_weight(b, i);
        p.strength[i] = 2 + p.each[i] * brute_pulls(b, b->past->task_start, i);
        p.mean[0][i] = (1 + p.each[i] * brute_sum(b, b->past->task_start, i)) / p.strength[i];
        p.strength[i] += b->pending[i];
    }
    return p;
}

static mixture model_belief(brute *b)
{
    mixture p = {.n_arms = b->n_arms, .count = b->models->n_models, .points = 1};
    double total = 0;
    for (size_t k = 0; k < p.count; k++) {
        p.weight[k] = b->models->weight[k];
        for (size_t i = 0; i < b->n_arms; i++) {
            const double S = brute_sum(b, b->past->task_start, i);
            const double F = brute_pulls(b, b->past->task_start, i) - S;
            const double mu = p.mean[k][i] = segue_models_row(b->models, k)[i];
            p.weight[k] *= pow(mu, S) * (F > 0 ? pow(1 - mu, F) : 1);
        }
        total += p.weight[k];
    }
    assert_true(total > 0);
    for (size_t k = 0; k < p.count; k++)
        p.weight[k] = p.weight[k] / total < 1e-7 ? 0 : p.weight[k] / total;
    for (size_t i = 0; i < b->n_arms; i++)
        p.each[i] = 1;
    return p;
}

/* The mean of an arm after s successes in t pulls of it. */
static double mean_after(const mixture *p, size_t k, size_t arm, double t, double s)
{
    if (p->points)
        return p->mean[k][arm];
    return (p->mean[k][arm] * p->strength[arm] + s) / (p->strength[arm] + t);
}

typedef double outcomes[64][64]; /* of each component: probability of each number of successes */

static void find_outcomes(const mixture *p, size_t arm, int block, outcomes probability)
{
    for (size_t k = 0; k < p->count; k++) {
        memset(probability[k], 0, sizeof probability[k]);
        probability[k][0] = 1;
        for (int t = 0; t < block; t++) /* one pull at a time */
            for (int s = t; s >= 0; s--) {
                const double mu = mean_after(p, k, arm, t, s);
                probability[k][s + 1] += probability[k][s] * mu;
                probability[k][s] *= 1 - mu;
            }
    }
}

/* Return the mean of an arm after s successes in a block of pulls of `pulled`, times their
 * probability. */
static double value_after(const mixture *p, size_t arm, size_t pulled, int block, int s,
                          outcomes probability)
{
    double value = 0;
    for (size_t k = 0; k < p->count; k++)
        value += p->weight[k] * probability[k][s] *
                 (arm == pulled ? mean_after(p, k, arm, block, s) : p->mean[k][arm]);
    return value;
}

/* The probability of s successes. */
static double likely(const mixture *p, int s, outcomes probability)
{
    double total = 0;
    for (size_t k = 0; k < p->count; k++)
        total += p->weight[k] * probability[k][s];
    return total;
}

/* The cost of a switch from one arm to another; `from` n_arms: there is no arm yet. */
static double switch_of(const brute *b, size_t from, size_t to)
{
    return from < b->n_arms && from != to ? b->switch_cost : 0;
}

/* Reward minus cost of pulling an arm to the end. */
static double value_to_end(const brute *b, const double *V, size_t arm)
{
    return (b->n - b->step) * (V[arm] - b->cost[arm]) - switch_of(b, b->last, arm);
}

/* Pull `arm` for a block, then the arm with the largest value to the end, less that of e.  `pulls`
 * give the information of a block of rewards of 0 or 1. */
static double gain_of(const brute *b, const mixture *p, const double *V, size_t e, size_t arm,
                      int block, double pulls, double left)
{
    double expected = 0, value[64];
    outcomes probability;
    const int size = (block + 16) / 16;
    find_outcomes(p, arm, block, probability);
    for (int from = 0; from <= block; from += size) {
        for (size_t i = 0; i < p->n_arms; i++) {
            value[i] = 0;
            for (int s = from; s <= block && s < from + size; s++)
                value[i] += left * value_after(p, i, arm, block, s, probability) -
                            likely(p, s, probability) * (left * b->cost[i] + switch_of(b, arm, i));
        }
        expected += value[brute_first_largest(value, p->n_arms)];
    }
    return pulls * (V[arm] - b->cost[arm]) - switch_of(b, b->last, arm) + expected -
           value_to_end(b, V, e);
}

/* Arms and gains that differ by rounding alone are ties, and go to the first. */
static size_t lookahead(brute *b, const mixture *p)
{
    double V[64] = {0}, best = 0;
    size_t e = 0, arm;
    for (size_t i = 0; i < p->n_arms; i++) {
        for (size_t k = 0; k < p->count; k++)
            V[i] += p->weight[k] * p->mean[k][i];
        if (value_to_end(b, V, i) > value_to_end(b, V, e) + 1e-12 * (b->n - b->step))
            e = i;
    }
    arm = e;
    for (size_t i = 0; i < p->n_arms; i++)
        for (int block = 1; block <= 32; block *= 2) {
            const double pulls = fmax(1, block / p->each[i]), left = b->n - b->step - pulls;
            if (left <= 0 || (block < 32 && 2 * block <= p->each[i]))
                continue;
            const double gain = gain_of(b, p, V, e, i, block, pulls, left);
            if (gain > best + 1e-9) {
                best = gain;
                arm = i;
            }
        }
    b->held = arm;
    b->hold = arm == e ? floor(b->step / 32) : 0;
    return arm;
}

static size_t hold_or_choose(brute *b, mixture (*belief)(brute *))
{
    if (b->step == 0)
        b->hold = 0;
    if (b->hold > 0) {
        b->hold--;
        return b->held;
    }
    const mixture p = belief(b);
    return lookahead(b, &p);
}

size_t bf_la(brute *b)
{
    return segue_rng_uniform(&b->rng) < 1 / (b->step + 1) ? bf_ts(b)
                                                          : hold_or_choose(b, flat_belief);
}

size_t bf_la_plain(brute *b)
{
    b->plain = 1;
    return bf_la(b);
}

size_t bf_mla(brute *b)
{
    return hold_or_choose(b, model_belief);
}

size_t bf_round_robin(brute *b)
{
    return (size_t)b->step % b->n_arms;
}
