/* sampler_prior.c - the prior of a new task: a mixture of types, by number.
 *
 * Weights are the shares of sampler_mixing.c.  Types that are not shown count as no type.
 *
 * Types with the same best arm share one more component, in which only that arm is known: its weight
 * is the learned share of unlike tasks.  Without it, a type whose best arm pays the same under every
 * type would never be doubted.
 *
 * Thompson steps are many in the first tasks, where no type is known well; later sampler_tests.c says
 * which arms of a type are tested.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/sampler/sampler_prior.h"

#include <math.h>
#include <string.h>

#include "core/math/exp.h"
#include "estimate/sampler/sampler_internal.h"

#define MIN_DRAWS   0.2  /* Thompson steps when all is known ... */
#define FIRST_DRAWS 0.8  /* ... more of them at first ... */
#define DRAWS_TASKS 5.0  /* ... falling by 1 / e in this number of tasks per arm ... */
#define DRAWS_ARMS  20.0 /* ... of up to this number: more are left to test pulls */
#define MIN_TOTAL   2e-3 /* a + b of a Beta */

/* ---- components with one known arm --------------------------------------------------------- */

/* Moments of the best arm's mean, summed by weight. */
typedef struct best_arm {
    size_t arm, number;
    double weight, mean, square;
} best_arm;

/* Find the entry of an arm, or add one; beyond the last the arm has none. */
static best_arm *find(best_arm *list, size_t *count, size_t arm, size_t number)
{
    size_t k = 0;
    while (k < *count && list[k].arm != arm)
        k++;
    if (k == *count && *count < MAX_BEST_ARMS)
        list[(*count)++] = (best_arm){.arm = arm, .number = number};
    return k < *count ? &list[k] : NULL;
}

static void add_moments(best_arm *entry, const type_table *t, size_t type, double weight)
{
    const size_t at = type * t->n_arms + entry->arm;
    const double total = t->next_a[at] + t->next_b[at], mean = t->next_a[at] / total;
    entry->weight += weight;
    entry->mean += weight * mean;
    entry->square += weight * (mean * mean + mean * (1.0 - mean) / (total + 1.0));
}

/* Append the component of an entry. */
static void append(sampler_prior *p, const best_arm *entry)
{
    const size_t q = p->n_components++;
    const double mean = entry->mean / entry->weight;
    const double variance = fmax(1e-12, entry->square / entry->weight - mean * mean);
    const double total = fmax(MIN_TOTAL, mean * (1.0 - mean) / variance - 1.0);
    p->weight[q] = entry->weight;
    p->number[q] = entry->number;
    p->arm[q] = entry->arm;
    p->best_a[q] = total * mean;
    p->best_b[q] = total * (1.0 - mean);
}

/* Move the share of unlike tasks from the types to components of their best arms. */
static void append_best_arms(const segue_sampler *s, sampler_prior *p)
{
    const double share = segue_sampler_mixing_unlike(s);
    best_arm list[MAX_BEST_ARMS];
    size_t count = 0;
    for (size_t q = 1; q <= p->n_types; q++) {
        best_arm *entry = find(list, &count, p->arm[q], q);
        if (!entry)
            continue;
        add_moments(entry, &s->types, q - 1, share * p->weight[q]);
        p->weight[q] *= 1.0 - share;
    }
    for (size_t k = 0; k < count; k++)
        append(p, &list[k]);
}

/* ---- the prior ----------------------------------------------------------------------------- */

/* The rate of Thompson steps.  They try arms at random; of many arms, test pulls find the best one
 * at a lower cost. */
static double draws_of(const segue_sampler *s)
{
    const double n_arms = (double)s->config.n_arms, drawn = fmin(DRAWS_ARMS, n_arms);
    return MIN_DRAWS * drawn / n_arms +
           FIRST_DRAWS * segue_exp(-(double)s->finished / (DRAWS_TASKS * drawn));
}

void segue_sampler_prior_describe(const segue_sampler *s, sampler_prior *p)
{
    double share[MAX_SAMPLED_TYPES];
    const type_table *t = &s->types;
    p->n_types = segue_sampler_count(s);
    p->n_components = 1 + p->n_types;
    p->weight[0] = segue_sampler_mixing_shares(s, share);
    p->number[0] = 0;
    for (size_t c = 0; c < t->n_types; c++) {
        if (c >= p->n_types) {
            p->weight[0] += share[c];
            continue;
        }
        p->weight[c + 1] = share[c];
        p->number[c + 1] = c + 1;
        p->arm[c + 1] = segue_type_table_best_arm(t, c);
    }
    p->draws = draws_of(s);
    append_best_arms(s, p);
}

void segue_sampler_prior_fill(const segue_sampler *s, const sampler_prior *p, double *a, double *b)
{
    const size_t n_arms = s->config.n_arms;
    for (size_t at = 0; at < p->n_components * n_arms; at++)
        a[at] = b[at] = 1.0;
    memcpy(a + n_arms, s->types.next_a, p->n_types * n_arms * sizeof *a);
    memcpy(b + n_arms, s->types.next_b, p->n_types * n_arms * sizeof *b);
    for (size_t q = 1 + p->n_types; q < p->n_components; q++) {
        a[q * n_arms + p->arm[q]] = p->best_a[q];
        b[q * n_arms + p->arm[q]] = p->best_b[q];
    }
}
