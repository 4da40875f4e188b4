/* plan_guess.c - the tasks that a user guesses: types, arms, and the gap of the best arm.
 *
 * Type q has the mean base + effect for arm q, and base for all other arms; types are equally
 * frequent.  So each type needs an arm of its own.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/commands/plan/plan.h"
#include "segue/internal.h"

#define DEFAULT_BASE   0.5
#define DEFAULT_SPREAD 100.0
#define MIN_MEAN       1e-6

static segue_status check_present(const cli_plan_settings *set, segue_error *err)
{
    const char *missing = set->types == 0      ? "types"
                          : set->arms == 0     ? "arms"
                          : set->steps == 0    ? "steps"
                          : isnan(set->effect) ? "effect"
                                               : NULL;
    if (!missing)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EUSAGE,
                      "--%s is missing; give a log, or a guess: --types 3 --arms 6 --steps 30 "
                      "--effect 0.1",
                      missing);
}

static segue_status check_guess(const cli_plan_settings *set, segue_error *err)
{
    SEGUE_TRY(check_present(set, err));
    if (cli_log_options_given(&set->log))
        return segue_fail(err, SEGUE_EUSAGE, "--%s needs a log; a guess has none",
                          cli_log_options_given(&set->log));
    if (set->types > set->arms)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "--types is %" PRIu64 " and --arms %" PRIu64
                          "; each type has a best arm of its own: need at most as many types",
                          set->types, set->arms);
    if (set->base + set->effect > 1.0)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "--base %g and --effect %g give the best arm a mean of %g; need at most "
                          "1: rewards of a guess are in 0 .. 1",
                          set->base, set->effect, set->base + set->effect);
    return SEGUE_OK;
}

/* Return the standard deviation of a task's mean around its type's. */
static double deviation(const cli_plan_settings *set)
{
    return sqrt(set->base * (1.0 - set->base) / (set->spread + 1.0));
}

static void describe(cli_plan *plan)
{
    const cli_plan_settings *set = &plan->set;
    (void)snprintf(plan->tasks, sizeof plan->tasks,
                   "A guess: %" PRIu64 " types, equally frequent; %" PRIu64 " arms; %" PRIu64
                   " steps per task. The best arm of a type has a mean reward of %g, its other "
                   "arms %g. Means of a task differ from its type's by %.2g (standard deviation).",
                   set->types, set->arms, set->steps, set->base + set->effect, set->base,
                   deviation(set));
}

/* A Beta needs a mean inside 0 .. 1. */
static double inside(double mean)
{
    return fmin(1.0 - MIN_MEAN, fmax(MIN_MEAN, mean));
}

segue_status cli_plan_guess(cli_plan *plan, segue_error *err)
{
    cli_plan_settings *set = &plan->set;
    segue_population *population = plan->population;
    set->base = isnan(set->base) ? DEFAULT_BASE : set->base;
    set->spread = isnan(set->spread) ? DEFAULT_SPREAD : set->spread;
    SEGUE_TRY(check_guess(set, err));
    const size_t n_types = (size_t)set->types, n_arms = (size_t)set->arms;
    SEGUE_TRY(segue_population_init(population, n_arms, n_types, err));
    plan->n_populations = 1;
    population->n_types = plan->config.n_types = n_types;
    for (size_t i = 0; i < n_types * n_arms; i++) {
        const bool best = i / n_arms == i % n_arms;
        population->mean[i] = inside(set->base + (best ? set->effect : 0.0));
        population->concentration[i] = set->spread;
    }
    for (size_t q = 0; q < n_types; q++)
        population->weight[q] = 1.0 / (double)n_types;
    plan->config.range = 1.0;
    describe(plan);
    return SEGUE_OK;
}
