/* plan_fixture.h - runs of a plan with known gains, without a simulation.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TESTS_PLAN_FIXTURE_H
#define SEGUE_TESTS_PLAN_FIXTURE_H

#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "plan/plan_internal.h"
#include "segue/rng.h"

/** Memory for runs; all zeros. */
static inline plan_runs make_runs(uint64_t runs, uint64_t tasks)
{
    plan_runs out = {.runs = runs, .tasks = tasks, .n_populations = 1};
    for (size_t i = 0; i < SEGUE_N_PLAN_CANDIDATES; i++) {
        out.regret[i] = calloc((size_t)(runs * tasks), sizeof(double));
        out.reward[i] = calloc((size_t)(runs * tasks), sizeof(double));
        assert_non_null(out.regret[i]);
        assert_non_null(out.reward[i]);
    }
    return out;
}

/** Return a number with this mean and deviation: normal, so that it is unlike a task's reward. */
static inline double draw_near(segue_rng *rng, double mean, double deviation)
{
    return mean + deviation * segue_rng_normal(rng);
}

#endif
