/* reward_weights.h - how many rewards of 0 or 1 a reward of each arm counts as.
 *
 * A task estimates the dispersion of its rewards as they come.  It starts from what a learner expects
 * of each arm, or from 1.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_REWARD_WEIGHTS_H
#define SEGUE_BANDIT_REWARD_WEIGHTS_H

#include "dispersion.h"
#include "segue/policy.h"

/** The rewards of a task: n_arms numbers, sums, and sums of x (1 - x). */
typedef struct segue_reward_totals {
    const uint64_t *pulls;
    const double *sum, *graded;
} segue_reward_totals;

/** The weights of a task. */
typedef struct segue_reward_weights {
    size_t n_arms;
    double *weight;                     /* n_arms: 1 / dispersion, at least 1 */
    double *expected;                   /* n_arms: dispersion */
    double expected_all, expected_unit; /* see segue_expected_dispersion */
    bool expects;                       /* there is an expectation; else it is 1 */
    segue_dispersion cells;             /* of this task, capped */
    double expected_within;             /* cells.within if the expectation is right */
    double pulls, sum, graded;          /* of all arms together */
    double level; /* that the weights have: factor of all expected dispersions */
    double unit;  /* that the weights have: p (1 - p) of an average reward */
    bool started; /* a reward or an expectation is graded; before that all weights are 1 */
    bool given;   /* the weights are not estimated */
} segue_reward_weights;

/** The option `dispersion` of policies and learners: estimated, or 1. */
enum { SEGUE_DISPERSION_AUTO, SEGUE_DISPERSION_ONE };
#define SEGUE_DISPERSION_OPTION                                                                    \
    {                                                                                              \
        .key = "dispersion", .choices = "auto|1",                                                  \
        .help = "of graded rewards: estimated, or 1 (default auto)"                                \
    }
extern const segue_option segue_reward_weights_option[1];
void segue_reward_weights_fill_defaults(const segue_setting *setting, double *option);

/** Nothing is expected yet; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_reward_weights_init(segue_reward_weights *w, size_t n_arms,
                                                        segue_error *err);
void segue_reward_weights_fini(segue_reward_weights *w);

/** Copy all but the memory; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_reward_weights_copy(segue_reward_weights *to,
                                                        const segue_reward_weights *from,
                                                        segue_error *err);

/** Set what is expected of the tasks that begin from now on; NULL: nothing. */
void segue_reward_weights_expect(segue_reward_weights *w,
                                 const segue_expected_dispersion *expected);

/** Begin a task without rewards. */
void segue_reward_weights_begin(segue_reward_weights *w);

/** Set the weights of a task to n_arms given ones. */
void segue_reward_weights_give(segue_reward_weights *w, const double *weight);

/** Update the weights by a reward in [0, 1], which the totals include already. */
void segue_reward_weights_update(segue_reward_weights *w, size_t arm, double reward,
                                 segue_reward_totals totals);

/** Return the weights, or NULL: all are 1. */
static inline const double *segue_reward_weights_all(const segue_reward_weights *w)
{
    return w->started ? w->weight : NULL;
}

/** Return the weight of an arm for a learner, which takes less account of the task's own rewards. */
double segue_reward_weights_learned(const segue_reward_weights *w, size_t arm,
                                    segue_reward_totals totals);

#endif
