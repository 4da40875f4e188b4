/* belief.h - what is believed of a task: which component it came from, and each arm's mean.
 *
 * A component is a product of Betas, one an arm, or a point: means that are known.  The counts of
 * the task make a posterior of each, so that a belief owns nothing but the components' weights.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_BELIEF_H
#define SEGUE_BANDIT_BELIEF_H

#include "core/random/ziggurat.h"
#include "segue/policy.h"

#define SEGUE_MAX_COMPONENTS 17 /* of a prior that a task is taught: 16 types, and none of them */

/* What a task believes before its first reward.  The arrays are borrowed. */
struct segue_prior {
    size_t n_components, n_arms;
    const double *weight; /* n_components, >= 0, sum 1 */
    const double *a;      /* n_components x n_arms: Beta(a, b); of points the means */
    const double *b;      /* the same; NULL: the components are points.  a, b > 0, a + b >= 1e-6 */
};

/* What a draw has found out that spares the next ones work: under a component, the others are above
 * `bar` with chances whose sum is at most `chance`; true until one of the others has a reward. */
typedef struct segue_leader_cache {
    bool holds;
    size_t component, arm;
    double bar, probability;
} segue_leader_cache;

/* What it believes now.  The arrays are borrowed. */
typedef struct segue_belief {
    segue_prior prior;
    const double *weight;  /* n_components: how likely each is, sum 1; all 0: none is possible */
    const uint64_t *pulls; /* n_arms: the rewards so far */
    const double *sum;     /* n_arms: their sum */
    const bool *allowed;   /* n_arms: the arms that may be pulled; NULL: all */
    segue_leader_cache *leader; /* of the draws so far; NULL, as the room: no draw will be made */
    double *scratch;            /* 2 n_arms: scratch of a draw */
} segue_belief;

/* One flat component; `ones` are n_arms times 1. */
segue_prior segue_belief_flat_prior(size_t n_arms, const double *ones);

/* The models as points. */
segue_prior segue_belief_point_prior(const segue_models *models);

/* The expected reward of an arm under a component. */
double segue_belief_mean(const segue_belief *belief, size_t component, size_t arm);

/* 1 / (a + b): how far, as a share of what is left to 0 or 1, a reward moves that mean; 0 for a
 * point.  After s rewards of 1 in t pulls the mean is (mean + s step) / (1 + t step). */
double segue_belief_step_size(const segue_belief *belief, size_t component, size_t arm);

/* Whether an arm may be pulled. */
static inline bool segue_belief_allows(const segue_belief *belief, size_t arm)
{
    return !belief->allowed || belief->allowed[arm];
}

/* Whether any component can have given the rewards. */
bool segue_belief_is_possible(const segue_belief *belief);

/* Weigh the components again, in `weight`, by a reward in [0, 1] that the counts have already. */
void segue_belief_update(const segue_belief *belief, size_t arm, double reward, double *weight);

/* A draw of a component, of one that is possible; of a single component no number is drawn.  Both
 * forms of Thompson sampling ask here: what is to be said about which is drawn is said there. */
size_t segue_belief_draw_component(const segue_belief *belief, segue_rng *rng);

/* A draw of a component, then of its means: the allowed arm that is best under them.  Means that
 * have no chance are not drawn, but for a belief of one component, which draws no component and all
 * means, as `ts` does, and where not all arms are allowed.  With the numbers of `fast` if it is
 * given: the same law.  Needs a component that is possible. */
size_t segue_belief_thompson(const segue_belief *belief, const ziggurat *fast, segue_rng *rng);

#endif
