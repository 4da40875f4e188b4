/* workspace.c - the numbers that one decision of look-ahead starts from.
 *
 * They are the means of the active components, net of costs, the values of the arms, the arm e with
 * the largest value to the end, and the candidates: arms that can be best after a block of pulls.
 * lookahead.c has the formulas.
 * Cost O(n_arms n_components), and for the candidates O(n_arms^2 n_components) at most.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/lookahead/workspace.h"

#include <assert.h>

#define MIN_COMPONENT_WEIGHT 1e-7  /* components of less weight are ignored */
#define MEAN_TOLERANCE       1e-12 /* means that differ by less are equal: the lowest arm wins */

static size_t round_up(size_t count)
{
    return (count + LANES - 1) / LANES * LANES;
}

size_t segue_lookahead_scratch_size(size_t n_components, size_t n_arms)
{
    const size_t doubles = n_components * (n_arms + round_up(n_arms) + 9 + 3 * POWERS) + n_arms;
    return doubles * sizeof(double) + (n_components + n_arms) * sizeof(size_t);
}

static double *carve(double **memory, size_t count)
{
    double *start = *memory;
    *memory += count;
    return start;
}

static void carve_memory(workspace *s, size_t n_components, void *memory)
{
    double *rest = memory;
    s->weight = carve(&rest, n_components);
    s->mean = carve(&rest, n_components * s->n_arms);
    s->value = carve(&rest, s->n_arms);
    s->top_mean = carve(&rest, n_components * round_up(s->n_arms));
    s->probability = carve(&rest, n_components);
    s->after = carve(&rest, n_components);
    s->saved = carve(&rest, n_components);
    s->own = carve(&rest, n_components);
    s->step = carve(&rest, n_components);
    s->rival = carve(&rest, n_components);
    s->scale = carve(&rest, n_components);
    s->scale_after = carve(&rest, n_components);
    s->up = carve(&rest, n_components * POWERS);
    s->down = carve(&rest, n_components * POWERS);
    s->all = carve(&rest, n_components * POWERS);
    s->active = (size_t *)(void *)rest;
    s->top = s->active + n_components;
}

static void select_components(workspace *s)
{
    s->n_active = 0;
    for (size_t q = 0; q < s->belief->prior.n_components; q++)
        if (s->belief->weight[q] >= MIN_COMPONENT_WEIGHT) {
            s->weight[s->n_active] = s->belief->weight[q];
            s->active[s->n_active++] = q;
        }
    assert(s->n_active > 0);
}

/* Make means and values net of costs, up to a constant. */
static void subtract_costs(workspace *s)
{
    s->max_cost = 0.0;
    for (size_t arm = 0; arm < s->n_arms; arm++)
        s->max_cost = larger(s->max_cost, s->belief->cost[arm]);
    for (size_t arm = 0; arm < s->n_arms; arm++) {
        const double bonus = segue_workspace_bonus(s, arm);
        for (size_t q = 0; q < s->n_active; q++) {
            s->mean[q * s->n_arms + arm] += bonus;
            s->value[arm] += s->weight[q] * bonus;
        }
    }
}

/* Return the value of pulling an arm to the end, per pull. */
static double value_to_end(const workspace *s, size_t arm)
{
    return s->value[arm] + (arm == s->belief->last_arm ? s->stay : 0.0);
}

static void compute_means(workspace *s)
{
    for (size_t arm = 0; arm < s->n_arms; arm++)
        s->value[arm] = 0.0;
    for (size_t q = 0; q < s->n_active; q++)
        for (size_t arm = 0; arm < s->n_arms; arm++) {
            const double mean = segue_belief_mean(s->belief, s->active[q], arm);
            s->mean[q * s->n_arms + arm] = mean;
            s->value[arm] += s->weight[q] * mean;
        }
    if (s->belief->cost)
        subtract_costs(s);
    s->best = s->n_arms;
    for (size_t arm = 0; arm < s->n_arms; arm++)
        if (segue_belief_allows(s->belief, arm) &&
            (s->best == s->n_arms ||
             value_to_end(s, arm) > value_to_end(s, s->best) + MEAN_TOLERANCE))
            s->best = arm;
}

/* Return true if an arm is at least as good as another in every component. */
static bool beats(const workspace *s, size_t arm, size_t other)
{
    for (size_t q = 0; q < s->n_active; q++)
        if (s->mean[q * s->n_arms + arm] < s->mean[q * s->n_arms + other])
            return false;
    return true;
}

/* Return true if two candidates beat an arm: while one of them is pulled, the other still does. */
static bool is_beaten_twice(const workspace *s, size_t arm)
{
    size_t beaten = 0;
    for (size_t i = 0; i < s->n_top && beaten < 2; i++)
        beaten += beats(s, s->top[i], arm);
    return beaten == 2;
}

/* Select candidates: e, the arms that e does not beat, and the others, which replace e while it is
 * pulled. */
static void select_candidates(workspace *s)
{
    s->n_top = 0;
    s->top[s->n_top++] = s->best;
    for (int stands_in = 0; stands_in < 2; stands_in++) {
        for (size_t arm = 0; arm < s->n_arms; arm++)
            if (arm != s->best && segue_belief_allows(s->belief, arm) &&
                beats(s, s->best, arm) == (stands_in != 0) && !is_beaten_twice(s, arm))
                s->top[s->n_top++] = arm;
        if (!stands_in)
            s->n_rivals = s->n_top;
    }
    s->stride = round_up(s->n_top);
    for (size_t q = 0; q < s->n_active; q++)
        for (size_t i = 0; i < s->stride; i++)
            s->top_mean[q * s->stride + i] =
                i < s->n_top ? s->mean[q * s->n_arms + s->top[i]] : 0.0;
}

void segue_workspace_fill(workspace *s, const segue_belief *belief, double remaining, void *memory)
{
    s->belief = belief;
    s->bonus = s->go_on = s->stay = 0.0;
    if (belief->cost && remaining > 0.0)
        s->stay = belief->switch_cost / remaining;
    s->n_arms = belief->prior.n_arms;
    carve_memory(s, belief->prior.n_components, memory);
    select_components(s);
    compute_means(s);
    select_candidates(s);
}
