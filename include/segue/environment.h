/* environment.h - the source of simulated tasks, and the law of their rewards.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ENVIRONMENT_H
#define SEGUE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/models.h"
#include "segue/samples.h"
#include "segue/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The law (distribution) of a reward given its mean; all rewards lie in [0, 1]. */
typedef enum segue_reward_law {
    SEGUE_BERNOULLI, /* 0 or 1; the default, as in the paper */
    SEGUE_BETA,     /* Beta(parameter mean, parameter (1 - mean)): the parameter is the precision */
    SEGUE_NORMAL,   /* normal, truncated to [0, 1], with this mean; the parameter is the s.d. */
    SEGUE_TWOPOINT, /* 0 or `parameter`; no mean may be above it */
    SEGUE_GRADES,   /* the share of ones among `parameter` rewards of 0 or 1 */
    SEGUE_ZEROS,    /* 0, or a Beta number of precision 5 with mean `parameter`; no mean may be
                        above that */
    SEGUE_JACKPOT,  /* `parameter` or 1; no mean may be below it */
    SEGUE_LOGNORMAL /* lognormal, values above 1 set to 1; the parameter is the s.d. of its log */
} segue_reward_law;

typedef struct segue_rewards {
    segue_reward_law law;
    double parameter; /* beta: 1e-6 to 1e6; normal: 0.001 to 100; twopoint: 1e-6 to 1; grades: 1 to
                         1,000; zeros: 1e-6 to 0.999; jackpot: 0 to 0.999; lognormal: 0.01 to 10 */
} segue_rewards;

/**
 * Parse `bernoulli`, `beta:20`, `normal:0.1`, `twopoint:0.5`, `grades:10`, `zeros:0.4`,
 * `jackpot:0.05` or `lognormal:1`.
 *
 * @retval SEGUE_ENAME    no such law
 * @retval SEGUE_EPARSE   the parameter is missing, superfluous or not a number
 * @retval SEGUE_EDOMAIN  the parameter is outside its range
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_rewards_parse(segue_rewards *out, const char *text,
                                                            segue_error *err);

/** The order of logged tasks. */
typedef enum segue_order {
    SEGUE_ORDER_SHUFFLE, /* random, different in each run; the default */
    SEGUE_ORDER_FILE     /* that of the log, in every run; needs runs of tasks */
} segue_order;

/** Parse `shuffle` or `file`; @retval SEGUE_ENAME */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_environment_parse_order(segue_order *out,
                                                                      const char *text,
                                                                      segue_error *err);

/** The source of tasks: sizeof(segue_environment), and `models`, `uniform_arms` or `samples`; other
 * fields default to 0. All pointers are borrowed. */
typedef struct segue_environment {
    size_t size;                /* sizeof(segue_environment) */
    const segue_models *models; /* a task has one of these, drawn by weight */
    size_t uniform_arms;        /* or: number of arms, each with a fresh uniform mean */
    /* Or: a task is one of these logged tasks, none twice in a run. A reward is drawn with
     * replacement from the task's rewards of that arm; their averages are its means. */
    const segue_samples *samples;
    segue_order order;     /* of samples */
    segue_rewards rewards; /* of models and uniform means */
    double spread;         /* 1e-6 to 1e9: a task's means are Beta with this concentration around
                              its model's */
    double mixed;          /* 1e-6 to 1e9: a task's means are a mixture of the models', with
                              Dirichlet shares of this total concentration, centred on
                              the weights */
    uint64_t switch_at;    /* > 0: from this task on (1 is the first), ... */
    const segue_models *switch_to; /* ... tasks come from this set */
} segue_environment;

/**
 * Check an environment.
 *
 * @retval SEGUE_EDOMAIN  a field is outside its range, a mean is too large or small for the law, or the
 * size is unknown
 * @retval SEGUE_EUSAGE   two fields exclude each other
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_environment_check(const segue_environment *env,
                                                                segue_error *err);

/** Return the number of arms of its tasks. */
SEGUE_API size_t segue_environment_arms(const segue_environment *env);

/** Return true if each task has one model of a set: not if mixed, uniform or logged. */
SEGUE_API bool segue_environment_has_models(const segue_environment *env);

/** Return the number of models that its tasks can have, those after a switch included; 1 without
 * models. */
SEGUE_API size_t segue_environment_models(const segue_environment *env);

/** Return the largest number of tasks of a run: those of a log, else SEGUE_MAX_TASKS. */
SEGUE_API uint64_t segue_environment_tasks(const segue_environment *env);

/** One simulated task: hidden means, and one stream of rewards per arm. It belongs to one thread.
 */
typedef struct segue_simulated_task segue_simulated_task;

/** segue_simulated_task_begin draws the model. */
#define SEGUE_ANY_MODEL SIZE_MAX

/**
 * Create a simulated task of `env`, which is checked and copied; its models or samples must outlive
 * the task. On failure *out is NULL.
 *
 * @retval SEGUE_EDOMAIN, SEGUE_EUSAGE  as segue_environment_check
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_simulated_task_create(segue_simulated_task **out,
                                                                    const segue_environment *env,
                                                                    segue_error *err);
SEGUE_API void segue_simulated_task_destroy(segue_simulated_task *simulated);

/** Begin task `task` (0 is the first; below segue_environment_tasks) of run `run`: draw its model,
 * unless one is given, and its means, and open its streams. */
SEGUE_API void segue_simulated_task_begin(segue_simulated_task *simulated, uint64_t seed,
                                          uint64_t run, uint64_t task, size_t model);

/** Return the model of the task, 0 if it has none; models after a switch follow those before. */
SEGUE_API size_t segue_simulated_task_model(const segue_simulated_task *simulated);

/** Return the means of the task: n_arms numbers. */
SEGUE_API const double *segue_simulated_task_means(const segue_simulated_task *simulated);

/** Draw the next reward of an arm. */
SEGUE_API double segue_simulated_task_reward(segue_simulated_task *simulated, size_t arm);

/** Return the regret of `pulls` (n_arms): how much more the best arm pays in expectation. */
SEGUE_API double segue_simulated_task_regret(const segue_simulated_task *simulated,
                                             const uint64_t *pulls);

#ifdef __cplusplus
}
#endif
#endif
