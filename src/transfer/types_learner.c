/* types_learner.c - learners of types: what tts, tla and auto share.
 *
 * They learn types (estimate/sampler/sampler.h): how many there are, the Beta prior of each arm in
 * each type, and how many tasks are of no type.  They differ in how a task is played: tla looks
 * ahead to the end of the task, tts samples.  A closed task updates the types at once; now and then a
 * refit to the task window follows, at once or in the background.
 * SPDX-License-Identifier: Apache-2.0 */
#include "transfer/types_learner.h"

#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "estimate/sampler/sampler_prior.h"
#include "estimate/types/types_read.h"

typedef struct types_state {
    segue_sampler *types;
    double *counts;      /* 2 x n_arms, scratch: sums of a task, and pulls */
    feature_shift shift; /* of the published types */
} types_state;

static segue_sampler *types_of(const segue_learner *learner)
{
    return ((const types_state *)learner->state)->types;
}

const segue_option segue_types_learner_options[TYPES_N_OPTIONS] = {
    [TYPES_WINDOW] = {.key = "window",
                      .help = "finished tasks that it keeps (default 1024)",
                      .min = SEGUE_MIN_SAMPLER_WINDOW,
                      .max = SEGUE_MAX_SAMPLER_WINDOW,
                      .whole = true,
                      .default_value = 1024.0},
    [TYPES_CAP] = {.key = "cap",
                   .help = "maximum number of types, for experiments (default 40)",
                   .min = 1.0,
                   .max = SEGUE_MAX_TYPES,
                   .whole = true,
                   .default_value = SEGUE_MAX_TYPES},
    [TYPES_DISPERSION] = SEGUE_DISPERSION_OPTION,
};

/* ---- making one -------------------------------------------------------------------------- */

segue_status segue_types_learner_create(segue_learner *learner, segue_error *err)
{
    const segue_learner_config *config = &learner->config;
    segue_sampler_config types = segue_sampler_defaults();
    types.n_arms = config->n_arms;
    types.window = (size_t)config->option[TYPES_WINDOW];
    types.cap = (size_t)config->option[TYPES_CAP];
    types.seed = config->seed;
    types.run = config->run;
    types_state *t = learner->state = calloc(1, sizeof *t);
    if (!t)
        return segue_fail_no_memory(err, "a learner");
    const segue_status status = segue_sampler_create(&t->types, &types, err);
    if (status != SEGUE_OK)
        return status;
    t->counts = calloc(2 * config->n_arms, sizeof *t->counts);
    return t->counts ? SEGUE_OK : segue_fail_no_memory(err, "a learner");
}

void segue_types_learner_destroy(segue_learner *learner)
{
    types_state *t = learner->state;
    if (!t)
        return;
    segue_sampler_destroy(t->types);
    segue_feature_shift_fini(&t->shift);
    free(t->counts);
    free(t);
}

/* ---- tasks ------------------------------------------------------------------------------- */

/* Find the component of the best arm of each type. */
static void find_best(const sampler_prior *next, size_t *best)
{
    for (size_t q = 1; q <= next->n_types; q++)
        for (size_t k = 1 + next->n_types; k < next->n_components; k++)
            if (next->arm[k] == next->arm[q])
                best[q] = k;
}

/* Types as they are now, for tasks to come. */
static segue_status make_prior(const segue_sampler *types, shared_prior **out, segue_error *err)
{
    sampler_prior next;
    *out = NULL;
    if (segue_sampler_count(types) == 0)
        return SEGUE_OK; /* no task has been closed: new tasks get no shared prior */
    segue_sampler_prior_describe(types, &next);
    SEGUE_TRY(segue_shared_prior_create(out, next.n_components, segue_sampler_arms(types), err));
    (*out)->n_types = next.n_types;
    find_best(&next, (*out)->best);
    (*out)->prior.draws = next.draws;
    (*out)->prior.sharpens = true;
    memcpy((*out)->number, next.number, next.n_components * sizeof *next.number);
    memcpy(segue_shared_prior_weight(*out), next.weight, next.n_components * sizeof *next.weight);
    segue_sampler_prior_fill(types, &next, segue_shared_prior_a(*out), segue_shared_prior_b(*out));
    segue_sampler_tests_fill(types, &next, segue_shared_prior_tests(*out),
                             segue_shared_prior_gain(*out));
    return SEGUE_OK;
}

/* Publish the types as the shared prior of new tasks. */
static segue_status publish_types(segue_learner *learner, const segue_sampler *types,
                                  segue_error *err)
{
    types_state *t = learner->state;
    shared_prior *next = NULL;
    feature_shift shift;
    SEGUE_TRY(segue_sampler_shift(types, &shift, err));
    const segue_status status = make_prior(types, &next, err);
    if (status != SEGUE_OK) {
        segue_feature_shift_fini(&shift);
        return status;
    }
    segue_feature_shift_fini(&t->shift);
    t->shift = shift;
    if (next || learner->current)
        segue_shared_prior_publish(learner, next);
    return SEGUE_OK;
}

static segue_status publish(segue_learner *learner, segue_error *err)
{
    return publish_types(learner, types_of(learner), err);
}

/* Publish new types and replace the others by them; on failure free them. */
static segue_status replace(segue_learner *learner, segue_sampler *made, segue_error *err)
{
    types_state *t = learner->state;
    const segue_status status = publish_types(learner, made, err);
    segue_sampler_destroy(status == SEGUE_OK ? t->types : made);
    t->types = status == SEGUE_OK ? made : t->types;
    return status;
}

segue_status segue_types_learner_plan(const segue_learner *learner, bool identifies,
                                      segue_task_config *task, segue_error *err)
{
    (void)identifies;
    (void)err;
    task->policy.option[0] = learner->config.option[TYPES_DISPERSION];
    return SEGUE_OK;
}

/* Sums and pulls of all arms there are, in rewards of 0 or 1 that they count as; the task may know
 * only the first of the arms. */
static void count(const types_state *t, const open_task *entry, size_t n_arms)
{
    const task_internals in = segue_task_internals(entry->task);
    for (size_t i = 0; i < n_arms; i++) {
        const bool is_known = i < in.view->n_arms;
        const double each = is_known ? segue_task_learned_weight(entry->task, i) : 0.0;
        t->counts[i] = is_known ? each * in.sum[i] : 0.0;
        t->counts[n_arms + i] = is_known ? each * (double)in.pulls[i] : 0.0;
    }
}

segue_status segue_types_learner_learn(segue_learner *learner, const open_task *entry,
                                       segue_error *err)
{
    types_state *t = learner->state;
    const size_t n_arms = learner->config.n_arms;
    count(t, entry, n_arms);
    SEGUE_TRY(segue_sampler_add_featured(t->types, t->counts, t->counts + n_arms, entry->features,
                                         entry->n_features, err));
    if (segue_sampler_due(t->types) && !learner->config.background)
        segue_sampler_refit(t->types);
    const segue_status status = publish(learner, err);
    if (status != SEGUE_OK) /* its features are not those of the tasks any more */
        segue_feature_shift_fini(&t->shift);
    return status;
}

/* ---- background refits ------------------------------------------------------------------- */

static bool is_due(const segue_learner *learner)
{
    return segue_sampler_due(types_of(learner));
}

static segue_status copy(const segue_learner *learner, void **out, segue_error *err)
{
    segue_sampler *made = NULL;
    const segue_status status = segue_sampler_copy(&made, types_of(learner), err);
    *out = made;
    return status;
}

static segue_status run(void *made, segue_error *err)
{
    (void)err;
    segue_sampler_refit(made);
    return SEGUE_OK;
}

static void run_fully(void *made, const atomic_bool *stop)
{
    segue_sampler_refit_fully(made, stop);
}

static segue_status adopt(segue_learner *learner, void *made, segue_error *err)
{
    const types_state *t = learner->state;
    if (segue_sampler_arms(made) < learner->config.n_arms)
        SEGUE_TRY(segue_sampler_resize(made, learner->config.n_arms, err));
    SEGUE_TRY(segue_sampler_adopt(t->types, made, err));
    const segue_status status = publish(learner, err);
    if (status != SEGUE_OK)
        segue_sampler_swap(t->types, made); /* back */
    return status;
}

static void discard(void *made)
{
    segue_sampler_destroy(made);
}

const refit_method segue_types_learner_refit = {.is_due = is_due,
                                                .copy = copy,
                                                .run = run,
                                                .run_fully = run_fully,
                                                .adopt = adopt,
                                                .discard = discard};

/* ---- more arms, more tasks --------------------------------------------------------------- */

segue_status segue_types_learner_add_arm(segue_learner *learner, segue_error *err)
{
    types_state *t = learner->state;
    const size_t n_arms = learner->config.n_arms + 1;
    segue_sampler *made = NULL;
    double *counts = realloc(t->counts, 2 * n_arms * sizeof *counts);
    if (!counts)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", n_arms);
    t->counts = counts;
    SEGUE_TRY(segue_sampler_copy(&made, t->types, err));
    const segue_status status = segue_sampler_resize(made, n_arms, err);
    if (status == SEGUE_OK)
        return replace(learner, made, err);
    segue_sampler_destroy(made);
    return status;
}

segue_status segue_types_learner_merge(segue_learner *into, const segue_learner *from,
                                       segue_error *err)
{
    const types_state *mine = into->state, *theirs = from->state;
    segue_sampler *made = NULL;
    SEGUE_TRY(segue_sampler_copy(&made, mine->types, err));
    const segue_status status = segue_sampler_merge(made, theirs->types, err);
    if (status == SEGUE_OK)
        return replace(into, made, err);
    segue_sampler_destroy(made);
    return status;
}

void segue_types_learner_fill_info(const segue_learner *learner, segue_learner_summary *info)
{
    info->n_types = segue_sampler_count(types_of(learner));
    info->no_type = learner->current ? learner->current->prior.weight[0] : 1.0;
}

size_t segue_types_learner_bytes(const segue_learner *learner)
{
    const types_state *t = learner->state;
    return sizeof *t + segue_sampler_bytes(t->types) + segue_feature_shift_bytes(&t->shift) +
           2 * learner->config.n_arms * sizeof *t->counts;
}

uint64_t segue_types_learner_type_id(const segue_learner *learner, size_t type)
{
    return segue_sampler_id(types_of(learner), type);
}

void segue_types_learner_describe_arm(const segue_learner *learner, size_t type, size_t arm,
                                      double *mean, double *low, double *high)
{
    const segue_sampled_arm about = segue_sampler_arm(types_of(learner), type, arm);
    *mean = about.mean;
    *low = about.low;
    *high = about.high;
}

/* ---- features ---------------------------------------------------------------------------- */

#define UNSHIFTED 0.02 /* share of tasks whose features may mislead: their weights stay */

/* Multiply the weight of each type by its factors.  The component of a best arm changes as its types
 * do, on average; no type has factor 1. */
static void multiply(const types_state *t, const segue_feature *features, size_t n_features,
                     const shared_prior *prior, double *weight)
{
    double before[SEGUE_MAX_COMPONENTS] = {0}, after[SEGUE_MAX_COMPONENTS] = {0};
    for (size_t q = 1; q <= prior->n_types; q++) {
        before[prior->best[q]] += weight[q];
        for (size_t k = 0; k < n_features; k++)
            weight[q] *= segue_feature_shift_factor(&t->shift, segue_sampler_features(t->types),
                                                    q - 1, &features[k]);
        after[prior->best[q]] += weight[q];
    }
    for (size_t q = 1 + prior->n_types; q < prior->prior.n_components; q++)
        weight[q] *= before[q] > 0.0 ? after[q] / before[q] : 1.0;
}

static void shift(const segue_learner *learner, const segue_feature *features, size_t n_features,
                  double *weight)
{
    const shared_prior *prior = learner->current;
    const size_t n = prior->prior.n_components;
    double total = 0.0;
    memcpy(weight, prior->prior.weight, n * sizeof *weight);
    multiply(learner->state, features, n_features, prior, weight);
    for (size_t q = 0; q < n; q++)
        total += weight[q];
    for (size_t q = 0; q < n; q++)
        weight[q] = (1.0 - UNSHIFTED) * weight[q] / total + UNSHIFTED * prior->prior.weight[q];
}

static const feature_table *table(const segue_learner *learner)
{
    return segue_sampler_features(types_of(learner));
}

static const feature_shift *factors(const segue_learner *learner)
{
    return &((const types_state *)learner->state)->shift;
}

static void serialize_features(const segue_learner *learner, segue_bytes *b)
{
    segue_sampler_serialize_features(types_of(learner), b);
}

static segue_status deserialize_features(segue_learner *learner, segue_bytes_reader *r,
                                         segue_error *err)
{
    SEGUE_TRY(segue_sampler_deserialize_features(types_of(learner), r, err));
    return publish(learner, err);
}

const feature_method segue_types_learner_features = {.shift = shift,
                                                     .table = table,
                                                     .factors = factors,
                                                     .serialize = serialize_features,
                                                     .deserialize = deserialize_features};

/* ---- saving ------------------------------------------------------------------------------ */

void segue_types_learner_serialize(const segue_learner *learner, segue_bytes *b)
{
    segue_sampler_serialize(types_of(learner), b);
}

segue_status segue_types_learner_deserialize(segue_learner *learner, segue_bytes_reader *r,
                                             segue_error *err)
{
    SEGUE_TRY(segue_sampler_deserialize(types_of(learner), r, err));
    return publish(learner, err);
}

/* Read types that were fitted by EM, and learn from their tasks again. */
static segue_status read_fitted(segue_learner *learner, segue_types **fitted, segue_bytes_reader *r,
                                segue_error *err)
{
    segue_types_config config = segue_types_defaults();
    config.n_arms = learner->config.n_arms;
    config.window = (size_t)learner->config.option[TYPES_WINDOW];
    SEGUE_TRY(segue_types_create(fitted, &config, err));
    SEGUE_TRY(segue_types_deserialize(*fitted, r, err));
    return segue_sampler_learn_fitted(types_of(learner), *fitted, err);
}

segue_status segue_types_learner_deserialize_fitted(segue_learner *learner, segue_bytes_reader *r,
                                                    segue_error *err)
{
    segue_types *fitted = NULL;
    const segue_status status = read_fitted(learner, &fitted, r, err);
    segue_types_destroy(fitted);
    return status == SEGUE_OK ? publish(learner, err) : status;
}
