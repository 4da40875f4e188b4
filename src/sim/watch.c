/* watch.c - play a task step by step and report the reasons of each step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/watch.h"

#include "core/fail.h"

segue_status segue_watch_check(const segue_simulation *sim, segue_error *err)
{
    const segue_learner_config *config =
        sim->continued ? segue_learner_get_config(sim->continued) : sim->learner;
    const char *name = config ? config->method : sim->policy.policy ? sim->policy.policy->name : "";
    const segue_learner_method *method = config ? segue_learner_method_find(name) : NULL;
    if (!sim->watch || (method && method->has_types))
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EUSAGE,
                      "only tla, tts and auto can explain their tasks; '%.40s' knows no types",
                      name);
}

segue_status segue_watch_play(const segue_simulation *sim, const segue_learner *learner,
                              segue_task *task, segue_simulated_task *simulated, segue_error *err)
{
    segue_explanation why;
    for (uint64_t t = 1; t <= sim->steps; t++) {
        SEGUE_TRY(segue_learner_explain(learner, task, &why, err));
        segue_step step = {.number = t, .arm = segue_task_ask(task), .why = &why};
        step.reward = segue_simulated_task_reward(simulated, step.arm);
        SEGUE_TRY(segue_task_tell(task, step.arm, step.reward, err));
        SEGUE_TRY(sim->watch(sim->watch_context, &step, err));
    }
    return SEGUE_OK;
}

segue_status segue_watch_end(const segue_simulation *sim, const segue_learner *learner,
                             segue_error *err)
{
    segue_type_posterior posterior;
    const segue_step over = {.posterior = &posterior};
    return segue_learner_last_posterior(learner, &posterior)
               ? sim->watch(sim->watch_context, &over, err)
               : SEGUE_OK;
}
