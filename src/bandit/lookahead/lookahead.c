/* lookahead.c - the pull with the largest expected gain for the rest of a task.
 *
 * With v_q the weights, mu_qi the means, V_i = sum_q v_q mu_qi and e the arm with the largest V,
 * pull a block of B times arm i, then the best arm of the new belief to the end. The gain over
 * pulling e to the end is
 *
 *     gain(i, B) = (remaining - B) rise(i, B) - B (V_e - V_i)
 *     rise(i, B) = E[ max_k V_k after s successes in B pulls of i ] - V_e
 *
 * where B is 1, 2, 4, ..., 32 and below what remains. The arm of the largest gain is pulled once if
 * its gain is positive, else e; then the decision is made again. Pulls of e can gain too: their
 * information is free.
 *
 * The number of successes is beta-binomial. With step h = 1 / (a + b), and 0 for a point, its
 * probability is up(s) down(B - s) / all(B), three products over j < s that serve every block:
 *
 *     up(s) = prod (mu + j h) / (j + 1)        down(s) = prod (1 - mu + j h) / (j + 1)
 *     all(s) = prod (1 + j h) / (j + 1)
 *
 * They underflow only where the probability does. The rise sums the advantage of the best arm over
 * e, outcome by outcome: where no outcome changes the choice it is 0, not a rounding error times
 * the horizon.
 *
 * With costs the value of a pull of arm i is V_i - c_i, and a pull of another arm than the last
 * costs s more. All values are then net, e is the arm with the largest net value to the end, and
 *
 *     gain(i, B) = B W_i - s [i is not last] + (remaining - B) E[ max(W_i, max_k W_k - d) after ]
 *                  - remaining W_e + s [e is not last],     W = V - c,  d = s / (remaining - B)
 *
 * so that a test of i pays for the switch to i and for the switch from i. Costs are subtracted from the
 * largest cost, which keeps all net values above 0.
 *
 * Two approximations make it cheap: components of a weight below MIN_COMPONENT_WEIGHT are ignored,
 * and outcomes are grouped, which can only lower the rise. Three exact shortcuts follow: an arm that
 * two others beat in every component is no candidate for the best; `rise_bound` excludes most
 * blocks; e itself is evaluated only where another arm gains.
 * Cost O(n_arms n_components) at least, O(n_arms^2 n_components) at most.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/lookahead/lookahead.h"

#include <math.h>

#include "bandit/lookahead/workspace.h"

#define GAIN_TOLERANCE 1e-9 /* gains that differ by less are equal */
#define MAX_GROUPS     16   /* approximate number of groups of outcomes */

/* ---- one arm ----------------------------------------------------------------------------- */

/* Return the index of an arm among the candidates; n_top: it is none. */
static size_t candidate_index(const workspace *s, size_t arm)
{
    size_t index = 0;
    while (index < s->n_top && s->top[index] != arm)
        index++;
    return index;
}

/* The evaluated arm is compared by its mean after the block: remove it from the candidates. */
static void remove_candidate(workspace *s, size_t arm)
{
    const size_t index = candidate_index(s, arm);
    for (size_t q = 0; index < s->n_top && q < s->n_active; q++) {
        s->saved[q] = s->top_mean[q * s->stride + index];
        s->top_mean[q * s->stride + index] = 0.0;
    }
}

static void restore_candidate(workspace *s, size_t arm)
{
    const size_t index = candidate_index(s, arm);
    for (size_t q = 0; index < s->n_top && q < s->n_active; q++)
        s->top_mean[q * s->stride + index] = s->saved[q];
}

static void begin_arm(workspace *s, size_t arm)
{
    remove_candidate(s, arm);
    s->powers = 1;
    s->bonus = segue_workspace_bonus(s, arm);
    for (size_t q = 0; q < s->n_active; q++) {
        s->own[q] = s->belief->cost ? segue_belief_mean(s->belief, s->active[q], arm)
                                    : s->mean[q * s->n_arms + arm];
        s->step[q] = segue_belief_step_size(s->belief, s->active[q], arm);
        s->up[q] = s->down[q] = s->all[q] = 1.0;
        s->rival[q] = 0.0;
        for (size_t i = 0; i < s->stride; i++)
            s->rival[q] = larger(s->rival[q], s->top_mean[q * s->stride + i]);
    }
}

/* Return an upper bound of the rise after `block` pulls. It assumes that the component becomes
 * known, and uses only mean and variance of the arm's mean: E(x - r)+ <= (sqrt(var + (r - mu)^2) -
 * (r - mu)) / 2. It grows with the block. */
static double rise_bound(const workspace *s, double block)
{
    double max = -s->value[s->best];
    for (size_t q = 0; q < s->n_active; q++) {
        const double h = s->step[q], mean = s->own[q], net = mean + s->bonus;
        const double lack = s->rival[q] - net;
        const double learned = h / (h + 1.0 / block); /* share of the variance */
        const double variance = mean * (1.0 - mean) * h / (1.0 + h) * learned;
        max += s->weight[q] * (net + 0.5 * (lack + sqrt(variance + lack * lack)));
    }
    return max;
}

/* Compute the products up to `last` factors. */
static void extend(workspace *s, size_t last)
{
    const size_t n = s->n_active;
    for (size_t j = s->powers - 1; j < last; j++) {
        const double share = 1.0 / (double)(j + 1);
        double *restrict up = s->up + j * n, *restrict down = s->down + j * n;
        double *restrict all = s->all + j * n;
        for (size_t q = 0; q < n; q++) {
            const double more = (double)j * s->step[q];
            up[n + q] = up[q] * ((s->own[q] + more) * share);
            down[n + q] = down[q] * ((1.0 - s->own[q] + more) * share);
            all[n + q] = all[q] * ((1.0 + more) * share);
        }
    }
    s->powers = last + 1;
}

/* ---- the rise ---------------------------------------------------------------------------- */

/* Set the factors that turn products of a block into probabilities. */
static void set_scale(workspace *s, size_t block)
{
    for (size_t q = 0; q < s->n_active; q++) {
        s->scale[q] = s->weight[q] / s->all[block * s->n_active + q];
        s->scale_after[q] = s->scale[q] / (1.0 + (double)block * s->step[q]);
    }
}

/* Sum `probability` and `after` over the outcomes first .. last - 1 of a block. */
static void add_up(workspace *s, size_t block, size_t first, size_t last)
{
    const size_t n = s->n_active;
    const double *restrict own = s->own, *restrict step = s->step;
    double *restrict probability = s->probability, *restrict after = s->after;
    for (size_t q = 0; q < n; q++)
        probability[q] = after[q] = 0.0;
    for (size_t i = first; i < last; i++) {
        const double *restrict up = s->up + i * n, *restrict down = s->down + (block - i) * n;
        for (size_t q = 0; q < n; q++) {
            const double likely = up[q] * down[q];
            probability[q] += likely;
            after[q] += likely * (own[q] + (double)i * step[q]);
        }
    }
    for (size_t q = 0; q < n; q++) {
        probability[q] *= s->scale[q];
        after[q] *= s->scale_after[q];
    }
}

/* Return the largest value of the first candidates after the outcomes; *first becomes the value of
 * e. */
static double best_candidate(const workspace *s, size_t count, double *first)
{
    const double *restrict probability = s->probability;
    double best = 0.0;
    for (size_t from = 0; from < count; from += LANES) {
        const double *restrict mean = s->top_mean + from;
        double value[LANES] = {0.0};
        for (size_t q = 0; q < s->n_active; q++)
            for (size_t i = 0; i < LANES; i++)
                value[i] += probability[q] * mean[q * s->stride + i];
        for (size_t i = 0; i < LANES; i++)
            best = larger(best, value[i]);
        if (from == 0)
            *first = value[0];
    }
    return best;
}

/* Return the value of the evaluated arm after the outcomes. */
static double own_value(const workspace *s)
{
    double own = 0.0, likely = 0.0;
    for (size_t q = 0; q < s->n_active; q++)
        own += s->after[q];
    for (size_t q = 0; s->belief->cost && q < s->n_active; q++)
        likely += s->probability[q];
    return s->belief->cost ? own + likely * (s->bonus + s->go_on) : own;
}

static double rise(workspace *s, size_t arm, size_t block)
{
    const size_t size = (block + MAX_GROUPS) / MAX_GROUPS;
    double total = 0.0;
    extend(s, block);
    set_scale(s, block);
    for (size_t first = 0; first <= block; first += size) {
        const size_t last = first + size <= block ? first + size : block + 1;
        add_up(s, block, first, last);
        double of_best = 0.0;
        const double own = own_value(s);
        const double best = best_candidate(s, arm == s->best ? s->n_top : s->n_rivals, &of_best);
        total += larger(best, own) - (arm == s->best ? own : of_best);
    }
    return total;
}

double segue_lookahead_gain(const segue_belief *belief, size_t arm, size_t block, void *memory)
{
    workspace s;
    segue_workspace_fill(&s, belief, 0.0, memory);
    begin_arm(&s, arm);
    return rise(&s, arm, block);
}

/* ---- the choice -------------------------------------------------------------------------- */

/* Return true if the arm before has another cost, or is the last arm, or this one is. */
static bool costs_differ(const segue_belief *belief, size_t arm)
{
    return belief->cost && (belief->cost[arm] != belief->cost[arm - 1] || arm == belief->last_arm ||
                            arm - 1 == belief->last_arm);
}

/* Return the cost of the switches of a block, beyond those of e to the end. */
static double switches_of(const workspace *s, size_t arm)
{
    const segue_belief *belief = s->belief;
    if (!belief->cost || arm == s->best)
        return 0.0;
    const bool is_first = belief->last_arm >= s->n_arms;
    const double to = !is_first && arm != belief->last_arm,
                 saved = !is_first && s->best != belief->last_arm;
    return (to - saved) * belief->switch_cost;
}

/* Return true if the arm before is equal in every component and was evaluated. */
static bool equals_previous(const workspace *s, size_t arm)
{
    if (arm == 0 || !segue_belief_allows(s->belief, arm - 1) || costs_differ(s->belief, arm) ||
        segue_belief_reward_weight(s->belief, arm) !=
            segue_belief_reward_weight(s->belief, arm - 1))
        return false;
    for (size_t q = 0; q < s->n_active; q++) {
        const double *mean = s->mean + q * s->n_arms + arm;
        if (mean[0] != mean[-1] || segue_belief_step_size(s->belief, s->active[q], arm) !=
                                       segue_belief_step_size(s->belief, s->active[q], arm - 1))
            return false;
    }
    return true;
}

/* Replace `found` by the best block of an arm, if it gains more. */
static void evaluate_arm(workspace *s, size_t arm, double remaining, segue_lookahead *found)
{
    const double lack = s->value[s->best] - s->value[arm];
    const double each = segue_belief_reward_weight(s->belief, arm);
    const double there = switches_of(s, arm); /* and back, in all outcomes that do not go on: */
    const double back = s->belief->cost && arm != s->best ? s->belief->switch_cost : 0.0;
    begin_arm(s, arm);
    const double max = rise_bound(s, SEGUE_MAX_BLOCK);
    for (size_t block = 1; block <= SEGUE_MAX_BLOCK; block *= 2) {
        const double pulls = larger(1.0, (double)block / each);
        const double left = remaining - pulls, cost = pulls * lack + there;
        if (2.0 * (double)block <= each && block < SEGUE_MAX_BLOCK)
            continue; /* a pull tells more */
        if (left <= 0.0 || left * max - cost <= found->gain + GAIN_TOLERANCE)
            break; /* longer blocks gain less */
        if (left * rise_bound(s, (double)block) - cost <= found->gain + GAIN_TOLERANCE)
            continue;
        s->go_on = s->belief->cost ? s->belief->switch_cost / left : 0.0;
        const double gain = left * rise(s, arm, block) - cost - back;
        if (gain > found->gain + GAIN_TOLERANCE)
            *found = (segue_lookahead){.arm = arm, .gain = gain, .block = (size_t)ceil(pulls)};
    }
    restore_candidate(s, arm);
}

/* Return true if pulls of e itself, which cost nothing, gain as much as `found`. Without a better
 * arm e is pulled anyway. */
static bool waits(workspace *s, double remaining, const segue_lookahead *found)
{
    segue_lookahead own = {.arm = found->arm,
                           .gain =
                               found->gain - (s->best < found->arm ? 2.0 * GAIN_TOLERANCE : 0.0)};
    evaluate_arm(s, s->best, remaining, &own);
    return own.arm == s->best;
}

segue_lookahead segue_lookahead_choose(const segue_belief *belief, uint64_t remaining, void *memory)
{
    workspace s;
    segue_workspace_fill(&s, belief, (double)remaining, memory);
    segue_lookahead found = {.arm = s.best};
    for (size_t arm = 0; arm < s.n_arms; arm++)
        if (arm != s.best && segue_belief_allows(belief, arm) && !equals_previous(&s, arm))
            evaluate_arm(&s, arm, (double)remaining, &found);
    if (found.arm != s.best && !waits(&s, (double)remaining, &found))
        return found;
    return (segue_lookahead){.arm = s.best, .exploits = true};
}

bool segue_lookahead_separated_pair(const segue_belief *belief, size_t arm, size_t pair[2])
{
    double max = 0.0;
    for (size_t q = 0; q < belief->prior.n_components; q++)
        for (size_t r = 0; r < q; r++) {
            const double apart =
                segue_belief_mean(belief, q, arm) - segue_belief_mean(belief, r, arm);
            const double separation = belief->weight[q] * belief->weight[r] * apart * apart;
            if (separation > max) {
                max = separation;
                pair[0] = r;
                pair[1] = q;
            }
        }
    return max > 0.0;
}
