/* replay_rare_type.c - a type of few tasks that has another best arm than the others.
 *
 * How common such tasks are is known from their number alone: if a log has N of them, another log
 * of the same population may as well have N + 2 sqrt(N) + 2 (the upper end of the 95 % interval of a
 * Poisson mean).  If they are so few that a learner does not find them, no candidate gains over the
 * single arm, and neither do replicates that draw the tasks of the log.  So further replicates draw
 * them more often.
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

/* Return how many times as common a type may be as its tasks in the log. */
static double max_times(double tasks)
{
    return (tasks + 2.0 * sqrt(tasks) + 2.0) / tasks;
}

/* Return the gain of knowing the type over the single arm, per step and in units of the range, if
 * the type is as common as its tasks allow. */
static double max_gain(const segue_population *p, size_t type, size_t arm, size_t single,
                       double tasks)
{
    const double *mean = p->mean + type * p->n_arms;
    return max_times(tasks) * p->weight[type] * (mean[arm] - mean[single]);
}

/* Return the mean of an arm over all tasks. */
static double mean_of_arm(const segue_population *p, size_t arm)
{
    double mean = 0.0;
    for (size_t q = 0; q < p->n_types; q++)
        mean += p->weight[q] * p->mean[q * p->n_arms + arm];
    return mean;
}

void segue_replay_find_rare_type(replay_study *st)
{
    segue_replay_result *result = st->result;
    const segue_population *p = &st->urn.population;
    const size_t single = st->candidate[result->fixed_arm].arm;
    const double width = result->highest - result->lowest;
    const double reward = fmax(0.0, result->lowest) + width * mean_of_arm(p, single);
    for (size_t q = 0; q < p->n_types; q++) {
        const double tasks = p->weight[q] * (double)result->n_tasks;
        const size_t arm = best_arm(p, q, single);
        if (tasks >= 1.0 && tasks < SEGUE_MIN_TASKS_OF_TYPE &&
            width * max_gain(p, q, arm, single, tasks) > MIN_GAIN * reward) {
            result->rare_tasks = tasks;
            result->rare_arm = arm;
            st->rare_type = q;
        }
    }
}

void segue_replay_rare_type_cumulate(const replay_study *st, double *cumulative)
{
    const segue_urn_log *log = &st->log;
    const bool rare = st->result->rare_tasks > 0.0;
    const double more = rare ? max_times(st->result->rare_tasks) - 1.0 : 0.0;
    double posterior[SEGUE_MAX_POPULATION_TYPES];
    cumulative[0] = 0.0;
    for (size_t i = 0; i < st->result->n_played; i++) {
        const size_t at = st->order[i] * log->n_arms;
        (void)segue_population_posterior(&st->urn.population, log->sum + at, log->pulls + at,
                                         posterior);
        cumulative[i + 1] = cumulative[i] + 1.0 + more * posterior[st->rare_type];
    }
}
