/* replay_verdict.c - whether transfer pays on a log, in words.
 *
 * Transfer through types is worth it where the best learner of types beats both the best player
 * without any transfer and the prior of each arm, beyond the intervals; and much so where it saves
 * a tenth of the regret or more.  It is not compared with ts alone, since look-ahead beats ts
 * without any transfer.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "report/replay.h"

#define MUCH 0.10 /* of the regret: saving less is little */
#define WIDE 0.25 /* of the regret: with such a hope left, the log cannot tell */

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
    if (v->used >= v->size)
        v->used = v->size - 1;
}

/* "+8.1 % (6.9 .. 9.3)" */
static void say_gain(verdict *v, const segue_range *range, const char *what)
{
    say(v, "%+.1f %%%s (%.1f .. %.1f)", 100.0 * range->value, what, 100.0 * range->low,
        100.0 * range->high);
}

static void say_saved(verdict *v, const segue_range *range)
{
    say(v, "%.0f %% (%.0f .. %.0f) of the regret", 100.0 * range->value, 100.0 * range->low,
        100.0 * range->high);
}

/* Which tasks the numbers are of. */
static void say_where(verdict *v, const segue_replay_found *found)
{
    if (found->n_learned < found->n_places)
        say(v, " on the %zu tasks held out", found->n_places - found->n_learned);
    else if (found->from > 1)
        say(v, " from task %zu on", found->from);
}

/* The best that is no fixed arm. */
static size_t best_player(const segue_replay_found *found)
{
    size_t best = found->ts;
    for (size_t p = 0; p < found->n_players; p++)
        if (p != found->fixed &&
            found->player[p].won.reward.value > found->player[best].won.reward.value)
            best = p;
    return best;
}

static segue_advice decide(const segue_replay_found *found, size_t best)
{
    const segue_winnings *prior = &found->player[found->prior].won;
    const segue_winnings *typed =
        found->typed < found->n_players ? &found->player[found->typed].won : NULL;
    if (!(found->player[best].won.over_fixed.low > 0.0))
        return SEGUE_ADVICE_ARM;
    if (typed && typed->saved.low > 0.0 && typed->over_prior.low > 0.0)
        return typed->saved.value >= MUCH ? SEGUE_ADVICE_TYPES : SEGUE_ADVICE_LITTLE;
    return prior->saved.low > 0.0 ? SEGUE_ADVICE_PRIOR : SEGUE_ADVICE_NONE;
}

static void say_types(verdict *v, const segue_replay_found *found)
{
    const segue_contestant *typed = &found->player[found->typed];
    say(v, "Transfer would have given ");
    say_gain(v, &typed->won.over_ts, " reward");
    say(v, " over ts");
    say_where(v, found);
    say(v, ": use %s. It saves ", typed->name);
    say_saved(v, &typed->won.saved);
    say(v, " of %s, the best without transfer.", found->player[found->alone].name);
}

static void say_little(verdict *v, const segue_replay_found *found)
{
    const segue_contestant *typed = &found->player[found->typed];
    const char *alone = found->player[found->alone].name;
    say(v, "There is little to gain from types: %s saves ", typed->name);
    say_saved(v, &typed->won.saved);
    say(v, " of %s, which learns nothing across tasks", alone);
    say_where(v, found);
    say(v, ". Use %s if it costs you nothing, else %s.", typed->name, alone);
}

static void say_prior(verdict *v, const segue_replay_found *found)
{
    say(v, "A prior of each arm is worth learning: ts-prior would have given ");
    say_gain(v, &found->player[found->prior].won.over_ts, " reward");
    say(v, " over ts");
    say_where(v, found);
    say(v, ": use ts-prior.");
    if (found->typed == found->n_players)
        return;
    say(v, " There is little to gain from types: %s would have given ",
        found->player[found->typed].name);
    say_gain(v, &found->player[found->typed].won.over_prior, "");
    say(v, " over that.");
}

static void say_arm(verdict *v, const segue_replay_found *found, size_t best)
{
    const segue_contestant *fixed = &found->player[found->fixed];
    say(v, "One arm does for all tasks: %s would have had a reward of %.3g a step", fixed->name,
        fixed->won.reward.value);
    say_where(v, found);
    say(v, ", and %s, the best that learns, ", found->player[best].name);
    say_gain(v, &found->player[best].won.over_fixed, "");
    say(v, " over it.");
}

static void say_none(verdict *v, const segue_replay_found *found)
{
    const char *alone = found->player[found->alone].name;
    const segue_contestant *typed =
        found->typed < found->n_players ? &found->player[found->typed] : NULL;
    if (typed && typed->won.saved.high > WIDE)
        say(v, "%zu tasks are too few to tell whether transfer pays; so far %s does as well",
            found->n_places, alone);
    else
        say(v, "Your tasks share no types worth learning; %s does as well", alone);
    say_where(v, found);
    if (typed) {
        say(v, " (%s saves ", typed->name);
        say_saved(v, &typed->won.saved);
        say(v, " of %s)", alone);
    }
    say(v, ": use %s.", alone);
}

void segue_replay_judge(segue_replay_found *found)
{
    verdict v = {.text = found->verdict, .size = sizeof found->verdict};
    const size_t best = best_player(found);
    found->advice = decide(found, best);
    switch (found->advice) {
    case SEGUE_ADVICE_TYPES:
        found->use = found->typed;
        say_types(&v, found);
        break;
    case SEGUE_ADVICE_LITTLE:
        found->use = found->typed;
        say_little(&v, found);
        break;
    case SEGUE_ADVICE_PRIOR:
        found->use = found->prior;
        say_prior(&v, found);
        break;
    case SEGUE_ADVICE_ARM:
        found->use = found->fixed;
        say_arm(&v, found, best);
        break;
    default:
        found->use = found->alone;
        say_none(&v, found);
    }
}
