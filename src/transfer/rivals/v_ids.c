/* v_ids.c - information-directed sampling, in its variance form, over learned types.
 *
 * Russo and Van Roy, "Learning to optimize via information-directed sampling" (2018), algorithms 4
 * and 6. Of SAMPLES draws of all means from the task's posterior, let a* be the best arm of a draw.
 * The expected regret of an arm is the average of the best means minus that of the arm; its
 * information is the variance, over a*, of its average given a*. The choice is random between the
 * two arms that minimise regret^2 / information. The paper has 10,000 draws; 100 take some
 * microseconds per arm. The types are those of tts and tla. Without types, in the first tasks, it
 * is Thompson sampling.
 * Cost O(SAMPLES n_arms + n_arms^2) per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "transfer/rivals/v_ids.h"

#include <math.h>
#include <string.h>

#include "bandit/belief_policy.h"
#include "bandit/policies/prior_policies.h"
#include "transfer/types_learner.h"

enum { SAMPLES = 100 };

/* ---- two arms ---------------------------------------------------------------------------- */

/* The regret and information of two arms. */
typedef struct arm_pair {
    double regret, information, other_regret, other_information;
} arm_pair;

static double ratio_at(const arm_pair *p, double share)
{
    const double regret = share * p->regret + (1.0 - share) * p->other_regret;
    const double information = share * p->information + (1.0 - share) * p->other_information;
    if (regret <= 0.0)
        return 0.0;
    return information > 0.0 ? regret * regret / information : INFINITY;
}

/* Return the share of the first arm with the smallest ratio: 0, 1, or where the slope is 0. */
static double best_share(const arm_pair *p)
{
    const double regret = p->regret - p->other_regret;
    const double information = p->information - p->other_information;
    const double inside = (information * p->other_regret - 2.0 * regret * p->other_information) /
                          (regret * information);
    double best = ratio_at(p, 1.0) < ratio_at(p, 0.0) ? 1.0 : 0.0;
    if (inside > 0.0 && inside < 1.0 && ratio_at(p, inside) < ratio_at(p, best)) /* not NaN */
        best = inside;
    return best;
}

static bool is_in(const bool *allowed, size_t arm)
{
    return !allowed || allowed[arm];
}

segue_v_ids_pair segue_v_ids_choose(const double *regret, const double *information,
                                    const bool *allowed, size_t n_arms)
{
    segue_v_ids_pair best = {.first = n_arms};
    double value = INFINITY;
    for (size_t i = 0; i < n_arms; i++)
        for (size_t j = i; j < n_arms; j++) {
            if (!is_in(allowed, i) || !is_in(allowed, j))
                continue;
            const arm_pair p = {regret[i], information[i], regret[j], information[j]};
            const double share = best_share(&p), ratio = ratio_at(&p, share);
            if (best.first == n_arms || ratio < value) {
                value = ratio;
                best = (segue_v_ids_pair){.first = i, .second = j, .share = share};
            }
        }
    return best;
}

/* ---- regret and information -------------------------------------------------------------- */

/* Scratch of a step, after the belief's state. A slot is one best arm that was drawn. */
typedef struct tally {
    double *mean;        /* n_arms: one draw; then the expected regret */
    double *average;     /* n_arms */
    double *information; /* n_arms */
    double *slot_of_arm; /* n_arms: index + 1; 0: none */
    double *count;       /* slots: draws */
    double *sum;         /* slots x n_arms: sums of these draws */
    size_t n_slots;
    double best; /* sum of the best means */
} tally;

static size_t max_slots(size_t n_arms)
{
    return n_arms < SAMPLES ? n_arms : SAMPLES;
}

static size_t belief_size(size_t n_arms)
{
    return segue_belief_policy_state_size(SEGUE_MAX_COMPONENTS, n_arms, false);
}

static size_t state_size(const segue_setting *setting, const double *option)
{
    const size_t n_arms = setting->n_arms, slots = max_slots(n_arms);
    (void)option;
    return belief_size(n_arms) + (4 * n_arms + slots * (1 + n_arms)) * sizeof(double);
}

static tally tally_of(const segue_task_view *view)
{
    const size_t n_arms = view->n_arms, slots = max_slots(n_arms);
    double *memory = (double *)(void *)((char *)view->state + belief_size(n_arms));
    memset(memory, 0, (4 * n_arms + slots * (1 + n_arms)) * sizeof *memory);
    return (tally){.mean = memory,
                   .average = memory + n_arms,
                   .information = memory + 2 * n_arms,
                   .slot_of_arm = memory + 3 * n_arms,
                   .count = memory + 4 * n_arms,
                   .sum = memory + 4 * n_arms + slots};
}

/* Draw all means; returns the best allowed arm. */
static size_t draw_means(const segue_belief *belief, double *mean, segue_rng *rng)
{
    const size_t n_arms = belief->prior.n_arms;
    const size_t row = segue_belief_draw_component(belief, rng) * n_arms;
    size_t best = n_arms;
    for (size_t i = 0; i < n_arms; i++) {
        const double won = belief->sum[i], lost = fmax(0.0, (double)belief->pulls[i] - won);
        mean[i] =
            segue_rng_beta(rng, belief->prior.a[row + i] + won, belief->prior.b[row + i] + lost);
        if (segue_belief_allows(belief, i) && (best == n_arms || mean[i] > mean[best]))
            best = i;
    }
    return best;
}

/* Add one draw, whose best arm is `best`. */
static void add_draw(tally *t, size_t n_arms, size_t best)
{
    if (t->slot_of_arm[best] < 1.0)
        t->slot_of_arm[best] = (double)++t->n_slots;
    const size_t slot = (size_t)t->slot_of_arm[best] - 1;
    t->count[slot] += 1.0;
    t->best += t->mean[best];
    for (size_t i = 0; i < n_arms; i++) {
        t->average[i] += t->mean[i];
        t->sum[slot * n_arms + i] += t->mean[i];
    }
}

/* Turn sums into expected regret, in `mean`, and information. */
static void conclude(tally *t, size_t n_arms)
{
    for (size_t i = 0; i < n_arms; i++) {
        const double average = t->average[i] / SAMPLES;
        t->mean[i] = fmax(0.0, t->best / SAMPLES - average);
        for (size_t s = 0; s < t->n_slots; s++) {
            const double shift = t->sum[s * n_arms + i] / t->count[s] - average;
            t->information[i] += t->count[s] / SAMPLES * shift * shift;
        }
    }
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    if (!view->prior)
        return segue_belief_policy_thompson(view, rng);
    const segue_belief belief = segue_belief_policy_belief(view);
    tally t = tally_of(view);
    for (size_t m = 0; m < SAMPLES; m++)
        add_draw(&t, view->n_arms, draw_means(&belief, t.mean, rng));
    conclude(&t, view->n_arms);
    const segue_v_ids_pair pair =
        segue_v_ids_choose(t.mean, t.information, view->allowed, view->n_arms);
    return by_rule(segue_rng_uniform(rng) < pair.share ? pair.first : pair.second);
}

static void begin(const segue_task_view *view)
{
    segue_policy_tts.begin(view);
}

static void rebind(const segue_task_view *view)
{
    segue_policy_tts.rebind(view);
}

static const segue_policy policy = {
    .name = "v-ids",
    .summary = "information-directed sampling by the prior of a learner",
    .precomputed_size = segue_belief_policy_ones_size,
    .precompute = segue_belief_policy_ones,
    .state_size = state_size,
    .begin = begin,
    .choose = choose,
    .update = segue_belief_policy_update,
    .rebind = rebind,
};

const learner_method segue_learner_v_ids = {
    .info = {.name = "v-ids",
             .summary = "information-directed sampling over learned types; needs no n",
             .options = segue_types_learner_options,
             .n_options = TYPES_N_OPTIONS,
             .has_types = true,
             .has_posterior = true},
    .policy = &policy,
    TYPES_LEARNER_OPERATIONS,
};
