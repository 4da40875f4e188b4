/* test_pull.h - pulls whose rewards are for later tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_LOOKAHEAD_TEST_PULL_H
#define SEGUE_BANDIT_LOOKAHEAD_TEST_PULL_H

#include "bandit/belief.h"

#define SEGUE_TEST_PULL_COST 3.0 /* a test is as expensive as this number of pulls */

/* Return the rate r of test pulls: one is made at step t with probability r / (t + 1). */
double segue_test_pull_rate(const segue_belief *belief);

/* Return the arm to test, given u in [0, rate); n_arms if none gains more than it costs. */
size_t segue_test_pull_choose(const segue_belief *belief, double u);

#endif
