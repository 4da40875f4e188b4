/* test_plan_alloc.c - a plan survives failing allocations.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "support.h"

#include "alloc.h"
#include "plan/plan.h"

static segue_status scenario(segue_error *err)
{
    static double weight[] = {0.5, 0.5}, mean[] = {0.8, 0.2, 0.2, 0.8},
                  concentration[] = {50, 50, 50, 50};
    const segue_population population = {.n_types = 2,
                                         .n_arms = 2,
                                         .weight = weight,
                                         .mean = mean,
                                         .concentration = concentration,
                                         .dispersion = 1.0};
    const segue_plan_config config = {.population = &population,
                                      .n_types = 2,
                                      .n_populations = 1,
                                      .range = 1.0,
                                      .learner = "tts",
                                      .steps = 3,
                                      .max_tasks = 20,
                                      .simulated = 12,
                                      .runs = 2,
                                      .threads = 1};
    segue_plan_result result;
    return segue_plan_compute(&result, &config, err);
}

static void a_plan_survives_every_failing_allocation(void **state)
{
    (void)state;
    alloc_fail_each(scenario, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
