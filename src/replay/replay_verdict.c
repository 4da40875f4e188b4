/* replay_verdict.c - whether transfer pays on a log, in words.
 *
 * Transfer pays where a learner saves some of the regret of the best player without any transfer,
 * beyond the interval.  That is not ts: look-ahead beats it without transfer.  Types are worth it
 * where they save a tenth or more of the regret of the best learner of a prior of each arm, which
 * may look ahead too: so what is compared differs in nothing but types.  Where an arm has few
 * rewards per task, types are not judged at all.  The verdict names the number of steps that it is
 * for. SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "io/utf8.h"
#include "replay/replay_result.h"

#define MUCH 0.10 /* of the regret: types that save less add little */
#define WIDE 0.25 /* of the regret: with such a hope left, the log cannot tell */
#define MORE 0.01 /* of the reward: less than that over a single arm is no more than it */
#define NAME 40   /* bytes of an arm's name */

/* A text that is added to. */
typedef struct verdict {
    char *text;
    size_t size, used;
} verdict;

static void say(verdict *v, const char *format, ...) SEGUE_PRINTF(2, 3);

static void say(verdict *v, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(v->text + v->used, v->size - v->used, format, arguments);
    va_end(arguments);
    v->used += length > 0 ? (size_t)length : 0;
    if (v->used >= v->size) {
        v->used = segue_utf8_prefix_length(v->text, v->size);
        v->text[v->used] = '\0';
        v->size = v->used + 1; /* it is full */
    }
}

/* "+8.1 % (6.9 .. 9.3)" */
static void say_gain(verdict *v, const segue_interval *range, const char *what)
{
    say(v, "%+.1f %%%s (%.1f .. %.1f)", 100.0 * range->value, what, 100.0 * range->low,
        100.0 * range->high);
}

static void say_saved(verdict *v, const segue_interval *range)
{
    say(v, "%.0f %% (%.0f .. %.0f) of the regret", 100.0 * range->value, 100.0 * range->low,
        100.0 * range->high);
}

/* "tasks of 60 steps" */
static void say_length(verdict *v, const segue_replay_result *found)
{
    say(v, "tasks of %s%" PRIu64 " step%s", found->resampled ? "" : "at most ", found->steps,
        found->steps == 1 ? "" : "s");
}

/* Which tasks the numbers are of. */
static void say_where(verdict *v, const segue_replay_result *found)
{
    if (found->n_learned < found->n_places)
        say(v, " on the %zu tasks held out", found->n_places - found->n_learned);
    else if (found->from > 1)
        say(v, " from task %zu on", found->from);
}

/* The best that is no fixed arm. */
static size_t best_player(const segue_replay_result *found)
{
    size_t best = found->ts;
    for (size_t p = 0; p < found->n_players; p++)
        if (p != found->fixed && found->player[p].won[SEGUE_METRIC_REWARD].value >
                                     found->player[best].won[SEGUE_METRIC_REWARD].value)
            best = p;
    return best;
}

static bool has_few_rewards(const segue_replay_result *found)
{
    return found->rarest_rewards < SEGUE_MIN_REWARDS_FOR_TYPES;
}

static segue_advice decide(const segue_replay_result *found, size_t best)
{
    const segue_interval *simple = found->player[found->simple].won;
    const segue_interval *typed =
        found->typed < found->n_players ? found->player[found->typed].won : simple;
    const segue_interval *over_arm = &found->player[best].won[SEGUE_METRIC_GAIN_OVER_FIXED];
    if (has_few_rewards(found))
        return SEGUE_ADVICE_UNCLEAR;
    if (!(over_arm->low > 0.0))
        return over_arm->value < MORE ? SEGUE_ADVICE_ARM : SEGUE_ADVICE_UNCLEAR;
    if (typed[SEGUE_METRIC_REGRET_SAVED].low > 0.0 &&
        typed[SEGUE_METRIC_SAVED_OVER_PRIOR].low > 0.0 &&
        typed[SEGUE_METRIC_SAVED_OVER_PRIOR].value >= MUCH)
        return SEGUE_ADVICE_TYPES;
    if (simple[SEGUE_METRIC_REGRET_SAVED].low > 0.0 || typed[SEGUE_METRIC_REGRET_SAVED].low > 0.0)
        return SEGUE_ADVICE_PRIOR;
    return typed[SEGUE_METRIC_REGRET_SAVED].high > WIDE ? SEGUE_ADVICE_UNCLEAR : SEGUE_ADVICE_NONE;
}

/* What a learner gains, and on whom. */
static void say_transfer(verdict *v, const segue_replay_result *found, size_t player)
{
    say(v, "In ");
    say_length(v, found);
    say(v, ", transfer would have given ");
    say_gain(v, &found->player[player].won[SEGUE_METRIC_GAIN_OVER_TS], " reward");
    say(v, " over ts");
    say_where(v, found);
    say(v, ": use %s. It saves ", found->player[player].name);
    say_saved(v, &found->player[player].won[SEGUE_METRIC_REGRET_SAVED]);
    say(v, " of %s, the best without transfer", found->player[found->alone].name);
}

static void say_types(verdict *v, const segue_replay_result *found)
{
    say_transfer(v, found, found->typed);
    say(v, ", and ");
    say_saved(v, &found->player[found->typed].won[SEGUE_METRIC_SAVED_OVER_PRIOR]);
    say(v, " of %s, which learns a prior of each arm and no types.",
        found->player[found->simple].name);
}

static void say_prior(verdict *v, const segue_replay_result *found)
{
    say_transfer(v, found, found->use);
    say(v, ".");
    if (found->typed == found->n_players)
        return;
    const segue_player_result *typed = &found->player[found->typed];
    const segue_interval *beyond = &typed->won[SEGUE_METRIC_SAVED_OVER_PRIOR];
    if (beyond->value < MUCH / 2.0 || beyond->high < MUCH)
        say(v, " There is little to gain from types: ");
    else
        say(v, " Whether types add to it, these tasks cannot tell: ");
    say(v, "%s saves ", typed->name);
    say_saved(v, beyond);
    say(v, " of %s, which learns only a prior of each arm.", found->player[found->simple].name);
}

static void say_arm(verdict *v, const segue_replay_result *found, size_t best)
{
    const segue_player_result *fixed = &found->player[found->fixed];
    say(v, "In ");
    say_length(v, found);
    say(v, ", one arm does for all: %s would have had a reward of %.3g a step", fixed->name,
        fixed->won[SEGUE_METRIC_REWARD].value);
    say_where(v, found);
    say(v, ", and %s, the best that learns, ", found->player[best].name);
    say_gain(v, &found->player[best].won[SEGUE_METRIC_GAIN_OVER_FIXED], "");
    say(v, " over it.");
}

static void say_constant(verdict *v, const segue_replay_result *found)
{
    say(v,
        "All rewards of the log are alike, %.3g: nothing can be learned from it, and any arm does, "
        "in ",
        found->logged);
    say_length(v, found);
    say(v, ".");
}

/* What types would have saved, if any played. */
static void say_types_saved(verdict *v, const segue_replay_result *found)
{
    if (found->typed == found->n_players)
        return;
    say(v, " (%s saves ", found->player[found->typed].name);
    say_saved(v, &found->player[found->typed].won[SEGUE_METRIC_REGRET_SAVED]);
    say(v, " of %s)", found->player[found->alone].name);
}

static void say_none(verdict *v, const segue_replay_result *found)
{
    const char *alone = found->player[found->alone].name;
    say(v, "In ");
    say_length(v, found);
    say(v, " there are no types worth learning; %s does as well", alone);
    say_where(v, found);
    say_types_saved(v, found);
    say(v, ": use %s.", alone);
}

static void say_unclear(verdict *v, const segue_replay_result *found, size_t best)
{
    const size_t scored = found->n_places + 1 - found->from;
    say(v, "%zu scored task%s %s too few to tell whether transfer pays in ", scored,
        scored == 1 ? "" : "s", scored == 1 ? "is" : "are");
    say_length(v, found);
    say_types_saved(v, found);
    say(v, "; %s would have given ", found->player[best].name);
    say_gain(v, &found->player[best].won[SEGUE_METRIC_GAIN_OVER_FIXED], "");
    say(v, " over one arm for all, %s.", found->player[found->fixed].name);
}

static void say_few_rewards(verdict *v, const segue_replay_result *found, size_t best)
{
    const char *arm = found->arm_name[found->rarest];
    say(v, "Types cannot be judged from this log: arm '%.*s' has %.4g rewards per task, and %.0f ",
        (int)segue_utf8_prefix_length(arm, NAME), arm, floor(10.0 * found->rarest_rewards) / 10.0,
        SEGUE_MIN_REWARDS_FOR_TYPES); /* rounded down: 29.97 are not 30 */
    say(v, "are needed. In ");
    say_length(v, found);
    if (best == found->ts)
        say(v, ", played with these, none was ahead of ts");
    else
        say(v, ", played with these, %s would have given %+.1f %% reward over ts",
            found->player[best].name,
            100.0 * found->player[best].won[SEGUE_METRIC_GAIN_OVER_TS].value);
    say_where(v, found);
    say(v, ": no more than a hint.");
}

void segue_replay_verdict(segue_replay_result *found)
{
    verdict v = {.text = found->verdict, .size = sizeof found->verdict};
    const size_t best = best_player(found);
    found->advice = decide(found, best);
    if (found->constant) {
        found->advice = SEGUE_ADVICE_ARM;
        found->use = found->fixed;
        say_constant(&v, found);
        return;
    }
    switch (found->advice) {
    case SEGUE_ADVICE_TYPES:
        found->use = found->typed;
        say_types(&v, found);
        break;
    case SEGUE_ADVICE_PRIOR: /* the simpler one, unless it alone does not pay */
        found->use = found->player[found->simple].won[SEGUE_METRIC_REGRET_SAVED].low > 0.0
                         ? found->simple
                         : found->typed;
        say_prior(&v, found);
        break;
    case SEGUE_ADVICE_ARM:
        found->use = found->fixed;
        say_arm(&v, found, best);
        break;
    case SEGUE_ADVICE_UNCLEAR:
        found->use = best;
        if (has_few_rewards(found))
            say_few_rewards(&v, found, best);
        else
            say_unclear(&v, found, best);
        break;
    default:
        found->use = found->alone;
        say_none(&v, found);
    }
}
