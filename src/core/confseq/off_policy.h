/* off_policy.h - what another policy would have earned, from the steps of the one that played.
 *
 * At each step the caller pulled an arm with a probability q, and the candidate gave the same arm
 * a probability p.  Rewards are in [0, 1].  With the weight w = p / q, the mean of w times reward is
 * what the candidate expects at that step, given the same past.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_OFF_POLICY_H
#define SEGUE_CORE_OFF_POLICY_H

#include <stdint.h>

#include "confseq.h"

/** Larger weights are cut to this, which keeps the interval valid. */
#define SEGUE_OFF_POLICY_MAX_WEIGHT 1000.0

/** One bound: numbers that are at least -1, and their distances from a guess. */
typedef struct segue_off_policy_side {
    double sum, squares;
    double guess; /* of the next number, from earlier blocks; -1 to 0 */
} segue_off_policy_side;

/** All zeros: no step yet. */
typedef struct segue_off_policy {
    uint64_t steps, cut; /* all; with a weight that was cut */
    segue_off_policy_side gain, loss;
} segue_off_policy;

/** Add a step: the candidate's probability p >= 0 of the caller's arm, and the caller's own, q.
 * q = 1 stands for "not known": both bounds stay valid, since they then only become wider. */
void segue_off_policy_add(segue_off_policy *o, double p, double q, double reward);

/** End a block of steps.  The order of the steps of a block does not matter. */
void segue_off_policy_end_block(segue_off_policy *o);

/**
 * The confidence sequence for the mean over the steps of the candidate's expected reward minus the
 * caller's, each given the past of the step.  It may be read after every block.  It holds for any
 * number of steps: no asymptotics.  It holds also if the caller never pulls some arms.
 *
 * @retval false  there is no step
 */
bool segue_off_policy_interval(const segue_off_policy *o, segue_confseq *out);

#endif
