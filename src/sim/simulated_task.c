/* simulated_task.c - one simulated task: its hidden means and its streams of rewards.
 *
 * Every draw has a named stream (seed, run, task, purpose): the model, the means, the rewards of
 * each arm. So a task is the same whichever thread plays it, after whatever other task. It belongs
 * to one thread.
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/math/exp.h"
#include "core/random/rng_sample.h"
#include "segue/environment.h"
#include "segue/rng.h"
#include "sim/arm_stream.h"
#include "sim/simulated_task.h"
#include "sim/task_order.h"

struct segue_simulated_task {
    segue_environment env; /* a copy, of this version; its pointers are borrowed */
    size_t n_arms;
    size_t model;
    double *mean;           /* n_arms */
    arm_stream *streams;    /* n_arms */
    double *share;          /* SEGUE_MAX_MODELS: scratch of a mixture */
    segue_task_order order; /* of a shuffled log */
};

static segue_status init(segue_simulated_task *simulated, const segue_environment *given,
                         segue_error *err)
{
    const segue_environment *env = &simulated->env;
    SEGUE_TRY(segue_environment_copy(&simulated->env, given, err));
    simulated->n_arms = segue_environment_arms(env);
    simulated->mean = calloc(simulated->n_arms, sizeof *simulated->mean);
    simulated->streams = calloc(simulated->n_arms, sizeof *simulated->streams);
    simulated->share = calloc(SEGUE_MAX_MODELS, sizeof *simulated->share);
    if (!simulated->mean || !simulated->streams || !simulated->share)
        return segue_fail_no_memory(err, "a simulated task");
    if (env->samples && env->order == SEGUE_ORDER_SHUFFLE)
        return segue_task_order_init(&simulated->order, env->samples->n_tasks, err);
    return SEGUE_OK;
}

segue_status segue_simulated_task_create(segue_simulated_task **out, const segue_environment *env,
                                         segue_error *err)
{
    *out = NULL;
    SEGUE_TRY(segue_environment_check(env, err));
    segue_simulated_task *simulated = calloc(1, sizeof *simulated);
    if (!simulated)
        return segue_fail_no_memory(err, "a simulated task");
    const segue_status status = init(simulated, env, err);
    if (status != SEGUE_OK) {
        segue_simulated_task_destroy(simulated);
        return status;
    }
    *out = simulated;
    return SEGUE_OK;
}

void segue_simulated_task_destroy(segue_simulated_task *simulated)
{
    if (!simulated)
        return;
    free(simulated->mean);
    free(simulated->streams);
    free(simulated->share);
    segue_task_order_fini(&simulated->order);
    free(simulated);
}

/* Draw each mean from Beta(spread mean, spread (1 - mean)); a mean of 0 or 1 stays. */
static void draw_around(double *mean, const double *model, size_t n_arms, double spread,
                        segue_rng *rng)
{
    for (size_t arm = 0; arm < n_arms; arm++) {
        const double mu = model[arm];
        mean[arm] =
            mu > 0.0 && mu < 1.0 ? segue_rng_beta(rng, spread * mu, spread * (1.0 - mu)) : mu;
    }
}

/* Draw Dirichlet(concentration weight) shares by gammas in logarithms, which do not underflow. */
static void draw_shares(double *share, const segue_models *models, double concentration,
                        segue_rng *rng)
{
    double max = -INFINITY, total = 0.0;
    for (size_t k = 0; k < models->n_models; k++) {
        const double shape = concentration * models->weight[k];
        share[k] = shape > 0.0 ? segue_rng_log_gamma(rng, shape) : -INFINITY;
        max = fmax(max, share[k]);
    }
    for (size_t k = 0; k < models->n_models; k++) {
        share[k] = segue_exp(share[k] - max);
        total += share[k];
    }
    for (size_t k = 0; k < models->n_models; k++)
        share[k] /= total;
}

static void draw_mixture(segue_simulated_task *simulated, const segue_models *models,
                         segue_rng *rng)
{
    draw_shares(simulated->share, models, simulated->env.mixed, rng);
    for (size_t arm = 0; arm < simulated->n_arms; arm++) {
        double mean = 0.0, max = 0.0;
        for (size_t k = 0; k < models->n_models; k++) {
            mean += simulated->share[k] * segue_models_row(models, k)[arm];
            max = fmax(max, segue_models_row(models, k)[arm]);
        }
        simulated->mean[arm] = fmin(max, mean); /* rounding may exceed it */
    }
}

/* Draw the means of a task of model `model` of `models` (NULL: uniform means). */
static void draw_means(segue_simulated_task *simulated, const segue_models *models, size_t model,
                       segue_rng *rng)
{
    const segue_environment *env = &simulated->env;
    if (!models) {
        for (size_t arm = 0; arm < simulated->n_arms; arm++)
            simulated->mean[arm] = segue_rng_uniform(rng);
    } else if (env->mixed > 0.0) {
        draw_mixture(simulated, models, rng);
    } else if (env->spread > 0.0) {
        draw_around(simulated->mean, segue_models_row(models, model), simulated->n_arms,
                    env->spread, rng);
    } else {
        memcpy(simulated->mean, segue_models_row(models, model),
               simulated->n_arms * sizeof(double));
    }
}

/* Each arm's stream draws from the logged rewards of that arm. */
void segue_simulated_task_begin_logged(segue_simulated_task *simulated, uint64_t seed, uint64_t run,
                                       uint64_t task, size_t number)
{
    const segue_samples *samples = simulated->env.samples;
    assert(number < samples->n_tasks);
    const size_t *start = samples->start + number * simulated->n_arms;
    memcpy(simulated->mean, samples->mean + number * simulated->n_arms,
           simulated->n_arms * sizeof(double));
    for (size_t arm = 0; arm < simulated->n_arms; arm++) {
        segue_arm_stream_open(&simulated->streams[arm], simulated->mean[arm], seed, run, task, arm);
        segue_arm_stream_resample(&simulated->streams[arm], samples->reward + start[arm],
                                  start[arm + 1] - start[arm]);
    }
}

static void begin_logged(segue_simulated_task *simulated, uint64_t seed, uint64_t run,
                         uint64_t task)
{
    const size_t number = simulated->env.order == SEGUE_ORDER_FILE
                              ? (size_t)task
                              : segue_task_order_at(&simulated->order, seed, run, task);
    segue_simulated_task_begin_logged(simulated, seed, run, task, number);
}

void segue_simulated_task_begin(segue_simulated_task *simulated, uint64_t seed, uint64_t run,
                                uint64_t task, size_t model)
{
    const segue_environment *env = &simulated->env;
    const bool switched = env->switch_to && task + 1 >= env->switch_at;
    const segue_models *models = switched ? env->switch_to : env->models;
    segue_rng rng;
    if (env->samples) {
        begin_logged(simulated, seed, run, task);
        return;
    }
    if (segue_environment_has_models(env) && model == SEGUE_ANY_MODEL) {
        segue_rng_init(&rng, seed, run, task, SEGUE_STREAM_MODEL);
        model = segue_rng_index(&rng, models->weight, models->n_models);
    }
    assert(!segue_environment_has_models(env) || model < models->n_models);
    segue_rng_init(&rng, seed, run, task, SEGUE_STREAM_MEANS);
    draw_means(simulated, models, model, &rng);
    simulated->model = segue_environment_has_models(env) ? model : 0;
    if (switched && segue_environment_has_models(env))
        simulated->model += env->models->n_models;
    for (size_t arm = 0; arm < simulated->n_arms; arm++)
        segue_arm_stream_open(&simulated->streams[arm], simulated->mean[arm], seed, run, task, arm);
}

size_t segue_simulated_task_model(const segue_simulated_task *simulated)
{
    return simulated->model;
}

const double *segue_simulated_task_means(const segue_simulated_task *simulated)
{
    return simulated->mean;
}

arm_stream *segue_simulated_task_stream(segue_simulated_task *simulated, size_t arm)
{
    return &simulated->streams[arm];
}

const segue_rewards *segue_simulated_task_rewards(const segue_simulated_task *simulated)
{
    return &simulated->env.rewards;
}

bool segue_simulated_task_is_bernoulli(const segue_simulated_task *simulated)
{
    return simulated->env.rewards.law == SEGUE_BERNOULLI && !simulated->env.samples;
}

double segue_simulated_task_reward(segue_simulated_task *simulated, size_t arm)
{
    return segue_arm_stream_next(&simulated->streams[arm], &simulated->env.rewards);
}

double segue_simulated_task_regret(const segue_simulated_task *simulated, const uint64_t *pulls)
{
    double best = 0.0, regret = 0.0;
    for (size_t arm = 0; arm < simulated->n_arms; arm++)
        best = fmax(best, simulated->mean[arm]);
    for (size_t arm = 0; arm < simulated->n_arms; arm++)
        regret += (double)pulls[arm] * (best - simulated->mean[arm]);
    return regret;
}
