/* sampler_near.c - how common types are near a task in time.
 *
 * A Dirichlet process counts all tasks of a type alike: a task belongs to it in proportion to their
 * number.  After a change, types of long ago would attract tasks to which they are only similar.  So
 * tasks count by their distance d in the window, as the memories (sampler_mixing.c) do for the next
 * task:
 *
 *     share of a type = sum over h of v_h (sum over its tasks of 2^(-d / half-life_h)) / (alpha + A_h)
 *     share of a new type = sum over h of v_h alpha / (alpha + A_h)
 *
 * where A_h is the sum over all other tasks, and v_h are the squares of the memories' weights, scaled
 * to sum 1: one memory holds for all tasks, so the likely one counts more.  As long as nothing changes the weight is on the memory
 * that never forgets, and these are the shares of the Dirichlet process.
 * The probability of a division into types is the product over its tasks of their shares, given the
 * tasks before them.
 * SPDX-License-Identifier: Apache-2.0 */

#include "core/math/ln.h"
#include "estimate/sampler/sampler_internal.h"

#define MIN_SHARE 1e-300

/* The weights v of the memories. */
typedef struct near_weights {
    double of[N_HALF_LIVES];
} near_weights;

static near_weights weigh_memories(const segue_sampler *s)
{
    near_weights v;
    double total = 0.0;
    for (size_t h = 0; h < N_HALF_LIVES; h++)
        total += s->memory[h] * s->memory[h];
    for (size_t h = 0; h < N_HALF_LIVES; h++)
        v.of[h] = s->memory[h] * s->memory[h] / total;
    return v;
}

/* ---- near a task ------------------------------------------------------------------------- */

void segue_sampler_near_begin(segue_sampler *s)
{
    for (size_t h = 0; h < N_HALF_LIVES - 1; h++) {
        double *weight = s->scratch + h * s->capacity;
        weight[0] = 1.0;
        for (size_t d = 1; d < s->tasks.count; d++)
            weight[d] = weight[d - 1] * segue_sampler_mixing_decay(h);
    }
}

/* The sum of weights over `count` tasks at distances 1, 2, ... */
static double sum_of_weights(const segue_sampler *s, size_t memory, size_t count)
{
    const double decay = segue_sampler_mixing_decay(memory);
    if (count == 0 || !(decay < 1.0))
        return (double)count;
    return decay * (1.0 - s->scratch[memory * s->capacity + count]) / (1.0 - decay);
}

/* Weights of the memories for a task, over alpha and all other tasks; returns the share of none. */
static double scale_memories(const segue_sampler *s, size_t task, double *scale)
{
    const near_weights v = weigh_memories(s);
    double none = 0.0;
    for (size_t h = 0; h < N_HALF_LIVES; h++) {
        const double all =
            sum_of_weights(s, h, task) + sum_of_weights(s, h, s->tasks.count - 1 - task);
        scale[h] = v.of[h] / (s->alpha + all);
        none += scale[h] * s->alpha;
    }
    return none;
}

double segue_sampler_near_shares(const segue_sampler *s, size_t task, double *share)
{
    const double *w0 = s->scratch, *w1 = w0 + s->capacity, *w2 = w1 + s->capacity;
    double scale[N_HALF_LIVES];
    const double none = scale_memories(s, task, scale);
    for (size_t c = 0; c < s->types.n_types; c++)
        share[c] = MIN_SHARE;
    for (size_t l = 0; l < s->tasks.count; l++) {
        const size_t d = l < task ? task - l : l - task;
        if (d > 0)
            share[s->type_of[l]] +=
                scale[0] * w0[d] + scale[1] * w1[d] + scale[2] * w2[d] + scale[N_HALF_LIVES - 1];
    }
    return none;
}

/* ---- probabilities of divisions ------------------------------------------------------------ */

/* Tasks before one, as each memory counts them: all, and those of two types. */
typedef struct counts {
    double all[N_HALF_LIVES], of[2][N_HALF_LIVES];
    bool has[2];
} counts;

static void count_task(counts *n, bool is_first, bool is_second)
{
    for (size_t h = 0; h < N_HALF_LIVES; h++) {
        const double decay = segue_sampler_mixing_decay(h);
        n->all[h] = decay * (n->all[h] + 1.0);
        n->of[0][h] = decay * (n->of[0][h] + (is_first ? 1.0 : 0.0));
        n->of[1][h] = decay * (n->of[1][h] + (is_second ? 1.0 : 0.0));
    }
    n->has[0] |= is_first;
    n->has[1] |= is_second;
}

/* Log of the share of the type of a task over that of both types, or of a new type over both. */
static double log_ratio(const segue_sampler *s, const counts *n, size_t own, near_weights v)
{
    double share = 0.0, both = MIN_SHARE, none = 0.0;
    for (size_t h = 0; h < N_HALF_LIVES; h++) {
        const double scale = v.of[h] / (s->alpha + n->all[h]);
        share += scale * n->of[own][h];
        both += scale * (n->of[0][h] + n->of[1][h]);
        none += scale * s->alpha;
    }
    return segue_ln((n->has[own] ? share : none) / both);
}

double segue_sampler_near_log_division(const segue_sampler *s, size_t first, size_t second)
{
    const near_weights v = weigh_memories(s);
    counts n = {.has = {false, false}};
    double sum = 0.0;
    for (size_t l = 0; l < s->tasks.count; l++) {
        const bool is_first = s->type_of[l] == first, is_second = s->type_of[l] == second;
        if ((is_first || is_second) && (n.has[0] || n.has[1]))
            sum += log_ratio(s, &n, is_second ? 1 : 0, v);
        count_task(&n, is_first, is_second);
    }
    return sum;
}

double segue_sampler_near_log_births(const segue_sampler *s, double alpha)
{
    const near_weights v = weigh_memories(s);
    counts n = {.has = {false, false}};
    double sum = (double)s->types.n_types * segue_ln(alpha);
    for (size_t l = 0; l < s->tasks.count; l++) {
        double scale = 0.0;
        for (size_t h = 0; h < N_HALF_LIVES; h++)
            scale += v.of[h] / (alpha + n.all[h]);
        sum += segue_ln(scale);
        count_task(&n, false, false);
    }
    return sum;
}
