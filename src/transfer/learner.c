/* learner.c - open tasks, close them, estimate again.
 *
 * tUCB (figure 2 of Azar, Lazaric and Brunskill 2013): each task is umUCB on the current estimate,
 * whose means are trusted to within eps_j = C sqrt(log(2 m K J / delta) / j), j the tasks behind
 * it.  (The theorem's factor K^2.5 m^2 is folded into C, as in the paper's appendix; with it eps_j
 * would be above 1 for every j that the paper runs.)
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/learner.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bandit/task.h"
#include "estimate/state.h"
#include "transfer/learner.h"

#define FIRST_C     0.25 /* of doubling */
#define MOST_GROWTH 1000.0
#define LEAST_GROWTH                                                                               \
    0.05            /* with more than SEGUE_MOMENTS_STORED arms, whose fits read all views         \
                     */
#define UMUCB_EPS 1 /* the place of eps among umucb's options */

double segue_model_error(double c, size_t n_models, size_t n_arms, uint64_t n_tasks, double delta,
                         uint64_t j)
{
    const double terms = 2.0 * (double)n_models * (double)n_arms * (double)n_tasks;
    return c * sqrt(log(terms / delta) / (double)j);
}

/* ---- sets that tasks share --------------------------------------------------------------- */

static void release(model_set *set)
{
    if (!set || --set->users > 0)
        return;
    segue_models_destroy(set->models);
    free(set);
}

/* A copy of the estimator's set, for the tasks to come. */
segue_status segue_learner_publish(segue_learner *learner, segue_error *err)
{
    const segue_models *found = segue_estimator_models(learner->estimator);
    model_set *set = NULL;
    if (found) {
        set = calloc(1, sizeof *set);
        if (!set)
            return segue_fail(err, SEGUE_ENOMEM, "out of memory for a model set");
        set->users = 1;
        const segue_status status =
            segue_models_create(&set->models, SEGUE_MODELS_ESTIMATED, found->n_arms,
                                found->n_models, found->mean, found->weight, err);
        if (status != SEGUE_OK) {
            free(set);
            return status;
        }
        memcpy(set->models->weight, found->weight, found->n_models * sizeof *found->weight);
    }
    release(learner->current);
    learner->current = set;
    return SEGUE_OK;
}

/* ---- making one -------------------------------------------------------------------------- */

static segue_status check_config(const segue_learner_config *config, segue_error *err)
{
    const double delta = config->delta;
    if (config->horizon < 1 || config->horizon > SEGUE_MAX_HORIZON)
        return segue_fail(err, SEGUE_EDOMAIN, "horizon is %llu; a learner must know its steps",
                          (unsigned long long)config->horizon);
    if (config->n_tasks < 1 || config->n_tasks > SEGUE_MAX_TASKS)
        return segue_fail(err, SEGUE_EDOMAIN, "n_tasks is %llu; need 1 to %llu",
                          (unsigned long long)config->n_tasks, (unsigned long long)SEGUE_MAX_TASKS);
    if (!(delta >= 0.0 && delta <= 1.0)) /* 1 is the default for one step */
        return segue_fail(err, SEGUE_EDOMAIN, "delta is %g; need 0 < delta < 1", delta);
    if (!config->doubling && !(config->c > 0.0 && isfinite(config->c)))
        return segue_fail(err, SEGUE_EDOMAIN, "c is %g; need a number > 0", config->c);
    if (config->every < 1 || config->every > SEGUE_MAX_TASKS || !(config->growth >= 0.0) ||
        !(config->growth <= MOST_GROWTH))
        return segue_fail(err, SEGUE_EDOMAIN, "every or growth is out of range");
    const double width = config->highest - config->lowest;
    if (!(width > 0.0 && isfinite(width) && isfinite(1.0 / width)))
        return segue_fail(err, SEGUE_EDOMAIN, "rewards from %g to %g: need a finite, growing range",
                          config->lowest, config->highest);
    if (config->estimator == NULL)
        return segue_fail(err, SEGUE_ENAME, "no estimator is named");
    if (config->batches != SEGUE_BATCHES_CONSECUTIVE &&
        config->batches != SEGUE_BATCHES_INTERLEAVED)
        return segue_fail(err, SEGUE_EDOMAIN, "a learner needs batches to learn from");
    return SEGUE_OK;
}

static segue_status make_parts(segue_learner *learner, segue_error *err)
{
    const segue_learner_config *config = &learner->config;
    segue_estimator_config estimator = segue_estimator_defaults();
    estimator.method = config->estimator;
    estimator.n_arms = config->n_arms;
    estimator.n_models = config->n_models;
    estimator.starts = config->starts;
    estimator.steps = config->steps;
    estimator.cold = config->cold;
    estimator.seed = config->seed;
    estimator.run = config->run;
    segue_status status =
        segue_moments_create(&learner->moments, config->n_arms, config->views, err);
    if (status == SEGUE_OK)
        status = segue_estimator_create(&learner->estimator, &estimator, err);
    if (status != SEGUE_OK)
        return status;
    learner->views = calloc(3 * config->n_arms, sizeof *learner->views);
    if (!learner->views)
        status = segue_fail(err, SEGUE_ENOMEM, "out of memory for a learner");
    return status;
}

segue_status segue_learner_create(segue_learner **out, const segue_learner_config *config,
                                  segue_error *err)
{
    *out = NULL;
    if (!config->method || strcmp(config->method, "tucb") != 0)
        return segue_fail(err, SEGUE_ENAME, "there is no learner '%.40s'",
                          config->method ? config->method : "");
    segue_status status = check_config(config, err);
    if (status != SEGUE_OK)
        return status;
    segue_learner *learner = calloc(1, sizeof *learner);
    if (!learner)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a learner");
    learner->config = *config;
    learner->config.method = "tucb";
    if (learner->config.delta <= 0.0)
        learner->config.delta = 1.0 / (double)config->horizon;
    learner->c = config->doubling ? FIRST_C : config->c;
    if (config->n_arms > SEGUE_MOMENTS_STORED)
        learner->config.growth = fmax(config->growth, LEAST_GROWTH);
    learner->next_fit = 1;
    status = make_parts(learner, err);
    if (status != SEGUE_OK) {
        segue_learner_destroy(learner);
        return status;
    }
    learner->config.estimator = segue_estimator_method(learner->estimator);
    *out = learner;
    return SEGUE_OK;
}

static void free_chain(open_task *chain)
{
    while (chain) {
        open_task *next = chain->next;
        segue_task_destroy(chain->task);
        release(chain->set);
        free(chain);
        chain = next;
    }
}

void segue_learner_destroy(segue_learner *learner)
{
    if (!learner)
        return;
    free_chain(learner->open);
    free_chain(learner->idle);
    release(learner->current);
    segue_moments_destroy(learner->moments);
    segue_estimator_destroy(learner->estimator);
    free(learner->views);
    free(learner);
}

/* ---- opening ----------------------------------------------------------------------------- */

static segue_status make_task(const segue_learner *learner, bool identifies, open_task **out,
                              segue_error *err)
{
    const segue_learner_config *config = &learner->config;
    segue_task_config task = segue_task_defaults();
    segue_status status =
        segue_policy_parse(&task.policy, identifies ? "round-robin" : "umucb", err);
    if (status == SEGUE_OK && !identifies && config->delta < 1.0)
        status = segue_policy_set(&task.policy, "delta", config->delta, err);
    task.setting = (segue_setting){.n_arms = config->n_arms,
                                   .n_models = config->n_models,
                                   .horizon = config->horizon,
                                   .n_tasks = config->n_tasks};
    task.lowest = config->lowest;
    task.highest = config->highest;
    task.batches = config->batches;
    open_task *entry = calloc(1, sizeof *entry);
    if (status == SEGUE_OK && !entry)
        status = segue_fail(err, SEGUE_ENOMEM, "out of memory for a task");
    if (status == SEGUE_OK)
        status = segue_task_create(&entry->task, &task, err);
    if (status != SEGUE_OK) {
        free(entry);
        return status;
    }
    entry->identifies = identifies;
    segue_task_set_owner(entry->task, entry);
    *out = entry;
    return SEGUE_OK;
}

/* A task of the right kind: one that was closed, or a new one. */
static segue_status take_task(segue_learner *learner, bool identifies, open_task **out,
                              segue_error *err)
{
    for (open_task **at = &learner->idle; *at; at = &(*at)->next)
        if ((*at)->identifies == identifies) {
            *out = *at;
            *at = (*at)->next;
            return SEGUE_OK;
        }
    return make_task(learner, identifies, out, err);
}

static double eps_now(const segue_learner *learner)
{
    const segue_learner_config *config = &learner->config;
    if (!learner->current)
        return INFINITY;
    return segue_model_error(learner->c, config->n_models, config->n_arms, config->n_tasks,
                             config->delta, learner->estimated_at);
}

segue_status segue_learner_open_task(segue_learner *learner, segue_task **out, segue_error *err)
{
    open_task *entry = NULL;
    const bool identifies = learner->opened < learner->config.identify;
    *out = NULL;
    const segue_status status = take_task(learner, identifies, &entry, err);
    if (status != SEGUE_OK)
        return status;
    entry->learner = learner;
    entry->set = learner->current;
    entry->eps = eps_now(learner);
    entry->next = learner->open;
    entry->before = &learner->open;
    if (learner->open)
        learner->open->before = &entry->next;
    learner->open = entry;
    if (entry->set)
        entry->set->users++;
    if (!identifies)
        segue_task_teach(entry->task, entry->set ? entry->set->models : NULL, UMUCB_EPS,
                         entry->eps);
    segue_rng rng;
    segue_rng_open(&rng, learner->config.seed, learner->config.run, learner->opened,
                   SEGUE_STREAM_POLICY);
    segue_task_next(entry->task, &rng, 0);
    learner->opened++;
    *out = entry->task;
    return SEGUE_OK;
}

/* ---- closing ----------------------------------------------------------------------------- */

/* Whether some model of the task's set lies within radius + eps of the averages on all arms. */
static bool is_near_a_model(const open_task *entry)
{
    const segue_models *models = entry->set->models;
    const segue_task_info info = segue_task_look(entry->task);
    const double log_term = segue_task_log_term(entry->task);
    for (size_t k = 0; k < models->n_models; k++) {
        size_t arm = 0;
        for (; arm < models->n_arms; arm++) {
            const double pulls = (double)info.pulls[arm];
            const double off = fabs(segue_models_row(models, k)[arm] - info.sum[arm] / pulls);
            if (pulls > 0.0 && off > sqrt(log_term / (2.0 * pulls)) + entry->eps)
                break;
        }
        if (arm == models->n_arms)
            return true;
    }
    return false;
}

/* A task that no estimated model explains: the estimates are further off than eps says. */
static void watch(segue_learner *learner, const open_task *entry)
{
    learner->no_model_left += segue_task_look(entry->task).no_model_left;
    if (!entry->set || entry->identifies || is_near_a_model(entry))
        return;
    learner->violations++;
    if (learner->config.doubling)
        learner->c *= 2.0;
}

static segue_status estimate(segue_learner *learner, segue_error *err)
{
    const uint64_t used = segue_moments_tasks(learner->moments);
    if (used < learner->next_fit)
        return SEGUE_OK;
    const segue_status status = segue_estimator_fit(learner->estimator, learner->moments, err);
    if (status != SEGUE_OK)
        return status;
    const uint64_t soonest = used + learner->config.every;
    const double grown = ceil((1.0 + learner->config.growth) * (double)used);
    learner->next_fit = grown > (double)soonest ? (uint64_t)grown : soonest;
    learner->estimated_at = used;
    return segue_learner_publish(learner, err);
}

static segue_status learn(segue_learner *learner, const open_task *entry, segue_error *err)
{
    if (!segue_task_views(entry->task, learner->views)) {
        learner->left_out++;
        return SEGUE_OK;
    }
    const segue_status status = segue_moments_add(learner->moments, learner->views, 1.0, err);
    return status == SEGUE_OK ? estimate(learner, err) : status;
}

segue_status segue_learner_close_task(segue_learner *learner, segue_task **task, segue_error *err)
{
    open_task *entry = *task ? segue_task_owner(*task) : NULL;
    if (!entry || entry->learner != learner)
        return segue_fail(err, SEGUE_EDOMAIN, "the task is not an open one of this learner");
    learner->closed++;
    watch(learner, entry);
    const segue_status status = learn(learner, entry, err);
    *entry->before = entry->next;
    if (entry->next)
        entry->next->before = entry->before;
    release(entry->set);
    entry->set = NULL;
    entry->learner = NULL;
    entry->next = learner->idle;
    learner->idle = entry;
    *task = NULL;
    return status;
}

/* ---- looking ----------------------------------------------------------------------------- */

const segue_models *segue_learner_models(const segue_learner *learner)
{
    return learner->current ? learner->current->models : NULL;
}

const segue_learner_config *segue_learner_settings(const segue_learner *learner)
{
    return &learner->config;
}

segue_learner_info segue_learner_look(const segue_learner *learner)
{
    return (segue_learner_info){
        .opened = learner->opened,
        .closed = learner->closed,
        .left_out = learner->left_out,
        .violations = learner->violations,
        .no_model_left = learner->no_model_left,
        .age = segue_moments_tasks(learner->moments) - learner->estimated_at,
        .c = learner->c,
        .eps = eps_now(learner),
        .estimate = segue_estimator_look(learner->estimator),
    };
}
