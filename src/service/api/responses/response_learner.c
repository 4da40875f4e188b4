/* response_learner.c - bodies of responses about learners: list, one learner, history.
 *
 * A learner is copied under its lock and written without it, so that a long list of types does not
 * delay asks and tells.  What a list needs of each learner is a few numbers, written under the
 * lock.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_write.h"
#include "service/api/responses/response.h"
#include "service/state/effect/effect.h"

/* ---- effect of transfer ------------------------------------------------------------------ */

/* reward_per_step is the mean over tasks of each task's mean reward. */
static void write_side(segue_bytes *b, const char *name, const task_stats_side *side)
{
    segue_json_write_key(b, name);
    segue_json_write_raw(b, "{");
    segue_json_write_integer(b, "tasks", side->stats.count);
    segue_json_write_integer(b, "rewards", side->rewards);
    segue_json_write_double(b, "reward_per_step", side->stats.count > 0 ? side->stats.mean : NAN);
    segue_json_write_raw(b, "}");
}

static void write_sides(segue_bytes *b, const task_stats_group *group)
{
    write_side(b, "transfer", &group->side[SIDE_TRANSFER]);
    write_side(b, "control", &group->side[SIDE_CONTROL]);
}

/* Without enough tasks on both sides there is no interval: null. */
static void write_interval(segue_bytes *b, const effect_state *effect, double range)
{
    segue_confseq now;
    if (!segue_effect_compute(effect, range, &now)) {
        segue_json_write_raw(b, ",\"difference\":null,\"interval\":null");
        return;
    }
    segue_json_write_double(b, "difference", now.difference);
    segue_json_write_raw(b, ",\"interval\":[");
    segue_json_write_number(b, now.low);
    segue_json_write_raw(b, ",");
    segue_json_write_number(b, now.high);
    segue_json_write_raw(b, "]");
}

/* How many further tasks are needed; null if nothing is compared. */
static void write_forecast(segue_bytes *b, const effect_state *effect, const task_terms *terms,
                           double range)
{
    effect_forecast found;
    segue_json_write_key(b, "forecast");
    if (!segue_effect_state_forecast(effect, range, terms, &found)) {
        segue_json_write_raw(b, "null");
        return;
    }
    const bool far = found.tasks == UINT64_MAX;
    segue_json_write_raw(b, "{");
    segue_json_write_double(b, "effect", found.effect);
    segue_json_write_double(b, "tasks", far ? NAN : (double)found.tasks);
    segue_json_write_double(b, "more_than", far ? (double)SEGUE_MAX_FORECAST : NAN);
    segue_json_write_double(b, "seconds", found.seconds);
    segue_json_write_raw(b, "}");
}

static void write_effect(segue_bytes *b, const task_stats_group *closed, const effect_state *effect,
                         const task_terms *terms, double range)
{
    segue_json_write_key(b, "effect");
    segue_json_write_raw(b, "{");
    write_sides(b, closed);
    write_interval(b, effect, range);
    segue_json_write_double(b, "level", SEGUE_CONFSEQ_LEVEL);
    segue_json_write_integer(b, "tasks", segue_trial_count(&effect->trial));
    segue_json_write_double(b, "control_share", segue_effect_state_share(effect, range, terms));
    segue_json_write_bool(b, "stopped", effect->is_stopped);
    segue_json_write_integer(b, "stops", effect->stops);
    write_forecast(b, effect, terms, range);
    segue_json_write_raw(b, "}");
}

/* A damaged learner has the fields of a sound one, without values. */
void segue_response_no_effect(segue_bytes *b)
{
    const task_stats_group no_tasks = {.side = {{.rewards = 0}}};
    write_effect(b, &no_tasks, &(effect_state){.stops = 0}, &(task_terms){.steps = 0}, 1.0);
}

/* ---- a learner --------------------------------------------------------------------------- */

static void copy_arms(const learner_state *state, learner_view *out)
{
    for (size_t i = 0; i < state->n_arms; i++)
        out->arm[i] = (arm_view){.name = state->arm[i]->name,
                                 .retired = !state->allowed[i],
                                 .pulls = state->arm[i]->pulls,
                                 .total = state->arm[i]->total};
    out->n_arms = state->n_arms;
}

/* Names of arms are shared with the state: they live as long as it. */
bool segue_response_copy_learner(learner_state *state, learner_view *out)
{
    (void)pthread_mutex_lock(&state->lock);
    *out = (learner_view){.version = segue_learner_version(state->learner),
                          .age = segue_learner_info(state->learner).age,
                          .open = state->by_id.count,
                          .closed = segue_task_stats_tasks(&state->stats) + state->shadow.tasks,
                          .control = state->stats.closed[SIDE_CONTROL],
                          .shadow = state->shadow.tasks,
                          .rewards = state->rewards,
                          .terms = *segue_learner_settings_terms(&state->settings),
                          .n_changes = state->settings.n_changes,
                          .paused = state->settings.paused,
                          .whole = state->stats.whole,
                          .effect = state->effect};
    out->arm = calloc(state->n_arms, sizeof *out->arm);
    segue_learner_settings_write(&state->settings, &out->settings);
    if (out->arm)
        copy_arms(state, out);
    if (segue_learner_n_features(state->learner) > 0)
        segue_response_features(state->learner, &out->features);
    const bool fine = out->arm && !out->settings.failed && !out->features.failed &&
                      segue_learner_types(state->learner, &out->found, NULL) == SEGUE_OK;
    (void)pthread_mutex_unlock(&state->lock);
    return fine;
}

void segue_response_view_fini(learner_view *shown)
{
    free(shown->arm);
    segue_bytes_fini(&shown->settings);
    segue_bytes_fini(&shown->features);
    segue_type_list_fini(&shown->found);
    shown->arm = NULL;
}

static void write_arms(const learner_view *shown, segue_bytes *b)
{
    segue_json_write_key(b, "arms");
    segue_json_write_raw(b, "[");
    for (size_t i = 0; i < shown->n_arms; i++) {
        const arm_view *arm = &shown->arm[i];
        segue_json_write_raw(b, i > 0 ? ",{" : "{");
        segue_json_write_text(b, "name", arm->name);
        segue_json_write_bool(b, "retired", arm->retired);
        segue_json_write_integer(b, "pulls", arm->pulls);
        segue_response_mean(b, arm->pulls, arm->total);
        segue_json_write_raw(b, "}");
    }
    segue_json_write_raw(b, "]");
}

static void write_counts(const learner_view *shown, segue_bytes *b)
{
    segue_json_write_integer(b, "version", shown->version);
    segue_json_write_integer(b, "age", shown->age);
    segue_json_write_raw(b, ",\"tasks\":{");
    segue_json_write_integer(b, "open", shown->open);
    segue_json_write_integer(b, "closed", shown->closed);
    segue_json_write_integer(b, "control", shown->control);
    segue_json_write_integer(b, "shadow", shown->shadow);
    segue_json_write_raw(b, "}");
    segue_json_write_integer(b, "rewards", shown->rewards);
    if (segue_task_terms_have_costs(&shown->terms))
        segue_json_write_bool(b, "rewards_before_costs", true);
}

void segue_response_capabilities(segue_bytes *b, const segue_learner_method *method)
{
    segue_json_write_key(b, "capabilities");
    segue_json_write_raw(b, "{");
    segue_json_write_bool(b, "has_transfer", method && !method->without_transfer);
    segue_json_write_bool(b, "has_types", method && method->has_types);
    segue_json_write_bool(b, "has_models", method && method->has_models);
    segue_json_write_bool(b, "has_posterior", method && method->has_posterior);
    segue_json_write_bool(b, "fixed_arms", method && method->fixed_arms);
    segue_json_write_bool(b, "takes_costs", method && method->takes_costs);
    segue_json_write_raw(b, "}");
}

static void write_method(const learner_state *state, segue_bytes *b)
{
    segue_json_write_text(b, "method", state->method);
    segue_response_capabilities(b, segue_learner_method_find(state->method));
}

/* Write a learner up to the list of its types. */
static void write_head(const learner_state *state, const learner_view *shown, segue_bytes *b)
{
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "name", state->settings.name);
    write_method(state, b);
    segue_json_write_double(b, "created", state->created);
    segue_json_write_key(b, "settings");
    segue_bytes_append(b, shown->settings.data, shown->settings.size);
    segue_json_write_bool(b, "paused", shown->paused);
    segue_json_write_integer(b, "changes", shown->n_changes);
    write_arms(shown, b);
    segue_learner_settings_write_numbers(&state->settings, &shown->terms, b);
    write_counts(shown, b);
    segue_json_write_key(b, "types");
    segue_json_write_raw(b, "[");
}

/* Write a learner after the list of its types. */
static void write_tail(const learner_state *state, const learner_view *shown, segue_bytes *b)
{
    segue_json_write_raw(b, "]");
    segue_json_write_double(b, "no_type", shown->found.no_type);
    if (shown->features.size > 0) {
        segue_json_write_key(b, "features");
        segue_bytes_append(b, shown->features.data, shown->features.size);
    }
    write_effect(b, &shown->whole, &shown->effect, &shown->terms,
                 segue_learner_settings_range(&state->settings));
    segue_json_write_raw(b, "}");
}

bool segue_response_learner_part(const learner_state *state, const learner_view *shown, size_t part,
                                 segue_bytes *b)
{
    if (part == 0)
        write_head(state, shown, b);
    else if (part <= shown->found.n_types)
        segue_response_type(b, &shown->found, part - 1);
    else
        write_tail(state, shown, b);
    return part <= shown->found.n_types;
}

void segue_response_learner(learner_state *state, int status, segue_response *response)
{
    learner_view shown;
    response->status = status;
    if (segue_response_copy_learner(state, &shown))
        for (size_t part = 0; segue_response_learner_part(state, &shown, part, &response->body);
             part++)
            ;
    else
        response->body.failed = true;
    segue_response_view_fini(&shown);
}

/* In the order of bytes, whatever the locale. */
static int by_name(const void *a, const void *b)
{
    return strcmp((*(learner_state *const *)a)->settings.name,
                  (*(learner_state *const *)b)->settings.name);
}

/* Write the types as the next task starts with them: segue_learner_info has the share of no type at
 * the last fit only, and only for some methods. */
static void write_types(const learner_state *state, segue_bytes *b)
{
    segue_type_list found;
    if (segue_learner_types(state->learner, &found, NULL) != SEGUE_OK)
        b->failed = true;
    segue_json_write_integer(b, "types", found.n_types);
    segue_json_write_double(b, "no_type", found.no_type);
    segue_type_list_fini(&found);
}

void segue_response_list_item(learner_state *state, segue_bytes *b)
{
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "name", state->settings.name);
    write_method(state, b);
    (void)pthread_mutex_lock(&state->lock);
    segue_json_write_bool(b, "paused", state->settings.paused);
    segue_json_write_integer(b, "arms", state->n_arms);
    segue_json_write_integer(b, "open", state->by_id.count);
    segue_json_write_integer(b, "closed",
                             segue_task_stats_tasks(&state->stats) + state->shadow.tasks);
    segue_json_write_integer(b, "rewards", state->rewards);
    segue_json_write_integer(b, "version", segue_learner_version(state->learner));
    write_effect(b, &state->stats.whole, &state->effect,
                 segue_learner_settings_terms(&state->settings),
                 segue_learner_settings_range(&state->settings));
    write_types(state, b);
    (void)pthread_mutex_unlock(&state->lock);
    segue_json_write_double(b, "created", state->created);
    segue_json_write_raw(b, "}");
}

void segue_response_sort_learners(learner_state **all, size_t count)
{
    qsort(all, count, sizeof(learner_state *), by_name);
}

/* ---- history ----------------------------------------------------------------------------- */

/* Written under the lock: the number of groups is small and bounded. */
void segue_response_history(learner_state *state, segue_response *response)
{
    segue_bytes *b = &response->body;
    segue_json_write_raw(b, "{\"groups\":[");
    (void)pthread_mutex_lock(&state->lock);
    const task_stats *t = &state->stats;
    const uint64_t tasks = segue_task_stats_tasks(t), size = segue_task_stats_group_size(t);
    for (uint64_t from = 0; from < tasks; from += size) {
        segue_json_write_raw(b, from > 0 ? ",{" : "{");
        segue_json_write_integer(b, "from", from + 1);
        segue_json_write_integer(b, "to", from + size < tasks ? from + size : tasks);
        write_sides(b, &t->group[from / size]);
        segue_json_write_raw(b, "}");
    }
    (void)pthread_mutex_unlock(&state->lock);
    segue_json_write_raw(b, "]}");
}
