/* advise.h - what a log holds, and whether transfer could pay on it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_ADVISE_H
#define SEGUE_REPLAY_ADVISE_H

#include "io/log/history.h"

#define SEGUE_MAX_SHOWN_EIGENVALUES 10  /* eigenvalues */
#define SEGUE_MAX_SPECTRUM_ARMS     200 /* with more, the spectrum takes too long for a quick look */

/** What a log holds; numbers that are not known are NaN. */
typedef struct segue_advise_result {
    size_t n_rows, n_tasks, n_arms;
    bool has_time, has_probability;
    double few_rows, median_rows, many_rows; /* rewards a task: deciles and the median */
    size_t n_full;                           /* tasks with `least` rewards or more of every arm */
    uint64_t least;
    size_t rarest;         /* the arm with the fewest rewards: in full tasks, if those are played */
    double rarest_rewards; /* ... and how many they are per task, on average */
    bool constant;         /* all rewards are the same: no types are looked for */
    double mean;           /* reward, in [0, 1] as all below */
    size_t best_arm;       /* by its average over tasks ... */
    double best_fixed;     /* ... which is this */
    double best_known;     /* the average of each task's best arm, of full tasks */
    bool alike;            /* arms were drawn alike, as far as their shares tell */
    size_t n_spectrum;     /* tasks with three rewards or more of every arm, which make M2 */
    size_t n_eigenvalues, n_above; /* shown, and of all those above the noise */
    double eigenvalue[SEGUE_MAX_SHOWN_EIGENVALUES], noise;
    size_t n_types;
    double explained, none; /* shares: of the variance of tasks' means, and of tasks of no type */
    uint64_t steps;         /* of tasks that are simulated from the types */
    size_t pays_from;       /* the task from which on tts has won more in all than ts, by two
                               standard errors over runs; 0: not so */
    size_t n_simulated;     /* tasks looked at for that; 0: none, there are no two types */
    double saved;           /* share of the regret of ts that tts saves, over the last half */
    double saved_by_prior;  /* the same of tts held to one type: a prior of each arm */
    double beyond;          /* on the log's full tasks: share of the regret of a prior of each arm
                               that types save, both with look-ahead; NaN: not played */
} segue_advise_result;

/**
 * Look at a log that was read with its times and probabilities.
 *
 * @retval SEGUE_EDOMAIN, SEGUE_ENOMEM, SEGUE_ETHREAD
 */
SEGUE_MUST_CHECK segue_status segue_advise(segue_advise_result *out, const segue_history *history,
                                           uint64_t least, uint64_t seed, size_t threads,
                                           segue_error *err);

/**
 * From which task on (1 is the first) the regrets of `other` sum to less than `regret`, by two
 * standard errors, and stay so; 0: not so.  Both are runs x tasks, and a run has the same tasks in
 * both.  Tasks of a run depend on each other, since what one teaches helps in the next: the error
 * is over runs, of the total of each.  `total` is scratch, of `runs` numbers.
 */
size_t segue_advise_pays_from(const double *regret, const double *other, size_t runs, size_t tasks,
                              double *total);

#endif
