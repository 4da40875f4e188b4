/* learner.c - open tasks from the shared prior, close them, and learn from them by the method.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/learner.h"

#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "transfer/learner_dispersion.h"

/* Closed tasks are recycled, which saves their allocations where tasks come one after the other, or
 * a few at a time.  Above these limits they are freed: a learner that once had 100,000 open tasks
 * must not occupy their memory. */
#define MAX_IDLE       64
#define MAX_IDLE_BYTES (1U << 20) /* total of the recycled tasks; one may be larger */

/* ---- create ------------------------------------------------------------------------------ */

/* The setting of tasks with this number of steps; 0: not known. */
static segue_setting setting_of(const segue_learner_config *config, uint64_t steps)
{
    return (segue_setting){.n_arms = config->n_arms,
                           .n_models = config->n_models,
                           .horizon = steps ? steps : SEGUE_MAX_HORIZON,
                           .n_tasks = config->n_tasks};
}

static uint64_t steps_of(const segue_learner *learner)
{
    return learner->task_steps ? learner->task_steps : learner->config.horizon;
}

segue_status segue_learner_create(segue_learner **out, const segue_learner_config *config,
                                  segue_error *err)
{
    segue_learner_config complete;
    const learner_method *method;
    *out = NULL;
    SEGUE_TRY(segue_learner_config_complete(&complete, config, &method, err));
    const segue_setting setting = setting_of(&complete, complete.horizon);
    SEGUE_TRY(segue_task_check_setting(&setting, complete.lowest, complete.highest, err));
    segue_learner *learner = calloc(1, sizeof *learner);
    if (!learner)
        return segue_fail_no_memory(err, "a learner");
    learner->config = complete;
    learner->method = method;
    segue_status status = method->create(learner, err);
    if (status == SEGUE_OK)
        status = segue_learner_dispersion_reserve(learner, complete.n_arms, err);
    if (status != SEGUE_OK) {
        segue_learner_destroy(learner);
        return status;
    }
    *out = learner;
    return SEGUE_OK;
}

static size_t bytes_of(const open_task *entry)
{
    return sizeof *entry + segue_task_bytes(entry->task);
}

static void free_entry(segue_learner *learner, open_task *entry)
{
    learner->task_bytes -= bytes_of(entry) + entry->feature_bytes;
    segue_task_destroy(entry->task);
    segue_shared_prior_release(entry->prior);
    segue_learner_features_clear(entry);
    free(entry);
}

static void free_chain(segue_learner *learner, open_task *chain)
{
    while (chain) {
        open_task *next = chain->next;
        free_entry(learner, chain);
        chain = next;
    }
}

void segue_learner_destroy(segue_learner *learner)
{
    if (!learner)
        return;
    segue_learner_refit_detach(learner);
    free_chain(learner, learner->open);
    free_chain(learner, learner->idle);
    segue_shared_prior_release(learner->current);
    learner->method->destroy(learner);
    segue_learner_names_fini(learner);
    segue_learner_dispersion_fini(learner);
    free(learner->allowed);
    free(learner);
}

/* ---- opening ----------------------------------------------------------------------------- */

/* `identifies`: one of tucb's first tasks, which pull all arms in turn. */
static segue_status make_task(segue_learner *learner, bool identifies, open_task **out,
                              segue_error *err)
{
    const segue_learner_config *config = &learner->config;
    segue_task_config task = segue_task_defaults();
    segue_status status = SEGUE_OK;
    task.policy.policy = learner->method->policy;
    if (learner->method->plan)
        status = learner->method->plan(learner, identifies, &task, err);
    task.setting = setting_of(config, steps_of(learner));
    task.lowest = config->lowest;
    task.highest = config->highest;
    open_task *entry = calloc(1, sizeof *entry);
    if (status == SEGUE_OK && !entry)
        status = segue_fail_no_memory(err, "a task");
    if (status == SEGUE_OK)
        status = segue_task_create(&entry->task, &task, err);
    if (status != SEGUE_OK) {
        free(entry);
        return status;
    }
    entry->identifies = identifies;
    learner->task_bytes += bytes_of(entry);
    segue_task_set_owner(entry->task, entry);
    *out = entry;
    return SEGUE_OK;
}

/* A task that was closed can be opened again if it is as a new one would be. */
static bool is_usable(const segue_learner *learner, const open_task *entry, bool identifies)
{
    const segue_task_view *view = segue_task_internals(entry->task).view;
    return entry->identifies == identifies && view->n_arms == learner->config.n_arms &&
           view->horizon == setting_of(&learner->config, steps_of(learner)).horizon;
}

/* A task of the right kind: one that was closed, or a new one. */
static segue_status take_task(segue_learner *learner, bool identifies, open_task **out,
                              segue_error *err)
{
    while (learner->idle) {
        open_task *entry = learner->idle;
        learner->idle = entry->next;
        learner->n_idle--;
        if (is_usable(learner, entry, identifies)) {
            *out = entry;
            return SEGUE_OK;
        }
        /* No longer usable: arms were added, tasks have other steps, or those that identify models
         * are over. */
        free_entry(learner, entry);
    }
    return make_task(learner, identifies, out, err);
}

/* Link a task into the list of open ones, and start it from its prior. */
static void begin_task(segue_learner *learner, open_task *entry)
{
    entry->learner = learner;
    entry->version = learner->version;
    entry->next = learner->open;
    entry->before = &learner->open;
    if (learner->open)
        learner->open->before = &entry->next;
    learner->open = entry;
    segue_task_set_allowed(entry->task, learner->allowed);
    segue_task_clear_costs(entry->task);
    learner->method->set_prior(learner, entry);
    segue_learner_dispersion_apply(learner, entry->task);
    segue_rng rng;
    segue_rng_init(&rng, learner->config.seed, learner->config.run, learner->opened,
                   SEGUE_STREAM_POLICY);
    segue_task_next(entry->task, &rng, 0);
    learner->opened++;
}

segue_status segue_learner_open_task(segue_learner *learner, segue_task **out, segue_error *err)
{
    open_task *entry = NULL;
    *out = NULL;
    SEGUE_TRY(take_task(learner, learner->opened < learner->n_identify, &entry, err));
    entry->prior = learner->current;
    if (entry->prior)
        entry->prior->users++;
    begin_task(learner, entry);
    *out = entry->task;
    return SEGUE_OK;
}

segue_status segue_learner_open_task_with(segue_learner *learner, const segue_feature *features,
                                          size_t n_features, segue_task **out, segue_error *err)
{
    open_task *entry = NULL;
    shared_prior *prior = NULL;
    *out = NULL;
    if (n_features == 0)
        return segue_learner_open_task(learner, out, err);
    SEGUE_TRY(segue_learner_check_features(features, n_features, err));
    SEGUE_TRY(segue_learner_features_prior(learner, features, n_features, &prior, err));
    segue_status status = take_task(learner, learner->opened < learner->n_identify, &entry, err);
    if (status == SEGUE_OK)
        status = segue_learner_features_set(entry, features, n_features, err);
    if (status != SEGUE_OK) {
        if (entry)
            free_entry(learner, entry);
        segue_shared_prior_release(prior);
        return status;
    }
    learner->task_bytes += entry->feature_bytes;
    entry->prior = prior;
    begin_task(learner, entry);
    *out = entry->task;
    return SEGUE_OK;
}

/* ---- closing ----------------------------------------------------------------------------- */

segue_status segue_learner_find_task(const segue_learner *learner, const segue_task *task,
                                     open_task **out, segue_error *err)
{
    *out = task ? segue_task_owner(task) : NULL;
    if (!*out || (*out)->learner != learner)
        return segue_fail(err, SEGUE_EDOMAIN, "the task is not an open one of this learner");
    return SEGUE_OK;
}

void segue_learner_recycle_task(segue_learner *learner, open_task *entry)
{
    *entry->before = entry->next;
    if (entry->next)
        entry->next->before = entry->before;
    segue_shared_prior_release(entry->prior);
    learner->task_bytes -= entry->feature_bytes;
    segue_learner_features_clear(entry);
    entry->prior = NULL;
    entry->learner = NULL;
    if (learner->n_idle == MAX_IDLE || learner->n_idle * bytes_of(entry) > MAX_IDLE_BYTES) {
        free_entry(learner, entry);
        return;
    }
    entry->next = learner->idle;
    learner->idle = entry;
    learner->n_idle++;
}

segue_status segue_learner_close_task(segue_learner *learner, segue_task **task, segue_error *err)
{
    open_task *entry = NULL;
    segue_status status = segue_learner_find_task(learner, *task, &entry, err);
    if (status != SEGUE_OK)
        return status;
    learner->closed++;
    segue_learner_store_posterior(learner, entry);
    status = learner->method->learn(learner, entry, err);
    segue_learner_dispersion_learn(learner, entry->task);
    segue_learner_recycle_task(learner, entry);
    *task = NULL;
    return status;
}

/* ---- looking ----------------------------------------------------------------------------- */

const segue_models *segue_learner_models(const segue_learner *learner)
{
    return learner->current ? learner->current->models : NULL;
}

const segue_learner_config *segue_learner_get_config(const segue_learner *learner)
{
    return &learner->config;
}

uint64_t segue_learner_version(const segue_learner *learner)
{
    return learner->version;
}

segue_status segue_learner_task_version(const segue_learner *learner, const segue_task *task,
                                        uint64_t *version, segue_error *err)
{
    open_task *entry = NULL;
    const segue_status status = segue_learner_find_task(learner, task, &entry, err);
    if (status == SEGUE_OK)
        *version = entry->version;
    return status;
}

segue_learner_summary segue_learner_info(const segue_learner *learner)
{
    segue_learner_summary info = {.opened = learner->opened, .closed = learner->closed};
    if (learner->method->fill_info)
        learner->method->fill_info(learner, &info);
    return info;
}
