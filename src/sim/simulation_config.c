/* simulation_config.c - the task or the learner that a simulation plays with.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/simulation_config.h"

#include "transfer/learner_internal.h"

segue_task_config segue_simulation_config_task(const segue_simulation *sim)
{
    const segue_environment *env = sim->environment;
    segue_task_config config = segue_task_defaults();
    config.policy = sim->policy;
    config.setting = (segue_setting){
        .n_arms = segue_environment_arms(env),
        .models = env->models,
        .n_model_indices = segue_environment_has_models(env) ? segue_environment_models(env) : 0,
        .horizon = sim->steps,
        .n_tasks = sim->tasks ? sim->tasks : 1,
    };
    return config;
}

segue_learner_config segue_simulation_config_learner(const segue_simulation *sim, uint64_t run)
{
    segue_learner_config config = segue_learner_defaults();
    (void)!segue_learner_config_copy(&config, sim->learner, NULL); /* its size was checked */
    config.n_arms = segue_environment_arms(sim->environment);
    if (config.n_models == 0 && sim->environment->models) /* the caller gave no number */
        config.n_models = sim->environment->models->n_models;
    config.horizon = sim->steps;
    config.n_tasks = sim->tasks;
    config.seed = sim->seed;
    config.run = run;
    return config;
}
