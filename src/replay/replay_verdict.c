/* replay_verdict.c - the verdict of a replay: does transfer pay on this log, and which method?
 *
 * Transfer pays if a learner saves regret of the best candidate without transfer, beyond the
 * interval.  That is not always ts: look-ahead beats ts without transfer.  Types pay if they save a
 * tenth (SEGUE_MIN_TYPES_SAVING) of the regret of the best learner of a prior per arm, which may
 * look ahead too: the two then differ in nothing but types.  If an arm has few rewards per task,
 * types are not judged.  Every verdict names the number of steps that it is for.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "io/utf8.h"
#include "replay/replay.h"

#define MAX_UNDECIDED 0.25 /* of the regret: if types may save more, the log cannot decide */
#define MIN_GAIN      0.01 /* of the reward: a smaller gain over a single arm does not count */
#define MAX_ARM_BYTES 40   /* of an arm's name */

/* ---- text -------------------------------------------------------------------------------- */

/* A text that sentences are appended to. */
typedef struct verdict {
    char *text;
    size_t size, used;
} verdict;

static void append(verdict *v, const char *format, ...) SEGUE_PRINTF(2, 3);

static void append(verdict *v, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(v->text + v->used, v->size - v->used, format, arguments);
    va_end(arguments);
    v->used += length > 0 ? (size_t)length : 0;
    if (v->used >= v->size) {
        v->used = segue_utf8_prefix_length(v->text, v->size);
        v->text[v->used] = '\0';
        v->size = v->used + 1; /* full: later texts are dropped */
    }
}

/* "+8.1 % (6.9 .. 9.3)" */
static void append_gain(verdict *v, const segue_interval *gain, const char *unit)
{
    append(v, "%+.1f %%%s (%.1f .. %.1f)", 100.0 * gain->value, unit, 100.0 * gain->low,
           100.0 * gain->high);
}

static void append_saving(verdict *v, const segue_interval *saved)
{
    append(v, "%.0f %% (%.0f .. %.0f) of the regret", 100.0 * saved->value, 100.0 * saved->low,
           100.0 * saved->high);
}

/* "tasks of 60 steps" */
static void append_steps(verdict *v, const segue_replay_result *result)
{
    append(v, "tasks of %s%" PRIu64 " step%s", result->resampled ? "" : "at most ", result->steps,
           result->steps == 1 ? "" : "s");
}

/* Name the scored tasks. */
static void append_scored(verdict *v, const segue_replay_result *result)
{
    if (result->n_learned < result->n_played)
        append(v, " on the %zu tasks held out", result->n_played - result->n_learned);
    else if (result->first_scored > 1)
        append(v, " from task %zu on", result->first_scored);
}

/* ---- decision ---------------------------------------------------------------------------- */

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

static bool has_few_rewards(const segue_replay_result *result)
{
    return result->rarest_rewards < SEGUE_MIN_REWARDS_FOR_TYPES;
}

static segue_conclusion decide(const segue_replay_result *result, size_t best)
{
    const segue_interval *prior = result->candidate[result->best_prior].metric;
    const segue_interval *types = result->best_types < result->n_candidates
                                      ? result->candidate[result->best_types].metric
                                      : prior;
    const segue_interval *over_arm = &result->candidate[best].metric[SEGUE_METRIC_GAIN_OVER_FIXED];
    if (result->constant)
        return SEGUE_CONCLUSION_ARM;
    if (has_few_rewards(result))
        return SEGUE_CONCLUSION_UNCLEAR;
    if (!(over_arm->low > 0.0))
        return over_arm->value < MIN_GAIN ? SEGUE_CONCLUSION_ARM : SEGUE_CONCLUSION_UNCLEAR;
    if (types[SEGUE_METRIC_REGRET_SAVED].low > 0.0 &&
        types[SEGUE_METRIC_SAVED_OVER_PRIOR].low > 0.0 &&
        types[SEGUE_METRIC_SAVED_OVER_PRIOR].value >= SEGUE_MIN_TYPES_SAVING)
        return SEGUE_CONCLUSION_TYPES;
    if (prior[SEGUE_METRIC_REGRET_SAVED].low > 0.0 || types[SEGUE_METRIC_REGRET_SAVED].low > 0.0)
        return SEGUE_CONCLUSION_PRIOR;
    return types[SEGUE_METRIC_REGRET_SAVED].high > MAX_UNDECIDED ? SEGUE_CONCLUSION_UNCLEAR
                                                                 : SEGUE_CONCLUSION_NONE;
}

/* Return the candidate to use.  A prior per arm is simpler than types, so it is preferred unless it
 * does not pay by itself. */
static size_t choose(const segue_replay_result *result, size_t best)
{
    const size_t prior = result->best_prior;
    switch (result->conclusion) {
    case SEGUE_CONCLUSION_TYPES:
        return result->best_types;
    case SEGUE_CONCLUSION_PRIOR:
        return result->candidate[prior].metric[SEGUE_METRIC_REGRET_SAVED].low > 0.0
                   ? prior
                   : result->best_types;
    case SEGUE_CONCLUSION_ARM:
        return result->fixed_arm;
    case SEGUE_CONCLUSION_UNCLEAR:
        return best;
    default:
        return result->best_without_transfer;
    }
}

/* ---- sentences --------------------------------------------------------------------------- */

static void describe_transfer(verdict *v, const segue_replay_result *result)
{
    const segue_replay_candidate *used = &result->candidate[result->use];
    append(v, "In ");
    append_steps(v, result);
    append(v, ", transfer would have given ");
    append_gain(v, &used->metric[SEGUE_METRIC_GAIN_OVER_TS], " reward");
    append(v, " over ts");
    append_scored(v, result);
    append(v, ": use %s. It saves ", used->name);
    append_saving(v, &used->metric[SEGUE_METRIC_REGRET_SAVED]);
    append(v, " of %s, the best without transfer",
           result->candidate[result->best_without_transfer].name);
}

static void describe_types(verdict *v, const segue_replay_result *result)
{
    describe_transfer(v, result);
    append(v, ", and ");
    append_saving(v, &result->candidate[result->use].metric[SEGUE_METRIC_SAVED_OVER_PRIOR]);
    append(v, " of %s, which learns a prior of each arm and no types.",
           result->candidate[result->best_prior].name);
}

static void describe_prior(verdict *v, const segue_replay_result *result)
{
    describe_transfer(v, result);
    append(v, ".");
    if (result->best_types == result->n_candidates)
        return;
    const segue_replay_candidate *types = &result->candidate[result->best_types];
    const segue_interval *saved = &types->metric[SEGUE_METRIC_SAVED_OVER_PRIOR];
    if (saved->value < SEGUE_MIN_TYPES_SAVING / 2.0 || saved->high < SEGUE_MIN_TYPES_SAVING)
        append(v, " There is little to gain from types: ");
    else
        append(v, " Whether types add to it, these tasks do not decide: ");
    append(v, "%s saves ", types->name);
    append_saving(v, saved);
    append(v, " of %s, which learns only a prior of each arm.",
           result->candidate[result->best_prior].name);
}

static void describe_arm(verdict *v, const segue_replay_result *result, size_t best)
{
    const segue_replay_candidate *fixed = &result->candidate[result->fixed_arm];
    append(v, "In ");
    append_steps(v, result);
    append(v, ", a single arm is enough for all tasks: %s would have had a reward of %.3g per step",
           fixed->name, fixed->metric[SEGUE_METRIC_REWARD].value);
    append_scored(v, result);
    append(v, ", and %s, the best that learns, ", result->candidate[best].name);
    append_gain(v, &result->candidate[best].metric[SEGUE_METRIC_GAIN_OVER_FIXED], "");
    append(v, " over it.");
}

static void describe_constant(verdict *v, const segue_replay_result *result)
{
    append(v,
           "All rewards of the log are equal, %.3g: nothing can be learned from it, and every "
           "arm is as good, in ",
           result->logged);
    append_steps(v, result);
    append(v, ".");
}

/* Give the saving of types, if a learner of types took part. */
static void append_types_saving(verdict *v, const segue_replay_result *result)
{
    if (result->best_types == result->n_candidates)
        return;
    const segue_replay_candidate *types = &result->candidate[result->best_types];
    append(v, " (%s saves ", types->name);
    append_saving(v, &types->metric[SEGUE_METRIC_REGRET_SAVED]);
    append(v, " of %s)", result->candidate[result->best_without_transfer].name);
}

static void describe_none(verdict *v, const segue_replay_result *result)
{
    const char *name = result->candidate[result->best_without_transfer].name;
    append(v, "In ");
    append_steps(v, result);
    append(v, " transfer does not pay; %s does as well", name);
    append_scored(v, result);
    append_types_saving(v, result);
    append(v, ": use %s.", name);
}

static void describe_unclear(verdict *v, const segue_replay_result *result, size_t best)
{
    const size_t scored = result->n_played + 1 - result->first_scored;
    append(v, "%zu scored task%s %s too few to decide whether transfer pays in ", scored,
           scored == 1 ? "" : "s", scored == 1 ? "is" : "are");
    append_steps(v, result);
    append_types_saving(v, result);
    append(v, "; %s would have given ", result->candidate[best].name);
    append_gain(v, &result->candidate[best].metric[SEGUE_METRIC_GAIN_OVER_FIXED], "");
    append(v, " over one arm for all, %s.", result->candidate[result->fixed_arm].name);
}

static void describe_few_rewards(verdict *v, const segue_replay_result *result, size_t best)
{
    const char *arm = result->arm_name[result->rarest];
    append(v,
           "Types cannot be judged from this log: arm '%.*s' has %.4g rewards per task, and %.0f ",
           (int)segue_utf8_prefix_length(arm, MAX_ARM_BYTES), arm,
           floor(10.0 * result->rarest_rewards) / 10.0, /* rounded down: 29.97 is not 30 */
           SEGUE_MIN_REWARDS_FOR_TYPES);
    append(v, "are needed. In ");
    append_steps(v, result);
    if (best == result->ts)
        append(v, ", played with these, none was ahead of ts");
    else
        append(v, ", played with these, %s would have given %+.1f %% reward over ts",
               result->candidate[best].name,
               100.0 * result->candidate[best].metric[SEGUE_METRIC_GAIN_OVER_TS].value);
    append_scored(v, result);
    append(v, ": treat this as a hint.");
}

void segue_replay_verdict(segue_replay_result *result)
{
    verdict v = {.text = result->verdict, .size = sizeof result->verdict};
    const size_t best = best_candidate(result);
    result->conclusion = decide(result, best);
    result->use = choose(result, best);
    if (result->constant)
        describe_constant(&v, result);
    else if (has_few_rewards(result))
        describe_few_rewards(&v, result, best);
    else if (result->conclusion == SEGUE_CONCLUSION_TYPES)
        describe_types(&v, result);
    else if (result->conclusion == SEGUE_CONCLUSION_PRIOR)
        describe_prior(&v, result);
    else if (result->conclusion == SEGUE_CONCLUSION_ARM)
        describe_arm(&v, result, best);
    else if (result->conclusion == SEGUE_CONCLUSION_UNCLEAR)
        describe_unclear(&v, result, best);
    else
        describe_none(&v, result);
}
