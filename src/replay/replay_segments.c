/* replay_segments.c - the learning curve of a replay in segments.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/replay_segments.h"

#include <math.h>

#define FIRST_SEGMENT 10 /* tasks */

size_t segue_replay_segments(const segue_replay_result *result, segue_replay_segment *out)
{
    size_t count = 0;
    for (size_t first = 1, next = FIRST_SEGMENT; first <= result->n_learned; next *= 2) {
        const size_t last = next < result->n_learned ? next : result->n_learned;
        out[count++] = (segue_replay_segment){.first = first, .last = last};
        first = last + 1;
    }
    /* A last segment shorter than half of the one before joins it. */
    if (count > 1 && 2 * (out[count - 1].last + 1 - out[count - 1].first) <
                         out[count - 2].last + 1 - out[count - 2].first) {
        out[count - 2].last = out[count - 1].last;
        count--;
    }
    if (result->n_played > result->n_learned)
        out[count++] =
            (segue_replay_segment){.first = result->n_learned + 1, .last = result->n_played};
    return count;
}

double segue_replay_segments_reward(const segue_replay_candidate *candidate,
                                    segue_replay_segment segment)
{
    double sum = 0.0, count = 0.0;
    for (size_t position = segment.first; position <= segment.last; position++)
        if (isfinite(candidate->reward[position - 1])) {
            sum += candidate->reward[position - 1];
            count += 1.0;
        }
    return count > 0.0 ? sum / count : NAN;
}
