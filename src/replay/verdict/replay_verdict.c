/* replay_verdict.c - the verdict of a replay in words: does transfer pay on this log, and which
 * method?
 *
 * replay_decision.c decides.  If the log cannot tell, the verdict says why, and what would be
 * needed.  Every verdict names the number of steps that it is for, and how much of it is not from
 * the logged rewards.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "io/utf8.h"
#include "replay/replay.h"
#include "replay/verdict/replay_decision.h"
#include "segue/internal.h"

#define MAX_ARM_BYTES 40 /* of an arm's name */

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

/* In per cent, with one digit after the point; not -0. */
static double tenths(double share)
{
    return round(1000.0 * share) / 10.0 + 0.0;
}

/* "+8.1 % (6.9 .. 9.3)" */
static void append_gain(verdict *v, const segue_interval *gain, const char *unit)
{
    append(v, "%+.1f %%%s (%.1f .. %.1f)", tenths(gain->value), unit, tenths(gain->low),
           tenths(gain->high));
}

/* In per cent, without digits after the point; not -0. */
static double percent(double share)
{
    return round(100.0 * share) + 0.0;
}

static void append_saving(verdict *v, const segue_interval *saved)
{
    append(v, "%.0f %% (%.0f .. %.0f) of the regret", percent(saved->value), percent(saved->low),
           percent(saved->high));
}

/* "tasks of 60 steps" */
static void append_steps(verdict *v, const segue_replay_result *result)
{
    append(v, "tasks of %s%" PRIu64 " step%s", result->urn ? "" : "at most ", result->steps,
           result->steps == 1 ? "" : "s");
}

/* Name the scored tasks. */
static void append_scored(verdict *v, const segue_replay_result *result)
{
    if (result->n_learned < result->n_played)
        append(v, ", on the %zu tasks held out", result->n_played - result->n_learned);
    else if (result->first_scored > 1)
        append(v, ", from task %zu on", result->first_scored);
}

/* ---- parts of sentences ------------------------------------------------------------------ */

static const segue_interval *metric_of(const segue_replay_result *result, size_t candidate,
                                       segue_replay_metric metric)
{
    return &result->candidate[candidate].metric[metric];
}

static const char *name_of(const segue_replay_result *result, size_t candidate)
{
    return result->candidate[candidate].name;
}

/* "In tasks of 60 steps, from task 41 on, " */
static void append_tasks(verdict *v, const segue_replay_result *result)
{
    append(v, "In ");
    append_steps(v, result);
    append_scored(v, result);
    append(v, ", ");
}

/* "it would have earned 0.731 per step (0.725 .. 0.737)" */
static void append_reward(verdict *v, const segue_replay_result *result, size_t candidate)
{
    const segue_interval *reward = metric_of(result, candidate, SEGUE_METRIC_REWARD);
    append(v, "would have earned %.3g per step (%.3g .. %.3g)", reward->value, reward->low,
           reward->high);
}

/* Compare a candidate with ts and with the best single arm. */
static void append_gains(verdict *v, const segue_replay_result *result, size_t candidate)
{
    if (candidate != result->ts) {
        append(v, ", ");
        append_gain(v, metric_of(result, candidate, SEGUE_METRIC_GAIN_OVER_TS), "");
        append(v, " over ts");
    }
    append(v, candidate != result->ts ? " and " : ", ");
    append_gain(v, metric_of(result, candidate, SEGUE_METRIC_GAIN_OVER_FIXED), "");
    append(v, " over one arm for all tasks, %s", name_of(result, result->fixed_arm));
}

/* Say how much of the result is not from the log itself. */
static void append_basis(verdict *v, const segue_replay_result *result)
{
    const double drawn = 100.0 * (1.0 - result->candidate[result->use].logged);
    if (!result->urn)
        return;
    append(v, " Beyond the logged rewards (%.0f %% of pulls) this rests on %zu fitted type%s.",
           drawn, result->n_fitted_types, result->n_fitted_types == 1 ? "" : "s");
}

/* Round up to two digits. */
static double round_up(double x)
{
    const double unit = segue_decade_power(segue_decade(fmax(x, 1.0)) - 1);
    return unit <= 1.0 ? ceil(x - 1e-6) : unit * ceil(x / unit - 1e-6);
}

/* Say how many tasks, or runs of the play, would answer an open question. */
static void append_need(verdict *v, const segue_replay_result *result, const question *open)
{
    const remedy need = segue_replay_decision_remedy(result, open);
    const double tasks = round_up(need.tasks), runs = round_up(need.runs);
    if (need.tasks > 0.0 && need.runs > 0.0)
        append(v, " About %.0f tasks with as many rewards, and --runs %.0f, would tell.", tasks,
               runs);
    else if (need.tasks > 0.0)
        append(v, " About %.0f tasks with as many rewards would tell.", tasks);
    else if (need.runs > 0.0)
        append(v,
               " The luck of the play is %.0f %% of its variance, so this log may tell with --runs "
               "%.0f.",
               100.0 * result->candidate[open->candidate].play_share[open->metric], runs);
    else
        append(v, " The true value may be at the limit: more tasks alone may not tell.");
}

/* Say what a log needs to show its types, if it has less. */
static void append_types_need(verdict *v, const segue_replay_result *result)
{
    const double tasks = result->tasks_needed, rows = result->rows_needed;
    if (isfinite(tasks) && tasks > (double)result->n_tasks)
        append(v,
               " To show types as these, a log needs about %.0f tasks with as many rewards, or "
               "%.0f rewards per task.",
               round_up(tasks), round_up(rows));
}

/* ---- sentences --------------------------------------------------------------------------- */

/* The recommended method and what it earns. */
static void describe_use(verdict *v, const segue_replay_result *result)
{
    append(v, "Use %s. ", name_of(result, result->use));
    append_tasks(v, result);
    append(v, "it ");
    append_reward(v, result, result->use);
    append_gains(v, result, result->use);
    append(v, ".");
}

/* "It saves 42 % (40 .. 44) of the regret of la, the best method that learns nothing across
 * tasks" */
static void describe_transfer(verdict *v, const segue_replay_result *result)
{
    append(v, " It saves ");
    append_saving(v, metric_of(result, result->use, SEGUE_METRIC_REGRET_SAVED));
    append(v, " of %s, the best method that learns nothing across tasks.",
           name_of(result, result->best_without_transfer));
}

/* "tla saves 28 % (24 .. 32) of the regret of tla:cap=1" */
static void append_types_saving(verdict *v, const segue_replay_result *result)
{
    append(v, "%s saves ", name_of(result, result->best_types));
    append_saving(v, metric_of(result, result->best_types, SEGUE_METRIC_SAVED_OVER_PRIOR));
    append(v, " of %s", name_of(result, result->best_prior));
}

static void describe_types(verdict *v, const segue_replay_result *result)
{
    describe_use(v, result);
    describe_transfer(v, result);
    append(v, " Types add to a prior per arm: ");
    append_types_saving(v, result);
    append(v, ".");
}

static void describe_prior(verdict *v, const segue_replay_result *result)
{
    describe_use(v, result);
    describe_transfer(v, result);
    if (!segue_replay_decision_has_types(result))
        return;
    append(v, " Types add little to a prior per arm: ");
    append_types_saving(v, result);
    append(v, ".");
}

static void describe_arm(verdict *v, const segue_replay_result *result, size_t best)
{
    append(v, "One arm is enough for all tasks: %s. ", name_of(result, result->fixed_arm));
    append_tasks(v, result);
    append(v, "it ");
    append_reward(v, result, result->fixed_arm);
    append(v, ", and %s, the best that learns, ", name_of(result, best));
    append_gain(v, metric_of(result, best, SEGUE_METRIC_GAIN_OVER_FIXED), "");
    append(v, " over it.");
}

static void describe_none(verdict *v, const segue_replay_result *result)
{
    const size_t transfer = segue_replay_decision_transfer(result);
    append(v, "Transfer does not pay. ");
    describe_use(v, result);
    append(v, " %s, which learns across tasks, saves ", name_of(result, transfer));
    append_saving(v, metric_of(result, transfer, SEGUE_METRIC_REGRET_SAVED));
    append(v, " of %s.", name_of(result, result->best_without_transfer));
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

/* Add the rewards, which the log shows although a question is open. */
static void describe_rest(verdict *v, const segue_replay_result *result, const decision *d)
{
    append(v, " %s, the best that learns, ", name_of(result, d->best));
    append_reward(v, result, d->best);
    append_gains(v, result, d->best);
    append(v, ".");
}

static void describe_few_rewards(verdict *v, const segue_replay_result *result, const decision *d)
{
    const char *arm = result->arm_name[result->rarest];
    append(v, "This log cannot tell if transfer pays in ");
    append_steps(v, result);
    if (result->rewards_per_cell < SEGUE_MIN_REWARDS_PER_CELL)
        append(v,
               ": it has %.2g rewards per arm and task, and %.0f or more are needed to see each "
               "task's best arm, so %.0f rewards per task.",
               segue_replay_round_down(result->rewards_per_cell), SEGUE_MIN_REWARDS_PER_CELL,
               SEGUE_MIN_REWARDS_PER_CELL * (double)result->n_arms);
    else
        append(v,
               " by row replay: arm '%.*s' has %.4g rewards per task, and %.0f are needed; --play "
               "urn needs fewer.",
               (int)segue_utf8_prefix_length(arm, MAX_ARM_BYTES), arm,
               floor(10.0 * result->rarest_rewards) / 10.0, SEGUE_MIN_REWARDS_FOR_TYPES);
    describe_rest(v, result, d);
}

static void describe_open_arm(verdict *v, const segue_replay_result *result, const decision *d)
{
    append(v, "This log cannot tell if learning pays in ");
    append_steps(v, result);
    append(v, ": %s, the best that learns, would have given ", name_of(result, d->best));
    append_gain(v, d->arm.interval, "");
    append(v, " over one arm for all tasks, %s.", name_of(result, result->fixed_arm));
    append_need(v, result, &d->arm);
}

static void describe_open_transfer(verdict *v, const segue_replay_result *result, const decision *d)
{
    append(v, "This log cannot tell if transfer pays in ");
    append_steps(v, result);
    append(v, ": %s saves ", name_of(result, segue_replay_decision_transfer(result)));
    append_saving(v, d->transfer.interval);
    append(v, " of %s, which learns nothing across tasks.",
           name_of(result, result->best_without_transfer));
    append_need(v, result, &d->transfer);
    describe_rest(v, result, d);
}

static void describe_open_types(verdict *v, const segue_replay_result *result, const decision *d)
{
    append(v, "Transfer pays in ");
    append_steps(v, result);
    append(v, ", but this log cannot tell if types add to a prior per arm: ");
    append_types_saving(v, result);
    append(v, ", and %.0f %% is the least that counts.", percent(d->types.limit));
    append_need(v, result, &d->types);
    append_types_need(v, result);
    describe_rest(v, result, d);
}

static void describe_wrong_population(verdict *v, const segue_replay_result *result)
{
    append(v, "This log cannot tell which method is best in ");
    append_steps(v, result);
    append(v,
           ": the fitted types do not describe it. They predict %.3g where it has %.3g, and "
           "methods differ by less. Rewards may change within tasks: then a task should end where "
           "they change.",
           result->predicted, result->observed);
}

static void describe_rare_type(verdict *v, const segue_replay_result *result, const decision *d)
{
    const char *arm = result->arm_name[result->rare_arm];
    append(v, "This log cannot tell if learning pays in ");
    append_steps(v, result);
    append(
        v,
        ": for about %.0f of its %zu tasks arm '%.*s' seems best, not %s, and so few do not show "
        "how common they are. %.0f of them would, so about %.0f tasks.",
        result->rare_tasks, result->n_tasks, (int)segue_utf8_prefix_length(arm, MAX_ARM_BYTES), arm,
        name_of(result, result->fixed_arm), SEGUE_MIN_TASKS_OF_TYPE,
        round_up((double)result->n_tasks * SEGUE_MIN_TASKS_OF_TYPE / result->rare_tasks));
    describe_rest(v, result, d);
}

static void describe_unclear(verdict *v, const segue_replay_result *result, const decision *d)
{
    if (d->wrong_population)
        describe_wrong_population(v, result);
    else if (d->rare_type)
        describe_rare_type(v, result, d);
    else if (d->few_rewards)
        describe_few_rewards(v, result, d);
    else if (d->arm.interval)
        describe_open_arm(v, result, d);
    else if (d->types.interval)
        describe_open_types(v, result, d);
    else
        describe_open_transfer(v, result, d);
}

void segue_replay_verdict(segue_replay_result *result)
{
    verdict v = {.text = result->verdict, .size = sizeof result->verdict};
    const decision d = segue_replay_decision(result);
    result->conclusion = d.conclusion;
    result->has_advice = d.conclusion != SEGUE_CONCLUSION_UNCLEAR || d.types.interval;
    result->use = segue_replay_decision_use(result, &d);
    if (result->constant)
        describe_constant(&v, result);
    else if (d.conclusion == SEGUE_CONCLUSION_TYPES)
        describe_types(&v, result);
    else if (d.conclusion == SEGUE_CONCLUSION_PRIOR)
        describe_prior(&v, result);
    else if (d.conclusion == SEGUE_CONCLUSION_ARM)
        describe_arm(&v, result, d.best);
    else if (d.conclusion == SEGUE_CONCLUSION_NONE)
        describe_none(&v, result);
    else
        describe_unclear(&v, result, &d);
    if (!result->constant && !d.wrong_population)
        append_basis(&v, result);
}
