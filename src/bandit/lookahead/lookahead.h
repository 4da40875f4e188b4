/* lookahead.h - the pull with the largest expected gain for the rest of a task.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_LOOKAHEAD_LOOKAHEAD_H
#define SEGUE_BANDIT_LOOKAHEAD_LOOKAHEAD_H

#include "bandit/belief.h"

#define SEGUE_MAX_BLOCK 32 /* blocks are 1, 2, 4, ... pulls */

typedef struct segue_lookahead {
    size_t arm;
    bool exploits; /* it has the largest mean now */
    double gain;   /* expected gain over the largest mean now, to the end of the task */
    size_t block;  /* pulls that the gain needs; gain and block are 0 where it exploits */
} segue_lookahead;

/* Return the bytes of scratch memory for the functions below. */
size_t segue_lookahead_scratch_size(size_t n_components, size_t n_arms);

/* Choose the allowed arm to pull with `remaining` pulls left, this one included. Needs a possible
 * component. `memory` is scratch, aligned for doubles. */
segue_lookahead segue_lookahead_choose(const segue_belief *belief, uint64_t remaining,
                                       void *memory);

/* Return the expected rise of the largest mean by `block` <= SEGUE_MAX_BLOCK pulls of an arm.
 * Outcomes of 16 pulls are grouped in pairs, of 32 in threes. */
double segue_lookahead_gain(const segue_belief *belief, size_t arm, size_t block, void *memory);

/* Find the two components that a pull of the arm separates most; false if none differ. A pull that
 * does not exploit is made for them. */
bool segue_lookahead_separated_pair(const segue_belief *belief, size_t arm, size_t pair[2]);

#endif
