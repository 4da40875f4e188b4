/* replay_rare_type.c - does a type of few tasks put "one arm is enough" in question?
 *
 * A few tasks of the log may have another best arm than the others.  How common they are is known
 * from their number alone: of N such tasks a log with the same population may as well have had
 * N + 2 sqrt(N) + 2.  If they are so few that a learner does not find them, no candidate gains over
 * the single arm, and the replicates of the log do not show that one could.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "replay/replay_internal.h"

#define MIN_GAIN 0.01 /* of the reward of the single arm: less does not count */

/* Return the best arm of a type; the single arm if none is better. */
static size_t best_arm(const segue_population *p, size_t type, size_t single)
{
    const double *mean = p->mean + type * p->n_arms;
    size_t best = single;
    for (size_t arm = 0; arm < p->n_arms; arm++)
        best = mean[arm] > mean[best] ? arm : best;
    return best;
}

/* Return the gain of knowing the type over the single arm, per step and in units of the range, if
 * the type is as common as its tasks allow. */
static double max_gain(const segue_population *p, size_t type, size_t arm, size_t single,
                       double tasks)
{
    const double *mean = p->mean + type * p->n_arms;
    const double times = (tasks + 2.0 * sqrt(tasks) + 2.0) / tasks;
    return times * p->weight[type] * (mean[arm] - mean[single]);
}

void segue_replay_find_rare_type(replay_study *st)
{
    segue_replay_result *result = st->result;
    const segue_population *p = &st->urn.population;
    const size_t single = st->candidate[result->fixed_arm].arm;
    const double width = result->highest - result->lowest;
    const double reward = result->candidate[result->fixed_arm].metric[SEGUE_METRIC_REWARD].value -
                          fmin(0.0, result->lowest);
    for (size_t q = 0; result->urn && q < p->n_types; q++) {
        const double tasks = p->weight[q] * (double)result->n_tasks;
        const size_t arm = best_arm(p, q, single);
        if (tasks >= 1.0 && tasks < SEGUE_MIN_TASKS_OF_TYPE &&
            width * max_gain(p, q, arm, single, tasks) > MIN_GAIN * reward) {
            result->rare_tasks = tasks;
            result->rare_arm = arm;
        }
    }
}
