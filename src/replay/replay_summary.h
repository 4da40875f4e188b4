/* replay_summary.h - summarise a log without playing it: what it contains, and what a verdict lacks.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_REPLAY_SUMMARY_H
#define SEGUE_REPLAY_REPLAY_SUMMARY_H

#include "io/log/history.h"
#include "replay/population/population.h"
#include "segue/internal.h"

#define SEGUE_MAX_SHOWN_EIGENVALUES 10
#define SEGUE_MAX_SPECTRUM_ARMS     200 /* with more arms the spectrum is too slow for a summary */

/** A summary of a log; NaN: not known. */
typedef struct segue_replay_summary {
    size_t n_rows, n_tasks, n_arms;
    bool has_time, has_probability;
    double few_rows, median_rows, many_rows; /* rewards per task: first decile, median, last */
    double rewards_per_cell;                 /* per arm and task, on average */
    size_t rarest;                           /* the arm with the fewest rewards ... */
    double rarest_rewards;                   /* ... which is this per task, on average */
    bool constant;                           /* all rewards are equal: no types are fitted */
    double mean;                             /* reward, in [0, 1] as all below */
    size_t best_arm;                         /* by its mean over the fitted types; without types,
                                                by its average over tasks' averages ... */
    double best_fixed;                       /* ... which is this */
    bool uniform;         /* arms were drawn uniformly, as far as their shares show */
    size_t n_spectrum;    /* tasks in M2: with three rewards or more of every arm */
    size_t n_eigenvalues; /* shown */
    size_t n_above_noise; /* of all eigenvalues */
    double eigenvalue[SEGUE_MAX_SHOWN_EIGENVALUES], noise;
    size_t n_types; /* 0: none were fitted */
    double weight[SEGUE_MAX_POPULATION_TYPES];
    char missing[400]; /* what is missing for a verdict, in words */
} segue_replay_summary;

/**
 * Summarise a log, which was read with its times and probabilities; `lowest` and `highest` are the
 * range of its rewards.
 *
 * @retval SEGUE_EDOMAIN, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_replay_summarise(segue_replay_summary *out,
                                                     const segue_history *history, double lowest,
                                                     double highest, uint64_t seed,
                                                     segue_error *err);

#endif
