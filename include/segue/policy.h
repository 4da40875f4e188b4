/* policy.h - rules that choose the arms inside one task.
 *
 * A policy is a constant object. The task owns the averages; a policy reads them through a view. A
 * policy that needs more declares precomputed data or a state, which the task owns too.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_POLICY_H
#define SEGUE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/rng.h"
#include "segue/task_view.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SEGUE_MAX_OPTIONS 4

/** Pulls of every arm that umucb makes before its rule: three views of a task need them. */
#define SEGUE_FORCED_PULLS 3

/** One option of a policy, written `name:key=value`. */
typedef struct segue_option {
    const char *key;
    const char *help;     /* one line with the default */
    double min, max;      /* the range of a number */
    bool open;            /* exclude the ends of the range */
    bool whole;           /* whole numbers only */
    const char *choices;  /* names instead of numbers, such as "m|min"; the value is the index */
    double default_value; /* of a learner's option; NaN: it follows from other settings */
} segue_option;

/** Requirements of a policy. */
typedef enum segue_needs {
    SEGUE_NEEDS_NOTHING,
    SEGUE_NEEDS_MODELS,      /* a known model set */
    SEGUE_NEEDS_MODEL_COUNT, /* a set, or the number of models */
    SEGUE_NEEDS_MODEL_INDEX  /* the index of each task's model */
} segue_needs;

/** A policy whose steps are partly random: with probability `share` the choice is `drawn`, else
 * `deterministic`, which draws nothing. */
typedef struct segue_split {
    double (*share)(const segue_task_view *view);
    segue_choice (*drawn)(const segue_task_view *view, segue_rng *rng);
    segue_choice (*deterministic)(const segue_task_view *view, segue_rng *rng);
} segue_split;

typedef struct segue_policy {
    const char *name;    /* as typed on the command line */
    const char *summary; /* one line for help */
    segue_needs needs;
    bool weighs_rewards; /* its first option is `dispersion`, and it reads view.reward_weight */
    bool carries;        /* its state continues from task to task of a run */
    const segue_option *options;
    size_t n_options;

    /* Replace options that are NaN by their defaults in this setting. May be NULL. */
    void (*fill_defaults)(const segue_setting *setting, double *option);
    /* Return L of the confidence radius. NULL: the policy has none. */
    double (*log_term)(const segue_setting *setting, const double *option);
    /* Return the bytes of data that depend on the setting alone, and compute them, once per task
     * object. NULL: none. */
    size_t (*precomputed_size)(const segue_setting *setting, const double *option);
    void (*precompute)(const segue_setting *setting, const double *option, void *precomputed);
    /* Return the bytes of the state. NULL: none. */
    size_t (*state_size)(const segue_setting *setting, const double *option);
    /* Initialise the zeroed state for a task, or for a run if it carries. May be NULL. */
    void (*begin)(const segue_task_view *view);
    /* Choose an allowed arm. Reads the view only, cannot fail; ties go to the lowest index. */
    segue_choice (*choose)(const segue_task_view *view, segue_rng *rng);
    /* NULL: every choice is random, or none is. */
    const segue_split *split;
    /* Update the state by a reward that the view includes already. May be NULL. */
    void (*update)(const segue_task_view *view, size_t arm, double reward);
    /* Adjust pointers of a state that was copied with its task. NULL: it has none. */
    void (*rebind)(const segue_task_view *view);
    bool takes_costs; /* it maximises reward minus cost: segue_task_set_costs */
} segue_policy;

/** A policy with its options. */
typedef struct segue_policy_spec {
    const segue_policy *policy;
    double option[SEGUE_MAX_OPTIONS]; /* NaN: the default */
} segue_policy_spec;

/** Return the policies, in the order of the documentation. */
SEGUE_API const segue_policy *const *segue_policy_all(size_t *count);

/**
 * Parse `name` or `name:key=value,key=value`.
 *
 * @retval SEGUE_ENAME    no such policy or option; the message suggests a close one
 * @retval SEGUE_EPARSE   a value is not a number, or a key has none
 * @retval SEGUE_EDOMAIN  a value is outside its range, or a key is given twice
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_policy_parse(segue_policy_spec *out, const char *text,
                                                           segue_error *err);

/**
 * Set one option of `spec` to a number, or to the index of one of its choices.
 *
 * @retval SEGUE_ENAME    the policy has no such option
 * @retval SEGUE_EDOMAIN  `value` is outside its range
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_policy_set(segue_policy_spec *spec, const char *key,
                                                         double value, segue_error *err);

/** Return L = log(terms n^2 / delta), for UCB, UCB+ and mUCB; terms is m, or K without a set. */
SEGUE_API double segue_policy_log_term(size_t terms, uint64_t horizon, double delta);

/** Return L = log(2 m K n^2 / delta), for umUCB. */
SEGUE_API double segue_policy_log_term_estimated(size_t n_models, size_t n_arms, uint64_t horizon,
                                                 double delta);

#ifdef __cplusplus
}
#endif
#endif
