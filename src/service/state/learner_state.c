/* learner_state.c - a learner in the service: arms, open tasks, memory.
 *
 * A task is opened in two steps: prepare allocates all that it needs, insert makes it visible and
 * cannot fail.  The store's row is written between them.  Open tasks are played on objects of their
 * own; the learner learns from the stored rewards when a task closes (learn.c).
 *
 * The caller holds the learner's lock, except while no other thread knows the learner.  References
 * are counted: a thread that found the learner may use it until it releases it, also if the learner
 * was deleted meanwhile.  The last release frees it, with its open tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/learner_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"
#include "service/api/task_features.h"

uint64_t segue_learner_state_first_number(uint64_t draw)
{
    return UINT64_C(1) << 61 | draw >> 3;
}

/* ---- create and destroy ------------------------------------------------------------------ */

segue_status segue_learner_state_create(learner_state **out, const segue_stored_learner *row,
                                        learner_settings *settings, segue_learner *learner,
                                        const unsigned char key[16], segue_error *err)
{
    learner_state *state = calloc(1, sizeof *state);
    *out = NULL;
    if (!state) {
        segue_learner_destroy(learner);
        return segue_fail_no_memory(err, "a learner");
    }
    state->id = row->id;
    state->created = row->created;
    state->settings = *settings;
    *settings = (learner_settings){.arm = NULL};
    state->learner = learner;
    state->method = segue_learner_get_config(learner)->method;
    atomic_init(&state->users, 1);
    atomic_init(&state->refit_finished, false);
    for (size_t i = 0; i < N_LEARNER_JOBS; i++)
        atomic_init(&state->job_pending[i], false);
    (void)pthread_mutex_init(&state->lock, NULL);
    segue_hash_map_init(&state->arm_by_name, key);
    segue_hash_map_init(&state->by_key, key);
    segue_hash_map_init(&state->by_id, key);
    segue_learner_settings_write_created(&state->settings, &state->config);
    segue_bytes_append(&state->config, "", 1);
    *out = state;
    return state->config.failed ? segue_fail_no_memory(err, "a learner") : SEGUE_OK;
}

void segue_learner_state_acquire(learner_state *state)
{
    (void)atomic_fetch_add(&state->users, 1);
}

static void destroy(learner_state *state)
{
    size_t index = 0;
    const hash_map_entry *within = NULL;
    for (task_state *task; (task = segue_hash_map_next(&state->by_id, &index, &within));)
        segue_learner_state_close_task(state, task);
    segue_hash_map_fini(&state->by_key);
    segue_hash_map_fini(&state->by_id);
    segue_hash_map_fini(&state->arm_by_name);
    segue_hash_map_discard(state->name_entry);
    segue_hash_map_discard(state->id_entry);
    segue_refit_destroy(state->refit);
    segue_learner_destroy(state->learner);
    for (size_t i = 0; i < state->n_arms; i++)
        free(state->arm[i]);
    free(state->arm);
    free(state->allowed);
    segue_deadline_queue_fini(&state->deadlines);
    segue_model_history_fini(&state->versions);
    segue_bytes_fini(&state->config);
    segue_learner_settings_fini(&state->settings);
    (void)pthread_mutex_destroy(&state->lock);
    free(state);
}

void segue_learner_state_release(learner_state *state)
{
    if (state && atomic_fetch_sub(&state->users, 1) == 1)
        destroy(state);
}

/* ---- arms -------------------------------------------------------------------------------- */

segue_status segue_learner_state_add_arm(learner_state *state, const char *name, bool retired,
                                         segue_error *err)
{
    const size_t size = strlen(name);
    learner_arm *arm = calloc(1, sizeof *arm + size + 1);
    learner_arm **arms = realloc(state->arm, (state->n_arms + 1) * sizeof(learner_arm *));
    bool *allowed = realloc(state->allowed, (state->n_arms + 1) * sizeof *allowed);
    if (arms)
        state->arm = arms;
    if (allowed)
        state->allowed = allowed;
    if (!arm || !arms || !allowed || !segue_hash_map_set(&state->arm_by_name, name, size, arm)) {
        free(arm);
        return segue_fail_no_memory(err, "an arm");
    }
    memcpy(arm->name, name, size + 1);
    arm->index = state->n_arms;
    state->allowed[state->n_arms] = true;
    state->arm[state->n_arms++] = arm;
    if (retired)
        segue_learner_state_retire_arm(state, arm->index);
    return SEGUE_OK;
}

/* Open tasks see it at their next ask. */
void segue_learner_state_retire_arm(learner_state *state, size_t index)
{
    state->allowed[index] = false;
    state->n_retired++;
}

const bool *segue_learner_state_allowed_arms(const learner_state *state)
{
    return state->n_retired > 0 ? state->allowed : NULL;
}

bool segue_learner_state_find_arm(const learner_state *state, const char *name, size_t *index)
{
    const learner_arm *arm = segue_hash_map_find(&state->arm_by_name, name, strlen(name));
    *index = arm ? arm->index : 0;
    return arm != NULL;
}

/* ---- tasks ------------------------------------------------------------------------------- */

/* A control task is played by ts, without transfer. */
static segue_status play_control(const learner_state *state, size_t n_arms, const segue_rng *rng,
                                 segue_task **out, segue_error *err)
{
    segue_task_config config = segue_task_defaults();
    SEGUE_TRY(segue_policy_parse(&config.policy, "ts", err));
    config.setting.n_arms = n_arms;
    config.lowest = state->settings.lowest;
    config.highest = state->settings.highest;
    SEGUE_TRY(segue_task_create(out, &config, err));
    segue_task_next(*out, rng, 0);
    return SEGUE_OK;
}

/* Tell a task the costs of its settings.  The method takes costs: that was checked with the settings.
 */
static segue_status set_costs(const learner_state *state, task_state *task, segue_error *err)
{
    const task_terms *terms = &task->terms;
    if (!segue_task_terms_have_costs(terms))
        return SEGUE_OK;
    double *cost = calloc(state->n_arms, sizeof *cost);
    if (!cost)
        return segue_fail_no_memory(err, "a task");
    size_t index = 0;
    for (size_t i = 0; terms->costs && i < terms->costs->count; i++)
        if (segue_learner_state_find_arm(state, terms->costs->item[i].arm, &index))
            cost[index] = terms->costs->item[i].value;
    const segue_status status = segue_task_set_costs(task->play, cost, terms->switch_cost, err);
    free(cost);
    return status;
}

/* Arms of the played object: those of the learner when it was created. */
static size_t n_played(const task_state *task)
{
    return segue_task_internals(task->play).view->n_arms;
}

/* A task that recovery opens again excludes arms that were added after it was opened. */
static segue_status play_with_transfer(learner_state *state, task_state *task,
                                       const task_features *features, const segue_rng *rng,
                                       segue_error *err)
{
    segue_learner_set_task_steps(state->learner, segue_task_terms_horizon(&task->terms));
    segue_status status = segue_learner_play_task_with(state->learner, rng, features->item,
                                                       features->n, &task->play, err);
    if (status != SEGUE_OK || n_played(task) == task->n_arms)
        return status;
    bool *allowed = calloc(n_played(task), sizeof *allowed);
    if (!allowed) {
        segue_learner_discard_task(state->learner, &task->play);
        return segue_fail_no_memory(err, "a task");
    }
    memset(allowed, true, task->n_arms * sizeof *allowed);
    segue_task_set_allowed(task->play, allowed);
    free(allowed);
    return SEGUE_OK;
}

/* Parse what is stored; a control task uses no features. */
static segue_status parse_features(task_features *out, const task_state *task, const char *features,
                                   segue_error *err)
{
    segue_error why;
    const segue_status status = segue_task_features_parse(out, features, &why);
    if (status == SEGUE_OK)
        return SEGUE_OK;
    segue_task_features_fini(out);
    if (status == SEGUE_ENOMEM)
        return segue_fail_no_memory(err, "a task");
    return segue_store_fail_damaged(err, "table task, key '%.80s', column features: %s", task->key,
                                    why.message);
}

static void end_play(learner_state *state, task_state *task)
{
    if (task->control)
        segue_task_destroy(task->play);
    else
        segue_learner_discard_task(state->learner, &task->play);
}

/* Allocate what the task needs, before its id is known. */
static segue_status create_play(learner_state *state, task_state *task, const char *features,
                                segue_error *err)
{
    segue_rng rng;
    task_features parsed;
    SEGUE_TRY(parse_features(&parsed, task, features, err));
    segue_rng_init(&rng, state->settings.seed, 0, 0, SEGUE_STREAM_POLICY);
    task->version = segue_learner_version(state->learner);
    task->prior_seq = state->seq;
    segue_status status = task->control ? play_control(state, task->n_arms, &rng, &task->play, err)
                                        : play_with_transfer(state, task, &parsed, &rng, err);
    segue_task_features_fini(&parsed);
    SEGUE_TRY(status);
    status = set_costs(state, task, err);
    if (status != SEGUE_OK)
        end_play(state, task);
    return status;
}

/* The stream of a task is opened by its id and a draw of this start: none repeats. */
static void begin_play(const learner_state *state, task_state *task, uint64_t draw)
{
    segue_rng rng;
    segue_rng_init(&rng, state->settings.seed, draw >> 1, (uint64_t)task->id, SEGUE_STREAM_POLICY);
    task->draw = draw;
    task->next = segue_learner_state_first_number(draw);
    segue_task_next(task->play, &rng, 0);
}

/* Entries are NULL once the maps own them. */
static void free_task(task_state *task)
{
    segue_hash_map_discard(task->id_entry);
    segue_hash_map_discard(task->key_entry);
    segue_ask_log_fini(&task->asks);
    free(task->key);
    free(task->given);
    free(task);
}

/* A new task has no id yet: it gets the terms of now. */
static const task_terms *terms_of(const learner_state *state, const segue_stored_task *row)
{
    return row->id > 0 ? segue_learner_settings_terms_of(&state->settings, row->id)
                       : segue_learner_settings_terms(&state->settings);
}

segue_status segue_learner_state_prepare_task(learner_state *state, const segue_stored_task *row,
                                              const char *key, task_state **out, segue_error *err)
{
    const size_t size = strlen(key);
    task_state *task = calloc(1, sizeof *task);
    *out = NULL;
    if (!task)
        return segue_fail_no_memory(err, "a task");
    *task = (task_state){.tag = row->tag,
                         .key = malloc(size + 1),
                         .control = row->control,
                         .control_share = row->control_share,
                         .n_arms = row->n_arms,
                         .terms = *terms_of(state, row),
                         .opened = row->opened,
                         .id_entry = segue_hash_map_prepare(&state->by_id, sizeof task->id),
                         .key_entry = segue_hash_map_prepare(&state->by_key, size)};
    if (task->key)
        memcpy(task->key, key, size + 1);
    segue_status status = task->key && task->id_entry && task->key_entry
                              ? create_play(state, task, row->features, err)
                              : segue_fail_no_memory(err, "a task");
    if (status != SEGUE_OK) {
        free_task(task);
        return status;
    }
    *out = task;
    return SEGUE_OK;
}

/* A task that recovery opens may have earlier terms. */
void segue_learner_state_check_deadlines(learner_state *state, const task_state *task)
{
    const task_terms *now = segue_learner_settings_terms(&state->settings);
    const double a = task->terms.reward_deadline, b = now->reward_deadline;
    state->mixed_deadlines = state->mixed_deadlines || a < b || a > b;
}

void segue_learner_state_insert_task(learner_state *state, task_state *task, int64_t id,
                                     uint64_t draw)
{
    task->id = id;
    begin_play(state, task, draw);
    segue_hash_map_insert(&state->by_id, task->id_entry, &task->id, task);
    segue_hash_map_insert(&state->by_key, task->key_entry, task->key, task);
    task->id_entry = task->key_entry = NULL;
    segue_learner_state_check_deadlines(state, task);
    state->key_bytes += strlen(task->key);
    state->control_bytes += task->control ? segue_task_bytes(task->play) : 0;
}

void segue_learner_state_discard_task(learner_state *state, task_state *task)
{
    end_play(state, task);
    free_task(task);
}

segue_status segue_learner_state_open_task(learner_state *state, const segue_stored_task *row,
                                           const char *key, uint64_t draw, segue_error *err)
{
    task_state *task = NULL;
    const segue_status status = segue_learner_state_prepare_task(state, row, key, &task, err);
    if (status == SEGUE_OK)
        segue_learner_state_insert_task(state, task, row->id, draw);
    return status;
}

task_state *segue_learner_state_task_by_key(const learner_state *state, const char *key)
{
    return segue_hash_map_find(&state->by_key, key, strlen(key));
}

task_state *segue_learner_state_task_by_id(const learner_state *state, int64_t id)
{
    return segue_hash_map_find(&state->by_id, &id, sizeof id);
}

void segue_learner_state_tell(learner_state *state, task_state *task, size_t arm, double value)
{
    /* it was checked before it was stored */
    const segue_status status = segue_task_tell(task->play, arm, value, NULL);
    assert(status == SEGUE_OK);
    (void)status;
    if (task->given)
        task->given[task->rewards] = (segue_given_reward){.reward = value, .arm = (uint32_t)arm};
    task->rewards++;
    task->total += value;
    state->rewards++;
    state->reward_sum += value;
}

void segue_learner_state_count_decision(learner_state *state, task_state *task)
{
    task->pending++;
    state->pending++;
}

/* A decision of an earlier run of the service was not counted. */
void segue_learner_state_count_rewarded(learner_state *state, task_state *task, uint64_t number)
{
    const uint64_t first = segue_learner_state_first_number(task->draw);
    if (number < first || number >= task->next)
        return;
    task->pending--;
    state->pending--;
}

segue_status segue_learner_state_reserve_given(learner_state *state, task_state *task,
                                               uint64_t count, bool *grows, segue_error *err)
{
    *grows = state->settings.aggregate != SEGUE_AGGREGATE_FIRST && count > task->given_capacity;
    if (!*grows)
        return SEGUE_OK;
    const size_t capacity = task->given_capacity > 0 ? 2 * task->given_capacity : 8;
    segue_given_reward *given = realloc(task->given, capacity * sizeof *given);
    if (!given)
        return segue_fail_no_memory(err, "the rewards of a task");
    (void)pthread_mutex_lock(&state->lock);
    state->given_bytes += (capacity - task->given_capacity) * sizeof *given;
    (void)pthread_mutex_unlock(&state->lock);
    task->given = given;
    task->given_capacity = capacity;
    return SEGUE_OK;
}

void segue_learner_state_correct(learner_state *state, task_state *task, uint64_t position,
                                 double value)
{
    assert(position < task->rewards);
    state->reward_sum += value - task->given[position].reward;
    task->given[position].reward = value;
    segue_task_retell(task->play, task->given, task->rewards);
    task->total = 0.0;
    for (uint64_t i = 0; i < task->rewards; i++)
        task->total += task->given[i].reward;
}

void segue_learner_state_count_asks(learner_state *state, const task_state *task, size_t before)
{
    state->ask_bytes = state->ask_bytes - before + segue_ask_log_bytes(&task->asks);
}

void segue_learner_state_close_task(learner_state *state, task_state *task)
{
    segue_hash_map_remove(&state->by_id, &task->id, sizeof task->id);
    segue_hash_map_remove(&state->by_key, task->key, strlen(task->key));
    state->key_bytes -= strlen(task->key);
    state->control_bytes -= task->control ? segue_task_bytes(task->play) : 0;
    state->given_bytes -= task->given_capacity * sizeof *task->given;
    state->ask_bytes -= segue_ask_log_bytes(&task->asks);
    state->pending -= task->pending;
    segue_learner_state_discard_task(state, task);
}

size_t segue_learner_state_bytes(const learner_state *state)
{
    enum { OVERHEAD = 16 }; /* of malloc per block */
    const size_t tasks = state->by_id.count * (sizeof(task_state) + (size_t)3 * OVERHEAD) +
                         segue_hash_map_bytes(&state->by_id, state->by_id.count * sizeof(int64_t)) +
                         segue_hash_map_bytes(&state->by_key, state->key_bytes) + state->key_bytes;
    const size_t settings = segue_arm_numbers_bytes(state->settings.numbers) +
                            state->settings.n_changes * sizeof *state->settings.change;
    const size_t arms = state->n_arms * (sizeof(learner_arm) + sizeof(learner_arm *) + 2) +
                        segue_hash_map_bytes(&state->arm_by_name, 0) + 4 * state->config.size;
    return sizeof *state + segue_learner_bytes(state->learner) + tasks + state->control_bytes +
           state->given_bytes + state->ask_bytes + settings + arms +
           state->deadlines.capacity * sizeof(pending_decision) +
           segue_model_history_bytes(&state->versions);
}
