/* yearly.c - a gain per task as a sum per year.
 *
 * A replay has the gain over ts as a share of the reward of ts (replay_metrics.c).  Its error is that
 * of the share: the reward of ts is known well beside it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/yearly.h"

#include <math.h>
#include <stdio.h>

#include "io/amount.h"

#define DAYS 365.0

bool segue_yearly_is_known(const segue_yearly *yearly)
{
    return yearly->value > 0.0 && yearly->tasks_per_day > 0.0;
}

static segue_interval scale(const segue_interval *x, double factor)
{
    return (segue_interval){
        .value = factor * x->value, .low = factor * x->low, .high = factor * x->high};
}

segue_interval segue_yearly_gain(const segue_yearly *yearly, const segue_interval *per_task)
{
    return scale(per_task, DAYS * yearly->tasks_per_day * yearly->value);
}

static const segue_interval *metric_of(const segue_replay_result *result, size_t candidate,
                                       segue_replay_metric metric)
{
    return &result->candidate[candidate].metric[metric];
}

/* Shares are of the reward above 0, or above the lowest one if that is negative. */
segue_interval segue_yearly_over_ts(const segue_replay_result *result)
{
    const double ts = metric_of(result, result->ts, SEGUE_METRIC_REWARD)->value;
    const double unit = (double)result->steps * (ts - fmin(0.0, result->lowest));
    segue_interval per_task = {.value = 0.0};
    if (result->use != result->ts)
        per_task = scale(metric_of(result, result->use, SEGUE_METRIC_GAIN_OVER_TS), unit);
    return segue_yearly_gain(&result->yearly, &per_task);
}

segue_interval segue_yearly_over_log(const segue_replay_result *result)
{
    const segue_interval *reward = metric_of(result, result->use, SEGUE_METRIC_REWARD);
    const double log = result->logged;
    const segue_interval per_step = {
        .value = reward->value - log, .low = reward->low - log, .high = reward->high - log};
    const segue_interval per_task = scale(&per_step, (double)result->steps);
    return segue_yearly_gain(&result->yearly, &per_task);
}

/* "134000 (132000 .. 136000)" */
static void write_range(const segue_interval *x, char *out, size_t size)
{
    char value[SEGUE_AMOUNT_SIZE], low[SEGUE_AMOUNT_SIZE], high[SEGUE_AMOUNT_SIZE];
    segue_amount_format(x->value, value);
    segue_amount_format(x->low, low);
    segue_amount_format(x->high, high);
    (void)snprintf(out, size, "%.60s (%.60s .. %.60s)", value, low, high);
}

void segue_yearly_describe(const segue_replay_result *result, char out[SEGUE_YEARLY_TEXT_SIZE])
{
    const segue_interval over_ts = segue_yearly_over_ts(result);
    const segue_interval over_log = segue_yearly_over_log(result);
    char ts[200], log[200];
    write_range(&over_ts, ts, sizeof ts);
    write_range(&over_log, log, sizeof log);
    (void)snprintf(out, SEGUE_YEARLY_TEXT_SIZE,
                   "Per year, with %g tasks per day and %g for each unit of reward, %.100s would "
                   "give %s more than ts, and %s more than the log's own choices.",
                   result->yearly.tasks_per_day, result->yearly.value,
                   result->candidate[result->use].name, ts, log);
}
