/* ts_prior.c - Thompson sampling with a Beta prior for each arm, learned over tasks; no types.
 *
 * What a clever user would build in an hour.  Of the tasks that pulled an arm at least twice, the
 * averages of S / T and of (S^2 - Q) / (T (T - 1)) estimate the mean of its means and of their
 * squares, whatever T is, S and Q being the sums of its rewards and of their squares; the Beta with
 * these moments is the prior of the tasks to come.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "bandit/policies/prior_policies.h"
#include "core/fail.h"
#include "transfer/learner_method.h"

#define MIN_TASKS 8      /* before that the prior of an arm is flat */
#define MIN_KAPPA 0.5    /* of Beta(kappa p, kappa (1 - p)) ... */
#define MAX_KAPPA 1000.0 /* ... however alike the tasks are */
#define EDGE      1e-3   /* a mean stays so far from 0 and 1 */

/* Sums over tasks, of one arm. */
typedef struct arm_sums {
    double tasks, mean, square;
} arm_sums;

static segue_status create(segue_learner *learner, segue_error *err)
{
    learner->state = calloc(learner->config.n_arms, sizeof(arm_sums));
    return learner->state ? SEGUE_OK : segue_fail_no_memory(err, "a learner");
}

static void destroy(segue_learner *learner)
{
    free(learner->state);
}

/* The prior of one arm. */
static void match(const arm_sums *sums, double *a, double *b)
{
    *a = *b = 1.0;
    if (sums->tasks < MIN_TASKS)
        return;
    const double mean = fmin(1.0 - EDGE, fmax(EDGE, sums->mean / sums->tasks));
    const double variance = sums->square / sums->tasks - mean * mean;
    const double kappa = mean * (1.0 - mean) / fmax(variance, 1e-12) - 1.0;
    const double bounded = fmin(MAX_KAPPA, fmax(MIN_KAPPA, kappa));
    *a = bounded * mean;
    *b = bounded * (1.0 - mean);
}

/* Publish the priors of all arms. */
static void publish_as(segue_learner *learner, shared_prior *next)
{
    const arm_sums *sums = learner->state;
    *segue_shared_prior_weight(next) = 1.0;
    for (size_t i = 0; i < next->prior.n_arms; i++)
        match(&sums[i], &segue_shared_prior_a(next)[i], &segue_shared_prior_b(next)[i]);
    segue_shared_prior_publish(learner, next);
}

static segue_status publish(segue_learner *learner, segue_error *err)
{
    shared_prior *next = NULL;
    const segue_status status = segue_shared_prior_create(&next, 1, learner->config.n_arms, err);
    if (status == SEGUE_OK)
        publish_as(learner, next);
    return status;
}

static segue_status plan(const segue_learner *learner, bool identifies, segue_task_config *task,
                         segue_error *err)
{
    (void)identifies;
    (void)err;
    task->policy.option[0] = learner->config.option[0];
    return SEGUE_OK;
}

static segue_status learn(segue_learner *learner, const open_task *entry, segue_error *err)
{
    const task_internals in = segue_task_internals(entry->task);
    arm_sums *sums = learner->state;
    for (size_t i = 0; i < in.view->n_arms; i++) {
        const double pulls = (double)in.pulls[i], sum = in.sum[i];
        const double squares = sum - in.graded[i];
        if (pulls < 2.0)
            continue;
        sums[i].tasks += 1.0;
        sums[i].mean += sum / pulls;
        sums[i].square += fmax(0.0, sum * sum - squares) / (pulls * (pulls - 1.0));
    }
    return publish(learner, err);
}

static segue_status add_arm(segue_learner *learner, segue_error *err)
{
    const size_t n_arms = learner->config.n_arms + 1;
    shared_prior *next = NULL;
    arm_sums *sums = realloc(learner->state, n_arms * sizeof *sums);
    if (!sums)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", n_arms);
    learner->state = sums;
    sums[n_arms - 1] = (arm_sums){.tasks = 0.0};
    if (!learner->current)
        return SEGUE_OK;
    const segue_status status = segue_shared_prior_create(&next, 1, n_arms, err);
    if (status == SEGUE_OK)
        publish_as(learner, next);
    return status;
}

static segue_status merge(segue_learner *into, const segue_learner *from, segue_error *err)
{
    arm_sums *mine = into->state;
    const arm_sums *theirs = from->state;
    shared_prior *next = NULL;
    const segue_status status = segue_shared_prior_create(&next, 1, into->config.n_arms, err);
    if (status != SEGUE_OK)
        return status;
    for (size_t i = 0; i < into->config.n_arms; i++) {
        mine[i].tasks += theirs[i].tasks;
        mine[i].mean += theirs[i].mean;
        mine[i].square += theirs[i].square;
    }
    publish_as(into, next);
    return SEGUE_OK;
}

static size_t bytes_of(const segue_learner *learner)
{
    return learner->config.n_arms * sizeof(arm_sums);
}

/* ---- saving ------------------------------------------------------------------------------ */

static void serialize(const segue_learner *learner, segue_bytes *b)
{
    const arm_sums *sums = learner->state;
    for (size_t i = 0; i < learner->config.n_arms; i++)
        segue_bytes_append_f64(b, (const double[]){sums[i].tasks, sums[i].mean, sums[i].square}, 3);
}

static segue_status deserialize(segue_learner *learner, segue_bytes_reader *r, segue_error *err)
{
    arm_sums *sums = learner->state;
    for (size_t i = 0; i < learner->config.n_arms; i++) {
        double numbers[3];
        if (!segue_bytes_read_finite(r, numbers, 3) || numbers[0] < 0.0)
            return segue_fail(err, SEGUE_EDOMAIN, "invalid sum in saved learner");
        sums[i] = (arm_sums){.tasks = numbers[0], .mean = numbers[1], .square = numbers[2]};
    }
    return learner->closed > 0 ? publish(learner, err) : SEGUE_OK;
}

const learner_method segue_learner_ts_prior = {
    .info = {.name = "ts-prior",
             .summary = "Thompson sampling with a prior of each arm, learned",
             .options = segue_reward_weights_option,
             .n_options = 1,
             .has_posterior = true,
             .takes_costs = true},
    .create = create,
    .destroy = destroy,
    .learns_dispersion = true,
    .policy = &segue_policy_tts,
    .plan = plan,
    .set_prior = segue_shared_prior_apply,
    .learn = learn,
    .add_arm = add_arm,
    .merge = merge,
    .bytes = bytes_of,
    .serialize = serialize,
    .deserialize = deserialize,
};
