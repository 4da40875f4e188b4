/* replay_internal.h - what the parts of a replay share: preparing, playing, scoring, types.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_REPLAY_INTERNAL_H
#define SEGUE_REPLAY_REPLAY_INTERNAL_H

#include "replay/replay.h"
#include "replay/replay_run.h"
#include "segue/stats.h"

typedef struct replay_study {
    const segue_replay_config *config;
    segue_replay_result *found;
    segue_policy_list list; /* who plays, but for the fixed arm */
    segue_samples *samples; /* resampling */
    replay_rows rows;       /* replay */
    replay_setting setting;
    size_t *number;              /* n_places: the number in the log of each task that is played */
    size_t *order;               /* n_places: those that are played, in their order */
    double *best;                /* n_places: the average of each task's best arm */
    double *arm_sum, *arm_count; /* n_arms: sums of scored tasks' averages, and how many they are */
    replay_player *player;       /* n_players */
    double *won, *lost; /* n_players x n_places: rewards and regrets a step, sums over runs */
    double *count;      /* n_places: how often each task was scored */
    segue_stats *reward, *regret; /* n_players x n_places: the curves */
    segue_stats *run;             /* n_players: over runs */
    segue_stats reached;
} replay_study;

/** Which tasks are played, in which order and for how many steps; warnings about the log. */
SEGUE_MUST_CHECK segue_status segue_replay_prepare(replay_study *st, segue_error *err);

/** Warn of what makes the log doubtful; @retval SEGUE_ENOMEM */
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

/** Play all runs of all players, and add up what they won. */
SEGUE_MUST_CHECK segue_status segue_replay_play_all(replay_study *st, segue_error *err);

/** From the sums to what was found: ranges by a paired bootstrap over tasks. */
SEGUE_MUST_CHECK segue_status segue_replay_score(replay_study *st, segue_error *err);

/** Find the types of the log. */
SEGUE_MUST_CHECK segue_status segue_replay_find_types(replay_study *st, segue_error *err);

#endif
