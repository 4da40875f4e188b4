/* tucb_refit.c - background refits of tUCB, and merging, which refits to the tasks of both.
 *
 * A refit job owns copies of the moments and of the estimator; it may run in any thread.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "core/fail.h"
#include "estimate/estimator_internal.h"
#include "transfer/tucb/tucb.h"

typedef struct refit_job {
    segue_moments *moments;
    segue_estimator *estimator;
    uint64_t used;  /* tasks in the moments, or in the counts */
    double support; /* of an estimate from these */
} refit_job;

static segue_status copy_moments(segue_moments **out, const segue_learner *learner,
                                 segue_error *err)
{
    const tucb *t = learner->state;
    const segue_views views = (segue_views)learner->config.option[TUCB_VIEWS];
    SEGUE_TRY(segue_moments_create(out, learner->config.n_arms, views, err));
    return segue_moments_merge(*out, t->moments, err);
}

static void discard(void *copied)
{
    refit_job *job = copied;
    segue_moments_destroy(job->moments);
    segue_estimator_destroy(job->estimator);
    free(job);
}

static segue_status copy(const segue_learner *learner, void **out, segue_error *err)
{
    const tucb *t = learner->state;
    refit_job *job = calloc(1, sizeof *job);
    if (!job)
        return segue_fail_no_memory(err, "a refit");
    job->used = segue_tucb_tasks(t);
    segue_status status = copy_moments(&job->moments, learner, err);
    if (status == SEGUE_OK) {
        job->support = segue_tucb_support(learner, job->moments, job->used);
        status = segue_estimator_copy(&job->estimator, t->estimator, err);
    }
    if (status != SEGUE_OK)
        discard(job);
    else
        *out = job;
    return status;
}

static segue_status run(void *copied, segue_error *err)
{
    const refit_job *job = copied;
    return segue_estimator_fit(job->estimator, job->moments, err);
}

static segue_status adopt(segue_learner *learner, void *copied, segue_error *err)
{
    tucb *t = learner->state;
    const refit_job *job = copied;
    segue_estimator_swap(t->estimator, job->estimator);
    const segue_status status = segue_tucb_publish(learner, err);
    if (status == SEGUE_OK)
        segue_tucb_schedule(learner, t, job->used, job->support);
    else
        segue_estimator_swap(t->estimator, job->estimator);
    return status;
}

const refit_method segue_tucb_refit = {
    .is_due = segue_tucb_is_due, .copy = copy, .run = run, .adopt = adopt, .discard = discard};

/* ---- merge ------------------------------------------------------------------------------- */

static bool differ(const segue_learner *a, const segue_learner *b, size_t option)
{
    return (int)a->config.option[option] != (int)b->config.option[option];
}

static segue_status check_merge(const segue_learner *into, const segue_learner *from,
                                segue_error *err)
{
    const tucb *mine = into->state, *theirs = from->state;
    if (mine->uses_counts || theirs->uses_counts)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "tucb with em cannot be merged: the counts of its tasks do not add up");
    if (differ(into, from, TUCB_ESTIMATOR) || differ(into, from, TUCB_MODELS) ||
        differ(into, from, TUCB_VIEWS) || differ(into, from, TUCB_WEIGHTS))
        return segue_fail(
            err, SEGUE_EDOMAIN,
            "tucb with another estimator, number of models, views or weights cannot be merged");
    return SEGUE_OK;
}

/* With doubling, C becomes the larger one: each learner has seen how far its estimates were off. */
static void add_counters(segue_learner *into, const tucb *other)
{
    tucb *t = into->state;
    t->skipped += other->skipped;
    t->violations += other->violations;
    t->no_model_left += other->no_model_left;
    if (into->config.option[TUCB_C] <= 0.0)
        t->c = fmax(t->c, other->c);
}

/* Fit a copy to the tasks of both, and adopt it. */
static segue_status refit_both(segue_learner *into, refit_job *both, const tucb *theirs,
                               segue_error *err)
{
    tucb *t = into->state;
    segue_moments *const mine = t->moments;
    SEGUE_TRY(segue_moments_merge(both->moments, theirs->moments, err));
    both->used = segue_moments_tasks(both->moments);
    both->support = segue_tucb_support(into, both->moments, both->used);
    SEGUE_TRY(run(both, err));
    SEGUE_TRY(adopt(into, both, err));
    t->moments = both->moments;
    both->moments = mine;
    add_counters(into, theirs);
    return SEGUE_OK;
}

segue_status segue_tucb_merge(segue_learner *into, const segue_learner *from, segue_error *err)
{
    void *both = NULL;
    SEGUE_TRY(check_merge(into, from, err));
    SEGUE_TRY(copy(into, &both, err));
    const segue_status status = refit_both(into, both, from->state, err);
    discard(both);
    return status;
}
