/* learner_dispersion.c - the dispersion of rewards per arm, learned over tasks.
 *
 * A learner adds up the sums of squares of its tasks (bandit/dispersion.c), each cell capped, so that
 * short and long tasks count alike, and forgets old tasks slowly.  A new task expects of an arm the
 * dispersion of these sums, shrunk to that of all arms, which is shrunk to 1.  As long as all rewards
 * are 0 or 1 it expects exactly 1.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "core/fail.h"
#include "transfer/learner_dispersion.h"

#define MEMORY 200.0 /* tasks: the sums lose 1 / MEMORY with each task */

segue_status segue_learner_dispersion_reserve(segue_learner *learner, size_t n_arms,
                                              segue_error *err)
{
    learner_dispersion *d = &learner->dispersion;
    const size_t before = d->arm ? learner->config.n_arms : 0;
    if (!learner->method->learns_dispersion)
        return SEGUE_OK;
    segue_dispersion *arm = realloc(d->arm, n_arms * sizeof *arm);
    d->arm = arm ? arm : d->arm;
    double *expected = realloc(d->expected, n_arms * sizeof *expected);
    d->expected = expected ? expected : d->expected;
    d->of_tasks.arm = d->expected;
    if (!arm || !expected)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", n_arms);
    for (size_t i = before; i < n_arms; i++) {
        arm[i] = (segue_dispersion){.within = 0.0};
        expected[i] = d->holds ? d->of_tasks.all : 1.0;
    }
    return SEGUE_OK;
}

void segue_learner_dispersion_fini(segue_learner *learner)
{
    free(learner->dispersion.arm);
    free(learner->dispersion.expected);
}

/* Compute what new tasks expect. */
static void expect(segue_learner *learner)
{
    learner_dispersion *d = &learner->dispersion;
    d->holds = false;
    for (size_t i = 0; i < learner->config.n_arms; i++)
        d->holds = d->holds || d->arm[i].freedom > 0.0;
    segue_dispersion_expect(d->arm, learner->config.n_arms, d->expected, &d->of_tasks);
}

void segue_learner_dispersion_apply(const segue_learner *learner, segue_task *task)
{
    const learner_dispersion *d = &learner->dispersion;
    segue_task_expect_dispersion(task, d->arm && d->holds ? &d->of_tasks : NULL);
}

void segue_learner_dispersion_learn(segue_learner *learner, segue_task *task)
{
    learner_dispersion *d = &learner->dispersion;
    const task_internals in = segue_task_internals(task);
    if (!d->arm)
        return;
    for (size_t i = 0; i < learner->config.n_arms; i++) {
        segue_dispersion_add(&d->arm[i], d->arm[i], -1.0 / MEMORY);
        if (i < in.view->n_arms)
            segue_dispersion_add(
                &d->arm[i], segue_dispersion_capped((double)in.pulls[i], in.sum[i], in.graded[i]),
                1.0);
    }
    expect(learner);
}

void segue_learner_dispersion_merge(segue_learner *into, const segue_learner *from)
{
    for (size_t i = 0; into->dispersion.arm && i < into->config.n_arms; i++)
        segue_dispersion_add(&into->dispersion.arm[i], from->dispersion.arm[i], 1.0);
    if (into->dispersion.arm)
        expect(into);
}

void segue_learner_dispersion_serialize(const segue_learner *learner, segue_bytes *b)
{
    const segue_dispersion *arm = learner->dispersion.arm;
    for (size_t i = 0; arm && i < learner->config.n_arms; i++)
        segue_bytes_append_f64(b, (const double[]){arm[i].within, arm[i].binary, arm[i].freedom},
                               3);
}

segue_status segue_learner_dispersion_deserialize(segue_learner *learner, segue_bytes_reader *r,
                                                  segue_error *err)
{
    segue_dispersion *arm = learner->dispersion.arm;
    if (!arm)
        return SEGUE_OK;
    for (size_t i = 0; i < learner->config.n_arms; i++) {
        double sum[3];
        if (!segue_bytes_read_finite(r, sum, 3) || sum[0] < 0.0 || sum[1] < sum[0] || sum[2] < 0.0)
            return segue_fail(err, SEGUE_EDOMAIN, "invalid sum of squares in saved learner");
        arm[i] = (segue_dispersion){.within = sum[0], .binary = sum[1], .freedom = sum[2]};
    }
    expect(learner);
    return SEGUE_OK;
}
