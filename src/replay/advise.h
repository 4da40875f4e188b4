/* advise.h - summarise a log: can it be replayed, and could transfer pay on it?
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_ADVISE_H
#define SEGUE_REPLAY_ADVISE_H

#include "io/log/history.h"
#include "segue/internal.h"

#define SEGUE_MAX_SHOWN_EIGENVALUES 10
#define SEGUE_MAX_SPECTRUM_ARMS     200 /* with more arms the spectrum is too slow for a quick answer */

/** The input: the log was read with its times and probabilities. */
typedef struct segue_advise_config {
    const segue_history *history;
    double lowest, highest; /* the range of rewards */
    uint64_t min_rewards;   /* of every arm in a full task */
    uint64_t seed;
    size_t threads;
} segue_advise_config;

/** A summary of a log; NaN: not known. */
typedef struct segue_advise_result {
    size_t n_rows, n_tasks, n_arms;
    bool has_time, has_probability;
    double few_rows, median_rows, many_rows; /* rewards per task: first decile, median, last */
    size_t n_full;                           /* tasks with `min_rewards` or more of every arm */
    uint64_t min_rewards;
    size_t rarest;         /* the arm with the fewest rewards: in full tasks, if they are enough */
    double rarest_rewards; /* its rewards per task, on average */
    bool constant;         /* all rewards are equal: no types are fitted */
    double mean;           /* reward, in [0, 1] as all below */
    size_t best_arm;       /* by its average over tasks ... */
    double best_fixed;     /* ... which is this */
    double best_known;     /* the average of each full task's best arm */
    bool uniform;          /* arms were drawn uniformly, as far as their shares show */
    size_t n_spectrum;     /* tasks in M2: with three rewards or more of every arm */
    size_t n_eigenvalues;  /* shown */
    size_t n_above_noise;  /* of all eigenvalues */
    double eigenvalue[SEGUE_MAX_SHOWN_EIGENVALUES], noise;
    size_t n_types;
    double explained;        /* share of the variance of tasks' means that types explain */
    double no_type;          /* share of tasks that fit no type */
    uint64_t steps;          /* of tasks that are simulated from the types */
    size_t n_simulated;      /* tasks per simulated run; 0: not simulated, fewer than two types */
    size_t pays_from;        /* simulated: see segue_advise_pays_from */
    double saved;            /* simulated: share of the regret of ts that tts saves */
    double saved_by_prior;   /* simulated: share that a prior per arm saves (tts of one type) */
    double saved_over_prior; /* on the log's full tasks: share of the regret of a prior per arm
                                that types save, both with look-ahead; NaN: not played */
} segue_advise_result;

#define SEGUE_ADVISE_SENTENCE_SIZE 800

/**
 * Summarise a log.
 *
 * @retval SEGUE_EDOMAIN, SEGUE_ENOMEM, SEGUE_ETHREAD
 */
SEGUE_MUST_CHECK segue_status segue_advise(segue_advise_result *out,
                                           const segue_advise_config *config, segue_error *err);

/** Write the conclusion in words: could transfer pay? */
void segue_advise_verdict(const segue_advise_result *result, const segue_advise_config *config,
                          char out[SEGUE_ADVISE_SENTENCE_SIZE]);

/** Simulate tasks of the types and fill n_simulated, pays_from, saved and saved_by_prior;
 * @retval SEGUE_ENOMEM, SEGUE_ETHREAD */
SEGUE_MUST_CHECK segue_status segue_advise_simulate(segue_advise_result *out,
                                                    const segue_advise_config *config,
                                                    const segue_types *types, segue_error *err);

/**
 * Return the task (1 is the first) from which the total regret of `other` stays below that of
 * `base` by two standard errors; 0: never.  Both are runs x tasks, and run r has the same tasks in
 * both.  Tasks of a run depend on each other by what is learned: the error is over runs, of the
 * total of each.  `total` is scratch, `runs` numbers.
 */
size_t segue_advise_pays_from(const double *base, const double *other, size_t runs, size_t tasks,
                              double *total);

#endif
