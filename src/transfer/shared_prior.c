/* shared_prior.c - what a learner gives to new tasks, counted by its users.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "transfer/learner_method.h"

segue_status segue_shared_prior_create(shared_prior **out, size_t n_components, size_t n_arms,
                                       segue_error *err)
{
    shared_prior *l = calloc(1, sizeof *l);
    double *numbers = calloc(n_components * (2 + 3 * n_arms), sizeof *numbers);
    if (!l || !numbers) {
        free(l);
        free(numbers);
        return segue_fail_no_memory(err, "a shared prior");
    }
    l->numbers = numbers;
    l->prior = (segue_prior){.n_components = n_components, .n_arms = n_arms, .draws = 1.0};
    l->prior.weight = segue_shared_prior_weight(l);
    l->prior.tests = segue_shared_prior_tests(l);
    l->prior.a = segue_shared_prior_a(l);
    l->prior.b = segue_shared_prior_b(l);
    l->prior.gain = segue_shared_prior_gain(l);
    *out = l;
    return SEGUE_OK;
}

segue_status segue_shared_prior_reweigh(shared_prior **out, shared_prior *base,
                                        const double *weight, segue_error *err)
{
    const size_t size = base->prior.n_components * sizeof *weight;
    shared_prior *l = malloc(sizeof *l);
    double *numbers = malloc(size);
    if (!l || !numbers) {
        free(l);
        free(numbers);
        return segue_fail_no_memory(err, "a shared prior");
    }
    *l = *base;
    memcpy(numbers, weight, size);
    l->numbers = numbers;
    l->prior.weight = numbers;
    l->base = base;
    l->users = 1;
    l->bytes = sizeof *l + size + 32;
    *l->total += l->bytes;
    base->users++;
    *out = l;
    return SEGUE_OK;
}

void segue_shared_prior_release(shared_prior *old)
{
    if (!old || --old->users > 0)
        return;
    if (old->total)
        *old->total -= old->bytes;
    if (old->base)
        segue_shared_prior_release(old->base);
    else
        segue_models_destroy(old->models);
    free(old->numbers);
    free(old);
}

double *segue_shared_prior_weight(const shared_prior *l)
{
    return l->numbers;
}

double *segue_shared_prior_tests(const shared_prior *l)
{
    return l->numbers + l->prior.n_components;
}

double *segue_shared_prior_a(const shared_prior *l)
{
    return l->numbers + 2 * l->prior.n_components;
}

double *segue_shared_prior_b(const shared_prior *l)
{
    return segue_shared_prior_a(l) + l->prior.n_components * l->prior.n_arms;
}

double *segue_shared_prior_gain(const shared_prior *l)
{
    return segue_shared_prior_b(l) + l->prior.n_components * l->prior.n_arms;
}

size_t segue_shared_prior_number(const shared_prior *prior, size_t component)
{
    return prior ? prior->number[component] : 0;
}

void segue_shared_prior_apply(const segue_learner *learner, open_task *entry)
{
    (void)learner;
    segue_task_set_prior(entry->task, entry->prior ? &entry->prior->prior : NULL);
}

static size_t bytes_of(const shared_prior *l)
{
    const size_t n_rows = l->models ? l->models->n_models : 3 * l->prior.n_components;
    const size_t n_arms = l->models ? l->models->n_arms : l->prior.n_arms;
    return sizeof *l + n_rows * (n_arms + 1) * sizeof(double) + 64;
}

void segue_shared_prior_publish(segue_learner *learner, shared_prior *next)
{
    if (next) {
        next->users = 1;
        next->bytes = bytes_of(next);
        next->total = &learner->prior_bytes;
        learner->prior_bytes += next->bytes;
    }
    segue_shared_prior_release(learner->current);
    learner->current = next;
    learner->version++;
}
