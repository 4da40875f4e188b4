/* lookahead.h - which pull is worth most for the rest of a task.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_LOOKAHEAD_H
#define SEGUE_BANDIT_LOOKAHEAD_H

#include "bandit/belief.h"

#define SEGUE_MAX_BLOCK 32 /* blocks are 1, 2, 4, ... pulls */

typedef struct segue_lookahead {
    size_t arm;
    bool exploits; /* it is the arm with the largest mean now */
    double gain;   /* what it is expected to bring over the largest mean now, to the task's end */
    size_t block;  /* the pulls that it takes to bring it; both are 0 where it exploits */
} segue_lookahead;

/* Bytes of memory that the functions below work in. */
size_t segue_lookahead_scratch_size(size_t n_components, size_t n_arms);

/* The allowed arm to pull with `remaining` pulls left, this one included.  Needs a component that
 * is possible.  `memory`, aligned for doubles, holds nothing from call to call. */
segue_lookahead segue_lookahead_choose(const segue_belief *belief, uint64_t remaining,
                                       void *memory);

/* By how much `block` pulls of an arm, at most SEGUE_MAX_BLOCK, are expected to raise the
 * largest mean; outcomes of 16 pulls are told apart in pairs, of 32 in threes. */
double segue_lookahead_gain(const segue_belief *belief, size_t arm, size_t block, void *memory);

/* The two components that a pull of the arm tells apart most; false where none differ.  A pull
 * that does not exploit is made for them. */
bool segue_lookahead_separated_pair(const segue_belief *belief, size_t arm, size_t pair[2]);

#endif
