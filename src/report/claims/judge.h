/* judge.h - verdicts as functions of numbers alone.
 *
 * The checks (claims_checks.h) take the numbers from the results; these functions turn them into a
 * verdict and state every tolerance.  A number that is NaN gives "not decided".
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_JUDGE_H
#define SEGUE_REPORT_JUDGE_H

#include "report/claims/compare.h"

/** All comparisons should be 1: holds if they are, in part if some are, fails if none is and some
 * are -1. */
segue_verdict segue_judge_all(segue_compare_counts counts);

/** "Never worse": one comparison of -1 refutes it.  Holds if all are 1, in part if some are. */
segue_verdict segue_judge_never(segue_compare_counts counts);

/** Of `total` printed numbers `equal` come out as printed; in part with at most three misprints. */
segue_verdict segue_judge_table(size_t equal, size_t total);

/** Two numbers as printed, to half a unit of their last digit. */
segue_verdict segue_judge_spectrum(double sigma, double gap);

/** Ratios of regrets as predicted: holds if the order is right and both are within a quarter; in
 * part if only the order is right. */
segue_verdict segue_judge_prediction(const double expected[2], const double seen[2]);

/** The first tasks as UCB's: `excess` is the share above UCB.  Holds within 3 %, in part within
 * 15 %. */
segue_verdict segue_judge_start(double excess);

/** The complexity of tUCB: outcomes of "it falls below UCB's" and "it stays above mUCB's", and the
 * runs where the error is above eps_j, so that the complexity bounds nothing.  Holds in part if
 * there are such runs. */
segue_verdict segue_judge_complexity(int falls, int stays_above, uint64_t runs_outside);

/** Measured regrets and their bounds. */
typedef struct segue_judge_exceeded {
    size_t checked, exceeded;
} segue_judge_exceeded;

/** The bounds of mUCB and tUCB: holds if no regret exceeds one.  In part if only those of tUCB do,
 * whose premise may be false. */
segue_verdict segue_judge_bounds(segue_judge_exceeded mucb, segue_judge_exceeded tucb);

/** tUCB improves on UCB from task `from` on (NaN: never) and `needed` tasks make a single best arm:
 * "long before" is less than half of them. */
segue_verdict segue_judge_remark(double from, double needed);

/** Single runs differ: the worst ends a quarter above the best; in part a tenth. */
segue_verdict segue_judge_single_runs(double best, double worst);

/** The error rises again, to a fifth above its smallest value, which lies in the first half
 * (`early_half`); and it ends above eps_j.  In part if only one is true. */
segue_verdict segue_judge_error(bool early_half, double smallest, double last, double eps);

/** The error after all tasks and after a tenth of them: holds if it falls about as 1/sqrt(tasks), in
 * part if it falls more slowly. */
segue_verdict segue_judge_consistent(double early, double late);

/** Runs in which the error from fresh rewards rises, and in which that from tUCB's own rewards is
 * larger. */
typedef struct segue_judge_signs {
    uint64_t runs, rises, larger;
} segue_judge_signs;

/** The error rises for want of pulls: holds if it rises with fresh rewards too, and is not larger
 * with its own; in part if it is; fails if it falls with fresh rewards.  Sign tests. */
segue_verdict segue_judge_cause(segue_judge_signs signs);

/** Less regret (1, 0 or -1), and runs that end above UCB: in part if there are any. */
segue_verdict segue_judge_weights(int less, uint64_t runs_above);

/** The share of UCB's regret that a test saves where it cannot and where it can decide: holds if
 * both are below a quarter, in part if one is. */
segue_verdict segue_judge_mild(double without, double with);

/** "Could be better": holds if some comparisons are 1 and none -1, in part if there are both, fails
 * if all are -1. */
segue_verdict segue_judge_some(segue_compare_counts counts);

#endif
