/* belief.h - the belief of a task: a posterior over components, and over each arm's mean.
 *
 * A component is a product of Betas, one per arm, or a point: known means. The counts of the task
 * give the posterior of each component, so that a belief owns only the components' weights.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_BELIEF_H
#define SEGUE_BANDIT_BELIEF_H

#include "core/random/ziggurat.h"
#include "segue/policy.h"

#define SEGUE_MAX_COMPONENTS 49 /* of a learner's prior: no type, 40 types, 8 best arms */

/* The prior of a task. The arrays are borrowed. */
struct segue_prior {
    size_t n_components, n_arms;
    const double *weight; /* n_components, >= 0, sum 1 */
    const double *a;      /* n_components x n_arms: Beta(a, b); of points the means */
    const double *b;      /* NULL: the components are points; else a, b > 0, a + b >= 1e-6 */
    double draws;         /* look-ahead makes a Thompson step with probability draws / (t + 1) */
    const double *tests; /* n_components: rate of test pulls under each (test_pull.h); NULL: none */
    const double *gain;  /* n_components x n_arms: of a test pull, in later tasks; with `tests` */
    bool sharpens;       /* Thompson sampling draws from sharpened posteriors */
};

/* The result of a draw that saves work in the next ones: under a component the arms other than
 * `arm` exceed `bar` with probabilities that sum to at most `probability`. It holds until one of
 * them gets a reward. */
typedef struct segue_leader_cache {
    bool holds;
    size_t component, arm;
    double sharpness, bar, probability;
} segue_leader_cache;

/* The current belief. The arrays are borrowed. */
typedef struct segue_belief {
    segue_prior prior;
    const double *weight;  /* n_components: posterior, sum 1; all 0: no component is possible */
    const uint64_t *pulls; /* n_arms: number of rewards */
    const double *sum;     /* n_arms: sum of rewards */
    const double
        *reward_weight; /* n_arms: rewards of 0 or 1 that a reward counts as, of Betas; NULL: one */
    const double *pending; /* n_arms: rewards that are expected. They count in the step size, as if
                              the mean of each component came, and not in draws; NULL: none */
    const bool *allowed;   /* n_arms: allowed arms; NULL: all */
    const double *cost;    /* n_arms: of a pull; NULL: pulls and switches cost nothing */
    double
        switch_cost; /* of a pull of another arm than last_arm, which is n_arms if there is none */
    double switch_price; /* what that costs each pull, in draws */
    size_t last_arm;
    double sharpness; /* draws are from Beta(sharpness a, sharpness b); 1: from the posterior */
    double power;     /* components are drawn by their weights to this power; 0: 1 */
    segue_leader_cache
        *leader;     /* of the draws so far; NULL, with `scratch`: no draw will be made */
    double *scratch; /* 2 n_arms: for a draw */
} segue_belief;

/* Return a prior of one flat component; `ones` are n_arms times 1. */
segue_prior segue_belief_flat_prior(size_t n_arms, const double *ones);

/* Return a prior of one point per model. */
segue_prior segue_belief_point_prior(const segue_models *models);

/* Return the expected reward of an arm under a component. */
double segue_belief_mean(const segue_belief *belief, size_t component, size_t arm);

/* Return 1 / (a + b), the step by which a reward moves that mean towards 0 or 1; 0 for a point.
 * After s rewards of 1 in t pulls the mean is (mean + s step) / (1 + t step). */
double segue_belief_step_size(const segue_belief *belief, size_t component, size_t arm);

/* Return true if an arm is allowed. */
static inline bool segue_belief_allows(const segue_belief *belief, size_t arm)
{
    return !belief->allowed || belief->allowed[arm];
}

/* Return the cost of a pull in a draw. */
static inline double segue_belief_cost(const segue_belief *belief, size_t arm)
{
    if (!belief->cost)
        return 0.0;
    return belief->cost[arm] + (arm == belief->last_arm ? 0.0 : belief->switch_price);
}

/* Return true if some component has a positive weight. */
bool segue_belief_is_possible(const segue_belief *belief);

/* Return how many rewards of 0 or 1 a reward of an arm counts as. */
static inline double segue_belief_reward_weight(const segue_belief *belief, size_t arm)
{
    return belief->reward_weight ? belief->reward_weight[arm] : 1.0;
}

/* Update `weight` by a reward in [0, 1] that the counts include already. */
void segue_belief_update(const segue_belief *belief, size_t arm, double reward, double *weight);

/* The update with weights of rewards, which change with each: `counted` (n_arms) has the weights at
 * the update before, and `log_weight` the logarithms of the components' weights, up to a constant. A
 * first update has counted[0] = 0. Betas only. */
void segue_belief_update_weighted(const segue_belief *belief, size_t arm, double reward,
                                  double *counted, double *log_weight, double *weight);

/* Draw a possible component; a single one takes no random number. Both forms of Thompson sampling
 * call this. */
size_t segue_belief_draw_component(const segue_belief *belief, segue_rng *rng);

/* Thompson sampling: draw a component, then its means; returns the best allowed arm, by its mean
 * minus its cost. Means that
 * cannot win are not drawn, except for one component without `fast` (as `ts` does) and where not
 * all arms are allowed or pulls cost something. `fast` gives the same distribution from other
 * numbers. Needs a possible component. */
size_t segue_belief_thompson(const segue_belief *belief, const ziggurat *fast, segue_rng *rng);

#endif
