/* response_shadow.c - the report about shadow mode: would Segue have been better than the caller?
 *
 * Everything is about steps of closed tasks in which the caller chose (state/shadow).  The numbers
 * are copied under the learner's lock and written without it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "io/json_write.h"
#include "service/api/responses/response.h"

/* Steps, and their mean reward. */
static void write_steps(segue_bytes *b, const char *name, uint64_t steps, double total)
{
    segue_json_write_key(b, name);
    segue_json_write_raw(b, "{");
    segue_json_write_integer(b, "steps", steps);
    segue_json_write_double(b, "reward_per_step", steps > 0 ? total / (double)steps : NAN);
    segue_json_write_raw(b, "}");
}

static void write_interval(segue_bytes *b, const segue_confseq *now, double range)
{
    segue_json_write_raw(b, ",\"interval\":[");
    segue_json_write_number(b, range * now->low);
    segue_json_write_raw(b, ",");
    segue_json_write_number(b, range * now->high);
    segue_json_write_raw(b, "]");
}

/* `estimates`: the weights are those of the caller, so that the difference is an estimate. */
static void write_comparison(segue_bytes *b, const char *name, const segue_off_policy *steps,
                             bool estimates, double range)
{
    segue_confseq now;
    const bool any = segue_off_policy_interval(steps, &now);
    segue_json_write_key(b, name);
    segue_json_write_raw(b, "{");
    segue_json_write_integer(b, "steps", steps->steps);
    if (estimates)
        segue_json_write_double(b, "difference", any ? range * now.difference : NAN);
    if (any)
        write_interval(b, &now, range);
    else
        segue_json_write_raw(b, ",\"interval\":null");
    if (estimates)
        segue_json_write_integer(b, "cut", steps->cut);
    segue_json_write_raw(b, "}");
}

/* The verdict of the interval with the caller's probabilities; without these nothing shows that Segue
 * is better. */
static const char *verdict_of(const shadow_state *shadow)
{
    segue_confseq now;
    bool estimates = false;
    if (!segue_shadow_state_interval(shadow, &estimates, &now))
        return "no_steps";
    if (now.high < 0.0)
        return "worse";
    if (!estimates)
        return "no_probabilities";
    return now.low > 0.0 ? "better" : "not_known_yet";
}

void segue_response_shadow(learner_state *state, segue_response *response)
{
    segue_bytes *b = &response->body;
    (void)pthread_mutex_lock(&state->lock);
    const shadow_state shadow = state->shadow;
    const bool now = segue_learner_settings_terms(&state->settings)->shadow;
    (void)pthread_mutex_unlock(&state->lock);
    const double range = segue_learner_settings_range(&state->settings);
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "learner", state->settings.name);
    segue_json_write_text(b, "mode", now ? "shadow" : "active");
    segue_json_write_integer(b, "tasks", shadow.tasks);
    write_steps(b, "caller", shadow.steps, shadow.total);
    write_steps(b, "agreed", shadow.agreed, shadow.agreed_total);
    write_steps(b, "disagreed", shadow.steps - shadow.agreed, shadow.total - shadow.agreed_total);
    write_comparison(b, "with_probabilities", &shadow.known, true, range);
    write_comparison(b, "without_probabilities", &shadow.any, false, range);
    segue_json_write_double(b, "level", SEGUE_CONFSEQ_LEVEL);
    segue_json_write_text(b, "verdict", verdict_of(&shadow));
    segue_json_write_raw(b, "}");
}
