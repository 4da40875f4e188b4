/* sampler_moves.c - Gibbs sampling: draw the type of a task given those of all others.
 *
 * A task belongs to a type with a probability in proportion to the type's share near the task
 * (sampler_near.c) times the task's likelihood given the type's other tasks (type_table.c), and to a
 * new type in proportion to its share times the likelihood under flat Betas (Neal 2000, algorithm 3,
 * with kappas drawn separately).  alpha is drawn from a short list, given the number of types.
 * Cost of a sweep: tasks x types x arms likelihoods, tasks x arms x kappas values of ln Gamma, and
 * tasks x tasks for the shares.
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>

#include "core/math/ln.h"
#include "core/math/log_gamma.h"
#include "estimate/sampler/sampler_internal.h"

static const double alphas[] = {0.25, 0.5, 1.0, 2.0, 4.0, 8.0};
enum { N_ALPHAS = sizeof alphas / sizeof *alphas };

/* More types than are shown may be sampled, unless fewer are asked for. */
static size_t max_types(const segue_sampler *s)
{
    return s->config.cap < SEGUE_MAX_TYPES ? s->config.cap : MAX_SAMPLED_TYPES;
}

bool segue_sampler_moves_may_grow(const segue_sampler *s)
{
    return s->types.n_types < max_types(s);
}

static size_t append_type(segue_sampler *s, segue_rng *rng)
{
    const size_t type = segue_type_table_append(&s->types, s->next_id++);
    for (size_t i = 0; i < s->config.n_arms; i++)
        segue_type_table_set(&s->types, type, i, 0.0, 0.0, segue_kappas_draw_one(&s->kappas, rng));
    return type;
}

/* Draw the type of a task, given how common each type and a new one are. */
static void draw_type(segue_sampler *s, size_t task, const double *share, double none,
                      segue_rng *rng)
{
    const double *sum = sum_of(s, task), *pulls = pulls_of(s, task);
    const size_t count = s->types.n_types;
    double log_weight[MAX_SAMPLED_TYPES + 1];
    assert(s->type_of[task] == NO_TYPE);
    for (size_t c = 0; c < count; c++)
        log_weight[c] =
            segue_ln(share[c]) + segue_type_table_log_likelihood(&s->types, c, sum, pulls);
    log_weight[count] =
        segue_sampler_moves_may_grow(s)
            ? segue_ln(none) + segue_log_beta_ratios(s->ones, s->ones, sum, pulls, s->config.n_arms)
            : -INFINITY;
    size_t type = segue_kappas_draw_index(log_weight, count + 1, rng, NULL);
    if (type == count)
        type = append_type(s, rng);
    s->type_of[task] = (uint32_t)type;
    segue_type_table_add(&s->types, type, sum, pulls, 1.0);
}

void segue_sampler_moves_assign(segue_sampler *s, size_t task, segue_rng *rng)
{
    draw_type(s, task, s->types.size, s->alpha, rng);
}

void segue_sampler_moves_assign_last(segue_sampler *s, segue_rng *rng)
{
    double share[MAX_SAMPLED_TYPES];
    const double none = segue_sampler_mixing_shares(s, share);
    draw_type(s, s->tasks.count - 1, share, none, rng);
}

void segue_sampler_moves_drop(segue_sampler *s, size_t type)
{
    segue_type_table_remove(&s->types, type);
    for (size_t l = 0; l < s->tasks.count; l++)
        if (s->type_of[l] != NO_TYPE && s->type_of[l] > type)
            s->type_of[l]--;
}

void segue_sampler_moves_remove(segue_sampler *s, size_t task)
{
    const size_t type = s->type_of[task];
    s->type_of[task] = NO_TYPE;
    segue_type_table_add(&s->types, type, sum_of(s, task), pulls_of(s, task), -1.0);
    if (s->types.size[type] < 0.5)
        segue_sampler_moves_drop(s, type);
}

static void draw_alpha(segue_sampler *s, segue_rng *rng)
{
    double log_weight[N_ALPHAS];
    for (size_t k = 0; k < N_ALPHAS; k++)
        log_weight[k] = segue_sampler_near_log_births(s, alphas[k]);
    s->alpha = alphas[segue_kappas_draw_index(log_weight, N_ALPHAS, rng, NULL)];
}

void segue_sampler_moves_draw_kappas(segue_sampler *s, size_t type, segue_rng *rng)
{
    const task_set set = set_of(s, s->first, collect_tasks(s, type, s->first));
    segue_kappas_draw(&s->kappas, &set, &s->types, type, rng);
}

void segue_sampler_moves_sweep(segue_sampler *s, segue_rng *rng)
{
    double share[MAX_SAMPLED_TYPES];
    segue_sampler_near_begin(s);
    for (size_t l = 0; l < s->tasks.count; l++) {
        segue_sampler_moves_remove(s, l);
        const double none = segue_sampler_near_shares(s, l, share);
        draw_type(s, l, share, none, rng);
    }
    segue_kappas_estimate(&s->kappas, &s->types, s->pulls / (double)s->finished);
    draw_alpha(s, rng);
    for (size_t c = 0; c < s->types.n_types; c++)
        segue_sampler_moves_draw_kappas(s, c, rng);
}
