/* belief_policy.c - a task played by a belief: Thompson sampling or look-ahead.
 *
 * Look-ahead makes a Thompson step with probability d / (t + 1), t the steps so far: about d log n
 * of them per task explore what a look ahead of one block does not, and give a learner rewards of
 * all arms. d is the prior's: 1 where nothing is learned. A prior of points needs no such steps.
 * Test pulls are for later tasks (test_pull.c). Where look-ahead would exploit, retest.c may test another arm again. Late in a task, where the
 * choice rarely changes, an arm that look-ahead exploits is held for t / 32 pulls. The state is one
 * block of the task's memory: belief_state, the weights, scratch.
 *
 * Thompson sampling explores as if a task had no end. Sharpened draws, from Beta(c a, c b) instead of
 * Beta(a, b), explore less: c rises from 2.5 to 5 over a task of known length, and is 1.5 else. Types
 * are drawn by their weights to the power 1.15 in tasks of up to 300 steps, and less in longer ones,
 * where a task that holds to a wrong type is expensive. Whether a task draws so is part of its prior.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/belief_policy.h"

#include <math.h>
#include <string.h>

#include "bandit/lookahead/lookahead.h"
#include "bandit/lookahead/retest.h"
#include "bandit/lookahead/test_pull.h"

#define HOLD_SHARE 32 /* hold an exploited arm for steps / HOLD_SHARE pulls */

#define SHARPNESS            2.5 /* of a task's first draws ... */
#define SHARPNESS_RISE       2.5 /* ... rising by this to its end ... */
#define SHARPNESS_STAGES     16  /* ... in stages, in which a leader cache holds */
#define SHARPNESS_NO_HORIZON 1.5
#define MORE_POWER           0.15  /* of the weights of types, above 1, ... */
#define SHORT_TASK           300.0 /* ... in tasks of up to this number of steps */

typedef struct belief_state {
    segue_prior prior;
    const bool *usual;         /* the arms that the task may pull; NULL: all */
    segue_leader_cache leader; /* of Thompson sampling */
    size_t held_arm;           /* choice of look-ahead */
    uint64_t hold_steps;       /* remaining pulls that repeat it */
    double
        weight[]; /* n_components; then log_weight, counted, the scratch of draws and look-ahead */
} belief_state;

size_t segue_belief_policy_ones_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return setting->n_arms * sizeof(double);
}

void segue_belief_policy_ones(const segue_setting *setting, const double *option, void *precomputed)
{
    (void)option;
    double *ones = precomputed;
    for (size_t arm = 0; arm < setting->n_arms; arm++)
        ones[arm] = 1.0;
}

size_t segue_belief_policy_state_size(size_t n_components, size_t n_arms, bool looks_ahead)
{
    return sizeof(belief_state) + (2 * n_components + 3 * n_arms) * sizeof(double) +
           (looks_ahead ? segue_lookahead_scratch_size(n_components, n_arms) : 0);
}

/* The arrays of segue_belief_update_weighted: n_components and n_arms. */
static double *log_weight_of(belief_state *p)
{
    return p->weight + p->prior.n_components;
}

static double *counted_of(belief_state *p)
{
    return log_weight_of(p) + p->prior.n_components;
}

void segue_belief_policy_begin(const segue_task_view *view, segue_prior prior)
{
    belief_state *p = view->state;
    p->prior = prior;
    p->usual = view->allowed;
    p->hold_steps = 0;
    p->leader.holds = false;
    counted_of(p)[0] = 0.0;
    memcpy(p->weight, prior.weight, prior.n_components * sizeof *prior.weight);
}

void segue_belief_policy_rebind(const segue_task_view *view, segue_prior prior)
{
    belief_state *p = view->state;
    p->prior = prior;
    p->usual = p->usual ? view->allowed : NULL;
}

segue_belief segue_belief_policy_belief(const segue_task_view *view)
{
    belief_state *p = view->state;
    return (segue_belief){.prior = p->prior,
                          .weight = p->weight,
                          .pulls = view->pulls,
                          .sum = view->sum,
                          .reward_weight = p->prior.b ? view->reward_weight : NULL,
                          .pending = view->pending,
                          .allowed = view->allowed,
                          .cost = view->cost,
                          .switch_cost = view->switch_cost,
                          .switch_price = view->cost ? segue_choose_switch_price(view) : 0.0,
                          .last_arm = view->last_arm,
                          .sharpness = 1.0,
                          .leader = &p->leader,
                          .scratch = counted_of(p) + p->prior.n_arms};
}

void segue_belief_policy_update(const segue_task_view *view, size_t arm, double reward)
{
    belief_state *p = view->state;
    const segue_belief belief = segue_belief_policy_belief(view);
    p->leader.holds &= arm == p->leader.arm && !belief.reward_weight;
    if (p->prior.n_components == 1 && p->prior.b)
        return;
    if (belief.reward_weight)
        segue_belief_update_weighted(&belief, arm, reward, counted_of(p), log_weight_of(p),
                                     p->weight);
    else
        segue_belief_update(&belief, arm, reward, p->weight);
}

static segue_choice draw(const segue_task_view *view, const segue_belief *belief, segue_rng *rng)
{
    if (segue_belief_is_possible(belief))
        return by_rule(segue_belief_thompson(belief, NULL, rng));
    return (segue_choice){.arm = segue_ts_arm(view, rng), .reason = SEGUE_NO_MODEL_LEFT};
}

segue_choice segue_belief_policy_thompson(const segue_task_view *view, segue_rng *rng)
{
    const segue_belief belief = segue_belief_policy_belief(view);
    return draw(view, &belief, rng);
}

double segue_belief_policy_sharpness(const segue_task_view *view, uint64_t step)
{
    if (!((const belief_state *)view->state)->prior.sharpens)
        return 1.0;
    if (view->horizon == 0 || view->horizon == SEGUE_MAX_HORIZON) /* of a learner without one */
        return SHARPNESS_NO_HORIZON;
    const uint64_t last = view->horizon - 1;
    const uint64_t stage = SHARPNESS_STAGES * (step < last ? step : last) / view->horizon;
    return SHARPNESS + SHARPNESS_RISE * (double)stage / SHARPNESS_STAGES;
}

double segue_belief_policy_power(const segue_task_view *view)
{
    if (!((const belief_state *)view->state)->prior.sharpens || view->horizon == 0)
        return 1.0;
    return 1.0 + MORE_POWER * fmin(1.0, SHORT_TASK / (double)view->horizon);
}

segue_choice segue_belief_policy_sharpened(const segue_task_view *view, segue_rng *rng)
{
    segue_belief belief = segue_belief_policy_belief(view);
    belief.sharpness = segue_belief_policy_sharpness(view, view->step);
    belief.power = segue_belief_policy_power(view);
    return draw(view, &belief, rng);
}

static uint64_t remaining(const segue_task_view *view)
{
    return view->horizon > view->step ? view->horizon - view->step : 1;
}

segue_lookahead segue_belief_policy_next(const segue_task_view *view, const segue_belief *belief,
                                         void *memory)
{
    const uint64_t left = remaining(view);
    segue_lookahead next = segue_lookahead_choose(belief, left, memory);
    if (next.exploits) {
        const size_t best = next.arm;
        next.arm = segue_retest_choose(belief, best, view->step, left);
        next.exploits = next.arm == best;
    }
    return next;
}

/* Choose by look-ahead. Hold an arm that it exploits, unless an ask restricts the arms. */
static size_t decide(const segue_task_view *view, const segue_belief *belief)
{
    belief_state *p = view->state;
    const segue_lookahead ahead =
        segue_belief_policy_next(view, belief, belief->scratch + 2 * view->n_arms);
    if (view->allowed != p->usual)
        return ahead.arm;
    p->held_arm = ahead.arm;
    p->hold_steps = ahead.exploits ? view->step / HOLD_SHARE : 0;
    return ahead.arm;
}

segue_choice segue_belief_policy_deterministic(const segue_task_view *view, segue_rng *rng)
{
    (void)rng;
    belief_state *p = view->state;
    const segue_belief belief = segue_belief_policy_belief(view);
    if (p->hold_steps == 0 || view->allowed != p->usual)
        return by_rule(decide(view, &belief));
    p->hold_steps--;
    return by_rule(p->held_arm);
}

/* Steps at rate r are made at step t with probability r / (t + 1). */
static double draw_rate(const belief_state *p)
{
    return p->prior.b ? p->prior.draws : 0.0;
}

double segue_belief_policy_draw_share(const segue_task_view *view)
{
    const segue_belief belief = segue_belief_policy_belief(view);
    if (!segue_belief_is_possible(&belief))
        return 1.0;
    const double rate = draw_rate(view->state) + segue_test_pull_rate(&belief);
    return fmin(1.0, rate / ((double)view->step + 1.0));
}

/* Make a test pull, given u below its rate; without an arm to test, choose by look-ahead. */
static segue_choice test(const segue_task_view *view, const segue_belief *belief, double u,
                         segue_rng *rng)
{
    const size_t arm = segue_test_pull_choose(belief, u);
    return arm < view->n_arms ? by_rule(arm) : segue_belief_policy_deterministic(view, rng);
}

/* Make a Thompson step or a test pull, given u below the sum of their rates. */
static segue_choice explore(const segue_task_view *view, const segue_belief *belief, double u,
                            segue_rng *rng)
{
    const double draws = draw_rate(view->state);
    if (u < draws || !segue_belief_is_possible(belief))
        return draw(view, belief, rng);
    return test(view, belief, u - draws, rng);
}

segue_choice segue_belief_policy_explore(const segue_task_view *view, segue_rng *rng)
{
    const segue_belief belief = segue_belief_policy_belief(view);
    const double tests = segue_test_pull_rate(&belief), rate = draw_rate(view->state) + tests;
    return explore(view, &belief, tests > 0.0 ? rate * segue_rng_uniform(rng) : 0.0, rng);
}

segue_choice segue_belief_policy_lookahead(const segue_task_view *view, segue_rng *rng)
{
    const segue_belief belief = segue_belief_policy_belief(view);
    if (!segue_belief_is_possible(&belief))
        return draw(view, &belief, rng);
    if (!belief.prior.b)
        return segue_belief_policy_deterministic(view, rng);
    const double rate = draw_rate(view->state) + segue_test_pull_rate(&belief);
    const double u = segue_rng_uniform(rng) * fmax(rate, (double)view->step + 1.0);
    return u < rate ? explore(view, &belief, u, rng) : segue_belief_policy_deterministic(view, rng);
}

const segue_split segue_belief_policy_split = {.share = segue_belief_policy_draw_share,
                                               .drawn = segue_belief_policy_explore,
                                               .deterministic = segue_belief_policy_deterministic};
