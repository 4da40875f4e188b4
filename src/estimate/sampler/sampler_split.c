/* sampler_split.c - split a type in two, and merge two types.
 *
 * A split takes two tasks of a type, of which the second is unlike the first, and gives the other
 * tasks to one of the two, three times over.  It is accepted with probability exp(gain), where
 *
 *     gain = ML(first) + ML(second) - ML(both) + ln P + H
 *
 * ML is the log marginal likelihood of a set of tasks as one type (kappas.c), P the probability of the
 * two types relative to one (sampler_near.c), and H, minus the sum of the
 * log probabilities of the choices in the last pass, is the entropy of the division.  Without H,
 * tasks that look alike on the pulled arms would be lumped: one division among many that are as
 * likely has a lower score than none.  A merge is accepted with the opposite gain.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "core/math/exp.h"
#include "core/math/ln.h"
#include "estimate/sampler/sampler_internal.h"

#define SEED_KAPPA 6 /* kappa = 64: of a type that starts from one task */
#define CANDIDATES 3 /* for the second task */
#define PASSES     3

static size_t draw_below(segue_rng *rng, size_t count)
{
    return (size_t)(segue_rng_uniform(rng) * (double)count);
}

static double score(const segue_sampler *s, const uint32_t *index, size_t count)
{
    const task_set set = set_of(s, index, count);
    return segue_kappas_score(&s->kappas, &set);
}

static double log_likelihood(const segue_sampler *s, size_t type, size_t task)
{
    return segue_type_table_log_likelihood(&s->types, type, sum_of(s, task), pulls_of(s, task));
}

static void add(segue_sampler *s, size_t type, size_t task, double sign)
{
    segue_type_table_add(&s->types, type, sum_of(s, task), pulls_of(s, task), sign);
}

/* ---- split ------------------------------------------------------------------------------- */

/* A split on trial: the type, its tasks, and the two new types. */
typedef struct division {
    size_t type, count;
    uint32_t *task; /* count */
    size_t part[2];
} division;

/* Make a type of one task. */
static size_t append_seed(segue_sampler *s, size_t task)
{
    const size_t type = segue_type_table_append(&s->types, s->next_id);
    for (size_t i = 0; i < s->config.n_arms; i++)
        segue_type_table_set(&s->types, type, i, 0.0, 0.0, SEED_KAPPA);
    add(s, type, task, 1.0);
    s->type_of[task] = (uint32_t)type;
    return type;
}

/* Of a few tasks find the one that fits the type least, beside the first part; `seed` if none is
 * another one. */
static size_t find_unlike(const segue_sampler *s, const division *d, size_t seed, segue_rng *rng)
{
    double min_fit = INFINITY;
    size_t found = seed;
    for (int k = 0; k < CANDIDATES; k++) {
        const size_t task = d->task[draw_below(rng, d->count)];
        const double fit = log_likelihood(s, d->part[0], task) - log_likelihood(s, d->type, task);
        if (task != seed && fit < min_fit) {
            min_fit = fit;
            found = task;
        }
    }
    return found;
}

static void shuffle(uint32_t *index, size_t count, segue_rng *rng)
{
    for (size_t k = count; k > 1; k--) {
        const size_t other = draw_below(rng, k);
        const uint32_t moved = index[k - 1];
        index[k - 1] = index[other];
        index[other] = moved;
    }
}

/* Give a task to one of the two parts; returns minus the log probability of the choice. */
static double choose_part(segue_sampler *s, const division *d, size_t task, segue_rng *rng)
{
    double log_weight[2], log_probability;
    for (size_t k = 0; k < 2; k++)
        log_weight[k] = segue_ln(s->types.size[d->part[k]]) + log_likelihood(s, d->part[k], task);
    const size_t part = d->part[segue_kappas_draw_index(log_weight, 2, rng, &log_probability)];
    s->type_of[task] = (uint32_t)part;
    add(s, part, task, 1.0);
    return -log_probability;
}

/* Give all tasks to the two parts; returns the entropy H.  The first pass takes those that are still
 * in the type, the others all, but never the last of a part. */
static double divide(segue_sampler *s, const division *d, bool is_first, segue_rng *rng)
{
    double entropy = 0.0;
    for (size_t k = 0; k < d->count; k++) {
        const size_t task = d->task[k], part = s->type_of[task];
        if (is_first ? part != d->type : s->types.size[part] < 1.5)
            continue;
        if (!is_first)
            add(s, part, task, -1.0);
        entropy += choose_part(s, d, task, rng);
    }
    return entropy;
}

/* Order the tasks by parts; returns how many the first part has. */
static size_t sort_by_part(const segue_sampler *s, const division *d)
{
    size_t first = 0;
    for (size_t k = 0; k < d->count; k++)
        if (s->type_of[d->task[k]] == d->part[0]) {
            const uint32_t moved = d->task[first];
            d->task[first++] = d->task[k];
            d->task[k] = moved;
        }
    return first;
}

static void assign(segue_sampler *s, const uint32_t *task, size_t count, size_t type)
{
    for (size_t k = 0; k < count; k++)
        s->type_of[task[k]] = (uint32_t)type;
}

/* The larger part replaces the type and keeps its id; the other one is new. */
static void accept_split(segue_sampler *s, const division *d, size_t first, segue_rng *rng)
{
    type_table *t = &s->types;
    const bool is_larger = 2 * first >= d->count;
    const uint64_t id = t->id[d->type];
    for (size_t k = 0; k < 2; k++)
        segue_sampler_moves_draw_kappas(s, d->part[k], rng);
    segue_type_table_move(t, d->type, d->part[is_larger ? 0 : 1]);
    if (is_larger)
        segue_type_table_move(t, d->part[0], d->part[1]);
    assign(s, d->task, first, is_larger ? d->type : d->part[0]);
    assign(s, d->task + first, d->count - first, is_larger ? d->part[0] : d->type);
    t->id[d->type] = id;
    t->id[d->part[0]] = s->next_id++;
    t->n_types--;
}

static void undo_split(segue_sampler *s, const division *d)
{
    assign(s, d->task, d->count, d->type);
    s->types.n_types = d->part[0];
}

/* Divide the tasks; accept or undo. */
static void try_division(segue_sampler *s, const division *d, segue_rng *rng)
{
    const double before = score(s, d->task, d->count);
    double entropy = 0.0;
    shuffle(d->task, d->count, rng);
    for (int pass = 0; pass < PASSES; pass++) {
        for (size_t k = 0; pass > 0 && k < 2; k++)
            segue_sampler_moves_draw_kappas(s, d->part[k], rng);
        entropy = divide(s, d, pass == 0, rng);
    }
    const size_t first = sort_by_part(s, d);
    const double gain = score(s, d->task, first) + score(s, d->task + first, d->count - first) +
                        segue_sampler_near_log_division(s, d->part[0], d->part[1]) + entropy -
                        before;
    if (segue_ln(segue_rng_uniform(rng)) < gain)
        accept_split(s, d, first, rng);
    else
        undo_split(s, d);
}

void segue_sampler_split(segue_sampler *s, segue_rng *rng)
{
    const size_t seed = draw_below(rng, s->tasks.count);
    division d = {.type = s->type_of[seed], .task = s->second};
    d.count = collect_tasks(s, d.type, d.task);
    if (d.count < 2 || !segue_sampler_moves_may_grow(s))
        return;
    d.part[0] = append_seed(s, seed);
    const size_t other = find_unlike(s, &d, seed, rng);
    if (other == seed) {
        undo_split(s, &d);
        return;
    }
    d.part[1] = append_seed(s, other);
    try_division(s, &d, rng);
}

/* ---- merge ------------------------------------------------------------------------------- */

/* The squared distance of two types, arm by arm in units of their variances. */
static double distance(const type_table *t, size_t c, size_t d)
{
    double sum = 0.0;
    for (size_t i = 0; i < t->n_arms; i++) {
        const size_t p = c * t->n_arms + i, q = d * t->n_arms + i;
        const double total[2] = {t->a[p] + t->b[p], t->a[q] + t->b[q]};
        const double mean[2] = {t->a[p] / total[0], t->a[q] / total[1]};
        sum += (mean[0] - mean[1]) * (mean[0] - mean[1]) /
               (mean[0] * (1.0 - mean[0]) / (total[0] + 1.0) +
                mean[1] * (1.0 - mean[1]) / (total[1] + 1.0));
    }
    return sum;
}

/* Draw a type that is near to another one. */
static size_t draw_near(const segue_sampler *s, size_t type, segue_rng *rng)
{
    double nearest = INFINITY;
    size_t found = type;
    for (size_t c = 0; c < s->types.n_types; c++) {
        if (c == type)
            continue;
        const double apart = distance(&s->types, type, c) * (0.5 + segue_rng_uniform(rng));
        if (apart < nearest || found == type) {
            nearest = apart;
            found = c;
        }
    }
    return found;
}

/* The entropy of the division into two types as it is. */
static double entropy_of(segue_sampler *s, const size_t *type, const uint32_t *task, size_t count)
{
    double entropy = 0.0;
    for (size_t k = 0; k < count; k++) {
        const size_t own = s->type_of[task[k]], other = type[own == type[0]];
        if (s->types.size[own] < 1.5)
            continue;
        add(s, own, task[k], -1.0);
        const double own_weight = segue_ln(s->types.size[own]) + log_likelihood(s, own, task[k]);
        const double weight = segue_ln(s->types.size[other]) + log_likelihood(s, other, task[k]);
        add(s, own, task[k], 1.0);
        entropy += weight > own_weight
                       ? weight - own_weight + segue_log1p(segue_exp(own_weight - weight))
                       : segue_log1p(segue_exp(weight - own_weight));
    }
    return entropy;
}

/* Give the tasks of the smaller type to the larger one, which keeps its id. */
static void accept_merge(segue_sampler *s, const size_t *type, const uint32_t *task, size_t count,
                         segue_rng *rng)
{
    const bool is_larger = s->types.size[type[0]] >= s->types.size[type[1]];
    const size_t larger = type[is_larger ? 0 : 1], removed = type[is_larger ? 1 : 0];
    assign(s, task, count, larger);
    s->types.size[larger] = (double)count;
    segue_sampler_moves_draw_kappas(s, larger, rng);
    segue_sampler_moves_drop(s, removed);
}

void segue_sampler_split_merge(segue_sampler *s, segue_rng *rng)
{
    if (s->types.n_types < 2)
        return;
    const size_t first = draw_below(rng, s->types.n_types);
    const size_t type[2] = {first, draw_near(s, first, rng)};
    size_t count[2];
    count[0] = collect_tasks(s, type[0], s->second);
    count[1] = collect_tasks(s, type[1], s->second + count[0]);
    const size_t both = count[0] + count[1];
    const double apart = score(s, s->second, count[0]) + score(s, s->second + count[0], count[1]) +
                         segue_sampler_near_log_division(s, type[0], type[1]) +
                         entropy_of(s, type, s->second, both);
    if (segue_ln(segue_rng_uniform(rng)) < score(s, s->second, both) - apart)
        accept_merge(s, type, s->second, both, rng);
}
