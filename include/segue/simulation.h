/* simulation.h - play a policy or a learner against an environment, many times, over threads.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIMULATION_H
#define SEGUE_SIMULATION_H

#include "segue/environment.h"
#include "segue/learner_explain.h"
#include "segue/policy.h"
#include "segue/task.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SEGUE_MAX_RUNS    UINT64_C(1000000000)
#define SEGUE_MAX_THREADS 1024

/** Play one task to its end: `steps` asks, rewards and tells. Returns its regret. */
SEGUE_API double segue_simulation_play(segue_task *task, segue_simulated_task *simulated,
                                       uint64_t steps);

/** The form of a policy that plays: its kernel, if it has one, or its plain form. Both make the
 * same pulls; ts and tts draw other numbers with the same distribution. */
typedef enum segue_kernels { SEGUE_KERNEL_FAST, SEGUE_KERNEL_PLAIN } segue_kernels;

/** A step of a watched task, or its end. */
typedef struct segue_step {
    uint64_t number; /* counted from 1 */
    size_t arm;
    double reward;
    const segue_explanation *why; /* before the pull; a random step may pull another arm */
    const segue_type_posterior
        *posterior; /* NULL until the task is over; then all other fields are 0 */
} segue_step;

/** A task that was played. */
typedef struct segue_played_task {
    uint64_t run;  /* from 0; of single tasks, run k * runs + r is run r of model k */
    uint64_t task; /* in its run, from 0 */
    size_t model;  /* 0 if tasks have none */
    double regret;
    double reward; /* sum of its rewards */
} segue_played_task;

/** A simulation; other fields than the size default to 0. The same fields give the same result on
 * any number of threads. All pointers are borrowed. */
typedef struct segue_simulation {
    size_t size; /* sizeof(segue_simulation) */
    const segue_environment *environment;
    segue_policy_spec policy;
    /* Instead of a policy: a learner, created for each run from this configuration; its arms,
     * models (unless given: those of the environment), steps, tasks and streams are filled in.
     * Needs tasks. */
    const segue_learner_config *learner;
    /* Or an existing learner that continues: one run, whose tasks follow those it has opened. Its
     * arms must be the environment's, its horizon the steps; `learner` is ignored. */
    segue_learner *continued;
    uint64_t steps; /* n: steps per task, 1 .. SEGUE_MAX_HORIZON */
    /* J: tasks per run, their models drawn by weight. 0: single tasks, `runs` of each model (of
     * the environment, if its tasks have no models). */
    uint64_t tasks;
    uint64_t runs; /* 1 .. SEGUE_MAX_RUNS */
    uint64_t seed;
    size_t threads;       /* 1 .. SEGUE_MAX_THREADS */
    segue_kernels kernel; /* fast or plain */
    bool want_curve;      /* compute the regret of each task of a run; needs tasks > 0 */
    /* Called after each step of the last task of the first run, and at its end; a failure ends the
     * simulation. Needs a learner of types (tla, tts, auto). NULL: no task is watched. */
    segue_status (*watch)(void *context, const segue_step *step, segue_error *err);
    void *watch_context;
    /* Called from any thread, but one at a time, with the steps done and their total; at the end
     * once more, with two equal numbers. */
    void (*progress)(void *context, double done, double total);
    void *progress_context;
    /* Costs as segue_task_set_costs takes them (arms of the environment, or NULL).  Regret is then
     * reward minus cost, compared with the best arm by that. */
    const double *cost;
    double switch_cost;
    bool ignore_costs; /* decisions do not know the costs; regret does */
    /* Called after each task, from any thread and by several at a time; a failure ends the
     * simulation. Runs are in no order, the tasks of a run are. NULL: no task is visited. */
    segue_status (*visit)(void *context, const segue_played_task *task, segue_error *err);
    void *visit_context;
    /* Called from any thread and by several at a time, during long tasks; true ends the simulation
     * with SEGUE_ESTOPPED. NULL: it goes to its end. */
    bool (*stop)(void *context);
    void *stop_context;
} segue_simulation;

/** A mean regret and its standard error (NaN where there are too few numbers for one). */
typedef struct segue_regret {
    double mean;
    double se;
} segue_regret;

typedef struct segue_simulation_result {
    size_t n_models;     /* of the environment; 1 if its tasks have no models */
    uint64_t n_tasks;    /* length of the curve */
    uint64_t first_task; /* tasks that a continued learner had opened */
    segue_regret regret; /* per task: by the weights, its error stratified by model; with tasks > 0
                            the average over the tasks of a run, its error over runs */
    segue_regret *by_model;  /* n_models: over the tasks with that model; NaN without one */
    segue_regret *curve;     /* n_tasks: over runs; NULL unless want_curve */
    double no_model_left;    /* average steps per task at which no model agreed with the rewards */
    double violations;       /* learners: tasks per run without an estimated model nearby */
    double skipped;          /* learners: tasks per run that the estimate could not use */
    double n_types, no_type; /* learners of types, at the end of a run: number of types, and share
                                of tasks that fit no type */
} segue_simulation_result;

/**
 * Check a simulation, its policy and environment together.
 *
 * @retval SEGUE_EDOMAIN, SEGUE_EUSAGE  a field is out of range, or fields exclude each other
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_simulation_check(const segue_simulation *simulation,
                                                               segue_error *err);

/**
 * Run a simulation. Free the result with segue_simulation_result_destroy; on failure *out is NULL.
 *
 * @retval SEGUE_EDOMAIN, SEGUE_EUSAGE  as segue_simulation_check
 * @retval SEGUE_ENOMEM, SEGUE_ETHREAD
 * @retval SEGUE_ESTOPPED  `stop` returned true
 * @retval other  as `watch` or `visit` returned
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_simulation_run(segue_simulation_result **out,
                                                             const segue_simulation *simulation,
                                                             segue_error *err);
SEGUE_API void segue_simulation_result_destroy(segue_simulation_result *result);

#ifdef __cplusplus
}
#endif
#endif
