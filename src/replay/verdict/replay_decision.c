/* replay_decision.c - the decision behind a verdict.
 *
 * Three questions, each answered only if the whole interval is on one side of its limit: does
 * learning earn more than one arm for all tasks; does transfer save regret of the best candidate
 * without it (not always ts: look-ahead beats ts); do types save a tenth (SEGUE_MIN_TYPES_SAVING)
 * of the regret of the best learner of a prior per arm, which may look ahead too, so that the two
 * differ in nothing but types?  Otherwise the log cannot tell.  Nor can it where a check of the
 * fitted types is off by more than what the method to use gains.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/verdict/replay_decision.h"

#include <math.h>

#include "replay/replay.h"
#include "replay/replay_metrics.h"

#define MIN_GAIN   0.01 /* of the reward: a smaller gain over a single arm does not count */
#define MIN_SAVING 0.05 /* of the regret: transfer that saves less does not count */
#define MAX_TIMES  100  /* as many tasks: more are not suggested */
#define MAX_RUNS   1000 /* more are not suggested */

/* Return whether a candidate can be a method to use.  A policy of one stream cannot: where several
 * tasks are open at a time, there is no such stream. */
static bool is_method(const segue_replay_result *result, size_t candidate)
{
    return candidate != result->fixed_arm &&
           result->candidate[candidate].transfer != SEGUE_TRANSFER_STREAM;
}

/* Return the method with the largest reward. */
static size_t best_candidate(const segue_replay_result *result)
{
    size_t best = result->ts;
    for (size_t c = 0; c < result->n_candidates; c++)
        if (is_method(result, c) && result->candidate[c].metric[SEGUE_METRIC_REWARD].value >
                                        result->candidate[best].metric[SEGUE_METRIC_REWARD].value)
            best = c;
    return best;
}

/* Row replay takes the best of a task's averages for its best arm, which needs many rewards. */
static bool has_few_rewards(const segue_replay_result *result)
{
    return result->rewards_per_cell < SEGUE_MIN_REWARDS_PER_CELL ||
           (!result->urn && result->rarest_rewards < SEGUE_MIN_REWARDS_FOR_TYPES);
}

bool segue_replay_decision_has_types(const segue_replay_result *result)
{
    return result->best_types < result->n_candidates;
}

size_t segue_replay_decision_transfer(const segue_replay_result *result)
{
    const size_t prior = result->best_prior, types = result->best_types;
    if (!segue_replay_decision_has_types(result))
        return prior;
    return result->candidate[types].metric[SEGUE_METRIC_REWARD].value >
                   result->candidate[prior].metric[SEGUE_METRIC_REWARD].value
               ? types
               : prior;
}

static const segue_interval *metric_of(const segue_replay_result *result, size_t candidate,
                                       segue_replay_metric metric)
{
    return &result->candidate[candidate].metric[metric];
}

/* Return an open question about a candidate's metric. */
static question ask_about(const segue_replay_result *result, size_t candidate,
                          segue_replay_metric metric, double limit)
{
    return (question){.interval = metric_of(result, candidate, metric),
                      .limit = limit,
                      .candidate = candidate,
                      .metric = metric};
}

/* Do types save enough of the regret of a prior per arm? */
static void decide_types(const segue_replay_result *result, decision *d)
{
    d->conclusion = SEGUE_CONCLUSION_PRIOR;
    if (!segue_replay_decision_has_types(result))
        return;
    const segue_interval *saved =
        metric_of(result, result->best_types, SEGUE_METRIC_SAVED_OVER_PRIOR);
    if (saved->low >= SEGUE_MIN_TYPES_SAVING) {
        d->conclusion = SEGUE_CONCLUSION_TYPES;
    } else if (!(saved->high < SEGUE_MIN_TYPES_SAVING)) {
        d->conclusion = SEGUE_CONCLUSION_UNCLEAR;
        d->types = ask_about(result, result->best_types, SEGUE_METRIC_SAVED_OVER_PRIOR,
                             SEGUE_MIN_TYPES_SAVING);
    }
}

/* Does transfer pay, and if so, do types? */
static void decide_transfer(const segue_replay_result *result, decision *d)
{
    const size_t transfer = segue_replay_decision_transfer(result);
    const segue_interval *saved = metric_of(result, transfer, SEGUE_METRIC_REGRET_SAVED);
    if (saved->low > 0.0) {
        decide_types(result, d);
    } else if (saved->high < MIN_SAVING) {
        d->conclusion = SEGUE_CONCLUSION_NONE;
    } else {
        d->conclusion = SEGUE_CONCLUSION_UNCLEAR;
        d->transfer = ask_about(result, transfer, SEGUE_METRIC_REGRET_SAVED,
                                saved->value > 0.5 * MIN_SAVING ? 0.0 : MIN_SAVING);
    }
}

/* Is the error that a check found larger than the gain of a candidate over ts (of ts: over the
 * single arm)? */
static bool error_exceeds_gain(const segue_replay_result *result, size_t candidate)
{
    const size_t other = candidate == result->ts ? result->fixed_arm : result->ts;
    const double gain = metric_of(result, candidate, SEGUE_METRIC_REWARD)->value -
                        metric_of(result, other, SEGUE_METRIC_REWARD)->value;
    return fabs(result->predicted - result->observed) > fabs(gain);
}

decision segue_replay_decision(const segue_replay_result *result)
{
    decision d = {.conclusion = SEGUE_CONCLUSION_UNCLEAR, .best = best_candidate(result)};
    const segue_interval *over_arm = metric_of(result, d.best, SEGUE_METRIC_GAIN_OVER_FIXED);
    d.few_rewards = has_few_rewards(result);
    if (d.few_rewards && !result->constant)
        return d;
    if (result->constant || (!(over_arm->low > 0.0) && over_arm->high < MIN_GAIN))
        d.conclusion = SEGUE_CONCLUSION_ARM;
    else if (over_arm->low > 0.0)
        decide_transfer(result, &d);
    else
        d.arm = ask_about(result, d.best, SEGUE_METRIC_GAIN_OVER_FIXED,
                          over_arm->value > 0.5 * MIN_GAIN ? 0.0 : MIN_GAIN);
    if (d.conclusion != SEGUE_CONCLUSION_UNCLEAR && !result->constant &&
        error_exceeds_gain(result, segue_replay_decision_use(result, &d)))
        d = (decision){
            .conclusion = SEGUE_CONCLUSION_UNCLEAR, .best = d.best, .wrong_population = true};
    else if (d.conclusion == SEGUE_CONCLUSION_ARM && result->rare_tasks > 0.0)
        d = (decision){.conclusion = SEGUE_CONCLUSION_UNCLEAR, .best = d.best, .rare_type = true};
    return d;
}

/* The squared half width of an interval is the sum of a part p of the play and a part 1 - p of the
 * log, in units in which it is 1; the question is answered below `wanted`, the squared distance to the
 * limit.  g times as many runs divide the first by g.  f times as many tasks divide the second by f;
 * the first may stay, since a larger log is played in fewer runs.  If neither alone is enough, each
 * part gets one half of `wanted`. */
remedy segue_replay_decision_remedy(const segue_replay_result *result, const question *open)
{
    const segue_interval *x = open->interval;
    const double half = 0.5 * (x->high - x->low), distance = fabs(x->value - open->limit);
    const double min_half =
        result->urn ? segue_replay_metrics_floor(result, open->metric, x->value) : 0.0;
    const double play = result->candidate[open->candidate].play_share[open->metric];
    const double of_log = 1.0 - play, wanted = distance * distance / fmax(half * half, 1e-300);
    double tasks = 1.0, runs = 1.0;
    if (wanted > of_log && (double)result->runs * play / (wanted - of_log) <= MAX_RUNS)
        runs = play / (wanted - of_log);
    else if (wanted > play)
        tasks = of_log / (wanted - play);
    else {
        tasks = 2.0 * of_log / wanted;
        runs = 2.0 * play / wanted;
    }
    if (distance <= min_half || !(tasks <= MAX_TIMES) || !((double)result->runs * runs <= MAX_RUNS))
        return (remedy){.tasks = 0.0};
    return (remedy){.tasks = tasks > 1.0 ? tasks * (double)result->n_tasks : 0.0,
                    .runs = runs > 1.0 ? runs * (double)result->runs : 0.0};
}

/* A prior per arm is simpler than types, so it is preferred unless it
 * does not pay by itself. */
size_t segue_replay_decision_use(const segue_replay_result *result, const decision *d)
{
    const size_t prior = result->best_prior;
    switch (d->conclusion) {
    case SEGUE_CONCLUSION_TYPES:
        return result->best_types;
    case SEGUE_CONCLUSION_PRIOR:
        return metric_of(result, prior, SEGUE_METRIC_REGRET_SAVED)->low > 0.0
                   ? prior
                   : segue_replay_decision_transfer(result);
    case SEGUE_CONCLUSION_ARM:
        return result->fixed_arm;
    case SEGUE_CONCLUSION_UNCLEAR:
        return d->best;
    default:
        return result->best_without_transfer;
    }
}
