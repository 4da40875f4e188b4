/* simulation_check.c - reject a simulation that cannot run, before anything is played.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "core/fail.h"
#include "sim/simulation_config.h"
#include "sim/watch.h"
#include "transfer/learner_internal.h"

static segue_status check_range(const char *name, uint64_t value, uint64_t min, uint64_t max,
                                segue_error *err)
{
    if (value >= min && value <= max)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EDOMAIN, "%s is %" PRIu64 "; need %" PRIu64 " to %" PRIu64, name,
                      value, min, max);
}

static segue_status check_continued(const segue_simulation *sim, segue_error *err)
{
    const segue_learner_config *config = segue_learner_settings(sim->continued);
    if (sim->runs != 1 || sim->tasks == 0)
        return segue_fail(err, SEGUE_EUSAGE, "a learner that goes on plays one run of tasks");
    if (config->n_arms != segue_environment_arms(sim->environment))
        return segue_fail(err, SEGUE_EUSAGE, "the learner has %zu arms, and the tasks have %zu",
                          config->n_arms, segue_environment_arms(sim->environment));
    if (config->horizon != sim->steps)
        return segue_fail(err, SEGUE_EUSAGE,
                          "the learner plays tasks of %" PRIu64 " steps, not of %" PRIu64,
                          config->horizon, sim->steps);
    return SEGUE_OK;
}

/* Whether the policy, or the learner, can be made. */
static segue_status check_player(const segue_simulation *sim, segue_error *err)
{
    if (sim->continued)
        return check_continued(sim, err);
    if (!sim->learner) {
        const segue_task_config config = segue_simulation_config_task(sim);
        segue_task *task = NULL;
        const segue_status status = segue_task_create(&task, &config, err);
        segue_task_destroy(task);
        return status;
    }
    if (sim->tasks == 0)
        return segue_fail(err, SEGUE_EUSAGE,
                          "learner '%s' learns across tasks, and tasks is 0; need 1 or more",
                          sim->learner->method);
    segue_learner_config config;
    SEGUE_TRY(segue_learner_config_copy(&config, sim->learner, err));
    config = segue_simulation_config_learner(sim, 0);
    segue_learner *learner = NULL;
    const segue_status status = segue_learner_create(&learner, &config, err);
    segue_learner_destroy(learner);
    return status;
}

/* The numbers of tasks, which a learner that goes on has played some of. */
static segue_status check_tasks(const segue_simulation *sim, segue_error *err)
{
    const segue_environment *env = sim->environment;
    const uint64_t before = sim->continued ? segue_learner_info(sim->continued).opened : 0;
    if (env->switch_to && sim->tasks == 0)
        return segue_fail(err, SEGUE_EUSAGE, "a switch of the model set needs tasks");
    if (env->order == SEGUE_ORDER_FILE && sim->tasks == 0)
        return segue_fail(err, SEGUE_EUSAGE, "the order of the log needs tasks");
    if (env->samples && before + sim->tasks > segue_environment_tasks(env))
        return segue_fail(err, SEGUE_EUSAGE,
                          "a run would have %" PRIu64 " tasks, and the log has %" PRIu64
                          " that can be played",
                          before + sim->tasks, segue_environment_tasks(env));
    return SEGUE_OK;
}

segue_status segue_simulation_check(const segue_simulation *sim, segue_error *err)
{
    if (!sim->environment)
        return segue_fail(err, SEGUE_EDOMAIN, "no environment is given");
    segue_status status = segue_environment_check(sim->environment, err);
    if (status == SEGUE_OK)
        status = check_range("steps", sim->steps, 1, SEGUE_MAX_HORIZON, err);
    if (status == SEGUE_OK)
        status = check_range("tasks", sim->tasks, 0, SEGUE_MAX_TASKS, err);
    if (status == SEGUE_OK)
        status = check_range("runs", sim->runs, 1, SEGUE_MAX_RUNS, err);
    if (status == SEGUE_OK)
        status = check_range("threads", sim->threads, 1, SEGUE_MAX_THREADS, err);
    if (status == SEGUE_OK && sim->want_curve && sim->tasks == 0)
        status = segue_fail(err, SEGUE_EUSAGE, "a curve over tasks needs tasks");
    if (status == SEGUE_OK)
        status = check_tasks(sim, err);
    if (status == SEGUE_OK)
        status = segue_watch_check(sim, err);
    return status == SEGUE_OK ? check_player(sim, err) : status;
}
