/* type_table.c - the types of a sampler: their tasks, and a Beta per arm.
 *
 * T pulls of one task tell of the type's mean p as much as T (kappa + 1) / (kappa + T) pulls in as
 * many tasks: the variance of their average is p (1 - p) (1 + (T - 1) / (kappa + 1)) / T.  With `won`
 * and `pulls` counted so, p is about Beta(1 + won, 1 + pulls - won), and the mean of a further task
 * has the concentration 1 / (1 / kappa + 1 / (pulls + 2)): spread and ignorance in one Beta.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/sampler/type_table.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/math/log_gamma.h"

#define N_ARRAYS 9

double segue_type_table_kappa(size_t index)
{
    assert(index < N_KAPPAS);
    return index < 10 ? (double)(1U << index) : (double)(512U << (2 * (index - 9)));
}

/* ---- memory ------------------------------------------------------------------------------ */

segue_status segue_type_table_init(type_table *t, size_t n_arms, segue_error *err)
{
    const size_t count = TYPE_SLOTS * n_arms;
    *t = (type_table){.n_arms = n_arms};
    t->kappa = calloc(count, sizeof *t->kappa);
    t->won = calloc(N_ARRAYS * count, sizeof *t->won);
    if (!t->kappa || !t->won)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for types of %zu arms", n_arms);
    double **arrays[] = {&t->pulls,  &t->a,      &t->b,      &t->play_a,
                         &t->play_b, &t->next_a, &t->next_b, &t->next_pulls};
    for (size_t k = 0; k < N_ARRAYS - 1; k++)
        *arrays[k] = t->won + (k + 1) * count;
    return SEGUE_OK;
}

void segue_type_table_fini(type_table *t)
{
    free(t->kappa);
    free(t->won);
    t->kappa = NULL;
    t->won = NULL;
}

size_t segue_type_table_bytes(const type_table *t)
{
    return TYPE_SLOTS * t->n_arms * (N_ARRAYS * sizeof *t->won + sizeof *t->kappa);
}

/* Copy a type of one table to another; arms that only the other has are not known. */
static void copy_type(type_table *to, size_t type, const type_table *from, size_t old)
{
    to->size[type] = from->size[old];
    to->id[type] = from->id[old];
    for (size_t i = 0; i < to->n_arms; i++) {
        const size_t at = type * to->n_arms + i, was = old * from->n_arms + i;
        const bool is_known = i < from->n_arms;
        segue_type_table_set(to, type, i, is_known ? from->won[was] : 0.0,
                             is_known ? from->pulls[was] : 0.0, is_known ? from->kappa[was] : 0);
        to->play_a[at] = is_known ? from->play_a[was] : 1.0;
        to->play_b[at] = is_known ? from->play_b[was] : 1.0;
        to->next_a[at] = is_known ? from->next_a[was] : 1.0;
        to->next_b[at] = is_known ? from->next_b[was] : 1.0;
        to->next_pulls[at] = is_known ? from->next_pulls[was] : 0.0;
    }
}

void segue_type_table_copy(type_table *to, const type_table *from)
{
    assert(to->n_arms >= from->n_arms);
    to->n_types = from->n_types;
    for (size_t c = 0; c < from->n_types; c++)
        copy_type(to, c, from, c);
}

size_t segue_type_table_append(type_table *t, uint64_t id)
{
    assert(t->n_types < TYPE_SLOTS);
    const size_t type = t->n_types++;
    t->size[type] = 0.0;
    t->id[type] = id;
    for (size_t at = type * t->n_arms; at < (type + 1) * t->n_arms; at++)
        t->play_a[at] = t->play_b[at] = t->next_a[at] = t->next_b[at] = 1.0;
    return type;
}

void segue_type_table_move(type_table *t, size_t to, size_t from)
{
    copy_type(t, to, t, from);
}

void segue_type_table_remove(type_table *t, size_t type)
{
    for (size_t c = type; c + 1 < t->n_types; c++)
        segue_type_table_move(t, c, c + 1);
    t->n_types--;
}

/* ---- arms of a type ---------------------------------------------------------------------- */

double segue_type_table_mean(const type_table *t, size_t type, size_t arm)
{
    const size_t at = type * t->n_arms + arm;
    return (1.0 + t->won[at]) / (2.0 + t->pulls[at]);
}

void segue_type_table_set(type_table *t, size_t type, size_t arm, double won, double pulls,
                          size_t kappa)
{
    const size_t at = type * t->n_arms + arm;
    t->won[at] = fmax(0.0, won);
    t->pulls[at] = fmax(t->won[at], pulls); /* sums of differences are rounded */
    t->kappa[at] = (unsigned char)kappa;
    const double c = 1.0 / (1.0 / segue_type_table_kappa(kappa) + 1.0 / (t->pulls[at] + 2.0));
    t->a[at] = c * (1.0 + t->won[at]) / (2.0 + t->pulls[at]);
    t->b[at] = c * (1.0 + t->pulls[at] - t->won[at]) / (2.0 + t->pulls[at]);
}

void segue_type_table_add(type_table *t, size_t type, const double *sum, const double *pulls,
                          double sign)
{
    t->size[type] += sign;
    for (size_t i = 0; i < t->n_arms; i++) {
        if (!(pulls[i] > 0.0))
            continue;
        const size_t at = type * t->n_arms + i;
        const double counts =
            sign * segue_type_table_count(segue_type_table_kappa(t->kappa[at]), pulls[i]);
        segue_type_table_set(t, type, i, t->won[at] + counts * sum[i],
                             t->pulls[at] + counts * pulls[i], t->kappa[at]);
    }
}

/* The spread 1 / kappa stays, and the ignorance falls.  An arm of one task has no spread yet.
 * Without refits, means would come as near to 0 and 1 as rounding lets them. */
static void play_arm(type_table *t, size_t type, size_t arm, double sum, double pulls)
{
    const size_t at = type * t->n_arms + arm;
    const double kappa = segue_type_table_kappa(t->kappa[at]),
                 counts = segue_type_table_count(kappa, pulls);
    const double known = t->pulls[at] + 2.0, before = fmax(2.0, known - counts * pulls);
    const double old = t->play_a[at] + t->play_b[at];
    const double exact = (before * t->play_a[at] / old + counts * sum) / (before + counts * pulls);
    const double mean = fmin(1.0 - MIN_MEAN, fmax(MIN_MEAN, exact));
    const bool is_first = old == 2.0 && t->pulls[at] <= counts * pulls;
    const double spread = is_first ? 1.0 / kappa : fmax(MIN_SPREAD, 1.0 / old - 1.0 / before);
    t->play_a[at] = mean / (spread + 1.0 / known);
    t->play_b[at] = (1.0 - mean) / (spread + 1.0 / known);
}

void segue_type_table_play(type_table *t, size_t type, const double *sum, const double *pulls)
{
    for (size_t i = 0; i < t->n_arms; i++)
        if (pulls[i] > 0.0)
            play_arm(t, type, i, sum[i], pulls[i]);
}

double segue_type_table_log_likelihood(const type_table *t, size_t type, const double *sum,
                                       const double *pulls)
{
    const size_t at = type * t->n_arms;
    return segue_log_beta_ratios(t->a + at, t->b + at, sum, pulls, t->n_arms);
}

size_t segue_type_table_best_arm(const type_table *t, size_t type)
{
    const double *a = t->next_a + type * t->n_arms, *b = t->next_b + type * t->n_arms;
    size_t best = 0;
    for (size_t i = 1; i < t->n_arms; i++)
        if (a[i] * (a[best] + b[best]) > a[best] * (a[i] + b[i]))
            best = i;
    return best;
}
