/* retest.h - the arm that look-ahead may have given up too early.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_LOOKAHEAD_RETEST_H
#define SEGUE_BANDIT_LOOKAHEAD_RETEST_H

#include "bandit/belief.h"

/* Return the allowed arm that deserves one more pull although look-ahead would exploit `best`, or
 * `best`. `step` pulls are made and `remaining` are left. */
size_t segue_retest_choose(const segue_belief *belief, size_t best, uint64_t step,
                           uint64_t remaining);

/* Return E(x - bar)+ of a Beta(a, b) number x. */
double segue_retest_excess(double bar, double a, double b);

#endif
