/* replay_internal.h - the stages of a replay: prepare, play, score, fit types.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_REPLAY_INTERNAL_H
#define SEGUE_REPLAY_REPLAY_INTERNAL_H

#include "replay/replay.h"
#include "replay/replay_run.h"
#include "replay/replay_tasks.h"
#include "segue/stats.h"

/* Tasks have their numbers in the log; `order` maps positions to tasks. */
typedef struct replay_study {
    const segue_replay_config *config;
    segue_replay_result *result;
    segue_policy_list list; /* all candidates except the fixed arm */
    segue_urn_log log;      /* urn */
    segue_urn urn;          /* urn */
    replay_rows rows;       /* row replay */
    replay_setting setting;
    size_t *order;               /* n_played: the task at each position */
    double *best;                /* n_played: the average of each task's best arm */
    segue_replay_tasks tasks;    /* summary of the played tasks */
    replay_candidate *candidate; /* n_candidates */
    double *reward_sum;          /* n_candidates x n_played: rewards per step, summed over runs */
    double *regret_sum;          /* n_candidates x n_played: regrets per step */
    double *count;               /* n_played: how often each task was scored */
    segue_stats *reward_curve;   /* n_candidates x n_played: by position, over runs */
    segue_stats *regret_curve;
    double *run_reward; /* runs x n_candidates: per step, mean over the scored tasks */
    double *run_regret; /* runs x n_candidates */
    double *logged;     /* n_candidates: pulls that logged rewards answered, over all runs ... */
    double *pulls;      /* n_candidates: ... and all pulls */
    segue_stats complete;
    size_t rare_type; /* urn: of result->rare_tasks tasks, if these are more than 0 */
    bool chosen;      /* urn: a policy may have chosen the arms of the log by their rewards */
    double work_done; /* tasks played so far, over all candidates and runs */
} replay_study;

/** Choose the tasks, their order and the number of steps; warn about the log. */
SEGUE_MUST_CHECK segue_status segue_replay_prepare(replay_study *st, segue_error *err);

/** Add warnings about a log that make the result unreliable; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_replay_add_warnings(replay_study *st, segue_error *err);

/** Rows that repeat the arm of the row before, over all tasks. */
typedef struct segue_repeats {
    double pairs;              /* rows that have a row before them in their task */
    double same;               /* those that repeat its arm */
    double expected, variance; /* of `same`, if arms were drawn independently, given their counts */
} segue_repeats;

/** Count the repeats of a log; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_replay_repeats(const segue_history *history, segue_repeats *out,
                                                   segue_error *err);

/** The rewards of each task and arm: the second half against the first. */
typedef struct segue_drift {
    double sum;        /* of the differences of the two means, weighted ... */
    double variance;   /* ... its variance without drift ... */
    double weight;     /* ... and the sum of the weights */
    double dependence; /* of the number of rewards on their average: the largest over arms of a
                          correlation, in standard errors */
} segue_drift;

/** Compare the halves of all tasks and arms of a log; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_replay_drift(const segue_history *history, segue_drift *out,
                                                 segue_error *err);

#define SEGUE_ALARM          4.9 /* standard errors: two-sided, 1e-6 */
#define SEGUE_ALARM_OF_PAIRS 5.5 /* of the largest of up to 2,016 pairs of arms: 1e-4 */

/** Warn if the fitted population does not describe the log; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_replay_model_check(replay_study *st, segue_error *err);

/** Find a type of too few tasks with another best arm than the single one: st->rare_type. */
void segue_replay_find_rare_type(replay_study *st);

/** Cumulate (n_played + 1, from 0) how often each played task is drawn if the rare type is as common
 * as its tasks allow. */
void segue_replay_rare_type_cumulate(const replay_study *st, double *cumulative);

/** Play all runs of all candidates over threads, and sum their rewards. */
SEGUE_MUST_CHECK segue_status segue_replay_play_all(replay_study *st, segue_error *err);

/** Rank the candidates and compute all metrics, with intervals: by replicates of the log (urn), or
 * by a paired bootstrap over tasks (row replay). */
SEGUE_MUST_CHECK segue_status segue_replay_score(replay_study *st, segue_error *err);

/** Intervals of all metrics by a paired bootstrap over tasks.  `values` are the metrics. */
SEGUE_MUST_CHECK segue_status segue_replay_bootstrap(replay_study *st, const double *values,
                                                     segue_error *err);

/** Add played tasks to the work done, and report the progress. */
void segue_replay_progress(replay_study *st, double tasks);

/** Return the tasks that replicates will play. */
double segue_replay_replicates_work(const replay_study *st);

/** Intervals of all metrics by replicates of the log. */
SEGUE_MUST_CHECK segue_status segue_replay_replicates(replay_study *st, const double *values,
                                                      segue_error *err);

/** Fit and describe the types of the log. */
SEGUE_MUST_CHECK segue_status segue_replay_find_types(replay_study *st, segue_error *err);

#endif
