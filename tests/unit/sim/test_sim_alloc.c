/* test_sim_alloc.c - theory and simulations survive failing allocations.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "support.h"

#include "alloc.h"

static const double mean[] = {0.1, 0.5, 0.9, 0.8, 0.2, 0.3};

static segue_status make_models(segue_models **out, segue_error *err)
{
    return segue_models_create(out, SEGUE_MODELS_KNOWN, 3, 2, mean, NULL, err);
}

static segue_status theory_scenario(segue_error *err)
{
    segue_models *models = NULL;
    segue_known_sets *known = NULL;
    segue_estimated_sets *estimated = NULL;
    segue_spectrum spectrum;
    segue_status status = make_models(&models, err);
    if (status == SEGUE_OK)
        status = segue_known_sets_create(&known, models, 0, err);
    if (status == SEGUE_OK)
        status = segue_estimated_sets_create(&estimated, models, models, NULL, 0.1, 0, err);
    if (status == SEGUE_OK)
        status = segue_spectrum_compute(&spectrum, models, err);
    segue_estimated_sets_destroy(estimated);
    segue_known_sets_destroy(known);
    segue_models_destroy(models);
    return status;
}

static const char *policy_name;
static size_t n_threads;

static segue_status simulate_scenario(segue_error *err)
{
    segue_models *models = NULL;
    segue_simulation_result *result = NULL;
    segue_policy_spec spec;
    segue_status status = segue_policy_parse(&spec, policy_name, err);
    if (status == SEGUE_OK)
        status = make_models(&models, err);
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    const segue_simulation sim = {.size = sizeof(segue_simulation),
                                  .environment = &env,
                                  .policy = spec,
                                  .steps = 8000,
                                  .tasks = 3,
                                  .runs = 3,
                                  .threads = n_threads,
                                  .want_curve = true};
    if (status == SEGUE_OK)
        status = segue_simulation_run(&result, &sim, err);
    segue_simulation_result_destroy(result);
    segue_models_destroy(models);
    return status;
}

static void theory_survives_every_failing_allocation(void **state)
{
    (void)state;
    alloc_fail_each(theory_scenario, 20);
}

static void simulation_survives_every_failing_allocation(void **state)
{
    (void)state;
    size_t count;
    const segue_policy *const *policies = segue_policy_all(&count);
    for (size_t i = 0; i < count; i++)
        for (n_threads = 1; n_threads <= 3; n_threads += 2) {
            policy_name = policies[i]->name;
            alloc_fail_each(simulate_scenario, 15);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theory_survives_every_failing_allocation),
        cmocka_unit_test(simulation_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
