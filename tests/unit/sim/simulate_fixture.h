/* simulate_fixture.h - run a simulation, or fail the test.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIMULATE_FIXTURE_H
#define TEST_SIMULATE_FIXTURE_H

#include "segue/simulation.h"
#include "support.h"

static segue_simulation_result *simulate(const segue_environment *env, const char *policy,
                                         uint64_t steps, uint64_t tasks, uint64_t runs,
                                         uint64_t seed, size_t threads)
{
    const segue_simulation sim = {.size = sizeof(segue_simulation),
                                  .environment = env,
                                  .policy = policy_of(policy),
                                  .steps = steps,
                                  .tasks = tasks,
                                  .runs = runs,
                                  .seed = seed,
                                  .threads = threads,
                                  .want_curve = tasks > 0};
    segue_simulation_result *result = NULL;
    segue_error err;
    if (segue_simulation_run(&result, &sim, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    return result;
}

#endif
