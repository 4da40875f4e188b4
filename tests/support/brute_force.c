/* brute_force.c - the policies with bounds and with samples, recomputed from the history.
 * SPDX-License-Identifier: Apache-2.0 */
#include "brute_force.h"

#include "support.h"

double brute_pulls(const brute *b, size_t start, size_t arm)
{
    double count = 0;
    for (size_t t = start; t < b->past->length; t++)
        count += b->past->arm[t] == arm;
    return count;
}

double brute_sum(const brute *b, size_t start, size_t arm)
{
    double total = 0;
    for (size_t t = start; t < b->past->length; t++)
        if (b->past->arm[t] == arm)
            total += b->past->reward[t];
    return total;
}

double brute_cost(const brute *b, size_t arm)
{
    const bool switches = b->last < b->n_arms && arm != b->last;
    return b->cost[arm] + (switches ? b->switch_cost / fmin(b->n - b->step, sqrt(b->step + 1)) : 0);
}

size_t brute_first_largest(const double *x, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (x[i] > x[best])
            best = i;
    return best;
}

double brute_unseen(const brute *b, size_t arm)
{
    return b->asked[arm] > brute_pulls(b, b->past->task_start, arm) ? -INFINITY : INFINITY;
}

size_t brute_pick(const brute *b, const double *index, const bool *allowed)
{
    const size_t best = brute_first_largest(index, b->n_arms);
    if (index[best] > -INFINITY)
        return best;
    double reluctance[64];
    for (size_t i = 0; i < b->n_arms; i++)
        reluctance[i] = !allowed || allowed[i] ? -b->asked[i] : -INFINITY;
    return brute_first_largest(reluctance, b->n_arms);
}

static double m_of(const brute *b)
{
    return (double)b->models->n_models;
}

static size_t ucb_with(const brute *b, double log_term)
{
    double index[64] = {0};
    for (size_t i = 0; i < b->n_arms; i++) {
        const double T = brute_pulls(b, b->past->task_start, i);
        index[i] = T == 0 ? brute_unseen(b, i)
                          : brute_sum(b, b->past->task_start, i) / T +
                                sqrt(log_term / (2.0 * (T + b->pending[i]))) - brute_cost(b, i);
    }
    return brute_pick(b, index, NULL);
}

static double paper_log(const brute *b)
{
    return log(m_of(b) * b->n * b->n * b->n); /* delta = 1/n */
}

size_t bf_ucb(brute *b)
{
    return ucb_with(b, paper_log(b));
}

static size_t best_of(const brute *b, size_t k)
{
    return brute_first_largest(segue_models_row(b->models, k), b->n_arms);
}

size_t bf_ucb_plus(brute *b)
{
    double index[64] = {0};
    bool candidate[64] = {false};
    for (size_t i = 0; i < b->n_arms; i++) {
        index[i] = -INFINITY;
        for (size_t k = 0; k < b->models->n_models; k++)
            if (best_of(b, k) == i) {
                candidate[i] = true;
                const double T = brute_pulls(b, b->past->task_start, i);
                index[i] = T == 0 ? brute_unseen(b, i)
                                  : brute_sum(b, b->past->task_start, i) / T +
                                        sqrt(paper_log(b) / (2.0 * (T + b->pending[i])));
            }
    }
    return brute_pick(b, index, candidate);
}

static int compatible(const brute *b, size_t k, double log_term, double eps)
{
    for (size_t i = 0; i < b->n_arms; i++) {
        const double T = brute_pulls(b, b->past->task_start, i);
        if (T > 0 &&
            fabs(segue_models_row(b->models, k)[i] - brute_sum(b, b->past->task_start, i) / T) >
                sqrt(log_term / (2.0 * T)) + eps)
            return 0;
    }
    return 1;
}

size_t bf_mucb(brute *b)
{
    double value[64];
    int any = 0;
    for (size_t k = 0; k < b->models->n_models; k++) {
        const int in = compatible(b, k, paper_log(b), 0.0);
        value[k] = in ? segue_models_row(b->models, k)[best_of(b, k)] : -INFINITY;
        any |= in;
    }
    return any ? best_of(b, brute_first_largest(value, b->models->n_models)) : bf_ucb(b);
}

static size_t umucb_with(const brute *b, double eps)
{
    const double log_term = log(2.0 * m_of(b) * (double)b->n_arms * b->n * b->n * b->n);
    double reluctance[64];
    for (size_t i = 0; i < b->n_arms; i++)
        reluctance[i] = -b->asked[i];
    const size_t fewest = brute_first_largest(reluctance, b->n_arms);
    if (b->asked[fewest] < 3)
        return fewest;
    double hope[64], bound[64];
    size_t arm[64];
    int any = 0, rewarded = 0;
    for (size_t i = 0; i < b->n_arms; i++)
        rewarded += brute_pulls(b, b->past->task_start, i) > 0;
    if (!rewarded) /* every arm was asked three times, without a reward */
        return fewest;
    for (size_t k = 0; k < b->models->n_models; k++) {
        const int in = compatible(b, k, log_term, eps);
        for (size_t i = 0; i < b->n_arms; i++) {
            const double T = brute_pulls(b, b->past->task_start, i);
            bound[i] = -INFINITY;
            if (T > 0)
                bound[i] =
                    fmin(segue_models_row(b->models, k)[i] + eps,
                         brute_sum(b, b->past->task_start, i) / T + sqrt(log_term / (2.0 * T)));
        }
        arm[k] = brute_first_largest(bound, b->n_arms);
        hope[k] = in ? bound[arm[k]] : -INFINITY;
        any |= in;
    }
    return any ? arm[brute_first_largest(hope, b->models->n_models)] : ucb_with(b, log_term);
}

size_t bf_umucb(brute *b)
{
    return umucb_with(b, 0.0);
}

size_t bf_umucb_eps(brute *b)
{
    return umucb_with(b, 0.13);
}

size_t bf_umucb_large(brute *b)
{
    return umucb_with(b, 2.0);
}

/* The posterior from the counts of the whole history. */
size_t bf_mts(brute *b)
{
    double log_post[64], max = -INFINITY, total = 0;
    for (size_t k = 0; k < b->models->n_models; k++) {
        log_post[k] = log(b->models->weight[k]);
        for (size_t i = 0; i < b->n_arms; i++) {
            const double S = brute_sum(b, b->past->task_start, i);
            const double F = brute_pulls(b, b->past->task_start, i) - S;
            const double mu = segue_models_row(b->models, k)[i];
            log_post[k] += (S > 0 ? S * log(mu) : 0) + (F > 0 ? F * log(1 - mu) : 0);
        }
        max = fmax(max, log_post[k]);
    }
    assert_true(max > -INFINITY); /* rewards come from one of the models */
    for (size_t k = 0; k < b->models->n_models; k++)
        total += exp(log_post[k] - max);
    const double u = segue_rng_uniform(&b->rng) * total;
    double cumulated = 0;
    size_t last = 0;
    for (size_t k = 0; k < b->models->n_models; k++) {
        if (exp(log_post[k] - max) == 0)
            continue;
        last = k;
        cumulated += exp(log_post[k] - max);
        if (u < cumulated)
            break;
    }
    return best_of(b, last);
}

/* Find the first arm of the task with enough pulls. */
size_t bf_ucb_test(brute *b)
{
    double gap = INFINITY;
    for (size_t i = 0; i < b->n_arms; i++)
        for (size_t k = 0; k < b->models->n_models; k++)
            for (size_t l = 0; l < k; l++)
                gap = fmin(gap, fabs(segue_models_row(b->models, k)[i] -
                                     segue_models_row(b->models, l)[i]));
    const double threshold = 2.0 * log(2.0 * b->n) / (gap * gap);
    double T[64] = {0}, S[64] = {0};
    for (size_t t = b->past->task_start; t < b->past->length; t++) {
        const size_t i = b->past->arm[t];
        T[i]++;
        S[i] += b->past->reward[t];
        if (T[i] > threshold) {
            double closeness[64];
            for (size_t k = 0; k < b->models->n_models; k++)
                closeness[k] = -fabs(segue_models_row(b->models, k)[i] - S[i] / T[i]);
            return best_of(b, brute_first_largest(closeness, b->models->n_models));
        }
    }
    return bf_ucb(b);
}

static size_t sw_ucb_with(const brute *b, double window, double xi)
{
    const size_t length = b->past->length;
    const size_t start = (double)length > window ? length - (size_t)window : 0;
    double index[64] = {0};
    for (size_t i = 0; i < b->n_arms; i++) {
        const double N = brute_pulls(b, start, i);
        index[i] = N == 0 ? brute_unseen(b, i)
                          : brute_sum(b, start, i) / N +
                                sqrt(xi * log(fmin((double)length, window)) / (N + b->pending[i]));
    }
    return brute_pick(b, index, NULL);
}

size_t bf_sw_ucb(brute *b)
{
    return sw_ucb_with(b, ceil(2.0 * sqrt(b->n * log(b->n * b->tasks))), 0.6);
}

size_t bf_sw_ucb_short(brute *b)
{
    return sw_ucb_with(b, 20, 0.3);
}

size_t bf_d_ucb(brute *b)
{
    const double discount = 1.0 - 1.0 / (4.0 * sqrt(b->n));
    double N[64] = {0}, S[64] = {0}, all = 0, index[64] = {0};
    for (size_t t = 0; t < b->past->length; t++) {
        const double weight = pow(discount, (double)(b->past->length - 1 - t));
        N[b->past->arm[t]] += weight;
        S[b->past->arm[t]] += weight * b->past->reward[t];
        all += weight;
    }
    for (size_t i = 0; i < b->n_arms; i++)
        index[i] = N[i] == 0 ? brute_unseen(b, i)
                             : S[i] / N[i] + 2.0 * sqrt(0.6 * log(all) / (N[i] + b->pending[i]));
    return brute_pick(b, index, NULL);
}

/* Averages over all tasks: n J steps, delta = 1/(n J). */
static double long_log(const brute *b)
{
    const double steps = b->n * b->tasks;
    return log(m_of(b) * steps * steps * steps);
}

size_t bf_carried_ucb(brute *b)
{
    double index[64] = {0};
    for (size_t i = 0; i < b->n_arms; i++) {
        const double T = brute_pulls(b, 0, i);
        index[i] = T == 0
                       ? brute_unseen(b, i)
                       : brute_sum(b, 0, i) / T + sqrt(long_log(b) / (2.0 * (T + b->pending[i])));
    }
    return brute_pick(b, index, NULL);
}

size_t bf_told_ucb(brute *b)
{
    double index[64] = {0};
    for (size_t i = 0; i < b->n_arms; i++) {
        double T = 0, S = 0;
        for (size_t t = 0; t < b->past->length; t++)
            if (b->past->arm[t] == i && b->past->model_index[t] == b->model_index) {
                T++;
                S += b->past->reward[t];
            }
        index[i] =
            T == 0 ? brute_unseen(b, i) : S / T + sqrt(long_log(b) / (2.0 * (T + b->pending[i])));
    }
    return brute_pick(b, index, NULL);
}

size_t bf_ucb1(brute *b)
{
    const double t = b->step;
    double index[64] = {0};
    for (size_t i = 0; i < b->n_arms; i++) {
        const double T = brute_pulls(b, b->past->task_start, i);
        index[i] = T == 0 ? brute_unseen(b, i)
                          : brute_sum(b, b->past->task_start, i) / T +
                                sqrt(2.0 * log(t) / (T + b->pending[i])) - brute_cost(b, i);
    }
    return brute_pick(b, index, NULL);
}

/* Compute 1 minus the index, by bisection, to the last bit; the smallest is pulled. */
static double lack_of(double p, double budget)
{
    double low = 0.0, high = 1.0 - p;
    for (;;) {
        const double c = 0.5 * (low + high);
        if (c <= low || c >= high)
            return low;
        double kl = (1 - p) * (log(1 - p) - log(c));
        if (p > 0)
            kl += p * (log(p) - log1p(-c));
        *(kl <= budget ? &high : &low) = c;
    }
}

size_t bf_kl_ucb(brute *b)
{
    const double t = b->step;
    double index[64] = {0};
    for (size_t i = 0; i < b->n_arms; i++) {
        const double T = brute_pulls(b, b->past->task_start, i);
        index[i] = T == 0 ? brute_unseen(b, i)
                          : -lack_of(brute_sum(b, b->past->task_start, i) / T,
                                     log(t) / (T + b->pending[i])) -
                                brute_cost(b, i);
    }
    return brute_pick(b, index, NULL);
}

size_t bf_ts(brute *b)
{
    double x[64];
    for (size_t i = 0; i < b->n_arms; i++) {
        const double F = b->plain ? 1 : brute_weight(b, i);
        const double S = F * brute_sum(b, b->past->task_start, i);
        const double lost = fmax(0, F * brute_pulls(b, b->past->task_start, i) - S);
        x[i] = segue_rng_beta(&b->rng, 1 + S, 1 + lost) - brute_cost(b, i);
    }
    return brute_first_largest(x, b->n_arms);
}

size_t bf_ts_plain(brute *b)
{
    b->plain = 1;
    return bf_ts(b);
}
