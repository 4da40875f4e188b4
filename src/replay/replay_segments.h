/* replay_segments.h - the learning curve of a replay in segments, for tables.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_REPLAY_SEGMENTS_H
#define SEGUE_REPLAY_REPLAY_SEGMENTS_H

#include "replay/replay_result.h"

/** Positions first .. last of the task order, from 1. */
typedef struct segue_replay_segment {
    size_t first, last;
} segue_replay_segment;

#define SEGUE_MAX_SEGMENTS 40

/** Divide the task order into segments whose ends double; held-out tasks are a segment of their
 * own. Returns the number of segments. */
size_t segue_replay_segments(const segue_replay_result *result, segue_replay_segment *out);

/** A candidate's mean reward per step in a segment; NaN: no task had a step. */
double segue_replay_segments_reward(const segue_replay_candidate *candidate,
                                    segue_replay_segment segment);

#endif
