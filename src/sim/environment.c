/* environment.c - check an environment; its number of arms, models and tasks.
 *
 * segue_environment_check rejects fields that exclude each other, before anything is simulated.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/environment.h"

#include <string.h>

#include "core/fail.h"
#include "core/struct_size.h"
#include "segue/policy.h"
#include "sim/rewards.h"
#include "sim/simulated_task.h"

#define MIN_CONCENTRATION 1e-6
#define MAX_CONCENTRATION 1e9

static segue_status check_source(const segue_environment *env, segue_error *err)
{
    if ((env->models != NULL) + (env->uniform_arms > 0) + (env->samples != NULL) != 1)
        return segue_fail(err, SEGUE_EUSAGE,
                          "tasks come from a model set, have uniform means or are those of a log: "
                          "give one of the three");
    if (env->uniform_arms > 0 &&
        (env->uniform_arms < SEGUE_MIN_ARMS || env->uniform_arms > SEGUE_MAX_ARMS))
        return segue_fail(err, SEGUE_EDOMAIN, "uniform tasks have %zu arms; need %d to %d",
                          env->uniform_arms, SEGUE_MIN_ARMS, SEGUE_MAX_ARMS);
    if ((env->models && env->models->kind != SEGUE_MODELS_KNOWN) ||
        (env->switch_to && env->switch_to->kind != SEGUE_MODELS_KNOWN))
        return segue_fail(err, SEGUE_EDOMAIN, "tasks cannot come from an estimated set");
    if (!env->models && (env->spread > 0.0 || env->mixed > 0.0 || env->switch_to))
        return segue_fail(err, SEGUE_EUSAGE,
                          "spread, mixed and switch need a model set, and uniform and logged "
                          "tasks have none");
    return SEGUE_OK;
}

static segue_status check_samples(const segue_environment *env, segue_error *err)
{
    if (env->order != SEGUE_ORDER_SHUFFLE && env->order != SEGUE_ORDER_FILE)
        return segue_fail(err, SEGUE_EDOMAIN, "tasks in no known order");
    if (!env->samples && env->order != SEGUE_ORDER_SHUFFLE)
        return segue_fail(err, SEGUE_EUSAGE, "an order of tasks needs a log");
    if (env->samples && env->rewards.law != SEGUE_BERNOULLI)
        return segue_fail(err, SEGUE_EUSAGE,
                          "a log has rewards of its own; give no reward law with it");
    return SEGUE_OK;
}

static segue_status check_concentration(const char *name, double value, segue_error *err)
{
    if (value == 0.0 || (value >= MIN_CONCENTRATION && value <= MAX_CONCENTRATION))
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EDOMAIN, "%s is %g; need a number from %g to %g", name, value,
                      MIN_CONCENTRATION, MAX_CONCENTRATION);
}

static segue_status check_switch(const segue_environment *env, segue_error *err)
{
    if ((env->switch_at > 0) != (env->switch_to != NULL))
        return segue_fail(err, SEGUE_EUSAGE,
                          "a switch needs both the task it happens at and the set it goes to");
    if (env->switch_to && env->switch_to->n_arms != env->models->n_arms)
        return segue_fail(err, SEGUE_EUSAGE, "the set to switch to has %zu arms, the first has %zu",
                          env->switch_to->n_arms, env->models->n_arms);
    return SEGUE_OK;
}

static segue_status check_means(const segue_models *models, double min, double max,
                                segue_error *err)
{
    for (size_t k = 0; models && k < models->n_models; k++)
        for (size_t arm = 0; arm < models->n_arms; arm++) {
            const double mean = segue_models_row(models, k)[arm];
            if (mean < min || mean > max)
                return segue_fail(err, SEGUE_EDOMAIN,
                                  "model %zu, arm %zu: the mean is %g; these rewards need %g to %g",
                                  k + 1, arm + 1, mean, min, max);
        }
    return SEGUE_OK;
}

/* Check means against laws that do not have all of them. */
static segue_status check_law(const segue_environment *env, segue_error *err)
{
    const segue_rewards *rewards = &env->rewards;
    const bool is_capped = rewards->law == SEGUE_TWOPOINT || rewards->law == SEGUE_ZEROS;
    const double max = is_capped ? rewards->parameter : 1.0;
    const double min = rewards->law == SEGUE_JACKPOT ? rewards->parameter : 0.0;
    if (min <= 0.0 && max >= 1.0)
        return SEGUE_OK;
    if (!env->models || env->spread > 0.0)
        return segue_fail(err, SEGUE_EUSAGE,
                          "these rewards need means from %g to %g, and uniform or spread tasks may "
                          "have others",
                          min, max);
    SEGUE_TRY(check_means(env->models, min, max, err));
    return check_means(env->switch_to, min, max, err);
}

segue_status segue_environment_parse_order(segue_order *out, const char *text, segue_error *err)
{
    const bool file = strcmp(text, "file") == 0;
    *out = file ? SEGUE_ORDER_FILE : SEGUE_ORDER_SHUFFLE;
    if (file || strcmp(text, "shuffle") == 0)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_ENAME, "there is no order '%.40s'; need shuffle or file", text);
}

static const segue_struct_size environment_size = {.type = "segue_environment",
                                                   .first = sizeof(segue_environment),
                                                   .now = sizeof(segue_environment)};

segue_status segue_environment_copy(segue_environment *out, const segue_environment *given,
                                    segue_error *err)
{
    *out = (segue_environment){.size = sizeof *out};
    return segue_struct_size_copy(&environment_size, given, out, err);
}

segue_status segue_environment_check(const segue_environment *given, segue_error *err)
{
    segue_environment own;
    const segue_environment *env = &own;
    SEGUE_TRY(segue_environment_copy(&own, given, err));
    SEGUE_TRY(segue_rewards_check(&env->rewards, err));
    SEGUE_TRY(check_source(env, err));
    SEGUE_TRY(check_samples(env, err));
    SEGUE_TRY(check_concentration("spread", env->spread, err));
    SEGUE_TRY(check_concentration("mixed", env->mixed, err));
    if (env->spread > 0.0 && env->mixed > 0.0)
        return segue_fail(err, SEGUE_EUSAGE, "spread and mixed exclude each other");
    SEGUE_TRY(check_switch(env, err));
    return check_law(env, err);
}

/* The functions below read the caller's struct: only fields of its first version. */

size_t segue_environment_arms(const segue_environment *env)
{
    if (env->samples)
        return env->samples->n_arms;
    return env->models ? env->models->n_arms : env->uniform_arms;
}

uint64_t segue_environment_tasks(const segue_environment *env)
{
    return env->samples ? env->samples->n_tasks : SEGUE_MAX_TASKS;
}

bool segue_environment_has_models(const segue_environment *env)
{
    return env->models && !(env->mixed > 0.0);
}

size_t segue_environment_models(const segue_environment *env)
{
    if (!segue_environment_has_models(env))
        return 1;
    return env->models->n_models + (env->switch_to ? env->switch_to->n_models : 0);
}
