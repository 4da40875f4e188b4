/* live.c - a learner at work.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "serve/live.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bandit/task.h"
#include "transfer/play.h"

#define DRAWS     2000 /* of a probability that has no closed form ... */
#define MANY_ARMS 100  /* ... up to so many arms; fewer where there are more */

/* Numbers of decisions of one start: from a random one of 2^61 on.  Those of older programs, which
 * counted from (starts << 32) on, are below. */
#define FIRST_NUMBER(draw) (UINT64_C(1) << 61 | (draw) >> 3)

/* ---- making one -------------------------------------------------------------------------- */

segue_status segue_live_create(live_learner **out, const segue_stored_learner *row, words *w,
                               segue_learner *learner, const unsigned char key[16],
                               segue_error *err)
{
    live_learner *live = calloc(1, sizeof *live);
    *out = NULL;
    if (!live) {
        segue_learner_destroy(learner);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a learner");
    }
    live->id = row->id;
    live->created = row->created;
    live->words = *w;
    *w = (words){.arm = NULL};
    live->learner = learner;
    live->method = segue_learner_settings(learner)->method;
    atomic_init(&live->users, 1);
    atomic_init(&live->refit_run, false);
    for (size_t i = 0; i < OP_KINDS; i++)
        atomic_init(&live->wished[i], false);
    (void)pthread_mutex_init(&live->lock, NULL);
    segue_map_init(&live->arm_by_name, key);
    segue_map_init(&live->by_key, key);
    segue_map_init(&live->by_id, key);
    segue_words_write(&live->words, &live->config);
    segue_bytes_put(&live->config, "", 1);
    *out = live;
    return live->config.failed ? segue_fail(err, SEGUE_ENOMEM, "out of memory for a learner")
                               : SEGUE_OK;
}

void segue_live_hold(live_learner *live)
{
    (void)atomic_fetch_add(&live->users, 1);
}

static void destroy(live_learner *live)
{
    size_t place = 0;
    const map_entry *within = NULL;
    for (live_task *task; (task = segue_map_next(&live->by_id, &place, &within));)
        segue_live_end(live, task);
    segue_map_fini(&live->by_key);
    segue_map_fini(&live->by_id);
    segue_map_fini(&live->arm_by_name);
    segue_map_discard(live->name_entry);
    segue_map_discard(live->id_entry);
    segue_refit_destroy(live->refit);
    segue_learner_destroy(live->learner);
    for (size_t i = 0; i < live->n_arms; i++)
        free(live->arm[i]);
    free(live->arm);
    free(live->allowed);
    segue_line_fini(&live->line);
    segue_versions_fini(&live->versions);
    segue_bytes_fini(&live->config);
    segue_words_fini(&live->words);
    (void)pthread_mutex_destroy(&live->lock);
    free(live);
}

void segue_live_release(live_learner *live)
{
    if (live && atomic_fetch_sub(&live->users, 1) == 1)
        destroy(live);
}

/* ---- arms -------------------------------------------------------------------------------- */

segue_status segue_live_name_arm(live_learner *live, const char *name, bool retired,
                                 segue_error *err)
{
    const size_t size = strlen(name);
    live_arm *arm = calloc(1, sizeof *arm + size + 1);
    live_arm **arms = realloc(live->arm, (live->n_arms + 1) * sizeof(live_arm *));
    bool *allowed = realloc(live->allowed, (live->n_arms + 1) * sizeof *allowed);
    if (arms)
        live->arm = arms;
    if (allowed)
        live->allowed = allowed;
    if (!arm || !arms || !allowed || !segue_map_put(&live->arm_by_name, name, size, arm)) {
        free(arm);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for an arm");
    }
    memcpy(arm->name, name, size + 1);
    arm->place = live->n_arms;
    live->allowed[live->n_arms] = true;
    live->arm[live->n_arms++] = arm;
    if (retired)
        segue_live_retire_arm(live, arm->place);
    return SEGUE_OK;
}

void segue_live_retire_arm(live_learner *live, size_t place)
{
    live->allowed[place] = false;
    live->n_retired++;
}

const bool *segue_live_allowed(const live_learner *live)
{
    return live->n_retired > 0 ? live->allowed : NULL;
}

bool segue_live_find_arm(const live_learner *live, const char *name, size_t *place)
{
    const live_arm *arm = segue_map_find(&live->arm_by_name, name, strlen(name));
    *place = arm ? arm->place : 0;
    return arm != NULL;
}

/* ---- tasks ------------------------------------------------------------------------------- */

static segue_status play_alone(const live_learner *live, size_t n_arms, const segue_rng *rng,
                               segue_task **out, segue_error *err)
{
    segue_task_config config = segue_task_defaults();
    const segue_status status = segue_policy_parse(&config.policy, "ts", err);
    if (status != SEGUE_OK)
        return status;
    config.setting.n_arms = n_arms;
    config.lowest = live->words.lowest;
    config.highest = live->words.highest;
    const segue_status made = segue_task_create(out, &config, err);
    if (made == SEGUE_OK)
        segue_task_next(*out, rng, 0);
    return made;
}

/* How many arms its play has: those of the learner when it began. */
static size_t n_played(const live_task *task)
{
    return segue_task_inside(task->play).view->n_arms;
}

/* Arms may have been added since it was opened: it does without them, as it did before. */
static segue_status play_on(live_learner *live, live_task *task, const segue_rng *rng,
                            segue_error *err)
{
    segue_status status = segue_learner_play(live->learner, rng, &task->play, err);
    if (status != SEGUE_OK || n_played(task) == task->n_arms)
        return status;
    bool *mine = calloc(n_played(task), sizeof *mine);
    if (!mine) {
        segue_learner_drop(live->learner, &task->play);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a task");
    }
    memset(mine, true, task->n_arms * sizeof *mine);
    segue_task_limit(task->play, mine);
    free(mine);
    return SEGUE_OK;
}

/* All that it needs, for any id. */
static segue_status make_play(live_learner *live, live_task *task, segue_error *err)
{
    segue_rng rng;
    segue_rng_open(&rng, live->words.seed, 0, 0, SEGUE_STREAM_POLICY);
    task->version = segue_learner_version(live->learner);
    return task->control ? play_alone(live, task->n_arms, &rng, &task->play, err)
                         : play_on(live, task, &rng, err);
}

static void begin_play(const live_learner *live, live_task *task, uint64_t draw)
{
    segue_rng rng;
    segue_rng_open(&rng, live->words.seed, draw >> 1, (uint64_t)task->id, SEGUE_STREAM_POLICY);
    task->next = FIRST_NUMBER(draw);
    segue_task_next(task->play, &rng, 0);
}

static void end_play(live_learner *live, live_task *task)
{
    if (task->control)
        segue_task_destroy(task->play);
    else
        segue_learner_drop(live->learner, &task->play);
}

static void free_task(live_task *task)
{
    segue_map_discard(task->id_entry);
    segue_map_discard(task->key_entry);
    free(task->key);
    free(task);
}

segue_status segue_live_prepare(live_learner *live, const segue_stored_task *row, const char *key,
                                live_task **out, segue_error *err)
{
    const size_t size = strlen(key);
    live_task *task = calloc(1, sizeof *task);
    *out = NULL;
    if (!task)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a task");
    *task = (live_task){.tag = row->tag,
                        .key = malloc(size + 1),
                        .control = row->control,
                        .n_arms = row->n_arms,
                        .opened = row->opened,
                        .id_entry = segue_map_prepare(&live->by_id, sizeof task->id),
                        .key_entry = segue_map_prepare(&live->by_key, size)};
    segue_status status = task->key && task->id_entry && task->key_entry
                              ? make_play(live, task, err)
                              : segue_fail(err, SEGUE_ENOMEM, "out of memory for a task");
    if (status != SEGUE_OK) {
        free_task(task);
        return status;
    }
    memcpy(task->key, key, size + 1);
    *out = task;
    return SEGUE_OK;
}

void segue_live_enter(live_learner *live, live_task *task, int64_t id, uint64_t draw)
{
    task->id = id;
    begin_play(live, task, draw);
    segue_map_link(&live->by_id, task->id_entry, &task->id, task);
    segue_map_link(&live->by_key, task->key_entry, task->key, task);
    task->id_entry = task->key_entry = NULL;
    live->key_bytes += strlen(task->key);
    live->control_bytes += task->control ? segue_task_bytes(task->play) : 0;
}

void segue_live_discard(live_learner *live, live_task *task)
{
    end_play(live, task);
    free_task(task);
}

segue_status segue_live_open(live_learner *live, const segue_stored_task *row, const char *key,
                             uint64_t draw, segue_error *err)
{
    live_task *task = NULL;
    const segue_status status = segue_live_prepare(live, row, key, &task, err);
    if (status == SEGUE_OK)
        segue_live_enter(live, task, row->id, draw);
    return status;
}

live_task *segue_live_by_key(const live_learner *live, const char *key)
{
    return segue_map_find(&live->by_key, key, strlen(key));
}

live_task *segue_live_by_id(const live_learner *live, int64_t id)
{
    return segue_map_find(&live->by_id, &id, sizeof id);
}

void segue_live_tell(live_learner *live, live_task *task, size_t arm, double value)
{
    /* it was checked before it was stored; a task that was opened again has no fewer arms */
    const segue_status status = segue_task_tell(task->play, arm, value, NULL);
    assert(status == SEGUE_OK);
    (void)status;
    task->rewards++;
    task->total += value;
    live->rewards++;
}

void segue_live_end(live_learner *live, live_task *task)
{
    segue_map_remove(&live->by_id, &task->id, sizeof task->id);
    segue_map_remove(&live->by_key, task->key, strlen(task->key));
    live->key_bytes -= strlen(task->key);
    live->control_bytes -= task->control ? segue_task_bytes(task->play) : 0;
    segue_live_discard(live, task);
}

size_t segue_live_bytes(const live_learner *live)
{
    enum { OVERHEAD = 16 }; /* what malloc adds to a block */
    const size_t tasks = live->by_id.count * (sizeof(live_task) + (size_t)2 * OVERHEAD) +
                         segue_map_bytes(&live->by_id, live->by_id.count * sizeof(int64_t)) +
                         segue_map_bytes(&live->by_key, live->key_bytes) + live->key_bytes;
    const size_t arms = live->n_arms * (sizeof(live_arm) + sizeof(live_arm *) + 2) +
                        segue_map_bytes(&live->arm_by_name, 0) + 4 * live->config.size;
    return sizeof *live + segue_learner_bytes(live->learner) + tasks + live->control_bytes + arms +
           live->line.capacity * sizeof(waiting) + segue_versions_bytes(&live->versions);
}

/* ---- asking ------------------------------------------------------------------------------ */

static uint64_t draws_of(size_t n_arms)
{
    return n_arms <= MANY_ARMS ? DRAWS : DRAWS * MANY_ARMS / n_arms;
}

segue_status segue_live_find_law(live_task *task, const bool *allowed, live_law *law,
                                 segue_error *err)
{
    const size_t n_arms = n_played(task);
    law->draws = draws_of(n_arms);
    law->drawn = calloc(2 * n_arms, sizeof *law->drawn);
    if (!law->drawn)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for probabilities");
    law->chance = law->drawn + n_arms;
    return segue_task_law(task->play, allowed, law->draws, law->drawn, &law->certain, err);
}

/* Of the arm that was chosen; among the draws this choice is one, so that it is never 0. */
static double chance_of(const live_law *law, size_t arm)
{
    const double chance = law->chance[arm], draws = (double)law->draws;
    return law->certain ? chance : (chance * draws + 1.0) / (draws + 1.0);
}

segue_status segue_live_pick(live_task *task, const bool *allowed, live_law *law, live_choice *out,
                             segue_error *err)
{
    size_t arm = 0;
    segue_status status = SEGUE_OK;
    if (law->drawn)
        status = segue_task_by_law(task->play, allowed, law->drawn, law->certain, law->chance, err);
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

void segue_live_issue(live_learner *live, live_task *task, live_choice *choice, double now)
{
    const size_t arm = choice->decision.arm;
    /* Without a tag an id must not be older than its task, whose time is the wall's. */
    const double asked = task->tag ? now : fmax(now, task->opened);
    choice->decision = (decision){.learner = live->id,
                                  .task = task->id,
                                  .tag = task->tag,
                                  .number = task->next++,
                                  .arm = arm,
                                  .version = task->version,
                                  .asked = asked};
    choice->arm = live->arm[arm]->name;
    task->asked++;
    task->active = now;
}

segue_status segue_live_ask(live_learner *live, live_task *task, const bool *allowed, live_law *law,
                            double now, live_choice *out, segue_error *err)
{
    const segue_status status = segue_live_pick(task, allowed, law, out, err);
    if (status == SEGUE_OK)
        segue_live_issue(live, task, out, now);
    return status;
}

/* ---- copies ------------------------------------------------------------------------------ */

static const char **copy_names(const live_learner *live)
{
    const char **names = calloc(live->n_arms, sizeof(char *));
    for (size_t i = 0; names && i < live->n_arms; i++)
        names[i] = live->arm[i]->name;
    return names;
}

static bool *copy_allowed(const live_learner *live)
{
    bool *allowed = malloc(live->n_arms * sizeof *allowed);
    if (allowed)
        memcpy(allowed, live->allowed, live->n_arms * sizeof *allowed);
    return allowed;
}

static segue_status copy_play(live_learner *live, const live_task *task, segue_task **out,
                              segue_error *err)
{
    return task->control ? segue_task_copy(out, task->play, err)
                         : segue_learner_copy_task(live->learner, task->play, out, err);
}

segue_status segue_live_copy(live_learner *live, const live_task *task, copied_task *out,
                             segue_error *err)
{
    /* not what is staged, which the writer changes without the lock */
    *out = (copied_task){.task = {.id = task->id,
                                  .tag = task->tag,
                                  .control = task->control,
                                  .version = task->version,
                                  .n_arms = task->n_arms,
                                  .opened = task->opened,
                                  .rewards = task->rewards,
                                  .total = task->total}};
    out->names = copy_names(live);
    out->allowed = live->n_retired > 0 ? copy_allowed(live) : NULL;
    if (!out->names || (live->n_retired > 0 && !out->allowed))
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a copy of a task");
    return copy_play(live, task, &out->task.play, err);
}

void segue_live_copy_fini(copied_task *copy)
{
    segue_learner_drop_copy(&copy->task.play);
    free(copy->names);
    free(copy->allowed);
    *copy = (copied_task){.names = NULL};
}

void segue_live_issue_copied(live_learner *live, live_task *task, live_choice *choice, double now)
{
    segue_task_note_ask(task->play, choice->decision.arm);
    segue_live_issue(live, task, choice, now);
}

double segue_live_work(const live_task *task, uint64_t count, bool probability, bool explain)
{
    const task_inside in = segue_task_inside(task->play);
    const double n_arms = (double)in.view->n_arms, ahead = n_arms * n_arms;
    const double law = probability ? (double)draws_of(in.view->n_arms) * n_arms : 0.0;
    const double each = in.policy->split ? ahead : 10.0 * n_arms;
    return (double)count * each + law + (explain ? ahead : 0.0);
}
