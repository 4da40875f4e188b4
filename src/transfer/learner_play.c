/* learner_play.c - tasks that are played but not learned from; what was found, for people.
 * SPDX-License-Identifier: Apache-2.0 */
#include "transfer/learner_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "transfer/learner_method.h"

segue_status segue_learner_play_task(segue_learner *learner, const segue_rng *rng, segue_task **out,
                                     segue_error *err)
{
    return segue_learner_play_task_with(learner, rng, NULL, 0, out, err);
}

segue_status segue_learner_play_task_with(segue_learner *learner, const segue_rng *rng,
                                          const segue_feature *features, size_t n_features,
                                          segue_task **out, segue_error *err)
{
    const uint64_t opened = learner->opened;
    const segue_status status =
        segue_learner_open_task_with(learner, features, n_features, out, err);
    learner->opened = opened;
    if (status == SEGUE_OK)
        segue_task_next(*out, rng, 0);
    return status;
}

void segue_learner_set_task_steps(segue_learner *learner, uint64_t steps)
{
    learner->task_steps = steps;
}

void segue_learner_discard_task(segue_learner *learner, segue_task **task)
{
    open_task *entry = NULL;
    if (segue_learner_find_task(learner, *task, &entry, NULL) == SEGUE_OK)
        segue_learner_recycle_task(learner, entry);
    *task = NULL;
}

/* ---- copies ------------------------------------------------------------------------------ */

segue_status segue_learner_copy_task(segue_learner *learner, segue_task *task, segue_task **out,
                                     segue_error *err)
{
    open_task *entry = NULL, *copy = calloc(1, sizeof *copy);
    *out = NULL;
    if (!copy)
        return segue_fail_no_memory(err, "a copy of a task");
    segue_status status = segue_learner_find_task(learner, task, &entry, err);
    if (status == SEGUE_OK)
        status = segue_task_copy(&copy->task, task, err);
    if (status != SEGUE_OK) {
        free(copy);
        return status;
    }
    copy->learner = learner;
    copy->prior = entry->prior;
    copy->version = entry->version;
    if (copy->prior)
        copy->prior->users++;
    segue_task_set_owner(copy->task, copy);
    *out = copy->task;
    return SEGUE_OK;
}

void segue_learner_discard_copy(segue_task **copy)
{
    open_task *entry = *copy ? segue_task_owner(*copy) : NULL;
    if (entry)
        segue_shared_prior_release(entry->prior);
    segue_task_destroy(*copy);
    free(entry);
    *copy = NULL;
}

/* ---- memory ------------------------------------------------------------------------------ */

size_t segue_learner_bytes(const segue_learner *learner)
{
    const size_t copies = learner->refit ? 2 : 1;
    return sizeof *learner + learner->task_bytes + learner->prior_bytes +
           copies * learner->method->bytes(learner) +
           (learner->dispersion.arm ? learner->config.n_arms : 0) *
               (sizeof *learner->dispersion.arm + sizeof *learner->dispersion.expected);
}

/* A task to learn from, a shared_prior, what is found, and a memory that grows or is copied. */
size_t segue_learner_close_bytes(const segue_learner *learner)
{
    const size_t n_arms = learner->config.n_arms;
    const size_t task = learner->open   ? segue_task_bytes(learner->open->task)
                        : learner->idle ? segue_task_bytes(learner->idle->task)
                                        : 512 * n_arms;
    return task + 6 * SEGUE_MAX_COMPONENTS * n_arms * sizeof(double) +
           2 * learner->method->bytes(learner) + 65536;
}

/* ---- what was found ---------------------------------------------------------------------- */

static segue_status reserve(segue_type_list *out, segue_error *err)
{
    out->weight = calloc(out->n_types + 1, sizeof *out->weight);
    out->id = calloc(out->n_types + 1, sizeof *out->id);
    out->mean = calloc(3 * out->n_types * out->n_arms + 1, sizeof *out->mean);
    if (out->weight && out->id && out->mean)
        return SEGUE_OK;
    segue_type_list_fini(out);
    return segue_fail_no_memory(err, "the types of a learner");
}

/* Return how many models come before model k: the heavier ones, and equal ones before it. */
static size_t count_before(const segue_models *models, size_t k)
{
    size_t count = 0;
    for (size_t other = 0; other < models->n_models; other++)
        count += other < k ? models->weight[other] >= models->weight[k]
                           : models->weight[other] > models->weight[k];
    return count;
}

/* Estimates may lie outside of the range; people are shown what can be. */
static void copy_models(const segue_models *models, double lowest, double width,
                        segue_type_list *out)
{
    for (size_t k = 0; k < out->n_types; k++) {
        const size_t n = count_before(models, k);
        out->weight[n] = models->weight[k];
        for (size_t i = 0; i < out->n_arms; i++)
            out->mean[n * out->n_arms + i] =
                lowest + width * fmin(1.0, fmax(0.0, segue_models_row(models, k)[i]));
    }
}

/* Component 0 of a prior is none of the types. */
double segue_learner_no_type(const segue_learner *learner, size_t *n_types)
{
    const shared_prior *l = learner->current;
    *n_types = 0;
    if (!l)
        return 1.0;
    *n_types = l->models ? l->models->n_models : learner->method->info.has_types ? l->n_types : 0;
    return l->models ? 0.0 : l->prior.weight[0];
}

static void copy_prior(const shared_prior *l, double lowest, double width, segue_type_list *out)
{
    for (size_t n = 0; n < out->n_types; n++)
        out->weight[n] = l->prior.weight[n + 1];
    for (size_t i = 0; i < out->n_types * out->n_arms; i++) {
        const size_t at = out->n_arms + i;
        out->mean[i] = lowest + width * l->prior.a[at] / (l->prior.a[at] + l->prior.b[at]);
    }
}

/* Copy ids, and the means of types as their tasks show them, with intervals behind them. */
static void describe_types(const segue_learner *learner, double lowest, double width,
                           segue_type_list *out)
{
    const size_t n = out->n_types * out->n_arms;
    out->low = out->mean + n;
    out->high = out->low + n;
    for (size_t k = 0; k < out->n_types; k++)
        out->id[k] = learner->method->type_id(learner, k + 1);
    for (size_t i = 0; i < n; i++) {
        learner->method->describe_arm(learner, 1 + i / out->n_arms, i % out->n_arms, &out->mean[i],
                                      &out->low[i], &out->high[i]);
        out->mean[i] = lowest + width * out->mean[i];
        out->low[i] = lowest + width * out->low[i];
        out->high[i] = lowest + width * out->high[i];
    }
}

segue_status segue_learner_types(const segue_learner *learner, segue_type_list *out,
                                 segue_error *err)
{
    const shared_prior *l = learner->current;
    const double lowest = learner->config.lowest, width = learner->config.highest - lowest;
    *out = (segue_type_list){.n_arms = learner->config.n_arms};
    out->no_type = segue_learner_no_type(learner, &out->n_types);
    const segue_status status = reserve(out, err);
    if (status != SEGUE_OK || !l)
        return status;
    if (l->models) {
        copy_models(l->models, lowest, width, out);
    } else {
        copy_prior(l, lowest, width, out);
        if (learner->method->describe_arm)
            describe_types(learner, lowest, width, out);
    }
    return SEGUE_OK;
}

void segue_type_list_fini(segue_type_list *found)
{
    free(found->weight);
    free(found->id);
    free(found->mean);
    found->id = NULL;
    found->weight = found->mean = found->low = found->high = NULL;
}
