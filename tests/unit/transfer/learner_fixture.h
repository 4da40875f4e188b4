/* learner_fixture.h - fixtures of the tests of learners.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TEST_LEARNER_FIXTURE_H
#define SEGUE_TEST_LEARNER_FIXTURE_H

#include "core/bytes.h"
#include "support.h"
#include "transfer/learner_internal.h"
#include "transfer/tucb/tucb.h"
#include "transfer/types_learner.h"

static inline segue_learner_config config_of(const char *text, uint64_t horizon)
{
    segue_learner_config config = segue_learner_defaults();
    segue_error err;
    config.n_arms = 7;
    config.n_models = 5;
    config.horizon = horizon;
    config.n_tasks = 100;
    if (segue_learner_config_parse(&config, text, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    return config;
}

static inline segue_learner *learner_of(const segue_learner_config *config)
{
    segue_learner *learner = NULL;
    segue_error err;
    if (segue_learner_create(&learner, config, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    return learner;
}

/* Play one task of a learner; `pulls` (7), unless NULL, are counted on. */
static inline void play_task(segue_learner *learner, segue_simulated_task *simulated, uint64_t run,
                             uint64_t number, uint64_t *pulls)
{
    const uint64_t horizon = segue_learner_get_config(learner)->horizon;
    segue_task *task = NULL;
    segue_simulated_task_begin(simulated, 71, run, number, SEGUE_ANY_MODEL);
    assert_ok(segue_learner_open_task(learner, &task, NULL));
    (void)segue_simulation_play(task, simulated, horizon);
    for (size_t arm = 0; pulls && arm < 7; arm++)
        pulls[arm] = segue_task_info(task).pulls[arm];
    assert_ok(segue_learner_close_task(learner, &task, NULL));
    assert_null(task);
}

#endif
