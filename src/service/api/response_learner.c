/* response_learner.c - bodies of replies: learners, tasks, what transfer is worth.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_write.h"
#include "service/api/response.h"
#include "service/engine/damage.h"
#include "service/engine/service_internal.h"
#include "service/state/effect.h"

/* ---- what transfer is worth -------------------------------------------------------------- */

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
    write_side(b, "transfer", &group->side[0]);
    write_side(b, "control", &group->side[1]);
}

static void write_worth(segue_bytes *b, const task_stats_group *closed, double range)
{
    segue_confseq effect;
    segue_json_write_key(b, "effect");
    segue_json_write_raw(b, "{");
    write_sides(b, closed);
    if (segue_effect_compute(closed, range, &effect)) {
        segue_json_write_double(b, "difference", effect.difference);
        segue_json_write_raw(b, ",\"interval\":[");
        segue_json_write_number(b, effect.low);
        segue_json_write_raw(b, ",");
        segue_json_write_number(b, effect.high);
        segue_json_write_raw(b, "]");
    } else {
        segue_json_write_raw(b, ",\"difference\":null,\"interval\":null");
    }
    segue_json_write_double(b, "level", SEGUE_CONFSEQ_LEVEL);
    segue_json_write_raw(b, "}");
}

void segue_response_no_effect(segue_bytes *b)
{
    const task_stats_group none = {.side = {{.rewards = 0}}};
    write_worth(b, &none, 1.0);
}

/* Of rewards that were scaled and back: the last digits are of that. */
static void write_mean(segue_bytes *b, uint64_t pulls, double total)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.13g", pulls > 0 ? total / (double)pulls : 0.0);
    segue_json_write_double(b, "mean", pulls > 0 ? strtod(text, NULL) : NAN);
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

bool segue_response_copy_learner(learner_state *state, learner_view *out)
{
    (void)pthread_mutex_lock(&state->lock);
    *out = (learner_view){.version = segue_learner_version(state->learner),
                          .age = segue_learner_info(state->learner).age,
                          .open = state->by_id.count,
                          .closed = segue_task_stats_tasks(&state->stats),
                          .control = state->stats.closed[1],
                          .rewards = state->rewards,
                          .whole = state->stats.whole};
    out->arm = calloc(state->n_arms, sizeof *out->arm);
    if (out->arm)
        copy_arms(state, out);
    const bool fine =
        out->arm && segue_learner_types(state->learner, &out->found, NULL) == SEGUE_OK;
    (void)pthread_mutex_unlock(&state->lock);
    return fine;
}

void segue_response_view_fini(learner_view *shown)
{
    free(shown->arm);
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
        write_mean(b, arm->pulls, arm->total);
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
    segue_json_write_raw(b, "}");
    segue_json_write_integer(b, "rewards", shown->rewards);
}

static void write_head(const learner_state *state, const learner_view *shown, segue_bytes *b)
{
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "name", state->settings.name);
    segue_json_write_text(b, "method", state->method);
    segue_json_write_double(b, "created", state->created);
    segue_json_write_key(b, "settings");
    segue_bytes_append(b, state->config.data, state->config.size - 1); /* without the 0 */
    write_arms(shown, b);
    segue_learner_settings_write_numbers(&state->settings, b);
    write_counts(shown, b);
    segue_json_write_key(b, "types");
    segue_json_write_raw(b, "[");
}

static void write_tail(const learner_state *state, const learner_view *shown, segue_bytes *b)
{
    segue_json_write_raw(b, "]");
    segue_json_write_double(b, "no_type", shown->found.none);
    write_worth(b, &shown->whole, state->settings.highest - state->settings.lowest);
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

void segue_response_learner(learner_state *state, int status, segue_response *reply)
{
    learner_view shown;
    reply->status = status;
    if (segue_response_copy_learner(state, &shown))
        for (size_t part = 0; segue_response_learner_part(state, &shown, part, &reply->body);
             part++)
            ;
    else
        reply->body.failed = true;
    segue_response_view_fini(&shown);
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(learner_state *const *)a)->settings.name,
                  (*(learner_state *const *)b)->settings.name);
}

/* As the next task starts: segue_learner_info knows the share of none at the last fit, and it of
 * some methods only. */
static void write_found(const learner_state *state, segue_bytes *b)
{
    segue_type_list found;
    if (segue_learner_types(state->learner, &found, NULL) != SEGUE_OK)
        b->failed = true;
    segue_json_write_integer(b, "types", found.n_types);
    segue_json_write_double(b, "no_type", found.none);
    segue_type_list_fini(&found);
}

void segue_response_list_item(learner_state *state, segue_bytes *b)
{
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "name", state->settings.name);
    segue_json_write_text(b, "method", state->method);
    (void)pthread_mutex_lock(&state->lock);
    segue_json_write_integer(b, "arms", state->n_arms);
    segue_json_write_integer(b, "open", state->by_id.count);
    segue_json_write_integer(b, "closed", segue_task_stats_tasks(&state->stats));
    segue_json_write_integer(b, "rewards", state->rewards);
    segue_json_write_integer(b, "version", segue_learner_version(state->learner));
    write_worth(b, &state->stats.whole, state->settings.highest - state->settings.lowest);
    write_found(state, b);
    (void)pthread_mutex_unlock(&state->lock);
    segue_json_write_double(b, "created", state->created);
    segue_json_write_raw(b, "}");
}

void segue_response_sort_learners(learner_state **all, size_t count)
{
    qsort(all, count, sizeof(learner_state *), by_name);
}

/* ---- history ----------------------------------------------------------------------------- */

void segue_response_history(learner_state *state, segue_response *reply)
{
    segue_bytes *b = &reply->body;
    segue_json_write_raw(b, "{\"groups\":[");
    (void)pthread_mutex_lock(&state->lock);
    const record *t = &state->stats;
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

/* ---- explanations ------------------------------------------------------------------------ */

static void write_reasons(const segue_explanation *why, const char *arm, segue_bytes *b)
{
    static const char *const purposes[] = {"exploit", "distinguish", "explore"};
    segue_json_write_raw(b, "{\"types\":[");
    for (size_t i = 0; i <= why->n_types; i++) {
        segue_json_write_raw(b, i > 0 ? ",{" : "{");
        segue_json_write_integer(b, "type", i);
        segue_json_write_double(b, "weight", why->weight[i]);
        segue_json_write_raw(b, "}");
    }
    segue_json_write_raw(b, "]");
    segue_json_write_text(b, "purpose", purposes[why->purpose]);
    segue_json_write_text(b, "arm", arm);
    if (why->purpose == SEGUE_TELL_APART)
        segue_json_write_format(b, ",\"distinguishes\":[%zu,%zu]", why->first, why->second);
    segue_json_write_raw(b, "}");
}

void segue_response_explanation(learner_state *state, const task_state *task, const bool *allowed,
                                segue_bytes *b)
{
    segue_explanation why;
    if (task->control ||
        segue_learner_explain_among(state->learner, task->play, allowed, &why, NULL) != SEGUE_OK)
        segue_json_write_raw(b, "null");
    else
        write_reasons(&why, state->arm[why.arm]->name, b);
}

void segue_response_explain_copy(const learner_state *state, const task_copy *copy,
                                 const bool *allowed, segue_bytes *b)
{
    segue_explanation why;
    if (copy->task.control || segue_learner_explain_among(state->learner, copy->task.play, allowed,
                                                          &why, NULL) != SEGUE_OK)
        segue_json_write_raw(b, "null");
    else
        write_reasons(&why, copy->names[why.arm], b);
}

void segue_response_free_copy(learner_state *state, task_copy *copy)
{
    (void)pthread_mutex_lock(&state->lock);
    segue_learner_state_copy_fini(copy);
    (void)pthread_mutex_unlock(&state->lock);
}

/* ---- tasks ------------------------------------------------------------------------------- */

segue_stored_task segue_response_task_row(const learner_state *state, const task_state *task)
{
    return (segue_stored_task){.id = task->id,
                               .learner = state->id,
                               .control = task->control,
                               .open = true,
                               .version = task->version,
                               .n_arms = task->n_arms,
                               .opened = task->opened,
                               .rewards = task->rewards,
                               .total = task->total};
}

static void write_row(const learner_state *state, const segue_stored_task *row, const char *key,
                      segue_bytes *b)
{
    segue_json_write_text(b, "task", key);
    segue_json_write_text(b, "learner", state->settings.name);
    segue_json_write_bool(b, "open", row->open);
    segue_json_write_bool(b, "control", row->control);
    segue_json_write_integer(b, "version", row->version);
    segue_json_write_integer(b, "rewards", row->rewards);
    segue_json_write_double(b, "reward_per_step",
                            row->rewards > 0 ? row->total / (double)row->rewards : NAN);
    segue_json_write_double(b, "opened", row->opened);
    segue_json_write_double(b, "closed", row->open ? NAN : row->closed);
}

void segue_response_stored_task(const learner_state *state, const segue_stored_task *row,
                                const char *key, int status, segue_response *reply)
{
    reply->status = status;
    segue_json_write_raw(&reply->body, "{");
    write_row(state, row, key, &reply->body);
    segue_json_write_raw(&reply->body, "}");
}

/* Copy an open task; false: it is not open, or memory ran out. */
static bool copy_open(learner_state *state, const task_state *task, segue_stored_task *row,
                      task_copy *copy, segue_bytes *b)
{
    if (!task)
        return false;
    *row = segue_response_task_row(state, task);
    if (segue_learner_state_copy_task(state, task, copy, NULL) == SEGUE_OK)
        return true;
    b->failed = true;
    return false;
}

static void explain_listed(learner_state *state, segue_stored_task *row, task_copy *copy,
                           segue_bytes *b)
{
    (void)pthread_mutex_lock(&state->lock);
    (void)copy_open(state, row->open ? segue_learner_state_task_by_id(state, row->id) : NULL, row,
                    copy, b);
    (void)pthread_mutex_unlock(&state->lock);
}

/* Of an open task the learner knows more than the store. */
static void update_row(learner_state *state, segue_stored_task *row)
{
    (void)pthread_mutex_lock(&state->lock);
    const task_state *task = row->open ? segue_learner_state_task_by_id(state, row->id) : NULL;
    if (task)
        *row = segue_response_task_row(state, task);
    (void)pthread_mutex_unlock(&state->lock);
}

void segue_response_listed_task(learner_state *state, const segue_stored_task *row, bool explain,
                                segue_bytes *b)
{
    segue_stored_task now = *row;
    task_copy copy = {.names = NULL};
    if (explain)
        explain_listed(state, &now, &copy, b);
    else
        update_row(state, &now);
    segue_json_write_raw(b, "{");
    write_row(state, &now, row->key, b);
    if (explain) {
        segue_json_write_key(b, "explanation");
        if (copy.task.play)
            segue_response_explain_copy(state, &copy, copy.allowed, b);
        else
            segue_json_write_raw(b, "null");
        segue_response_free_copy(state, &copy);
    }
    segue_json_write_raw(b, "}");
}

static void write_task_arm(const char *name, uint64_t pulls, double total, bool first,
                           segue_bytes *b)
{
    segue_json_write_raw(b, first ? "{" : ",{");
    segue_json_write_text(b, "name", name);
    segue_json_write_integer(b, "pulls", pulls);
    write_mean(b, pulls, total);
    segue_json_write_raw(b, "}");
}

static void write_open_task(const learner_state *state, const segue_stored_task *row,
                            const task_copy *copy, const char *key, segue_bytes *b)
{
    const segue_task *play = copy->task.play;
    const segue_task_summary info = segue_task_info(play);
    write_row(state, row, key, b);
    segue_json_write_raw(b, ",\"arms\":[");
    for (size_t i = 0; i < copy->task.n_arms; i++)
        write_task_arm(copy->names[i], info.pulls[i],
                       info.pulls[i] > 0 ? segue_task_mean(play, i) * (double)info.pulls[i] : 0.0,
                       i == 0, b);
    segue_json_write_raw(b, "]");
    segue_json_write_integer(b, "pending", info.step > row->rewards ? info.step - row->rewards : 0);
    segue_json_write_key(b, "explanation");
    segue_response_explain_copy(state, copy, copy->allowed, b);
}

/* Sums over the rewards of a closed task. */
typedef struct arm_sums {
    uint64_t pulls[SEGUE_MAX_SERVICE_ARMS];
    double total[SEGUE_MAX_SERVICE_ARMS];
} arm_sums;

static segue_status on_reward(void *context, const segue_stored_reward *reward, segue_error *err)
{
    arm_sums *sums = context;
    (void)err;
    sums->pulls[reward->arm % SEGUE_MAX_SERVICE_ARMS]++;
    sums->total[reward->arm % SEGUE_MAX_SERVICE_ARMS] += reward->value;
    return SEGUE_OK;
}

static void write_closed_task(learner_state *state, const segue_stored_task *row, const char *key,
                              const arm_sums *sums, segue_bytes *b)
{
    write_row(state, row, key, b);
    segue_json_write_raw(b, ",\"arms\":[");
    (void)pthread_mutex_lock(&state->lock);
    for (size_t i = 0; i < state->n_arms && i < row->n_arms; i++)
        write_task_arm(state->arm[i]->name, sums->pulls[i], sums->total[i], i == 0, b);
    (void)pthread_mutex_unlock(&state->lock);
    segue_json_write_raw(b, "],\"pending\":0,\"explanation\":null");
}

static void answer_closed_task(segue_service *service, segue_store *store, learner_state *state,
                               const char *key, segue_response *reply)
{
    segue_stored_task row;
    bool found = false;
    segue_error err = {.status = SEGUE_OK};
    arm_sums *sums = calloc(1, sizeof *sums);
    if (!sums) {
        segue_response_fail(reply, 503, "out of memory for a task");
        return;
    }
    segue_status status = segue_store_find_task(store, state->id, key, &row, &found, &err);
    if (status == SEGUE_OK && found)
        status = segue_store_each_reward(store, row.id, on_reward, sums, &err);
    if (status != SEGUE_OK)
        segue_damage_respond_failed(service, status, &err, reply);
    else if (!found)
        segue_response_fail(reply, 404, "the learner has no task '%.80s'", key);
    else
        write_closed_task(state, &row, key, sums, &reply->body);
    free(sums);
}

void segue_response_task(segue_service *service, segue_store *store, learner_state *state,
                         const char *key, segue_response *reply)
{
    segue_stored_task row;
    task_copy copy = {.names = NULL};
    segue_json_write_raw(&reply->body, "{");
    (void)pthread_mutex_lock(&state->lock);
    const bool is_open =
        copy_open(state, segue_learner_state_task_by_key(state, key), &row, &copy, &reply->body);
    (void)pthread_mutex_unlock(&state->lock);
    if (is_open)
        write_open_task(state, &row, &copy, key, &reply->body);
    else if (!reply->body.failed)
        answer_closed_task(service, store, state, key, reply);
    segue_response_free_copy(state, &copy);
    if (reply->status == 200)
        segue_json_write_raw(&reply->body, "}");
}

void segue_response_reward(segue_bytes *b, bool is_new, const char *task, bool closed)
{
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "status", is_new ? "counted" : "duplicate");
    segue_json_write_text(b, "task", task);
    segue_json_write_bool(b, "closed", closed);
    segue_json_write_raw(b, "}");
}
