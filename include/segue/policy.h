/* policy.h - rules that choose the arms inside one task.
 *
 * A policy is a constant object.  The task owns the averages; a policy reads them through a view
 * and owns nothing, except the few that declare precomputed or a state.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_POLICY_H
#define SEGUE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/models.h"
#include "segue/rng.h"
#include "segue/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SEGUE_MAX_HORIZON UINT64_C(1000000000000)
#define SEGUE_MAX_TASKS   UINT64_C(1000000000)
#define SEGUE_MAX_OPTIONS 4

/** umucb pulls every arm so often before it follows its rule: what three views of a task need. */
#define SEGUE_FORCED_PULLS 3

/** What is known before the first pull. */
typedef struct segue_setting {
    size_t n_arms;              /* K: SEGUE_MIN_ARMS .. SEGUE_MAX_ARMS */
    const segue_models *models; /* the known set, borrowed, n_arms wide; NULL: none is known */
    size_t n_models;            /* without a set: how many models there are; 0: not known either */
    size_t n_model_indices;     /* told-ucb is told one of so many models; 0: it cannot be told */
    uint64_t horizon;           /* n: steps in a task, 1 .. SEGUE_MAX_HORIZON */
    uint64_t n_tasks;           /* J: tasks to come, 1 .. SEGUE_MAX_TASKS */
} segue_setting;

/** What a learner lets a task believe before its first reward; private to the library. */
typedef struct segue_prior segue_prior;

/** What a policy may look at when it chooses. */
typedef struct segue_view {
    size_t n_arms;
    uint64_t step;         /* decisions so far in this task */
    const uint64_t *asked; /* n_arms: how often each arm was chosen in this task */
    const uint64_t *pulls; /* n_arms: how many of its rewards are in; at most asked */
    const double *sum;     /* n_arms: the sum of these rewards, each in [0, 1] */
    const bool *allowed;   /* n_arms: which arms may be chosen, one at least; NULL: all */
    const segue_models *models;
    const segue_prior *prior; /* what a learner taught the task, borrowed; NULL: nothing */
    uint64_t horizon;
    double log_term;         /* L of the radius sqrt(L / 2T); 0 where the policy has none */
    const double *option;    /* in the order of the policy's table, defaults filled in */
    size_t model_index;      /* the task's model, for told-ucb */
    const void *precomputed; /* what the policy worked out of the setting, or NULL */
    void *state;             /* what it keeps of the rewards, or NULL */
} segue_view;

/** Why an arm was chosen. */
typedef enum segue_reason {
    SEGUE_BY_RULE,      /* the policy's ordinary rule */
    SEGUE_FORCED,       /* a pull that every task makes */
    SEGUE_NO_MODEL_LEFT /* no model agrees with the rewards: it fell back to a rule without models
                         */
} segue_reason;

typedef struct segue_choice {
    size_t arm;
    segue_reason reason;
} segue_choice;

/** One option of a policy, written `name:key=value`. */
typedef struct segue_option {
    const char *key;
    const char *help;     /* one line, which tells the default */
    double min, max;      /* the range of a number */
    bool open;            /* the ends of the range are excluded */
    bool whole;           /* whole numbers only */
    const char *choices;  /* words instead of numbers, such as "m|min"; the value is their rank */
    double default_value; /* of a learner's option; NaN: it follows from other settings */
} segue_option;

/** What a policy cannot do without. */
typedef enum segue_needs {
    SEGUE_NEEDS_NOTHING,
    SEGUE_NEEDS_MODELS,      /* a known model set */
    SEGUE_NEEDS_MODEL_COUNT, /* one, or at least the number of models */
    SEGUE_NEEDS_MODEL_INDEX  /* to be told which model a task has */
} segue_needs;

/** A choice that is drawn now and then, taken apart: with probability `share` it is `drawn`, else
 * `steady`, which draws nothing. */
typedef struct segue_split {
    double (*share)(const segue_view *view);
    segue_choice (*drawn)(const segue_view *view, segue_rng *rng);
    segue_choice (*deterministic)(const segue_view *view, segue_rng *rng);
} segue_split;

typedef struct segue_policy {
    const char *name;    /* as typed on the command line */
    const char *summary; /* one line for help */
    segue_needs needs;
    bool carries; /* its state goes on from one task of a run to the next */
    const segue_option *options;
    size_t n_options;

    /* Fill in the options that are still NaN: their defaults in this setting.  May be NULL. */
    void (*fill_defaults)(const segue_setting *setting, double *option);
    /* L of the confidence radius.  NULL: it has none. */
    double (*log_term)(const segue_setting *setting, const double *option);
    /* Bytes of what follows from the setting alone, and the working out, once.  NULL: none. */
    size_t (*precomputed_size)(const segue_setting *setting, const double *option);
    void (*precompute)(const segue_setting *setting, const double *option, void *precomputed);
    /* Bytes of what it keeps of the rewards.  NULL: nothing. */
    size_t (*state_size)(const segue_setting *setting, const double *option);
    /* Make the zeroed state ready for a task, or for a run if it carries.  May be NULL. */
    void (*begin)(const segue_view *view);
    /* Choose an allowed arm.  Reads the view only; cannot fail; ties go to the lowest index. */
    segue_choice (*choose)(const segue_view *view, segue_rng *rng);
    /* NULL: every choice is drawn, or none. */
    const segue_split *split;
    /* Take in a reward; the view has it already.  May be NULL. */
    void (*update)(const segue_view *view, size_t arm, double reward);
    /* The state was copied with its task: point at the copy's arrays.  NULL: it points at none. */
    void (*rebind)(const segue_view *view);
} segue_policy;

/** A policy with its options, as typed. */
typedef struct segue_policy_spec {
    const segue_policy *policy;
    double option[SEGUE_MAX_OPTIONS]; /* NaN: the default */
} segue_policy_spec;

/** The policies, in the order of the documentation. */
SEGUE_API const segue_policy *const *segue_policy_all(size_t *count);

/**
 * Read `name` or `name:key=value,key=value`.
 *
 * @retval SEGUE_ENAME    no such policy or option; the message suggests a close one
 * @retval SEGUE_EPARSE   a value is not a number, or a key has none
 * @retval SEGUE_EDOMAIN  a value is outside its range, or a key is given twice
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_policy_parse(segue_policy_spec *out, const char *text,
                                                           segue_error *err);

/**
 * Set one option of `spec` to a number, or to the rank of a word among its choices.
 *
 * @retval SEGUE_ENAME    the policy has no such option
 * @retval SEGUE_EDOMAIN  `value` is outside its range
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_policy_set(segue_policy_spec *spec, const char *key,
                                                         double value, segue_error *err);

/** L = log(terms n^2 / delta), for UCB, UCB+ and mUCB; terms is m, or K where there is no set. */
SEGUE_API double segue_policy_log_term(size_t terms, uint64_t horizon, double delta);

/** L = log(2 m K n^2 / delta), for umUCB. */
SEGUE_API double segue_policy_log_term_estimated(size_t n_models, size_t n_arms, uint64_t horizon,
                                                 double delta);

#ifdef __cplusplus
}
#endif
#endif
