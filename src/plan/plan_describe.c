/* plan_describe.c - a plan in words: from which task on transfer pays, and how to show it.
 *
 * Three sentences: when the learner is ahead, what it earns in the long run, and the control
 * experiment that shows it.  Each case has its own function, which appends to the text.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/amount.h"
#include "plan/plan.h"
#include "segue/internal.h"

/* The text under way, and what it is about. */
typedef struct text {
    const segue_plan_result *result;
    const segue_plan_config *config;
    char *out;
} text;

static void append(const text *t, const char *format, ...) SEGUE_PRINTF(2, 3);
static void append(const text *t, const char *format, ...)
{
    const size_t used = strlen(t->out);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(t->out + used, SEGUE_PLAN_TEXT_SIZE - used, format, arguments);
    va_end(arguments);
}

static void append_amount(const text *t, double x)
{
    char amount[SEGUE_AMOUNT_SIZE];
    segue_amount_format(x, amount);
    append(t, "%s", amount);
}

static void append_range(const text *t, const segue_interval *x)
{
    append_amount(t, x->value);
    append(t, " (");
    append_amount(t, x->low);
    append(t, " .. ");
    append_amount(t, x->high);
    append(t, ")");
}

/* ---- from which task on ------------------------------------------------------------------ */

/* Append "from task 17 on (12 .. 24)". */
static void append_from(const text *t, const segue_interval *from)
{
    append(t, "from task %.0f on", from->value);
    if (isfinite(from->high))
        append(t, " (%.0f .. %.0f)", from->low, from->high);
    else
        append(t, " (%.0f or later)", from->low);
}

static void describe_start(const text *t)
{
    const segue_plan_config *config = t->config;
    const size_t without = t->result->without;
    const segue_interval *from = &t->result->gain[without].pays_from;
    append(t, "With %zu arms, %" PRIu64 " steps per task and %zu type%s, ",
           config->population->n_arms, config->steps, config->n_types,
           config->n_types == 1 ? "" : "s");
    if (isnan(from->value)) {
        append(t, "transfer does not pay within %" PRIu64 " tasks: %s earns no more than %s.",
               config->simulated, config->learner, segue_plan_opponent(without));
        return;
    }
    append(t, "transfer pays ");
    append_from(t, from);
    append(t, ": the total reward of %s is then ahead of that of %s", config->learner,
           segue_plan_opponent(without));
    append(t, without == SEGUE_PLAN_TS ? "." : ", the best without transfer.");
}

/* ---- the gain ---------------------------------------------------------------------------- */

static void describe_gain(const text *t)
{
    const segue_interval *ts = &t->result->gain[SEGUE_PLAN_TS].per_task;
    const segue_interval *prior = &t->result->gain[SEGUE_PLAN_PRIOR].per_task;
    append(t, " Once learned, its gain per task is ");
    append_range(t, ts);
    append(t, " over ts, %+.1f %%", 100.0 * ts->value / t->result->ts_reward);
    if (prior->low <= 0.0) {
        append(t, "; a prior of each arm without types does %s.",
               prior->high < 0.0 ? "better" : "as well");
        return;
    }
    append(t, ", and ");
    append_range(t, prior);
    append(t, " over a prior of each arm without types.");
}

/* ---- the control experiment -------------------------------------------------------------- */

static void describe_share(const text *t, const segue_plan_share *share)
{
    append(t, "%.0f tasks", segue_amount_round(share->tasks.value, 2));
    if (isfinite(share->tasks.high))
        append(t, " (%.0f .. %.0f)", segue_amount_round(share->tasks.low, 2),
               segue_amount_round(share->tasks.high, 2));
    else
        append(t, " (%.0f or more)", segue_amount_round(share->tasks.low, 2));
    append(t, ", %.0f %% of them in the control group", 100.0 * share->control);
}

static void describe_experiment(const text *t)
{
    const segue_plan_result *result = t->result;
    if (result->recommended == SEGUE_N_PLAN_SHARES) {
        append(t, " %" PRIu64 " tasks are too few to show a gain over ts with %.0f %% power.",
               t->config->max_tasks, 100.0 * SEGUE_PLAN_POWER);
        return;
    }
    append(t, " To show a gain over ts with %.0f %% power you need about ",
           100.0 * SEGUE_PLAN_POWER);
    describe_share(t, &result->share[result->recommended]);
    append(t, ", which cost ");
    append_amount(t, result->share[result->recommended].lost);
    append(t, " of reward.");
    if (result->fastest == result->recommended)
        return;
    append(t, " Fastest: ");
    describe_share(t, &result->share[result->fastest]);
    append(t, ", which cost ");
    append_amount(t, result->share[result->fastest].lost);
    append(t, ".");
}

/* ---- money ------------------------------------------------------------------------------- */

static void describe_value(const text *t)
{
    const segue_yearly *yearly = &t->config->yearly;
    if (!segue_yearly_is_known(yearly))
        return;
    const segue_interval gain = segue_yearly_gain(yearly, &t->result->gain[SEGUE_PLAN_TS].per_task);
    append(t, " With %g tasks per day and %g for each unit of reward, the gain over ts is ",
           yearly->tasks_per_day, yearly->value);
    append_range(t, &gain);
    append(t, " per year.");
}

static void describe_days(const text *t)
{
    const segue_plan_result *result = t->result;
    const double per_day = t->config->yearly.tasks_per_day;
    if (per_day > 0.0 && result->recommended < SEGUE_N_PLAN_SHARES)
        append(t, " At %g tasks per day that experiment takes %.3g days.", per_day,
               result->share[result->recommended].tasks.value / per_day);
}

void segue_plan_describe(segue_plan_result *result, const segue_plan_config *config)
{
    const text t = {.result = result, .config = config, .out = result->text};
    result->text[0] = '\0';
    describe_start(&t);
    describe_gain(&t);
    describe_experiment(&t);
    describe_days(&t);
    describe_value(&t);
}
