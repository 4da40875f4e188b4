/* fresh_rewards.c - a control for estimates from adaptive pulls: fresh rewards at the same pulls.
 *
 * A policy chooses its pulls by the rewards that it has seen, so these are not an independent
 * sample of an arm.  The control separates this bias from the noise of few pulls: for each task it
 * draws as many independent rewards of each arm as the policy pulled, from streams of its own, and
 * gives them to a second estimator with the views, weights and sizes of the learner's.  Only the
 * dependence of pulls on rewards differs.
 *
 * measure.c feeds it one task after the other; it belongs to one run and one thread.  Cost: one
 * draw per pull, and K^3 per task for the moments.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/measure/fresh_rewards.h"

#include <stdlib.h>

#define STREAMS UINT64_C(0x66726573) /* added to the seed: streams that no run uses */

struct fresh_rewards {
    const segue_simulation *sim;
    uint64_t run;
    segue_simulated_task *simulated;
    segue_moments *moments;
    segue_estimator *estimator;
    size_t n_arms;
    double *views; /* 3 x n_arms */
};

static double option_of(const fresh_rewards *fresh, const char *key)
{
    const double value = segue_learner_config_get(fresh->sim->learner, key);
    return value > 0.0 ? value : 0.0; /* NaN is the default, the first choice */
}

static segue_status create_estimator(fresh_rewards *fresh, segue_error *err)
{
    segue_estimator_config config = segue_estimator_defaults();
    config.n_arms = fresh->n_arms;
    config.n_models = segue_environment_models(fresh->sim->environment);
    config.seed = fresh->sim->seed + STREAMS;
    config.run = fresh->run;
    return segue_estimator_create(&fresh->estimator, &config, err);
}

static segue_status create_parts(fresh_rewards *fresh, segue_error *err)
{
    SEGUE_TRY(segue_simulated_task_create(&fresh->simulated, fresh->sim->environment, err));
    SEGUE_TRY(segue_moments_create(&fresh->moments, fresh->n_arms,
                                   (segue_views)option_of(fresh, "views"), err));
    SEGUE_TRY(create_estimator(fresh, err));
    fresh->views = calloc(3 * fresh->n_arms, sizeof *fresh->views);
    return fresh->views ? SEGUE_OK : segue_fail_no_memory(err, "fresh rewards");
}

segue_status segue_fresh_rewards_create(fresh_rewards **out, const segue_simulation *sim,
                                        uint64_t run, segue_error *err)
{
    *out = NULL;
    fresh_rewards *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return segue_fail_no_memory(err, "fresh rewards");
    fresh->sim = sim;
    fresh->run = run;
    fresh->n_arms = segue_environment_arms(sim->environment);
    const segue_status status = create_parts(fresh, err);
    if (status != SEGUE_OK) {
        segue_fresh_rewards_destroy(fresh);
        return status;
    }
    *out = fresh;
    return SEGUE_OK;
}

void segue_fresh_rewards_destroy(fresh_rewards *fresh)
{
    if (!fresh)
        return;
    segue_simulated_task_destroy(fresh->simulated);
    segue_moments_destroy(fresh->moments);
    segue_estimator_destroy(fresh->estimator);
    free(fresh->views);
    free(fresh);
}

/* Draw the rewards of one view of an arm; returns their mean. */
static double draw_view(fresh_rewards *fresh, size_t arm, uint64_t count)
{
    double sum = 0.0;
    for (uint64_t t = 0; t < count; t++)
        sum += segue_simulated_task_reward(fresh->simulated, arm);
    return sum / (double)count;
}

/* The third view has what two thirds leave, as the batches of a task have. */
static void draw_views(fresh_rewards *fresh, const uint64_t *pulls)
{
    for (size_t arm = 0; arm < fresh->n_arms; arm++) {
        const uint64_t third = pulls[arm] / 3;
        for (size_t view = 0; view < 3; view++)
            fresh->views[view * fresh->n_arms + arm] =
                draw_view(fresh, arm, view < 2 ? third : pulls[arm] - 2 * third);
    }
}

segue_status segue_fresh_rewards_add(fresh_rewards *fresh, const run_task *task, segue_error *err)
{
    for (size_t arm = 0; arm < fresh->n_arms; arm++)
        if (task->pulls[arm] < 3)
            return SEGUE_OK; /* no views: the learner skips the task too */
    segue_simulated_task_begin(fresh->simulated, fresh->sim->seed + STREAMS, fresh->run,
                               task->number, task->model);
    draw_views(fresh, task->pulls);
    const double weight = option_of(fresh, "weights") > 0.0
                              ? segue_moments_task_weight(task->pulls, fresh->n_arms)
                              : 1.0;
    return segue_moments_add(fresh->moments, fresh->views, weight, err);
}

segue_status segue_fresh_rewards_fit(fresh_rewards *fresh, const segue_models **out,
                                     segue_error *err)
{
    *out = NULL;
    if (segue_moments_tasks(fresh->moments) == 0)
        return SEGUE_OK;
    SEGUE_TRY(segue_estimator_fit(fresh->estimator, fresh->moments, err));
    *out = segue_estimator_models(fresh->estimator);
    return SEGUE_OK;
}
