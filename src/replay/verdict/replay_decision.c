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

#define MIN_GAIN   0.01 /* of the reward: a smaller gain over a single arm does not count */
#define MIN_SAVING 0.05 /* of the regret: transfer that saves less does not count */

/* Return the candidate with the largest reward, except the fixed arm. */
static size_t best_candidate(const segue_replay_result *result)
{
    size_t best = result->ts;
    for (size_t c = 0; c < result->n_candidates; c++)
        if (c != result->fixed_arm && result->candidate[c].metric[SEGUE_METRIC_REWARD].value >
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
        d->types = (question){.interval = saved, .limit = SEGUE_MIN_TYPES_SAVING};
    }
}

/* Does transfer pay, and if so, do types? */
static void decide_transfer(const segue_replay_result *result, decision *d)
{
    const segue_interval *saved =
        metric_of(result, segue_replay_decision_transfer(result), SEGUE_METRIC_REGRET_SAVED);
    if (saved->low > 0.0) {
        decide_types(result, d);
    } else if (saved->high < MIN_SAVING) {
        d->conclusion = SEGUE_CONCLUSION_NONE;
    } else {
        d->conclusion = SEGUE_CONCLUSION_UNCLEAR;
        d->transfer = (question){.interval = saved,
                                 .limit = saved->value > 0.5 * MIN_SAVING ? 0.0 : MIN_SAVING};
    }
}

/* Is the error that a check found larger than the gain of a candidate over ts (of ts: over the
 * single arm)? */
static bool is_in_doubt(const segue_replay_result *result, size_t candidate)
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
        d.arm = (question){.interval = over_arm,
                           .limit = over_arm->value > 0.5 * MIN_GAIN ? 0.0 : MIN_GAIN};
    if (d.conclusion != SEGUE_CONCLUSION_UNCLEAR && !result->constant &&
        is_in_doubt(result, segue_replay_decision_use(result, &d)))
        d = (decision){
            .conclusion = SEGUE_CONCLUSION_UNCLEAR, .best = d.best, .wrong_population = true};
    return d;
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
