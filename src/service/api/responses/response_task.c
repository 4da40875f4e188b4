/* response_task.c - bodies of responses about tasks: explanations, lists, one task, a tell.
 *
 * An open task is copied under the lock of its learner and written without it: an explanation takes
 * milliseconds with many arms.  A closed task is read from the store, with the sums of its rewards.
 *
 * A list is read from the store, and the rows of open tasks are then updated from memory, which has
 * newer counts.  A copy is freed under the lock: it shares a prior, which counts references.
 * SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_write.h"
#include "service/api/responses/response.h"
#include "service/engine/damage.h"
#include "service/engine/service_internal.h"

/* ---- explanations ------------------------------------------------------------------------ */

/* Write weights by type number, 0 for no type, and the purpose of the next pull. */
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
    if (why->purpose == SEGUE_DISTINGUISH)
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
    segue_decide_task_copy_fini(copy);
    (void)pthread_mutex_unlock(&state->lock);
}

/* ---- tasks ------------------------------------------------------------------------------- */

/* The row that the store would have now.  It has no key: the caller knows it. */
segue_stored_task segue_response_task_row(const learner_state *state, const task_state *task)
{
    return (segue_stored_task){.id = task->id,
                               .learner = state->id,
                               .control = task->control,
                               .control_share = task->control_share,
                               .open = true,
                               .version = task->version,
                               .n_arms = task->n_arms,
                               .opened = task->opened,
                               .rewards = task->rewards,
                               .total = task->total};
}

/* A task without rewards has no mean, and an open one no time of closing: null. */
static void write_row(const learner_state *state, const segue_stored_task *row, const char *key,
                      segue_bytes *b)
{
    segue_json_write_text(b, "task", key);
    segue_json_write_text(b, "learner", state->settings.name);
    segue_json_write_bool(b, "open", row->open);
    segue_json_write_bool(b, "control", row->control);
    segue_json_write_double(b, "control_share", row->control_share);
    segue_json_write_integer(b, "version", row->version);
    segue_json_write_integer(b, "rewards", row->rewards);
    segue_json_write_double(b, "reward_per_step",
                            row->rewards > 0 ? row->total / (double)row->rewards : NAN);
    segue_json_write_double(b, "opened", row->opened);
    segue_json_write_double(b, "closed", row->open ? NAN : row->closed);
}

void segue_response_stored_task(const learner_state *state, const segue_stored_task *row,
                                const char *key, int status, segue_response *response)
{
    response->status = status;
    segue_json_write_raw(&response->body, "{");
    write_row(state, row, key, &response->body);
    segue_json_write_raw(&response->body, "}");
}

/* Copy an open task; false: it is not open, or memory ran out. */
static bool copy_open(learner_state *state, const task_state *task, segue_stored_task *row,
                      task_copy *copy, segue_bytes *b)
{
    if (!task)
        return false;
    *row = segue_response_task_row(state, task);
    if (segue_decide_task_copy(state, task, copy, NULL) == SEGUE_OK)
        return true;
    b->failed = true;
    return false;
}

/* Update the row of an open task, and copy the task for its explanation. */
static void explain_listed(learner_state *state, segue_stored_task *row, task_copy *copy,
                           segue_bytes *b)
{
    (void)pthread_mutex_lock(&state->lock);
    (void)copy_open(state, row->open ? segue_learner_state_task_by_id(state, row->id) : NULL, row,
                    copy, b);
    (void)pthread_mutex_unlock(&state->lock);
}

/* Update the row of an open task: the learner has newer counts than the store. */
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

/* One arm of a task, with its own pulls and mean. */
static void write_task_arm(const char *name, uint64_t pulls, double total, bool first,
                           segue_bytes *b)
{
    segue_json_write_raw(b, first ? "{" : ",{");
    segue_json_write_text(b, "name", name);
    segue_json_write_integer(b, "pulls", pulls);
    segue_response_mean(b, pulls, total);
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

/* Sums over the rewards of a closed task, per arm. */
typedef struct arm_sums {
    uint64_t pulls[SEGUE_MAX_SERVICE_ARMS];
    double total[SEGUE_MAX_SERVICE_ARMS];
} arm_sums;

/* Add the counts of rewards that were removed: {"0":[3,2.5]}. */
static void add_counts(const char *text, arm_sums *sums)
{
    const char *arm;
    const json_t *pair;
    json_t *counts = json_loads(text, 0, NULL);
    json_object_foreach(counts, arm, pair)
    {
        const size_t i = strtoul(arm, NULL, 10) % SEGUE_MAX_SERVICE_ARMS;
        sums->pulls[i] += (uint64_t)json_integer_value(json_array_get(pair, 0));
        sums->total[i] += json_number_value(json_array_get(pair, 1));
    }
    json_decref(counts);
}

static segue_status add_removed(segue_store *store, int64_t task, arm_sums *sums, segue_error *err)
{
    segue_rows rows;
    segue_stored_removed removed;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_REMOVED, .id = task}, err);
    if (segue_rows_next_removed(&rows, &removed))
        add_counts(removed.counts, sums);
    return segue_rows_close(&rows, SEGUE_OK);
}

/* A damaged store may have any arm: the remainder stays inside the arrays. */
static segue_status add_rewards(segue_store *store, int64_t task, arm_sums *sums, segue_error *err)
{
    segue_rows rows;
    segue_stored_reward reward;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_REWARDS, .id = task}, err);
    while (segue_rows_next_reward(&rows, &reward)) {
        sums->pulls[reward.arm % SEGUE_MAX_SERVICE_ARMS]++;
        sums->total[reward.arm % SEGUE_MAX_SERVICE_ARMS] += reward.value;
    }
    return segue_rows_close(&rows, SEGUE_OK);
}

/* Names of arms are read under the lock: an arm may be added meanwhile. */
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

/* The sums are too large for a stack. */
static void respond_closed_task(segue_service *service, segue_store *store, learner_state *state,
                                const char *key, segue_response *response)
{
    segue_stored_task row;
    bool found = false;
    segue_error err = {.status = SEGUE_OK};
    arm_sums *sums = calloc(1, sizeof *sums);
    if (!sums) {
        segue_response_fail(response, 503, "out of memory for a task");
        return;
    }
    segue_status status = segue_store_find_task(store, state->id, key, &row, &found, &err);
    if (status == SEGUE_OK && found)
        status = add_rewards(store, row.id, sums, &err);
    if (status == SEGUE_OK && found)
        status = add_removed(store, row.id, sums, &err);
    if (status != SEGUE_OK)
        segue_damage_respond_failed(service, status, &err, response);
    else if (!found)
        segue_response_fail(response, 404,
                            "the learner has no task '%.80s'; an ask with this key opens it", key);
    else
        write_closed_task(state, &row, key, sums, &response->body);
    if (response->status == 200)
        segue_response_task_features(store, row.id, &response->body);
    free(sums);
}

void segue_response_task(segue_service *service, segue_store *store, learner_state *state,
                         const char *key, segue_response *response)
{
    segue_stored_task row;
    task_copy copy = {.names = NULL};
    segue_json_write_raw(&response->body, "{");
    (void)pthread_mutex_lock(&state->lock);
    const bool is_open =
        copy_open(state, segue_learner_state_task_by_key(state, key), &row, &copy, &response->body);
    (void)pthread_mutex_unlock(&state->lock);
    if (is_open)
        write_open_task(state, &row, &copy, key, &response->body);
    if (is_open)
        segue_response_task_features(store, row.id, &response->body);
    else if (!response->body.failed)
        respond_closed_task(service, store, state, key, response);
    segue_response_free_copy(state, &copy);
    if (response->status == 200)
        segue_json_write_raw(&response->body, "}");
}

void segue_response_reward(segue_bytes *b, bool is_new, const char *task, bool closed,
                           const double *reward)
{
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "status", is_new ? "counted" : "duplicate");
    segue_json_write_text(b, "task", task);
    segue_json_write_bool(b, "closed", closed);
    if (reward)
        segue_json_write_double(b, "reward", *reward);
    segue_json_write_raw(b, "}");
}
