/* learner_state.c - a learner at work.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/learner_state.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"

#define DRAWS     2000 /* of a probability that has no closed form ... */
#define MANY_ARMS 100  /* ... up to so many arms; fewer where there are more */

/* Numbers of decisions of one start: from a random one of 2^61 on.  Those of older programs, which
 * counted from (starts << 32) on, are below. */
#define FIRST_NUMBER(draw) (UINT64_C(1) << 61 | (draw) >> 3)

/* ---- making one -------------------------------------------------------------------------- */

segue_status segue_learner_state_create(learner_state **out, const segue_stored_learner *row,
                                        learner_settings *w, segue_learner *learner,
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
    state->settings = *w;
    *w = (learner_settings){.arm = NULL};
    state->learner = learner;
    state->method = segue_learner_settings(learner)->method;
    atomic_init(&state->users, 1);
    atomic_init(&state->refit_finished, false);
    for (size_t i = 0; i < N_LEARNER_JOBS; i++)
        atomic_init(&state->job_pending[i], false);
    (void)pthread_mutex_init(&state->lock, NULL);
    segue_hash_map_init(&state->arm_by_name, key);
    segue_hash_map_init(&state->by_key, key);
    segue_hash_map_init(&state->by_id, key);
    segue_learner_settings_write(&state->settings, &state->config);
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
    size_t place = 0;
    const hash_map_entry *within = NULL;
    for (task_state *task; (task = segue_hash_map_next(&state->by_id, &place, &within));)
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

void segue_learner_state_retire_arm(learner_state *state, size_t place)
{
    state->allowed[place] = false;
    state->n_retired++;
}

const bool *segue_learner_state_allowed_arms(const learner_state *state)
{
    return state->n_retired > 0 ? state->allowed : NULL;
}

bool segue_learner_state_find_arm(const learner_state *state, const char *name, size_t *place)
{
    const learner_arm *arm = segue_hash_map_find(&state->arm_by_name, name, strlen(name));
    *place = arm ? arm->index : 0;
    return arm != NULL;
}

/* ---- tasks ------------------------------------------------------------------------------- */

static segue_status play_alone(const learner_state *state, size_t n_arms, const segue_rng *rng,
                               segue_task **out, segue_error *err)
{
    segue_task_config config = segue_task_defaults();
    const segue_status status = segue_policy_parse(&config.policy, "ts", err);
    if (status != SEGUE_OK)
        return status;
    config.setting.n_arms = n_arms;
    config.lowest = state->settings.lowest;
    config.highest = state->settings.highest;
    const segue_status made = segue_task_create(out, &config, err);
    if (made == SEGUE_OK)
        segue_task_next(*out, rng, 0);
    return made;
}

/* How many arms its play has: those of the learner when it began. */
static size_t n_played(const task_state *task)
{
    return segue_task_internals(task->play).view->n_arms;
}

/* Arms may have been added since it was opened: it does without them, as it did before. */
static segue_status play_on(learner_state *state, task_state *task, const segue_rng *rng,
                            segue_error *err)
{
    segue_status status = segue_learner_play_task(state->learner, rng, &task->play, err);
    if (status != SEGUE_OK || n_played(task) == task->n_arms)
        return status;
    bool *mine = calloc(n_played(task), sizeof *mine);
    if (!mine) {
        segue_learner_discard_task(state->learner, &task->play);
        return segue_fail_no_memory(err, "a task");
    }
    memset(mine, true, task->n_arms * sizeof *mine);
    segue_task_set_allowed(task->play, mine);
    free(mine);
    return SEGUE_OK;
}

/* All that it needs, for any id. */
static segue_status make_play(learner_state *state, task_state *task, segue_error *err)
{
    segue_rng rng;
    segue_rng_init(&rng, state->settings.seed, 0, 0, SEGUE_STREAM_POLICY);
    task->version = segue_learner_version(state->learner);
    return task->control ? play_alone(state, task->n_arms, &rng, &task->play, err)
                         : play_on(state, task, &rng, err);
}

static void begin_play(const learner_state *state, task_state *task, uint64_t draw)
{
    segue_rng rng;
    segue_rng_init(&rng, state->settings.seed, draw >> 1, (uint64_t)task->id, SEGUE_STREAM_POLICY);
    task->next = FIRST_NUMBER(draw);
    segue_task_next(task->play, &rng, 0);
}

static void end_play(learner_state *state, task_state *task)
{
    if (task->control)
        segue_task_destroy(task->play);
    else
        segue_learner_discard_task(state->learner, &task->play);
}

static void free_task(task_state *task)
{
    segue_hash_map_discard(task->id_entry);
    segue_hash_map_discard(task->key_entry);
    free(task->key);
    free(task);
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
                         .n_arms = row->n_arms,
                         .opened = row->opened,
                         .id_entry = segue_hash_map_prepare(&state->by_id, sizeof task->id),
                         .key_entry = segue_hash_map_prepare(&state->by_key, size)};
    segue_status status = task->key && task->id_entry && task->key_entry
                              ? make_play(state, task, err)
                              : segue_fail_no_memory(err, "a task");
    if (status != SEGUE_OK) {
        free_task(task);
        return status;
    }
    memcpy(task->key, key, size + 1);
    *out = task;
    return SEGUE_OK;
}

void segue_learner_state_insert_task(learner_state *state, task_state *task, int64_t id,
                                     uint64_t draw)
{
    task->id = id;
    begin_play(state, task, draw);
    segue_hash_map_insert(&state->by_id, task->id_entry, &task->id, task);
    segue_hash_map_insert(&state->by_key, task->key_entry, task->key, task);
    task->id_entry = task->key_entry = NULL;
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
    /* it was checked before it was stored; a task that was opened again has no fewer arms */
    const segue_status status = segue_task_tell(task->play, arm, value, NULL);
    assert(status == SEGUE_OK);
    (void)status;
    task->rewards++;
    task->total += value;
    state->rewards++;
}

void segue_learner_state_close_task(learner_state *state, task_state *task)
{
    segue_hash_map_remove(&state->by_id, &task->id, sizeof task->id);
    segue_hash_map_remove(&state->by_key, task->key, strlen(task->key));
    state->key_bytes -= strlen(task->key);
    state->control_bytes -= task->control ? segue_task_bytes(task->play) : 0;
    segue_learner_state_discard_task(state, task);
}

size_t segue_learner_state_bytes(const learner_state *state)
{
    enum { OVERHEAD = 16 }; /* what malloc adds to a block */
    const size_t tasks = state->by_id.count * (sizeof(task_state) + (size_t)2 * OVERHEAD) +
                         segue_hash_map_bytes(&state->by_id, state->by_id.count * sizeof(int64_t)) +
                         segue_hash_map_bytes(&state->by_key, state->key_bytes) + state->key_bytes;
    const size_t arms = state->n_arms * (sizeof(learner_arm) + sizeof(learner_arm *) + 2) +
                        segue_hash_map_bytes(&state->arm_by_name, 0) + 4 * state->config.size;
    return sizeof *state + segue_learner_bytes(state->learner) + tasks + state->control_bytes +
           arms + state->deadlines.capacity * sizeof(pending_decision) +
           segue_model_history_bytes(&state->versions);
}

/* ---- asking ------------------------------------------------------------------------------ */

static uint64_t draws_of(size_t n_arms)
{
    return n_arms <= MANY_ARMS ? DRAWS : DRAWS * MANY_ARMS / n_arms;
}

segue_status segue_learner_state_distribution(task_state *task, const bool *allowed,
                                              arm_distribution *law, segue_error *err)
{
    const size_t n_arms = n_played(task);
    law->draws = draws_of(n_arms);
    law->drawn = calloc(2 * n_arms, sizeof *law->drawn);
    if (!law->drawn)
        return segue_fail_no_memory(err, "probabilities");
    law->chance = law->drawn + n_arms;
    return segue_task_draw_distribution(task->play, allowed, law->draws, law->drawn, &law->certain,
                                        err);
}

/* Of the arm that was chosen; among the draws this choice is one, so that it is never 0. */
static double chance_of(const arm_distribution *law, size_t arm)
{
    const double chance = law->chance[arm], draws = (double)law->draws;
    return law->certain ? chance : (chance * draws + 1.0) / (draws + 1.0);
}

segue_status segue_learner_state_choose(task_state *task, const bool *allowed,
                                        arm_distribution *law, arm_choice *out, segue_error *err)
{
    size_t arm = 0;
    segue_status status = SEGUE_OK;
    if (law->drawn)
        status = segue_task_apply_distribution(task->play, allowed, law->drawn, law->certain,
                                               law->chance, err);
    if (status == SEGUE_OK && allowed)
        status = segue_task_ask_among(task->play, allowed, &arm, err);
    else if (status == SEGUE_OK)
        arm = segue_task_ask(task->play);
    if (status != SEGUE_OK)
        return status;
    out->decision.arm = arm;
    out->exact = law->certain;
    out->probability = law->drawn ? chance_of(law, arm) : 0.0;
    return SEGUE_OK;
}

void segue_learner_state_issue(learner_state *state, task_state *task, arm_choice *choice,
                               double now)
{
    const size_t arm = choice->decision.arm;
    /* Without a tag an id must not be older than its task, whose time is the wall's. */
    const double asked = task->tag ? now : fmax(now, task->opened);
    choice->decision = (decision){.learner = state->id,
                                  .task = task->id,
                                  .tag = task->tag,
                                  .number = task->next++,
                                  .arm = arm,
                                  .version = task->version,
                                  .asked = asked};
    choice->arm = state->arm[arm]->name;
    task->asked++;
    task->active = now;
}

segue_status segue_learner_state_ask(learner_state *state, task_state *task, const bool *allowed,
                                     arm_distribution *law, double now, arm_choice *out,
                                     segue_error *err)
{
    const segue_status status = segue_learner_state_choose(task, allowed, law, out, err);
    if (status == SEGUE_OK)
        segue_learner_state_issue(state, task, out, now);
    return status;
}

/* ---- copies ------------------------------------------------------------------------------ */

static const char **copy_names(const learner_state *state)
{
    const char **names = calloc(state->n_arms, sizeof(char *));
    for (size_t i = 0; names && i < state->n_arms; i++)
        names[i] = state->arm[i]->name;
    return names;
}

static bool *copy_allowed(const learner_state *state)
{
    bool *allowed = malloc(state->n_arms * sizeof *allowed);
    if (allowed)
        memcpy(allowed, state->allowed, state->n_arms * sizeof *allowed);
    return allowed;
}

static segue_status copy_play(learner_state *state, const task_state *task, segue_task **out,
                              segue_error *err)
{
    return task->control ? segue_task_copy(out, task->play, err)
                         : segue_learner_copy_task(state->learner, task->play, out, err);
}

segue_status segue_learner_state_copy_task(learner_state *state, const task_state *task,
                                           task_copy *out, segue_error *err)
{
    /* not what is staged, which the writer changes without the lock */
    *out = (task_copy){.task = {.id = task->id,
                                .tag = task->tag,
                                .control = task->control,
                                .version = task->version,
                                .n_arms = task->n_arms,
                                .opened = task->opened,
                                .rewards = task->rewards,
                                .total = task->total}};
    out->names = copy_names(state);
    out->allowed = state->n_retired > 0 ? copy_allowed(state) : NULL;
    if (!out->names || (state->n_retired > 0 && !out->allowed))
        return segue_fail_no_memory(err, "a copy of a task");
    return copy_play(state, task, &out->task.play, err);
}

void segue_learner_state_copy_fini(task_copy *copy)
{
    segue_learner_discard_copy(&copy->task.play);
    free(copy->names);
    free(copy->allowed);
    *copy = (task_copy){.names = NULL};
}

void segue_learner_state_issue_copied(learner_state *state, task_state *task, arm_choice *choice,
                                      double now)
{
    segue_task_count_ask(task->play, choice->decision.arm);
    segue_learner_state_issue(state, task, choice, now);
}

double segue_learner_state_ask_cost(const task_state *task, uint64_t count, bool probability,
                                    bool explain)
{
    const task_internals in = segue_task_internals(task->play);
    const double n_arms = (double)in.view->n_arms, ahead = n_arms * n_arms;
    const double law = probability ? (double)draws_of(in.view->n_arms) * n_arms : 0.0;
    const double each = in.policy->split ? ahead : 10.0 * n_arms;
    return (double)count * each + law + (explain ? ahead : 0.0);
}
