/* task_terms.c - the settings of a learner that can change: read, merged, written, compared.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/settings/task_terms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "io/json_write.h"

#define MAX_SECONDS        1e9
#define DEFAULT_IDLE       86400.0 /* seconds: a task that a client abandoned must close some day */
#define MIN_GROW_CONTROL   0.01    /* a control task weighs at most 100 others */
#define MAX_GROW_CONTROL   0.5
#define MAX_SHARE_ROUNDING 1e-9   /* of a sum of shares */
#define MAX_COST           1000.0 /* in ranges of rewards */

static const segue_json_location body_location = {.path = "the body"};

/* ---- reading ----------------------------------------------------------------------------- */

/* Without the field, *out stays as it is. */
static segue_status read_number(json_t *body, const char *field, double min, double max,
                                double *out, segue_error *err)
{
    const json_t *value = json_object_get(body, field);
    if (!value)
        return SEGUE_OK;
    const double x = json_is_number(value) ? json_number_value(value) : NAN;
    if (!(x >= min && x <= max))
        return segue_json_fail(&body_location, field, err, "is %s; need a number from %g to %g",
                               json_is_number(value) ? "out of range" : segue_json_kind(value), min,
                               max);
    *out = x;
    return SEGUE_OK;
}

static segue_status read_integer(json_t *body, const char *field, uint64_t max, uint64_t *out,
                                 segue_error *err)
{
    const json_t *value = json_object_get(body, field);
    return value ? segue_json_integer(&body_location, field, value, 0, max, out, err) : SEGUE_OK;
}

/* null means none, as the written form has it. */
static segue_status read_default_reward(task_terms *terms, json_t *body, double lowest,
                                        double highest, segue_error *err)
{
    const json_t *value = json_object_get(body, "default_reward");
    if (value)
        terms->has_default_reward = !json_is_null(value);
    if (value && terms->has_default_reward)
        SEGUE_TRY(
            read_number(body, "default_reward", lowest, highest, &terms->default_reward, err));
    if (terms->has_default_reward && terms->reward_deadline <= 0.0)
        return segue_json_fail(&body_location, "default_reward", err,
                               "counts when the deadline passes; give 'reward_deadline', too");
    return SEGUE_OK;
}

static segue_status read_times(task_terms *terms, json_t *body, double lowest, double highest,
                               segue_error *err)
{
    SEGUE_TRY(read_number(body, "reward_deadline", 0.0, MAX_SECONDS, &terms->reward_deadline, err));
    return read_default_reward(terms, body, lowest, highest, err);
}

static segue_status read_flag(json_t *body, const char *field, bool *out, segue_error *err)
{
    return segue_json_flag(&body_location, field, json_object_get(body, field), out, err);
}

static segue_status read_mode(task_terms *terms, json_t *body, segue_error *err)
{
    const json_t *value = json_object_get(body, "mode");
    const char *text = json_string_value(value);
    if (!value)
        return SEGUE_OK;
    if (!text || (strcmp(text, "active") != 0 && strcmp(text, "shadow") != 0))
        return segue_json_fail(&body_location, "mode", err, "is %s; need 'active' or 'shadow'",
                               text ? "another text" : segue_json_kind(value));
    terms->shadow = strcmp(text, "shadow") == 0;
    return SEGUE_OK;
}

/* Settings that act on the effect of transfer. */
static segue_status read_effect(task_terms *terms, json_t *body, double range, segue_error *err)
{
    SEGUE_TRY(read_number(body, "control", 0.0, 1.0, &terms->control, err));
    SEGUE_TRY(read_flag(body, "grow", &terms->grow, err));
    SEGUE_TRY(read_flag(body, "stop_if_harmful", &terms->stop_if_harmful, err));
    return read_number(body, "smallest_effect", 0.0, range, &terms->smallest_effect, err);
}

static segue_status read_rest(task_terms *terms, json_t *body, double range, segue_error *err)
{
    SEGUE_TRY(read_integer(body, "close_after", SEGUE_MAX_HORIZON, &terms->close_after, err));
    SEGUE_TRY(read_number(body, "idle", 0.0, MAX_SECONDS, &terms->idle, err));
    SEGUE_TRY(read_mode(terms, body, err));
    return read_effect(terms, body, range, err);
}

/* Settings that restrict or steer the choice of arms. */
static segue_status read_limits(task_terms *terms, json_t *body, double range, arm_numbers **pool,
                                segue_error *err)
{
    const arm_numbers_field costs = {.name = "costs", .max = MAX_COST * range};
    static const arm_numbers_field shares = {.name = "shares", .max = 1.0, .open = true};
    SEGUE_TRY(read_number(body, "floor", 0.0, 1.0, &terms->floor, err));
    SEGUE_TRY(segue_arm_numbers_read(body, &shares, pool, &terms->shares, err));
    SEGUE_TRY(read_number(body, "switch_cost", 0.0, costs.max, &terms->switch_cost, err));
    return segue_arm_numbers_read(body, &costs, pool, &terms->costs, err);
}

/* Order matters: later defaults depend on the steps and the deadline. */
segue_status segue_task_terms_read(task_terms *terms, json_t *body, double lowest, double highest,
                                   arm_numbers **pool, segue_error *err)
{
    SEGUE_TRY(read_integer(body, "steps", SEGUE_MAX_HORIZON, &terms->steps, err));
    SEGUE_TRY(read_times(terms, body, lowest, highest, err));
    terms->close_after = terms->steps;
    terms->idle = fmin(fmax(DEFAULT_IDLE, 2.0 * terms->reward_deadline), MAX_SECONDS);
    SEGUE_TRY(read_rest(terms, body, highest - lowest, err));
    return read_limits(terms, body, highest - lowest, pool, err);
}

segue_status segue_task_terms_merge(task_terms *terms, json_t *body, double lowest, double highest,
                                    arm_numbers **pool, segue_error *err)
{
    const bool closes_with_steps = terms->close_after == terms->steps;
    SEGUE_TRY(read_integer(body, "steps", SEGUE_MAX_HORIZON, &terms->steps, err));
    SEGUE_TRY(read_times(terms, body, lowest, highest, err));
    if (closes_with_steps)
        terms->close_after = terms->steps;
    SEGUE_TRY(read_rest(terms, body, highest - lowest, err));
    SEGUE_TRY(read_limits(terms, body, highest - lowest, pool, err));
    return segue_task_terms_check(terms, err);
}

static bool has_costs(const task_terms *terms)
{
    return terms->switch_cost > 0.0 || segue_arm_numbers_sum(terms->costs) > 0.0;
}

/* Without control tasks there is nothing to act on. */
static segue_status check_effect(const task_terms *terms, segue_error *err)
{
    if (terms->grow && !(terms->control >= MIN_GROW_CONTROL && terms->control <= MAX_GROW_CONTROL))
        return segue_json_fail(&body_location, "grow", err,
                               "lets the share of control tasks fall to 'control', which is %g; "
                               "need %g to %g",
                               terms->control, MIN_GROW_CONTROL, MAX_GROW_CONTROL);
    if (terms->stop_if_harmful && !(terms->control > 0.0 && terms->control < 1.0))
        return segue_json_fail(&body_location, "stop_if_harmful", err,
                               "compares tasks with control tasks, and 'control' is %g; need a "
                               "share above 0 and below 1",
                               terms->control);
    if (terms->stop_if_harmful && has_costs(terms))
        return segue_json_fail(&body_location, "stop_if_harmful", err,
                               "compares rewards before costs, so that it would stop what saves "
                               "costs; remove it, or 'costs' and 'switch_cost'");
    return SEGUE_OK;
}

/* The report of shadow mode compares rewards before costs. */
static segue_status check_shadow(const task_terms *terms, segue_error *err)
{
    if (terms->shadow && has_costs(terms))
        return segue_json_fail(&body_location, "costs", err,
                               "and 'switch_cost' are not for shadow mode, whose report compares "
                               "rewards before costs; set them with \"mode\": \"active\"");
    return SEGUE_OK;
}

/* A share is exact, so it cannot be below the floor. */
static segue_status check_limits(const task_terms *terms, segue_error *err)
{
    const double sum = segue_arm_numbers_sum(terms->shares);
    if (sum > 1.0 + MAX_SHARE_ROUNDING)
        return segue_json_fail(&body_location, "shares", err,
                               "have a sum of %g; need at most 1, the probability of all arms",
                               sum);
    for (size_t i = 0; terms->shares && i < terms->shares->count; i++)
        if (terms->shares->item[i].value < terms->floor)
            return segue_json_fail(&body_location, "shares", err,
                                   "give '%.60s' %g, below the floor of %g; need at least the "
                                   "floor, or a lower 'floor'",
                                   terms->shares->item[i].arm, terms->shares->item[i].value,
                                   terms->floor);
    return SEGUE_OK;
}

segue_status segue_task_terms_check(const task_terms *terms, segue_error *err)
{
    SEGUE_TRY(check_limits(terms, err));
    if (terms->has_default_reward && terms->idle > 0.0 && terms->idle < terms->reward_deadline)
        return segue_json_fail(&body_location, "idle", err,
                               "is %g; need at least the reward deadline of %g, or 0: an idle task "
                               "would close before its default rewards count",
                               terms->idle, terms->reward_deadline);
    SEGUE_TRY(check_shadow(terms, err));
    return check_effect(terms, err);
}

uint64_t segue_task_terms_horizon(const task_terms *terms)
{
    return terms->steps > 0 ? terms->steps : SEGUE_MAX_HORIZON;
}

const char *segue_task_terms_mode(const task_terms *terms)
{
    return terms->shadow ? "shadow" : "active";
}

/* ---- writing ----------------------------------------------------------------------------- */

void segue_task_terms_write(const task_terms *terms, segue_bytes *b)
{
    segue_json_write_integer(b, "steps", terms->steps);
    segue_json_write_double(b, "reward_deadline", terms->reward_deadline);
    segue_json_write_double(b, "default_reward",
                            terms->has_default_reward ? terms->default_reward : NAN);
    segue_json_write_integer(b, "close_after", terms->close_after);
    segue_json_write_double(b, "idle", terms->idle);
    segue_json_write_double(b, "control", terms->control);
    segue_json_write_bool(b, "grow", terms->grow);
    segue_json_write_bool(b, "stop_if_harmful", terms->stop_if_harmful);
    segue_json_write_double(b, "smallest_effect", terms->smallest_effect);
    if (terms->floor > 0.0) /* settings without limits keep their bytes */
        segue_json_write_double(b, "floor", terms->floor);
    segue_arm_numbers_write(b, "shares", terms->shares);
    segue_arm_numbers_write(b, "costs", terms->costs);
    if (terms->switch_cost > 0.0)
        segue_json_write_double(b, "switch_cost", terms->switch_cost);
    segue_json_write_text(b, "mode", segue_task_terms_mode(terms));
}

/* ---- comparing --------------------------------------------------------------------------- */

/* NAN stands for "no default reward": two of them are equal. */
static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void format_number(double x, char out[32])
{
    if (isnan(x))
        (void)strcpy(out, "none");
    else
        (void)snprintf(out, 32, "%.10g", x);
}

void segue_task_terms_difference(const task_terms *stored, const task_terms *requested, char *out,
                                 size_t size)
{
    const task_terms *a = stored, *b = requested;
    const struct {
        const char *name;
        double stored, requested;
    } numbers[] = {
        {"steps", (double)a->steps, (double)b->steps},
        {"reward_deadline", a->reward_deadline, b->reward_deadline},
        {"default_reward", a->has_default_reward ? a->default_reward : NAN,
         b->has_default_reward ? b->default_reward : NAN},
        {"close_after", (double)a->close_after, (double)b->close_after},
        {"idle", a->idle, b->idle},
        {"control", a->control, b->control},
        {"grow", a->grow, b->grow},
        {"stop_if_harmful", a->stop_if_harmful, b->stop_if_harmful},
        {"smallest_effect", a->smallest_effect, b->smallest_effect},
        {"floor", a->floor, b->floor},
        {"switch_cost", a->switch_cost, b->switch_cost},
    };
    char old[32], new[32];
    out[0] = '\0';
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && out[0] == '\0'; i++)
        if (!same_number(numbers[i].stored, numbers[i].requested)) {
            format_number(numbers[i].stored, old);
            format_number(numbers[i].requested, new);
            (void)snprintf(out, size, "%s %s, request has %s", numbers[i].name, old, new);
        }
    if (out[0] == '\0' && !segue_arm_numbers_equal(a->shares, b->shares))
        (void)snprintf(out, size, "other shares");
    if (out[0] == '\0' && !segue_arm_numbers_equal(a->costs, b->costs))
        (void)snprintf(out, size, "other costs");
    if (out[0] == '\0' && a->shadow != b->shadow)
        (void)snprintf(out, size, "mode %s, request has %s", segue_task_terms_mode(a),
                       segue_task_terms_mode(b));
}

const char *segue_task_terms_unknown_arm(const task_terms *terms, knows_arm knows,
                                         const void *context, const char **field)
{
    const char *unknown = segue_arm_numbers_unknown(terms->shares, knows, context);
    *field = unknown ? "shares" : "costs";
    return unknown ? unknown : segue_arm_numbers_unknown(terms->costs, knows, context);
}

bool segue_task_terms_have_costs(const task_terms *terms)
{
    return terms->costs || terms->switch_cost > 0.0;
}

bool segue_task_terms_equal(const task_terms *a, const task_terms *b)
{
    char difference[128];
    segue_task_terms_difference(a, b, difference, sizeof difference);
    return difference[0] == '\0';
}
