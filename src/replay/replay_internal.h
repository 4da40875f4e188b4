/* replay_internal.h - the stages of a replay: prepare, play, score, fit types.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_REPLAY_INTERNAL_H
#define SEGUE_REPLAY_REPLAY_INTERNAL_H

#include "replay/replay.h"
#include "replay/replay_run.h"
#include "replay/replay_tasks.h"
#include "segue/stats.h"

/* Tasks are indexed 0 .. n_played - 1 in the order of the log; `order` maps positions to tasks. */
typedef struct replay_study {
    const segue_replay_config *config;
    segue_replay_result *result;
    segue_policy_list list; /* all candidates except the fixed arm */
    segue_samples *samples; /* resampling */
    replay_rows rows;       /* row replay */
    replay_setting setting;
    size_t *number;              /* n_played: the number in the log of each task */
    size_t *order;               /* n_played: the task at each position */
    double *best;                /* n_played: the average of each task's best arm */
    segue_replay_tasks tasks;    /* summary of the played tasks */
    replay_candidate *candidate; /* n_candidates */
    double *reward_sum;          /* n_candidates x n_played: rewards per step, summed over runs */
    double *regret_sum;          /* n_candidates x n_played: regrets per step */
    double *count;               /* n_played: how often each task was scored */
    segue_stats *reward_curve;   /* n_candidates x n_played: by position, over runs */
    segue_stats *regret_curve;
    segue_stats *run; /* n_candidates: reward per step, over runs */
    segue_stats complete;
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

/** Play all runs of all candidates over threads, and sum their rewards. */
SEGUE_MUST_CHECK segue_status segue_replay_play_all(replay_study *st, segue_error *err);

/** Compute all metrics, with intervals by a paired bootstrap over tasks. */
SEGUE_MUST_CHECK segue_status segue_replay_score(replay_study *st, segue_error *err);

/** Fit and describe the types of the log. */
SEGUE_MUST_CHECK segue_status segue_replay_find_types(replay_study *st, segue_error *err);

#endif
