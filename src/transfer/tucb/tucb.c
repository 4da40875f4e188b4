/* tucb.c - tUCB (figure 2 of Azar, Lazaric and Brunskill 2013): each task plays umUCB on the
 * current estimate of the models.
 *
 * umUCB trusts the means to within eps_j = C sqrt(log(2 m K J / delta) / j), where j is the number
 * of tasks in the estimate; the paper has two other logarithms, which the option eps selects.  The
 * theorem's factor K^2.5 m^2 is folded into C, as in the paper's appendix: with it eps_j exceeds 1
 * for every j that the paper runs.  A closed task that is near no estimated model is a violation;
 * with C = 0, C starts at 0.25 and doubles at each violation.
 *
 * With weights=pulls the weight of a task, in the moments and in j, is the rewards per view; models
 * are held back until eps_j is 0.1, since using them sooner starves the arms of rewards.
 * Closing a task costs O(K^3) for the moments (up to SEGUE_MAX_DENSE_ARMS arms), plus a fit where
 * one is due.
 * SPDX-License-Identifier: Apache-2.0 */
#include "transfer/tucb/tucb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/math/ln.h"
#include "estimate/estimator_internal.h"
#include "estimate/estimator_method.h"

#define FIRST_C   0.25 /* of doubling */
#define UMUCB_EPS 1    /* index of eps among umucb's options */

double segue_tucb_model_error(segue_eps_form form, double c, size_t n_models, size_t n_arms,
                              uint64_t n_tasks, double delta, double j)
{
    const double m = (double)n_models, k = (double)n_arms;
    const double terms[] = {[SEGUE_EPS_LEMMA] = 2.0 * m * k * (double)n_tasks,
                            [SEGUE_EPS_THEOREM] = k,
                            [SEGUE_EPS_COROLLARY] = 2.0 * k * k};
    return c * sqrt(segue_ln(terms[form] / delta) / j);
}

static bool has_weights(const segue_learner *learner)
{
    return learner->config.option[TUCB_WEIGHTS] > 0.0;
}

static bool is_doubling(const segue_learner *learner)
{
    return learner->config.option[TUCB_C] <= 0.0;
}

/* ---- create, destroy --------------------------------------------------------------------- */

static segue_estimator_config estimator_config(const segue_learner_config *config)
{
    const double *option = config->option;
    segue_estimator_config estimator = segue_estimator_defaults();
    estimator.method = segue_estimator_method_at((size_t)option[TUCB_ESTIMATOR])->info.name;
    estimator.n_arms = config->n_arms;
    estimator.n_models = config->n_models;
    estimator.starts = (size_t)option[TUCB_STARTS];
    estimator.steps = (size_t)option[TUCB_STEPS];
    estimator.cold = option[TUCB_START] > 0.0;
    estimator.window = (size_t)option[TUCB_WINDOW];
    estimator.alpha0 = option[TUCB_ALPHA0];
    estimator.seed = config->seed;
    estimator.run = config->run;
    return estimator;
}

static segue_status create(segue_learner *learner, segue_error *err)
{
    const segue_learner_config *config = &learner->config;
    const segue_estimator_config estimator = estimator_config(config);
    tucb *t = learner->state = calloc(1, sizeof *t);
    if (!t)
        return segue_fail_no_memory(err, "a learner");
    learner->n_identify = (uint64_t)config->option[TUCB_IDENTIFY];
    t->c = is_doubling(learner) ? FIRST_C : config->option[TUCB_C];
    t->next_fit = 1;
    t->uses_counts = segue_estimator_method_find(estimator.method)->uses_counts;
    if (t->uses_counts && has_weights(learner))
        return segue_fail(
            err, SEGUE_EDOMAIN,
            "weights=pulls weighs moments, and estimator=%s has none; give one of them",
            estimator.method);
    SEGUE_TRY(segue_moments_create(&t->moments, config->n_arms,
                                   (segue_views)config->option[TUCB_VIEWS], err));
    SEGUE_TRY(segue_estimator_create(&t->estimator, &estimator, err));
    t->views = calloc(3 * config->n_arms, sizeof *t->views);
    return t->views ? SEGUE_OK : segue_fail_no_memory(err, "a learner");
}

static void destroy(segue_learner *learner)
{
    tucb *t = learner->state;
    if (!t)
        return;
    segue_moments_destroy(t->moments);
    segue_estimator_destroy(t->estimator);
    free(t->views);
    free(t);
}

/* ---- play -------------------------------------------------------------------------------- */

static segue_status plan(const segue_learner *learner, bool identifies, segue_task_config *task,
                         segue_error *err)
{
    const double delta = learner->config.option[TUCB_DELTA];
    task->batches = learner->config.option[TUCB_BATCHES] > 0.0 ? SEGUE_BATCHES_INTERLEAVED
                                                               : SEGUE_BATCHES_CONSECUTIVE;
    SEGUE_TRY(segue_policy_parse(&task->policy, identifies ? "round-robin" : "umucb", err));
    if (identifies || delta >= 1.0) /* 1/n of a single step */
        return SEGUE_OK;
    return segue_policy_set(&task->policy, "delta", delta, err);
}

/* Infinite until there is an estimate, and while the models are held back: umUCB then plays UCB. */
static double eps_now(const segue_learner *learner)
{
    const segue_learner_config *config = &learner->config;
    const double *option = config->option;
    const tucb *t = learner->state;
    if (!learner->current)
        return INFINITY;
    const double eps =
        segue_tucb_model_error((segue_eps_form)option[TUCB_EPS], t->c, config->n_models,
                               config->n_arms, config->n_tasks, option[TUCB_DELTA], t->support);
    return option[TUCB_HOLD] > 0.0 && eps > option[TUCB_HOLD] ? INFINITY : eps;
}

static void set_prior(const segue_learner *learner, open_task *entry)
{
    entry->eps = eps_now(learner);
    if (!entry->identifies)
        segue_task_set_models(entry->task, entry->prior ? entry->prior->models : NULL, UMUCB_EPS,
                              entry->eps);
}

/* ---- learn ------------------------------------------------------------------------------- */

/* True if some model of the task's set lies within radius + eps of the averages of all arms. */
static bool is_near_a_model(const open_task *entry)
{
    const segue_models *models = entry->prior->models;
    const segue_task_summary info = segue_task_info(entry->task);
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

/* Count a violation: no estimated model explains the task, so the estimates are off by more than
 * eps. */
static void count_violation(const segue_learner *learner, tucb *t, const open_task *entry)
{
    t->no_model_left += segue_task_info(entry->task).no_model_left;
    if (!entry->prior || entry->identifies || is_near_a_model(entry))
        return;
    t->violations++;
    if (is_doubling(learner))
        t->c *= 2.0;
}

uint64_t segue_tucb_tasks(const tucb *t)
{
    return t->uses_counts ? segue_estimator_tasks(t->estimator) : segue_moments_tasks(t->moments);
}

segue_status segue_tucb_publish(segue_learner *learner, segue_error *err)
{
    const tucb *t = learner->state;
    const segue_models *found = segue_estimator_models(t->estimator);
    shared_prior *next = found ? calloc(1, sizeof *next) : NULL;
    if (found && !next)
        return segue_fail_no_memory(err, "a model set");
    if (found) {
        const segue_status status =
            segue_models_create(&next->models, SEGUE_MODELS_ESTIMATED, found->n_arms,
                                found->n_models, found->mean, found->weight, err);
        if (status != SEGUE_OK) {
            free(next);
            return status;
        }
        memcpy(next->models->weight, found->weight, found->n_models * sizeof *found->weight);
    }
    segue_shared_prior_publish(learner, next);
    return SEGUE_OK;
}

/* em forgets tasks older than its window, so they no longer support its estimate. */
double segue_tucb_support(const segue_learner *learner, const segue_moments *moments, uint64_t used)
{
    const tucb *t = learner->state;
    if (has_weights(learner))
        return segue_moments_weight(moments);
    return t->uses_counts ? fmin((double)used, learner->config.option[TUCB_WINDOW]) : (double)used;
}

void segue_tucb_schedule(const segue_learner *learner, tucb *t, uint64_t used, double support)
{
    const double *option = learner->config.option;
    const uint64_t soonest = used + (uint64_t)option[TUCB_EVERY];
    const double grown = ceil((1.0 + option[TUCB_GROWTH]) * (double)used);
    t->next_fit = grown > (double)soonest ? (uint64_t)grown : soonest;
    t->estimated_at = used;
    t->support = support;
}

static segue_status estimate(segue_learner *learner, tucb *t, segue_error *err)
{
    SEGUE_TRY(segue_estimator_fit(t->estimator, t->moments, err));
    SEGUE_TRY(segue_tucb_publish(learner, err));
    const uint64_t used = segue_tucb_tasks(t);
    segue_tucb_schedule(learner, t, used, segue_tucb_support(learner, t->moments, used));
    return SEGUE_OK;
}

/* em: add the counts of a task, if it has any. */
static segue_status add_counts(const segue_learner *learner, tucb *t, const open_task *entry,
                               bool *any, segue_error *err)
{
    const task_internals in = segue_task_internals(entry->task);
    double *pulls = t->views; /* scratch until the views are read */
    for (size_t i = 0; i < learner->config.n_arms; i++) {
        pulls[i] = (double)in.pulls[i];
        *any = *any || in.pulls[i] > 0;
    }
    return *any ? segue_estimator_add(t->estimator, in.sum, pulls, err) : SEGUE_OK;
}

bool segue_tucb_is_due(const segue_learner *learner)
{
    const tucb *t = learner->state;
    const uint64_t tasks = segue_tucb_tasks(t);
    const uint64_t freeze = (uint64_t)learner->config.option[TUCB_FREEZE];
    return tasks >= t->next_fit && tasks >= freeze && !(freeze > 0 && learner->current);
}

/* The weight of a task in the moments (docs/math.md says why). */
static double weight_of(const segue_learner *learner, const open_task *entry)
{
    return has_weights(learner) ? segue_moments_task_weight(segue_task_info(entry->task).pulls,
                                                            learner->config.n_arms)
                                : 1.0;
}

static segue_status learn(segue_learner *learner, const open_task *entry, segue_error *err)
{
    tucb *t = learner->state;
    bool any = false;
    count_violation(learner, t, entry);
    if (t->uses_counts)
        SEGUE_TRY(add_counts(learner, t, entry, &any, err));
    if (segue_task_views(entry->task, t->views)) {
        any = true;
        SEGUE_TRY(segue_moments_add(t->moments, t->views, weight_of(learner, entry), err));
    }
    if (!any)
        t->skipped++;
    if (!segue_tucb_is_due(learner) || learner->config.background)
        return SEGUE_OK;
    return estimate(learner, t, err);
}

/* ---- info, serialize --------------------------------------------------------------------- */

static size_t bytes_of(const segue_learner *learner)
{
    const tucb *t = learner->state;
    return sizeof *t + segue_moments_bytes(t->moments) + segue_estimator_bytes(t->estimator) +
           3 * learner->config.n_arms * sizeof *t->views;
}

static void fill_info(const segue_learner *learner, segue_learner_summary *info)
{
    const tucb *t = learner->state;
    info->skipped = t->skipped;
    info->violations = t->violations;
    info->no_model_left = t->no_model_left;
    info->age = segue_tucb_tasks(t) - t->estimated_at;
    info->c = t->c;
    info->eps = eps_now(learner);
    info->estimate = segue_estimator_info(t->estimator);
}

static void serialize(const segue_learner *learner, segue_bytes *b)
{
    const tucb *t = learner->state;
    const uint64_t counters[] = {t->skipped,      t->violations, t->no_model_left,
                                 t->estimated_at, t->next_fit,   learner->current != NULL};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        segue_bytes_append_u64(b, counters[i]);
    segue_bytes_append_f64(b, &t->c, 1);
    segue_bytes_append_f64(b, &t->support, 1);
    segue_moments_serialize(t->moments, b);
    segue_estimator_serialize(t->estimator, b);
}

static segue_status deserialize(segue_learner *learner, segue_bytes_reader *r, segue_error *err)
{
    tucb *t = learner->state;
    uint64_t *const counters[] = {&t->skipped, &t->violations, &t->no_model_left, &t->estimated_at,
                                  &t->next_fit};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        *counters[i] = segue_bytes_read_count(r);
    const bool published = segue_bytes_read_u64(r) != 0;
    segue_bytes_read_f64(r, &t->c, 1);
    segue_bytes_read_f64(r, &t->support, 1);
    if (!(t->c > 0.0) || !(t->support >= 0.0))
        return segue_fail(err, SEGUE_EDOMAIN, "invalid C or support in saved learner");
    SEGUE_TRY(segue_moments_deserialize(t->moments, r, err));
    SEGUE_TRY(segue_estimator_deserialize(t->estimator, r, err));
    if (t->estimated_at > segue_tucb_tasks(t))
        return segue_fail(err, SEGUE_EDOMAIN, "invalid number of estimated tasks in saved learner");
    return published ? segue_tucb_publish(learner, err) : SEGUE_OK;
}

const learner_method segue_learner_tucb = {
    .info = {.name = "tucb",
             .summary = "umucb on models learned from the tasks before",
             .options = segue_tucb_options,
             .n_options = TUCB_N_OPTIONS,
             .needs_horizon = true,
             .needs_models = true,
             .fixed_arms = true,
             .has_models = true},
    .apply_options = segue_tucb_options_apply,
    .fill_defaults = segue_tucb_options_fill,
    .create = create,
    .destroy = destroy,
    .plan = plan,
    .set_prior = set_prior,
    .learn = learn,
    .refit = &segue_tucb_refit,
    .merge = segue_tucb_merge,
    .fill_info = fill_info,
    .bytes = bytes_of,
    .serialize = serialize,
    .deserialize = deserialize,
};
