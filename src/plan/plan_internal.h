/* plan_internal.h - simulated runs, and what is computed from them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PLAN_PLAN_INTERNAL_H
#define SEGUE_PLAN_PLAN_INTERNAL_H

#include "plan/plan.h"
#include "segue/models.h"

/** Simulated runs.  In run r all candidates meet the same tasks. */
typedef struct plan_runs {
    uint64_t runs, tasks;
    size_t n_populations;                    /* run r has population r modulo this */
    double *regret[SEGUE_N_PLAN_CANDIDATES]; /* runs x tasks: of each task, in units of reward */
    double *reward[SEGUE_N_PLAN_CANDIDATES]; /* runs x tasks: per step, in [0, 1] */
} plan_runs;

/** Levels of the gain per task after the simulated tasks, which is known with an error: as
 * estimated, and the ends of its 95 % interval. */
typedef enum plan_level {
    PLAN_LEVEL_VALUE,
    PLAN_LEVEL_LOW,
    PLAN_LEVEL_HIGH,
    N_PLAN_LEVELS
} plan_level;

/** The task at which a control experiment first showed a gain; INFINITY: not within max_tasks. */
typedef struct plan_crossings {
    uint64_t runs;
    double *task[SEGUE_N_PLAN_SHARES][N_PLAN_LEVELS]; /* runs, ascending */
} plan_crossings;

/** Play all candidates.  The caller frees `out`, also after an error.
 * @retval SEGUE_EDOMAIN, SEGUE_EUSAGE, SEGUE_ENAME, SEGUE_EPARSE, SEGUE_ENOMEM, SEGUE_ETHREAD */
SEGUE_MUST_CHECK segue_status segue_plan_play(plan_runs *out, const segue_plan_config *config,
                                              segue_error *err);
void segue_plan_play_fini(plan_runs *runs);

/** Draw the models of the tasks of run `run` from the types.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_plan_draw_models(segue_models **out,
                                                     const segue_plan_config *config, uint64_t run,
                                                     segue_error *err);

/** Compute the gain over candidate `other`; `total` is scratch, `runs` numbers. */
void segue_plan_gain_over(segue_plan_gain *out, const plan_runs *runs, size_t other, double *total);

/** Compute the gain per task over candidate `other` in the second half of the tasks. */
segue_interval segue_plan_gain_late(const plan_runs *runs, size_t other);

/** Compute the total gain over candidate `other` after `tasks` tasks. */
segue_interval segue_plan_gain_total(const plan_runs *runs, size_t other, uint64_t tasks);

/** Find when control experiments show a gain.  The caller frees `out`, also after an error.
 * @retval SEGUE_ENOMEM, SEGUE_ETHREAD */
SEGUE_MUST_CHECK segue_status segue_plan_power_find(plan_crossings *out, const plan_runs *runs,
                                                    const segue_plan_config *config,
                                                    segue_error *err);
void segue_plan_power_fini(plan_crossings *crossings);

/** Compute the power with the i-th share of control tasks after `tasks` tasks, with its interval. */
segue_interval segue_plan_power_at(const plan_crossings *crossings, size_t share, uint64_t tasks);

/** Compute the number of tasks for SEGUE_PLAN_POWER, with its interval. */
segue_interval segue_plan_power_tasks(const plan_crossings *crossings, size_t share);

#endif
