/* replay_result.c - the result of a replay: memory, warnings, and the best candidates.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/replay_result.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/utf8.h"

const char *segue_replay_result_transfer_text(segue_transfer_kind transfer)
{
    static const char *const texts[] = {"nothing", "prior", "types", "arm", "stream"};
    return texts[transfer];
}

void segue_replay_result_fini(segue_replay_result *result)
{
    for (size_t c = 0; result->candidate && c < result->n_candidates; c++) {
        free(result->candidate[c].name);
        free(result->candidate[c].reward);
        free(result->candidate[c].reward_se);
        free(result->candidate[c].regret);
        free(result->candidate[c].regret_se);
    }
    free(result->candidate);
    for (size_t q = 0; result->types.type && q < result->types.count; q++)
        free(result->types.type[q].mean);
    free(result->types.type);
    *result = (segue_replay_result){.path = NULL};
}

void segue_replay_result_warn(segue_replay_result *result, const char *format, ...)
{
    va_list arguments;
    if (result->n_warnings == SEGUE_MAX_WARNINGS)
        return;
    va_start(arguments, format);
    char *warning = result->warning[result->n_warnings++];
    (void)vsnprintf(warning, SEGUE_SENTENCE_SIZE, format, arguments);
    va_end(arguments);
    warning[segue_utf8_prefix_length(warning, SEGUE_SENTENCE_SIZE)] = '\0';
}

static double reward_of(const segue_replay_result *result, size_t candidate)
{
    return result->candidate[candidate].metric[SEGUE_METRIC_REWARD].value;
}

/* Return the best candidate of a kind of transfer, or n_candidates. */
static size_t best_of(const segue_replay_result *result, segue_transfer_kind transfer)
{
    size_t best = result->n_candidates;
    for (size_t c = 0; c < result->n_candidates; c++)
        if (result->candidate[c].transfer == transfer &&
            (best == result->n_candidates || reward_of(result, c) > reward_of(result, best)))
            best = c;
    return best;
}

void segue_replay_result_rank(segue_replay_result *result)
{
    result->best_without_transfer = best_of(result, SEGUE_TRANSFER_NOTHING);
    result->best_prior = best_of(result, SEGUE_TRANSFER_PRIOR);
    result->best_types = best_of(result, SEGUE_TRANSFER_TYPES);
}
