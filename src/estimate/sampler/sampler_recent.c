/* sampler_recent.c - what the next task may rely on: tasks of long ago count less.
 *
 * A type that comes back after a change may not be the same any more.  Each task of the window counts
 * by the weights of the memories (sampler_mixing.c): w = sum over h of memory_h 2^(-age / half-life_h).
 * As long as nothing changes the weight is on the memory that never forgets, and w is about 1.
 * The Beta of an arm keeps its spread 1 / kappa; its ignorance becomes 1 / (pulls + 2), with pulls
 * counted so, and its mean shifts by as much as the mean of the counted pulls does.
 * Cost: tasks x arms.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "estimate/sampler/sampler_internal.h"

/* Add the pulls of a task; for now next_a holds the sums of rewards. */
static void add_task(segue_sampler *s, size_t task, double weight)
{
    type_table *t = &s->types;
    const double *sum = sum_of(s, task), *pulls = pulls_of(s, task);
    for (size_t i = 0; i < t->n_arms; i++) {
        if (!(pulls[i] > 0.0))
            continue;
        const size_t at = s->type_of[task] * t->n_arms + i;
        const double kappa = segue_type_table_kappa(t->kappa[at]);
        const double counts = weight * segue_type_table_count(kappa, pulls[i]);
        t->next_a[at] += counts * sum[i];
        t->next_pulls[at] += counts * pulls[i];
    }
}

static void set_beta(type_table *t, size_t at)
{
    const double total = t->play_a[at] + t->play_b[at];
    const double known = t->pulls[at] + 2.0, recent = t->next_pulls[at] + 2.0;
    const double shift = (1.0 + t->next_a[at]) / recent - (1.0 + t->won[at]) / known;
    const double mean = fmin(1.0 - MIN_MEAN, fmax(MIN_MEAN, t->play_a[at] / total + shift));
    const double spread = fmax(MIN_SPREAD, 1.0 / total - 1.0 / known);
    t->next_a[at] = mean / (spread + 1.0 / recent);
    t->next_b[at] = (1.0 - mean) / (spread + 1.0 / recent);
}

void segue_sampler_recent_update(segue_sampler *s)
{
    type_table *t = &s->types;
    const size_t count = t->n_types * t->n_arms;
    if (s->tasks.count == 0)
        return; /* there is no type, and maybe no memory yet */
    const double *weight = segue_sampler_mixing_weigh(s);
    memset(t->next_a, 0, count * sizeof *t->next_a);
    memset(t->next_pulls, 0, count * sizeof *t->next_pulls);
    for (size_t l = 0; l < s->tasks.count; l++)
        add_task(s, l, weight[l]);
    for (size_t at = 0; at < count; at++)
        set_beta(t, at);
}
