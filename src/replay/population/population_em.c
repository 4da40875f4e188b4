/* population_em.c - EM for a mixture of products of Beta-binomials.
 *
 * E: the posterior r_lq of task l over type q is proportional to w_q times the likelihood of its
 * counts.  M: w_q is the mean of r_lq over tasks; mean m and concentration kappa of an arm of a
 * type take one Newton step in (logit m, ln kappa) on
 *
 *     sum_l r_lq ln [B(a + won, b + lost) / B(a, b)] + MEAN_COUNT (M ln m + (1 - M) ln(1 - m))
 *         - (ln kappa - C)^2 / (2 KAPPA_VARIANCE),      a = m kappa, b = (1 - m) kappa,
 *
 * where M is the arm's mean over all tasks.  C, the centre of ln kappa over types and arms, is
 * fitted too, with the prior (ln KAPPA_CENTRE, CENTRE_VARIANCE): kappa of an arm with few rewards
 * comes close to that of the others.  Derivatives are sums of digamma and trigamma differences over
 * the distinct counts of an arm (count_table.h), of which rewards of 0 and 1 have few; won counts of
 * graded rewards are rounded to a grid.
 *
 * A parameter that its prior holds in place counts less than one for AIC: the share of its second
 * derivative that the rewards give.
 *
 * An iteration costs O(types x (tasks x arms + distinct counts)).
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/population/population_em.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"

#define MEAN_COUNT      2.0    /* weight of the prior of a mean, in pulls */
#define KAPPA_VARIANCE  1.0    /* of ln kappa around its centre */
#define KAPPA_CENTRE    50.0   /* prior of that centre: its exponential ... */
#define CENTRE_VARIANCE 2.25   /* ... and its variance */
#define MAX_STEP        1.0    /* of logit m and ln kappa in one iteration */
#define MIN_DISPERSION  1e-3   /* rewards that hardly vary within a cell count 1,000 times */
#define GRID            16.0   /* graded counts are multiples of 1 / GRID, or ... */
#define MAX_LEVELS      1024.0 /* ... of the largest count over this */
#define MIN_WEIGHT      1e-9

/* ---- counts ------------------------------------------------------------------------------ */

/* The variance of a reward in a cell over mean (1 - mean), from all cells of two or more rewards. */
static double estimate_dispersion(const segue_counts *counts)
{
    segue_dispersion all = {.within = 0.0};
    if (!counts->square)
        return 1.0;
    for (size_t k = 0; k < counts->n_tasks * counts->n_arms; k++)
        segue_dispersion_add(&all,
                             segue_dispersion_of(counts->pulls[k], counts->sum[k],
                                                 fmax(0.0, counts->sum[k] - counts->square[k])),
                             1.0);
    return all.binary > 0.0 ? fmax(MIN_DISPERSION, all.within / all.binary) : 1.0;
}

static double largest(const double *x, size_t count)
{
    double max = 0.0;
    for (size_t k = 0; k < count; k++)
        max = fmax(max, x[k]);
    return max;
}

/* Copy the counts of tasks, divided by the dispersion; sums are rounded to a grid if graded. */
static void copy_counts(population_em *em, const segue_counts *counts, const size_t *task)
{
    const size_t arms = em->n_arms;
    const double phi = em->now.dispersion;
    const double step =
        fmax(1.0 / GRID, largest(counts->pulls, counts->n_tasks * arms) / phi / MAX_LEVELS);
    for (size_t l = 0; l < em->n_tasks; l++) {
        const size_t from = (task ? task[l] : l) * arms;
        double *sum = em->tasks.row + 2 * arms * l, *pulls = sum + arms;
        for (size_t i = 0; i < arms; i++) {
            pulls[i] = counts->pulls[from + i] / phi;
            const double won = counts->sum[from + i] / phi;
            sum[i] = counts->square ? fmin(pulls[i], step * round(won / step)) : won;
        }
    }
}

static void average_arms(population_em *em)
{
    for (size_t i = 0; i < em->n_arms; i++) {
        double won = 0.0, pulls = 0.0;
        for (size_t l = 0; l < em->n_tasks; l++) {
            won += em->tasks.row[2 * em->n_arms * l + i];
            pulls += em->tasks.row[2 * em->n_arms * l + em->n_arms + i];
        }
        em->arm_mean[i] = (won + 0.5) / (pulls + 1.0);
    }
}

/* ---- init, fini -------------------------------------------------------------------------- */

static segue_status give_memory(population_em *em, size_t max_types, segue_error *err)
{
    const size_t n = em->n_tasks, arms = em->n_arms;
    em->tasks = (task_window){.n_arms = arms, .window = n, .capacity = n, .count = n, .row = NULL};
    em->tasks.row = calloc(2 * n * arms + arms, sizeof *em->tasks.row);
    em->log_lik = calloc((2 * max_types + 4 + 2 * N_COUNTS) * n, sizeof *em->log_lik);
    if (!em->tasks.row || !em->log_lik)
        return segue_fail_no_memory(err, "the fit of the distribution of tasks");
    em->arm_mean = em->tasks.row + 2 * n * arms;
    em->posterior = em->log_lik + max_types * n;
    em->scratch = em->posterior + max_types * n;
    em->pair_value = em->scratch + 3 * n;
    for (size_t k = 0; k < N_COUNTS; k++) {
        em->weighted.value[k] = em->pair_value + (1 + k) * n;
        em->weighted.weight[k] = em->pair_value + (1 + N_COUNTS + k) * n;
    }
    return segue_population_init(&em->now, arms, max_types, err);
}

static void start_with_one_type(population_em *em)
{
    em->now.n_types = 1;
    em->now.weight[0] = 1.0;
    em->log_kappa = segue_ln(KAPPA_CENTRE);
    for (size_t i = 0; i < em->n_arms; i++) {
        em->now.mean[i] = em->arm_mean[i];
        em->now.concentration[i] = KAPPA_CENTRE / 5.0;
    }
}

segue_status segue_population_em_init(population_em *em, const segue_counts *counts,
                                      const size_t *task, size_t count, size_t max_types,
                                      segue_error *err)
{
    *em = (population_em){.n_tasks = count, .n_arms = counts->n_arms};
    SEGUE_TRY(give_memory(em, max_types, err));
    em->now.dispersion = estimate_dispersion(counts);
    copy_counts(em, counts, task);
    average_arms(em);
    start_with_one_type(em);
    return segue_count_table_create(&em->tables, &em->tasks, err);
}

void segue_population_em_fini(population_em *em)
{
    segue_population_fini(&em->now);
    segue_count_table_destroy(em->tables, em->n_arms);
    free(em->tasks.row);
    free(em->log_lik);
}

void segue_population_em_copy(segue_population *to, const segue_population *from)
{
    const size_t cells = from->n_types * from->n_arms;
    to->n_types = from->n_types;
    to->dispersion = from->dispersion;
    to->log_likelihood = from->log_likelihood;
    to->aic = from->aic;
    memcpy(to->weight, from->weight, from->n_types * sizeof *to->weight);
    memcpy(to->mean, from->mean, cells * sizeof *to->mean);
    memcpy(to->concentration, from->concentration, cells * sizeof *to->concentration);
}

void segue_population_em_copy_sorted(segue_population *to, const segue_population *from)
{
    const size_t arms = from->n_arms;
    bool used[SEGUE_MAX_POPULATION_TYPES] = {false};
    segue_population_em_copy(to, from);
    for (size_t k = 0; k < from->n_types; k++) {
        size_t next = from->n_types;
        for (size_t q = 0; q < from->n_types; q++)
            if (!used[q] && (next == from->n_types || from->weight[q] > from->weight[next]))
                next = q;
        used[next] = true;
        to->weight[k] = from->weight[next];
        memcpy(to->mean + k * arms, from->mean + next * arms, arms * sizeof *to->mean);
        memcpy(to->concentration + k * arms, from->concentration + next * arms,
               arms * sizeof *to->concentration);
    }
}

/* Knuth's selection sampling. */
void segue_population_em_sample_tasks(segue_rng *rng, size_t n_tasks, size_t count, size_t *task)
{
    size_t chosen = 0;
    for (size_t l = 0; l < n_tasks && chosen < count; l++)
        if (segue_rng_uniform(rng) * (double)(n_tasks - l) < (double)(count - chosen))
            task[chosen++] = l;
}

/* ---- E ----------------------------------------------------------------------------------- */

static double penalty_of(const population_em *em, size_t type)
{
    double sum = 0.0;
    for (size_t i = 0; i < em->n_arms; i++) {
        const size_t at = type * em->n_arms + i;
        const double m = em->now.mean[at], centre = em->arm_mean[i];
        const double off = segue_ln(em->now.concentration[at]) - em->log_kappa;
        sum += off * off / (2.0 * KAPPA_VARIANCE) -
               MEAN_COUNT * (centre * segue_ln(m) + (1.0 - centre) * segue_log1p(-m));
    }
    return sum;
}

/* Compute the log-likelihoods of all tasks under one type. */
static void update_log_lik(population_em *em, size_t type)
{
    double *column = em->log_lik + type * em->n_tasks;
    for (size_t l = 0; l < em->n_tasks; l++)
        column[l] = 0.0;
    for (size_t i = 0; i < em->n_arms; i++) {
        const size_t at = type * em->n_arms + i;
        const double kappa = em->now.concentration[at], a = em->now.mean[at] * kappa;
        const uint32_t *pair = em->tables[i].of_task;
        segue_count_table_log_liks(&em->tables[i], a, kappa - a, em->scratch, em->pair_value);
        for (size_t l = 0; l < em->n_tasks; l++)
            column[l] += em->pair_value[pair[l]];
    }
}

/* Bayes' rule for one task; returns its log-likelihood. */
static double expect_task(population_em *em, size_t l, const double *log_weight)
{
    const size_t n = em->n_tasks, types = em->now.n_types;
    double best = -INFINITY, total = 0.0;
    for (size_t q = 0; q < types; q++)
        best = fmax(best, log_weight[q] + em->log_lik[q * n + l]);
    for (size_t q = 0; q < types; q++) {
        em->posterior[q * n + l] = segue_exp(log_weight[q] + em->log_lik[q * n + l] - best);
        total += em->posterior[q * n + l];
    }
    for (size_t q = 0; q < types; q++)
        em->posterior[q * n + l] /= total;
    /* cppcheck-suppress invalidFunctionArg ; the best type adds exp(0) = 1 */
    return best + segue_ln(total);
}

void segue_population_em_expect(population_em *em)
{
    const double off = em->log_kappa - segue_ln(KAPPA_CENTRE);
    double log_weight[SEGUE_MAX_POPULATION_TYPES], penalty = off * off / (2.0 * CENTRE_VARIANCE);
    double sum = 0.0;
    for (size_t q = 0; q < em->now.n_types; q++) {
        update_log_lik(em, q);
        log_weight[q] = segue_ln(em->now.weight[q]);
        penalty += penalty_of(em, q);
    }
    for (size_t l = 0; l < em->n_tasks; l++)
        sum += expect_task(em, l, log_weight);
    em->now.log_likelihood = sum;
    em->objective = sum - penalty;
}

/* ---- M ----------------------------------------------------------------------------------- */

/* First and second derivative of ln Gamma, for x > 0: shift to x >= 6, then Stirling's series,
 * which leaves at most 1e-8. */
static void gamma_derivatives(double x, double *first, double *second)
{
    double psi = 0.0, tri = 0.0;
    while (x < 6.0) {
        const double v = 1.0 / x;
        psi -= v;
        tri += v * v;
        x += 1.0;
    }
    const double v = 1.0 / x, s = v * v;
    *first = psi + segue_ln(x) - 0.5 * v - s * (1.0 / 12.0 - s * (1.0 / 120.0 - s / 252.0));
    *second = tri + v + 0.5 * s + v * s * (1.0 / 6.0 - s * (1.0 / 30.0 - s / 42.0));
}

typedef struct derivatives {
    double first, second;
} derivatives;

/* Derivatives in a of sum w [ln Gamma(a + x) - ln Gamma(a)]. */
static derivatives rise(const weighted_counts *d, size_t kind, double a)
{
    derivatives sum = {0.0, 0.0};
    double psi, tri, from_psi, from_tri;
    gamma_derivatives(a, &from_psi, &from_tri);
    for (size_t k = 0; k < d->count[kind]; k++) {
        if (!(d->value[kind][k] > 0.0))
            continue;
        gamma_derivatives(a + d->value[kind][k], &psi, &tri);
        sum.first += d->weight[kind][k] * (psi - from_psi);
        sum.second += d->weight[kind][k] * (tri - from_tri);
    }
    return sum;
}

/* Gradient and Hessian of the M-step's objective in (logit m, ln kappa). */
typedef struct slope {
    double mean, kappa;                        /* gradient */
    double mean_mean, mean_kappa, kappa_kappa; /* Hessian */
} slope;

static slope slope_at(const population_em *em, double m, double kappa, double centre)
{
    const double a = m * kappa, b = kappa - a, s = m * b;
    const derivatives won = rise(&em->weighted, WON, a), lost = rise(&em->weighted, LOST, b),
                      all = rise(&em->weighted, PULLS, kappa);
    const double da = won.first - all.first, db = lost.first - all.first;
    const double daa = won.second - all.second, dab = -all.second, dbb = lost.second - all.second;
    return (slope){
        .mean = s * (da - db) + MEAN_COUNT * (centre - m),
        .kappa = a * da + b * db - (segue_ln(kappa) - em->log_kappa) / KAPPA_VARIANCE,
        .mean_mean = s * (1.0 - 2.0 * m) * (da - db) + s * s * (daa - 2.0 * dab + dbb) -
                     MEAN_COUNT * m * (1.0 - m),
        .mean_kappa = s * (da - db + a * daa + (b - a) * dab - b * dbb),
        .kappa_kappa =
            a * da + b * db + a * a * daa + 2.0 * a * b * dab + b * b * dbb - 1.0 / KAPPA_VARIANCE,
    };
}

static double clamp(double x, double low, double high)
{
    return fmin(high, fmax(low, x));
}

/* A Newton step; uphill by the gradient alone where the objective is not concave. */
static void newton_step(const slope *g, double *mean_step, double *kappa_step)
{
    const double determinant = g->mean_mean * g->kappa_kappa - g->mean_kappa * g->mean_kappa;
    if (g->mean_mean < 0.0 && determinant > 0.0) {
        *mean_step = (g->mean_kappa * g->kappa - g->kappa_kappa * g->mean) / determinant;
        *kappa_step = (g->mean_kappa * g->mean - g->mean_mean * g->kappa) / determinant;
    } else {
        *mean_step = g->mean / fmax(1e-9, fabs(g->mean_mean));
        *kappa_step = g->kappa / fmax(1e-9, fabs(g->kappa_kappa));
    }
    *mean_step = clamp(*mean_step, -MAX_STEP, MAX_STEP);
    *kappa_step = clamp(*kappa_step, -MAX_STEP, MAX_STEP);
}

void segue_population_em_weigh(population_em *em, size_t arm, const double *weight)
{
    const count_table *table = &em->tables[arm];
    memset(em->pair_value, 0, table->n_pairs * sizeof *em->pair_value);
    for (size_t l = 0; l < em->n_tasks; l++)
        em->pair_value[table->of_task[l]] += weight[l];
    segue_count_table_weigh(table, em->pair_value, &em->weighted);
}

/* The number of parameters that mean and kappa count for. */
static double count_parameters(const slope *g, double m)
{
    return clamp(1.0 + MEAN_COUNT * m * (1.0 - m) / fmin(g->mean_mean, -1e-9), 0.0, 1.0) +
           clamp(1.0 + 1.0 / KAPPA_VARIANCE / fmin(g->kappa_kappa, -1e-9), 0.0, 1.0);
}

static void maximise_arm(population_em *em, size_t type, size_t arm)
{
    const size_t at = type * em->n_arms + arm;
    double *m = &em->now.mean[at], *kappa = &em->now.concentration[at], dm, dk;
    segue_population_em_weigh(em, arm, em->posterior + type * em->n_tasks);
    const slope g = slope_at(em, *m, *kappa, em->arm_mean[arm]);
    em->n_parameters += count_parameters(&g, *m);
    newton_step(&g, &dm, &dk);
    *m = clamp(1.0 / (1.0 + (1.0 / *m - 1.0) * segue_exp(-dm)), SEGUE_MIN_POPULATION_MEAN,
               1.0 - SEGUE_MIN_POPULATION_MEAN);
    *kappa = clamp(*kappa * segue_exp(dk), SEGUE_MIN_POPULATION_KAPPA, SEGUE_MAX_POPULATION_KAPPA);
}

/* Update the centre of ln kappa over types and arms. */
static void maximise_centre(population_em *em)
{
    const size_t cells = em->now.n_types * em->n_arms;
    double sum = 0.0;
    for (size_t k = 0; k < cells; k++)
        sum += segue_ln(em->now.concentration[k]);
    em->log_kappa = (segue_ln(KAPPA_CENTRE) / CENTRE_VARIANCE + sum / KAPPA_VARIANCE) /
                    (1.0 / CENTRE_VARIANCE + (double)cells / KAPPA_VARIANCE);
}

static void maximise(population_em *em)
{
    const size_t n = em->n_tasks;
    em->n_parameters = (double)(em->now.n_types - 1);
    maximise_centre(em);
    for (size_t q = 0; q < em->now.n_types; q++) {
        double size = 0.0;
        for (size_t l = 0; l < n; l++)
            size += em->posterior[q * n + l];
        em->now.weight[q] = fmax(MIN_WEIGHT, size / (double)n);
        for (size_t i = 0; i < em->n_arms; i++)
            maximise_arm(em, q, i);
    }
}

void segue_population_em_run(population_em *em, size_t max, double min_gain)
{
    segue_population_em_expect(em);
    for (size_t k = 0; k < max && !segue_stop_requested(em->stop); k++) {
        const double before = em->objective;
        maximise(em);
        segue_population_em_expect(em);
        if (fabs(em->objective - before) < min_gain)
            return;
    }
}
