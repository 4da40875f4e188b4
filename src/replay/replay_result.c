/* replay_result.c - what a replay found: who is best, what to make of it, and the curve in
 * stretches. SPDX-License-Identifier: Apache-2.0 */
#include "replay/replay_result.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "io/utf8.h"

#define FIRST_SEGMENT 10 /* tasks */

const char *segue_replay_result_transfer_text(segue_transfer_kind carries)
{
    static const char *const texts[] = {"nothing", "prior", "types", "arm"};
    return texts[carries];
}

void segue_replay_result_fini(segue_replay_result *found)
{
    for (size_t p = 0; found->player && p < found->n_players; p++) {
        free(found->player[p].name);
        free(found->player[p].reward);
        free(found->player[p].reward_se);
        free(found->player[p].regret);
        free(found->player[p].regret_se);
    }
    free(found->player);
    for (size_t q = 0; found->types.type && q < found->types.count; q++)
        free(found->types.type[q].mean);
    free(found->types.type);
    *found = (segue_replay_result){.path = NULL};
}

void segue_replay_result_warn(segue_replay_result *found, const char *format, ...)
{
    va_list arguments;
    if (found->n_warnings == SEGUE_MAX_WARNINGS)
        return;
    va_start(arguments, format);
    char *warning = found->warning[found->n_warnings++];
    (void)vsnprintf(warning, SEGUE_SENTENCE_SIZE, format, arguments);
    va_end(arguments);
    warning[segue_utf8_prefix_length(warning, SEGUE_SENTENCE_SIZE)] = '\0';
}

/* The best of those that carry this, or n_players. */
static size_t best_of(const segue_replay_result *found, segue_transfer_kind carries)
{
    size_t best = found->n_players;
    for (size_t p = 0; p < found->n_players; p++)
        if (found->player[p].carries == carries &&
            (best == found->n_players || found->player[p].won[SEGUE_METRIC_REWARD].value >
                                             found->player[best].won[SEGUE_METRIC_REWARD].value))
            best = p;
    return best;
}

void segue_replay_result_rank(segue_replay_result *found)
{
    found->alone = best_of(found, SEGUE_TRANSFER_NOTHING);
    found->simple = best_of(found, SEGUE_TRANSFER_PRIOR);
    found->typed = best_of(found, SEGUE_TRANSFER_TYPES);
}

void segue_replay_result_print_method(const segue_replay_result *found, FILE *out)
{
    if (found->resampled)
        fputs("Resampling: a pull draws one of the task's own rewards of that arm, and puts it\n"
              "back.",
              out);
    else if (found->thinned)
        fprintf(out,
                "Replay: a pull is answered by the next row of the task with that arm; by the\n"
                "logged probabilities, %.3g %% of the rows may answer.",
                100.0 * found->rows_kept);
    else
        fputs("Replay: a pull is answered by the next row of the task with that arm, as if the\n"
              "log had drawn all arms alike.",
              out);
}

/* ---- the curve --------------------------------------------------------------------------- */

size_t segue_replay_result_segments(const segue_replay_result *found, segue_replay_segment *out)
{
    size_t count = 0;
    for (size_t first = 1, next = FIRST_SEGMENT; first <= found->n_learned; next *= 2) {
        const size_t last = next < found->n_learned ? next : found->n_learned;
        out[count++] = (segue_replay_segment){.first = first, .last = last};
        first = last + 1;
    }
    /* the rest of a doubling that hardly began belongs to the one before */
    if (count > 1 && 2 * (out[count - 1].last + 1 - out[count - 1].first) <
                         out[count - 2].last + 1 - out[count - 2].first) {
        out[count - 2].last = out[count - 1].last;
        count--;
    }
    if (found->n_places > found->n_learned)
        out[count++] =
            (segue_replay_segment){.first = found->n_learned + 1, .last = found->n_places};
    return count;
}

double segue_replay_result_segment_reward(const segue_player_result *player,
                                          segue_replay_segment stretch)
{
    double sum = 0.0, count = 0.0;
    for (size_t place = stretch.first; place <= stretch.last; place++)
        if (isfinite(player->reward[place - 1])) {
            sum += player->reward[place - 1];
            count += 1.0;
        }
    return count > 0.0 ? sum / count : NAN;
}
