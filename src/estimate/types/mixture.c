/* mixture.c - types of tasks as a mixture of products of Betas.
 *
 * In a task of type q the mean of arm i is a Beta(kappa p, kappa (1 - p)) number: p is the type's
 * mean, kappa is the concentration of its tasks around it, and both are learned, separately for
 * every type and arm.  A type that has to cover two becomes wide on the arms where they differ, and
 * nowhere else.  p is itself known from `pulls` pulls only, so a new task's mean has the
 * concentration c = 1 / (1 / kappa + 1 / (pulls + 2)): spread and ignorance in one Beta.
 *
 * The choice of arms depends only on earlier rewards, so the likelihood of a task's rewards is
 * that of its counts, whatever the policy: for every arm ln B(a + won, b + lost) - ln B(a, b).  T
 * pulls of one task tell of p what T (kappa + 1) / (kappa + T) pulls of as many tasks would. A task
 * costs O(types x arms).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/types/mixture.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/math/exp.h"
#include "core/math/ln.h"
#include "core/math/log_gamma.h"

#define POINT       1e6  /* kappa of a type whose tasks all have the same mean */
#define PULLS_A_NAT 1.57 /* a mean costs 1/2 ln(1 + pulls / this) nats */
#define MIN_WEIGHT  1e-9 /* of a type */
#define NEGLIGIBLE  40.0 /* nats below the best: a posterior below 1e-17 */

double segue_mixture_kappa(size_t spread)
{
    assert(spread < N_SPREADS);
    return spread + 1 < N_SPREADS ? (double)(2U << spread) : POINT;
}

/* ---- init, fini -------------------------------------------------------------------------- */

segue_status segue_mixture_init(mixture *mix, size_t n_arms, size_t cap, segue_error *err)
{
    const size_t count = (cap + 1) * n_arms;
    *mix = (mixture){.n_arms = n_arms, .cap = cap, .weight = {1.0}};
    mix->won = calloc(4 * count, sizeof *mix->won);
    mix->spread = calloc(count, sizeof *mix->spread);
    if (!mix->won || !mix->spread)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for types of %zu arms", n_arms);
    mix->pulls = mix->won + count;
    mix->a = mix->pulls + count;
    mix->b = mix->a + count;
    for (size_t i = 0; i < n_arms; i++)
        mix->a[i] = mix->b[i] = 1.0;
    return SEGUE_OK;
}

void segue_mixture_fini(mixture *mix)
{
    free(mix->won);
    free(mix->spread);
    mix->won = NULL;
    mix->spread = NULL;
}

void segue_mixture_copy(mixture *to, const mixture *from)
{
    assert(to->cap >= from->n_types && to->n_arms >= from->n_arms);
    to->n_types = from->n_types;
    memcpy(to->weight, from->weight, sizeof to->weight);
    memcpy(to->last, from->last, sizeof to->last);
    memcpy(to->numbered, from->numbered, sizeof to->numbered);
    for (size_t q = 1; q <= from->n_types; q++)
        for (size_t i = 0; i < to->n_arms; i++) {
            const size_t at = q * from->n_arms + i;
            if (i < from->n_arms)
                segue_mixture_set(to, q, i, from->won[at], from->pulls[at], from->spread[at]);
            else
                segue_mixture_set(to, q, i, 0.0, 0.0, SPREAD_FIRST);
        }
}

/* ---- arms of a type ---------------------------------------------------------------------- */

double segue_mixture_mean(const mixture *mix, size_t type, size_t arm)
{
    const size_t at = type * mix->n_arms + arm;
    return (1.0 + mix->won[at]) / (2.0 + mix->pulls[at]);
}

void segue_mixture_set(mixture *mix, size_t type, size_t arm, double won, double pulls,
                       size_t spread)
{
    const size_t at = type * mix->n_arms + arm;
    mix->won[at] = won;
    mix->pulls[at] = pulls;
    mix->spread[at] = (unsigned char)spread;
    const double c = 1.0 / (1.0 / segue_mixture_kappa(spread) + 1.0 / (pulls + 2.0));
    /* won may pass pulls by a rounding: both parameters stay above 0 by themselves */
    mix->a[at] = c * (1.0 + won) / (2.0 + pulls);
    mix->b[at] = c * (1.0 + fmax(0.0, pulls - won)) / (2.0 + pulls);
}

/* ---- posterior of a task ----------------------------------------------------------------- */

double segue_mixture_log_likelihood(const mixture *mix, size_t component, const double *sum,
                                    const double *pulls)
{
    const size_t at = component * mix->n_arms;
    return segue_log_beta_ratios(mix->a + at, mix->b + at, sum, pulls, mix->n_arms);
}

void segue_mixture_log_weights(const mixture *mix, double *log_weight)
{
    for (size_t q = 0; q <= mix->n_types; q++)
        log_weight[q] = segue_ln(mix->weight[q]);
}

double segue_mixture_apply_bayes(const double *log_weight, const double *log_lik, size_t n_types,
                                 size_t step, double *posterior)
{
    double log_joint[SEGUE_MAX_FITTED_TYPES + 1], best = -INFINITY, total = 0.0;
    for (size_t q = 0; q <= n_types; q++) {
        log_joint[q] = log_weight[q] + log_lik[q * step];
        best = fmax(best, log_joint[q]);
    }
    for (size_t q = 0; q <= n_types; q++) {
        const double below = best - log_joint[q];
        posterior[q * step] = below < NEGLIGIBLE ? segue_exp(-below) : 0.0;
        total += posterior[q * step];
    }
    for (size_t q = 0; q <= n_types; q++)
        posterior[q * step] /= total;
    return best + segue_ln(total);
}

double segue_mixture_posterior(const mixture *mix, const double *sum, const double *pulls,
                               double *posterior)
{
    double log_lik[SEGUE_MAX_FITTED_TYPES + 1], log_weight[SEGUE_MAX_FITTED_TYPES + 1];
    segue_mixture_log_weights(mix, log_weight);
    for (size_t q = 0; q <= mix->n_types; q++)
        log_lik[q] = segue_mixture_log_likelihood(mix, q, sum, pulls);
    return segue_mixture_apply_bayes(log_weight, log_lik, mix->n_types, 1, posterior);
}

/* ---- weights ----------------------------------------------------------------------------- */

/* Scale the weights to sum to 1, each at least its minimum, also after a million tasks of no type.
 */
static void scale_weights(mixture *mix)
{
    double types = 0.0;
    for (size_t q = 1; q <= mix->n_types; q++) {
        mix->weight[q] = fmax(MIN_WEIGHT, mix->weight[q]);
        types += mix->weight[q];
    }
    mix->weight[0] = fmax(MIN_NO_TYPE_WEIGHT, mix->weight[0] / (mix->weight[0] + types));
    for (size_t q = 1; q <= mix->n_types; q++)
        mix->weight[q] *= (1.0 - mix->weight[0]) / types;
}

void segue_mixture_set_weights(mixture *mix, const double *size, size_t n_tasks)
{
    for (size_t q = 0; q <= mix->n_types; q++)
        mix->weight[q] = (size[q] + 1.0) / (double)(n_tasks + 1 + mix->n_types);
    scale_weights(mix);
}

/* ---- learning from one task -------------------------------------------------------------- */

static void learn_type(mixture *mix, size_t type, double posterior, const double *sum,
                       const double *pulls)
{
    for (size_t i = 0; i < mix->n_arms; i++) {
        if (!(pulls[i] > 0.0))
            continue;
        const size_t at = type * mix->n_arms + i;
        const double kappa = segue_mixture_kappa(mix->spread[at]);
        const double counts = posterior * (kappa + 1.0) / (kappa + pulls[i]);
        segue_mixture_set(mix, type, i, mix->won[at] + counts * sum[i],
                          mix->pulls[at] + counts * pulls[i], mix->spread[at]);
    }
}

void segue_mixture_learn(mixture *mix, size_t n_tasks, const double *posterior, const double *sum,
                         const double *pulls)
{
    const double step = 1.0 / (double)(n_tasks + 1 + mix->n_types);
    for (size_t q = 0; q <= mix->n_types; q++) {
        if (q > 0 && posterior[q] > MIN_POSTERIOR)
            learn_type(mix, q, posterior[q], sum, pulls);
        mix->weight[q] += step * (posterior[q] - mix->weight[q]);
    }
    scale_weights(mix);
}

/* ---- more and fewer types ---------------------------------------------------------------- */

void segue_mixture_add_type(mixture *mix, const double *sum, const double *pulls)
{
    assert(mix->n_types < mix->cap);
    const double weight = 1.0 / (double)(mix->n_types + 1);
    for (size_t q = 0; q <= mix->n_types; q++)
        mix->weight[q] *= 1.0 - weight;
    const size_t type = ++mix->n_types;
    mix->weight[type] = weight;
    mix->last[type] = 0;
    mix->numbered[type] = type;
    for (size_t i = 0; i < mix->n_arms; i++)
        segue_mixture_set(mix, type, i, sum[i], pulls[i], SPREAD_NEW_TYPE);
    scale_weights(mix);
}

/* The types after it move up, in components and in numbers. */
static void remove_number(mixture *mix, size_t type)
{
    size_t count = 0;
    for (size_t n = 1; n <= mix->n_types; n++)
        if (mix->numbered[n] != type)
            mix->numbered[++count] = mix->numbered[n] - (mix->numbered[n] > type);
}

void segue_mixture_remove_type(mixture *mix, size_t type)
{
    remove_number(mix, type);
    for (size_t q = type; q < mix->n_types; q++) {
        mix->weight[q] = mix->weight[q + 1];
        mix->last[q] = mix->last[q + 1];
        for (size_t i = 0; i < mix->n_arms; i++) {
            const size_t at = (q + 1) * mix->n_arms + i;
            segue_mixture_set(mix, q, i, mix->won[at], mix->pulls[at], mix->spread[at]);
        }
    }
    mix->n_types--;
    scale_weights(mix);
}

/* True if type q comes before type r. */
static bool is_before(const mixture *mix, size_t q, size_t r)
{
    if (mix->weight[q] != mix->weight[r])
        return mix->weight[q] > mix->weight[r];
    for (size_t i = 0; i < mix->n_arms; i++)
        if (segue_mixture_mean(mix, q, i) != segue_mixture_mean(mix, r, i))
            return segue_mixture_mean(mix, q, i) > segue_mixture_mean(mix, r, i);
    return q < r;
}

void segue_mixture_number_types(mixture *mix)
{
    for (size_t q = 1; q <= mix->n_types; q++) {
        size_t n = q;
        for (; n > 1 && is_before(mix, q, mix->numbered[n - 1]); n--)
            mix->numbered[n] = mix->numbered[n - 1];
        mix->numbered[n] = q;
    }
}

void segue_mixture_clear(mixture *mix)
{
    mix->n_types = 0;
    mix->weight[0] = 1.0;
}

/* A mean costs what is known of it, and a kappa what is claimed by it; an arm that was never
 * pulled costs nothing. */
double segue_mixture_penalty(const mixture *mix, size_t n_tasks)
{
    double nats = 0.5 * segue_log1p((double)n_tasks) * (double)mix->n_types;
    for (size_t at = mix->n_arms; at < (mix->n_types + 1) * mix->n_arms; at++)
        if (mix->pulls[at] > 0.0)
            nats += 0.5 * segue_log1p(mix->pulls[at] / PULLS_A_NAT) +
                    SPREAD_PRICE * (double)mix->spread[at];
    return nats;
}
