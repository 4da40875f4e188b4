/* kappas.c - how alike the tasks of a type are: the distribution of kappa.
 *
 * kappa is one of a list.  Its shares are common to all types and arms, so that arms which are
 * rarely pulled borrow them.  The marginal likelihood of an arm's counts (won_l, T_l) in a set of
 * tasks, given kappa and with p summed out, is
 *
 *     ln M(kappa) = sum_l ln BB(won_l, T_l; kappa p, kappa (1 - p))
 *                   + ln B(1 + W, 1 + N - W) - W ln p - (N - W) ln(1 - p),   p = (1 + W) / (2 + N)
 *
 * where W and N are the effective sums of type_table.c.  Near p the sum over tasks has the slope and
 * the curvature of W ln p + (N - W) ln(1 - p), which is integrated instead; as kappa grows this
 * becomes exact.  docs/math.md derives it.  Cost: tasks x kappas values of ln Gamma per arm.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/sampler/kappas.h"

#include <math.h>

#include "core/math/exp.h"
#include "core/math/ln.h"
#include "core/math/log_gamma.h"
#include "core/random/rng_sample.h"

#define MIN_LARGEST  16.0 /* the largest kappa is at least that ... */
#define PER_PULL     2.0  /* ... and about this times the pulls of a task */
#define PRIOR_COUNT  4.0  /* drawn kappas that the prior of the shares counts as */
#define MIN_TASKS    1.5  /* of a type whose kappas count */
#define MIN_VARIANCE 1e-12
#define MIN_TOTAL    2e-3 /* a + b of a Beta */

/* ln M, and the sums W and N, for each kappa. */
typedef struct marginal {
    double log_lik[N_KAPPAS], won[N_KAPPAS], pulls[N_KAPPAS];
} marginal;

size_t segue_kappas_draw_index(double *log_weight, size_t count, segue_rng *rng,
                               double *log_probability)
{
    double max = -INFINITY, total = 0.0;
    for (size_t k = 0; k < count; k++)
        max = fmax(max, log_weight[k]);
    for (size_t k = 0; k < count; k++)
        total += log_weight[k] = segue_exp(log_weight[k] - max);
    const size_t index = segue_rng_index(rng, log_weight, count);
    if (log_probability)
        *log_probability = segue_ln(log_weight[index] / total);
    return index;
}

/* ---- the shares -------------------------------------------------------------------------- */

void segue_kappas_estimate(kappas *k, const type_table *types, double pulls)
{
    const double largest = fmax(MIN_LARGEST, PER_PULL * pulls);
    double count[N_KAPPAS], total = 0.0;
    k->count = 1;
    while (k->count < N_KAPPAS && segue_type_table_kappa(k->count) <= largest)
        k->count++;
    for (size_t g = 0; g < N_KAPPAS; g++)
        count[g] = g < k->count ? PRIOR_COUNT / (double)k->count : 0.0;
    for (size_t at = 0; at < types->n_types * types->n_arms; at++)
        if (types->size[at / types->n_arms] > MIN_TASKS && types->pulls[at] > 0.0 &&
            types->kappa[at] < k->count)
            count[types->kappa[at]] += 1.0;
    for (size_t g = 0; g < k->count; g++)
        total += count[g];
    for (size_t g = 0; g < N_KAPPAS; g++)
        k->log_share[g] = segue_ln(count[g] / total);
}

size_t segue_kappas_draw_one(const kappas *k, segue_rng *rng)
{
    double log_weight[N_KAPPAS];
    for (size_t g = 0; g < k->count; g++)
        log_weight[g] = k->log_share[g];
    return segue_kappas_draw_index(log_weight, k->count, rng, NULL);
}

/* ---- one arm ----------------------------------------------------------------------------- */

/* Collect the counts of the tasks that pulled an arm; returns how many did. */
static size_t collect(const task_set *set, size_t arm)
{
    size_t count = 0;
    for (size_t k = 0; k < set->count; k++) {
        const double *sum = segue_task_window_sum(set->tasks, set->index[k]);
        const double pulls = sum[set->tasks->n_arms + arm];
        if (!(pulls > 0.0))
            continue;
        set->won[count] = sum[arm];
        set->lost[count] = fmax(0.0, pulls - sum[arm]);
        set->pulls[count++] = pulls;
    }
    return count;
}

static double sum_of_ratios(double a, const double *x, size_t count, double *scratch)
{
    const segue_log_gamma_ratio ratio = segue_log_gamma_ratio_init(a);
    double sum = 0.0;
    segue_log_gamma_ratio_all(&ratio, x, count, scratch);
    for (size_t k = 0; k < count; k++)
        sum += scratch[k];
    return sum;
}

/* Set W and N for a kappa. */
static void count_effective(const task_set *set, size_t count, double kappa, double *won,
                            double *pulls)
{
    *won = *pulls = 0.0;
    for (size_t k = 0; k < count; k++) {
        const double counts = (kappa + 1.0) / (kappa + set->pulls[k]);
        *won += counts * set->won[k];
        *pulls += counts * set->pulls[k];
    }
    *won = fmin(*won, *pulls);
}

static double log_marginal(const task_set *set, size_t count, double kappa, double won,
                           double pulls)
{
    const double p = (1.0 + won) / (2.0 + pulls), lost = pulls - won;
    return sum_of_ratios(kappa * p, set->won, count, set->scratch) +
           sum_of_ratios(kappa * (1.0 - p), set->lost, count, set->scratch) -
           sum_of_ratios(kappa, set->pulls, count, set->scratch) +
           segue_log_beta(1.0 + won, 1.0 + lost) - won * segue_ln(p) - lost * segue_log1p(-p);
}

/* Compute ln M for all kappas; returns the logarithm of their sum by shares. */
static double compute_marginal(const kappas *k, const task_set *set, size_t arm, marginal *m)
{
    const size_t count = collect(set, arm);
    double max = -INFINITY, total = 0.0;
    for (size_t g = 0; g < k->count; g++) {
        const double kappa = segue_type_table_kappa(g);
        count_effective(set, count, kappa, &m->won[g], &m->pulls[g]);
        m->log_lik[g] = count > 0 ? log_marginal(set, count, kappa, m->won[g], m->pulls[g]) : 0.0;
        max = fmax(max, m->log_lik[g] + k->log_share[g]);
    }
    for (size_t g = 0; g < k->count; g++)
        total += segue_exp(m->log_lik[g] + k->log_share[g] - max);
    return max + segue_ln(fmax(1.0, total)); /* the largest term is 1 */
}

double segue_kappas_score(const kappas *k, const task_set *set)
{
    marginal m;
    double score = 0.0;
    for (size_t arm = 0; arm < set->tasks->n_arms; arm++)
        score += compute_marginal(k, set, arm, &m);
    return score;
}

/* ---- draws ------------------------------------------------------------------------------- */

/* Match the moments of the mixture over kappas by one Beta. */
static void match_moments(const marginal *m, const double *weight, size_t count, double *a,
                          double *b)
{
    double mean = 0.0, square = 0.0;
    for (size_t g = 0; g < count; g++) {
        const double p = (1.0 + m->won[g]) / (2.0 + m->pulls[g]);
        const double c = 1.0 / (1.0 / segue_type_table_kappa(g) + 1.0 / (m->pulls[g] + 2.0));
        mean += weight[g] * p;
        square += weight[g] * (p * p + p * (1.0 - p) / (c + 1.0));
    }
    const double variance = fmax(MIN_VARIANCE, square - mean * mean);
    const double total = fmax(MIN_TOTAL, mean * (1.0 - mean) / variance - 1.0);
    *a = total * mean;
    *b = total * (1.0 - mean);
}

static void draw_arm(const kappas *k, const task_set *set, type_table *types, size_t type,
                     size_t arm, segue_rng *rng)
{
    marginal m;
    double weight[N_KAPPAS];
    const size_t at = type * types->n_arms + arm;
    const double all = compute_marginal(k, set, arm, &m);
    for (size_t g = 0; g < k->count; g++)
        weight[g] = segue_exp(m.log_lik[g] + k->log_share[g] - all);
    const size_t g = segue_rng_index(rng, weight, k->count);
    segue_type_table_set(types, type, arm, m.won[g], m.pulls[g], g);
    match_moments(&m, weight, k->count, &types->play_a[at], &types->play_b[at]);
}

void segue_kappas_draw(const kappas *k, const task_set *set, type_table *types, size_t type,
                       segue_rng *rng)
{
    for (size_t arm = 0; arm < types->n_arms; arm++)
        draw_arm(k, set, types, type, arm, rng);
}
