/* arm_rows.c - learners whose state is some numbers per arm that add up over closed tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "transfer/rivals/arm_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/fail.h"

static const arm_rows *rows_of(const segue_learner *learner)
{
    return learner->method->rows;
}

segue_status segue_arm_rows_create(segue_learner *learner, segue_error *err)
{
    const arm_rows *rows = rows_of(learner);
    learner->state = calloc(learner->config.n_arms * rows->size, sizeof(double));
    return learner->state ? SEGUE_OK : segue_fail_no_memory(err, "a learner");
}

void segue_arm_rows_destroy(segue_learner *learner)
{
    free(learner->state);
}

/* Reserve the shared prior of `n_arms` arms: one component, whose numbers the policy reads. */
static segue_status make_prior(shared_prior **out, const arm_rows *rows, size_t n_arms,
                               segue_error *err)
{
    return segue_shared_prior_create(out, 1, n_arms * rows->prior_size, err);
}

static void publish_as(segue_learner *learner, shared_prior *next)
{
    const arm_rows *rows = rows_of(learner);
    const double *state = learner->state;
    const size_t n_arms = next->prior.n_arms / rows->prior_size;
    *segue_shared_prior_weight(next) = 1.0;
    for (size_t i = 0; i < n_arms; i++)
        rows->write_prior(learner, state + i * rows->size,
                          segue_shared_prior_a(next) + i * rows->prior_size,
                          segue_shared_prior_b(next) + i * rows->prior_size);
    segue_shared_prior_publish(learner, next);
}

segue_status segue_arm_rows_publish(segue_learner *learner, segue_error *err)
{
    shared_prior *next = NULL;
    SEGUE_TRY(make_prior(&next, rows_of(learner), learner->config.n_arms, err));
    publish_as(learner, next);
    return SEGUE_OK;
}

segue_status segue_arm_rows_add_arm(segue_learner *learner, segue_error *err)
{
    const arm_rows *rows = rows_of(learner);
    const size_t n_arms = learner->config.n_arms + 1;
    shared_prior *next = NULL;
    double *state = realloc(learner->state, n_arms * rows->size * sizeof *state);
    if (!state)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", n_arms);
    learner->state = state;
    memset(state + (n_arms - 1) * rows->size, 0, rows->size * sizeof *state);
    if (!learner->current)
        return SEGUE_OK;
    SEGUE_TRY(make_prior(&next, rows, n_arms, err));
    publish_as(learner, next);
    return SEGUE_OK;
}

segue_status segue_arm_rows_merge(segue_learner *into, const segue_learner *from, segue_error *err)
{
    const arm_rows *rows = rows_of(into);
    double *mine = into->state;
    const double *theirs = from->state;
    shared_prior *next = NULL;
    SEGUE_TRY(make_prior(&next, rows, into->config.n_arms, err));
    for (size_t i = 0; i < into->config.n_arms * rows->size; i++)
        mine[i] += theirs[i];
    publish_as(into, next);
    return SEGUE_OK;
}

size_t segue_arm_rows_bytes(const segue_learner *learner)
{
    return learner->config.n_arms * rows_of(learner)->size * sizeof(double);
}

void segue_arm_rows_serialize(const segue_learner *learner, segue_bytes *b)
{
    segue_bytes_append_f64(b, learner->state, learner->config.n_arms * rows_of(learner)->size);
}

segue_status segue_arm_rows_deserialize(segue_learner *learner, segue_bytes_reader *r,
                                        segue_error *err)
{
    const arm_rows *rows = rows_of(learner);
    double *state = learner->state;
    const size_t n_arms = learner->config.n_arms;
    bool is_valid = segue_bytes_read_finite(r, state, n_arms * rows->size);
    for (size_t i = 0; i < n_arms && is_valid; i++)
        is_valid = rows->is_valid(state + i * rows->size);
    if (!is_valid)
        return segue_fail(err, SEGUE_EDOMAIN, "invalid sum in saved learner");
    return learner->closed > 0 ? segue_arm_rows_publish(learner, err) : SEGUE_OK;
}
