/* advise_verdict.c - the conclusion of a log's summary in words.
 *
 * The order of the cases matters: a log that cannot be judged is named as such before any number
 * about types is given.  Every sentence names the number of steps that it is for.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "io/utf8.h"
#include "replay/advise.h"
#include "replay/replay.h"

#define SIZE          SEGUE_ADVISE_SENTENCE_SIZE
#define MAX_ARM_BYTES 40 /* of an arm's name */

/* Return the share of the regret of a prior per arm that types may save: in the log if it was
 * played, else in simulated tasks. */
static double saved_over_prior(const segue_advise_result *r)
{
    return isfinite(r->saved_over_prior)
               ? r->saved_over_prior
               : (r->saved - r->saved_by_prior) / (1.0 - r->saved_by_prior);
}

static void describe_types(const segue_advise_result *r, char *out)
{
    char more_tasks[80] = "";
    if (r->pays_from > r->n_tasks)
        (void)snprintf(more_tasks, sizeof more_tasks, " (%zu more tasks than the log has)",
                       r->pays_from - r->n_tasks);
    const double saved = saved_over_prior(r);
    (void)snprintf(
        out, SIZE,
        "In tasks simulated from these types, of %" PRIu64
        " steps, the total reward of tts exceeds that of ts from task %zu on%s. It then saves "
        "%.0f %% of the regret of ts, a prior per arm alone %.0f %%. %s, types save %.0f %% of "
        "the regret of such a prior: %s. Run segue replay to decide.",
        r->steps, r->pays_from, more_tasks, 100.0 * r->saved, 100.0 * r->saved_by_prior,
        isfinite(r->saved_over_prior)
            ? "In full tasks of the log itself, played once with look-ahead"
            : "There, and maybe not in the log",
        rint(100.0 * saved) + 0.0, /* no -0 */
        saved < SEGUE_MIN_TYPES_SAVING ? "they may add little to it" : "they may pay");
}

static void describe_few_rewards(const segue_advise_result *r, const char *arm, char *out)
{
    (void)snprintf(out, SIZE,
                   "Types cannot be judged from this log, for tasks of %" PRIu64
                   " steps: arm '%.*s' has %.4g rewards per task, and %.0f are needed. Log more "
                   "rewards of every arm in each task.",
                   r->steps, (int)segue_utf8_prefix_length(arm, MAX_ARM_BYTES), arm,
                   floor(10.0 * r->rarest_rewards) / 10.0, SEGUE_MIN_REWARDS_FOR_TYPES);
}

void segue_advise_verdict(const segue_advise_result *result, const segue_advise_config *config,
                          char out[SEGUE_ADVISE_SENTENCE_SIZE])
{
    const segue_advise_result *r = result;
    if (r->constant)
        (void)snprintf(out, SIZE,
                       "All rewards are equal, %.3g: nothing can be learned here, in tasks of "
                       "%" PRIu64 " steps.",
                       config->lowest + (config->highest - config->lowest) * r->mean, r->steps);
    else if (r->n_tasks < SEGUE_MIN_TYPED_TASKS)
        (void)snprintf(out, SIZE,
                       "Too few tasks to find types: %zu, of %" PRIu64
                       " steps; log at least %zu more.",
                       r->n_tasks, r->steps, SEGUE_MIN_TYPED_TASKS - r->n_tasks);
    else if (r->rarest_rewards < SEGUE_MIN_REWARDS_FOR_TYPES)
        describe_few_rewards(r, config->history->arm_name[r->rarest], out);
    else if (r->n_types < 2)
        (void)snprintf(out, SIZE,
                       "Only one type was found: tasks may differ, but not by type. In tasks of "
                       "%" PRIu64 " steps a prior of each arm (ts-prior) may then be all that "
                       "transfer can give.",
                       r->steps);
    else if (r->pays_from == 0)
        (void)snprintf(out, SIZE,
                       "In tasks simulated from these types, of %" PRIu64
                       " steps, tts was not ahead of ts within %zu tasks: transfer may hardly pay.",
                       r->steps, r->n_simulated);
    else
        describe_types(r, out);
}
