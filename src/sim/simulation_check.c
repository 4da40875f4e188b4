/* simulation_check.c - reject a simulation that cannot run, before anything is played.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stddef.h>

#include "bandit/task/task.h"
#include "core/fail.h"
#include "core/struct_size.h"
#include "sim/simulated_task.h"
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
    const segue_learner_config *config = segue_learner_get_config(sim->continued);
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

/* Check that the policy or the learner can be created. */
static segue_status check_creation(const segue_simulation *sim, segue_error *err)
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

static bool is_cost(double cost)
{
    return cost >= 0.0 && cost <= SEGUE_MAX_COST; /* NaN fails too */
}

/* Check that the policy or learner takes costs. */
static segue_status check_takes_costs(const segue_simulation *sim, segue_error *err)
{
    const segue_learner_config *config =
        sim->continued ? segue_learner_get_config(sim->continued) : sim->learner;
    const bool takes = config ? segue_learner_method_find(config->method)->takes_costs
                              : sim->policy.policy->takes_costs;
    if (takes || sim->ignore_costs)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EUSAGE, "'%s' knows no costs: it cannot subtract them",
                      config ? config->method : sim->policy.policy->name);
}

static segue_status check_costs(const segue_simulation *sim, segue_error *err)
{
    const size_t n_arms = segue_environment_arms(sim->environment);
    size_t arm = 0;
    while (sim->cost && arm < n_arms && is_cost(sim->cost[arm]))
        arm++;
    if ((sim->cost && arm < n_arms) || !is_cost(sim->switch_cost))
        return segue_fail(err, SEGUE_EDOMAIN, "a cost is %g; need 0 to %g",
                          sim->cost && arm < n_arms ? sim->cost[arm] : sim->switch_cost,
                          SEGUE_MAX_COST);
    return segue_simulation_has_costs(sim) ? check_takes_costs(sim, err) : SEGUE_OK;
}

/* Check the number of tasks, including those that a continued learner has opened. */
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

static const segue_struct_size simulation_size = {.type = "segue_simulation",
                                                  .first = offsetof(segue_simulation, cost),
                                                  .now = sizeof(segue_simulation)};

segue_status segue_simulation_copy(segue_simulation *out, segue_environment *environment,
                                   const segue_simulation *given, segue_error *err)
{
    *out = (segue_simulation){.size = sizeof *out};
    SEGUE_TRY(segue_struct_size_copy(&simulation_size, given, out, err));
    if (!out->environment)
        return segue_fail(err, SEGUE_EDOMAIN, "no environment is given");
    SEGUE_TRY(segue_environment_copy(environment, out->environment, err));
    out->environment = environment;
    return SEGUE_OK;
}

segue_status segue_simulation_check(const segue_simulation *given, segue_error *err)
{
    segue_simulation own;
    segue_environment environment;
    const segue_simulation *sim = &own;
    SEGUE_TRY(segue_simulation_copy(&own, &environment, given, err));
    SEGUE_TRY(segue_environment_check(sim->environment, err));
    SEGUE_TRY(check_range("steps", sim->steps, 1, SEGUE_MAX_HORIZON, err));
    SEGUE_TRY(check_range("tasks", sim->tasks, 0, SEGUE_MAX_TASKS, err));
    SEGUE_TRY(check_range("runs", sim->runs, 1, SEGUE_MAX_RUNS, err));
    SEGUE_TRY(check_range("threads", sim->threads, 1, SEGUE_MAX_THREADS, err));
    if (sim->want_curve && sim->tasks == 0)
        return segue_fail(err, SEGUE_EUSAGE, "a curve over tasks needs tasks");
    SEGUE_TRY(check_tasks(sim, err));
    SEGUE_TRY(segue_watch_check(sim, err));
    SEGUE_TRY(check_creation(sim, err));
    return check_costs(sim, err);
}
