/* task_view.h - the setting and the state of a task, as its policy reads them; a choice.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TASK_VIEW_H
#define SEGUE_TASK_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/models.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SEGUE_MAX_HORIZON UINT64_C(1000000000000)
#define SEGUE_MAX_TASKS   UINT64_C(1000000000)

/** The setting of a task: known before the first pull. */
typedef struct segue_setting {
    size_t n_arms;              /* K: SEGUE_MIN_ARMS .. SEGUE_MAX_ARMS */
    const segue_models *models; /* the known set, borrowed, of n_arms arms; NULL: none is known */
    size_t n_models;            /* without a set: the number of models; 0: unknown */
    size_t n_model_indices; /* told-ucb: the number of models that its index selects from; 0: there
                               is no index */
    uint64_t horizon;       /* n: steps per task, 1 .. SEGUE_MAX_HORIZON */
    uint64_t n_tasks;       /* J: expected tasks, 1 .. SEGUE_MAX_TASKS */
} segue_setting;

/** The shared prior that a learner gives to a task; private to the library. */
typedef struct segue_prior segue_prior;

/** The state of a task as its policy reads it. All arrays are borrowed. */
typedef struct segue_task_view {
    size_t n_arms;
    uint64_t step;               /* decisions so far in this task */
    const uint64_t *asked;       /* n_arms: asks of each arm */
    const uint64_t *pulls;       /* n_arms: rewards of each arm; at most asked */
    const double *sum;           /* n_arms: the sum of these rewards, each in [0, 1] */
    const double *reward_weight; /* n_arms: how many rewards of 0 or 1 a reward counts as, by what
                                    rewards vary; NULL: all are 1 */
    const bool *allowed;         /* n_arms: arms that may be chosen, at least one; NULL: all */
    const segue_models *models;
    const segue_prior *prior; /* of a learner; NULL: none */
    uint64_t horizon;
    double log_term;         /* L of the radius sqrt(L / 2T); 0: the policy has none */
    const double *option;    /* in the order of the policy's table, defaults included */
    size_t model_index;      /* told-ucb: the model of the task */
    const void *precomputed; /* computed from the setting, or NULL */
    void *state;             /* updated with the rewards, or NULL */
    const double *pending;   /* n_arms: asks of each arm whose reward is expected; NULL: none */
    const double *cost;      /* n_arms: cost of a pull of each arm, as a share of the range of
                                rewards; NULL: pulls and switches cost nothing */
    double switch_cost;      /* of a pull of another arm than last_arm, likewise */
    size_t last_arm;         /* of the last decision; n_arms: none yet */
} segue_task_view;

/** The reason of a choice. */
typedef enum segue_reason {
    SEGUE_BY_RULE,      /* the policy's ordinary rule */
    SEGUE_FORCED,       /* a pull that every task makes */
    SEGUE_NO_MODEL_LEFT /* no model agrees with the rewards: a rule without models chose */
} segue_reason;

typedef struct segue_choice {
    size_t arm;
    segue_reason reason;
} segue_choice;

#ifdef __cplusplus
}
#endif
#endif
