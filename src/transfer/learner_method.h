/* learner_method.h - a learner's state, and the object that a learning method is; one file each.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TRANSFER_LEARNER_METHOD_H
#define SEGUE_TRANSFER_LEARNER_METHOD_H

#include "bandit/task/task.h"
#include "core/bytes.h"
#include "segue/learner.h"
#include "segue/learner_arms.h"
#include "segue/learner_explain.h"
#include "segue/learner_features.h"
#include "segue/learner_refit.h"
#include "transfer/shared_prior.h"

/* A task and the state of the learner when it was opened. */
struct open_task {
    segue_learner *learner; /* NULL while it is idle */
    segue_task *task;
    shared_prior *prior;     /* NULL: there was none yet */
    segue_feature *features; /* n_features, and their texts, in one block; NULL: none */
    size_t n_features, feature_bytes;
    uint64_t version;   /* of the learner's shared prior */
    double eps;         /* tucb: trust in the models */
    bool identifies;    /* plays round robin */
    open_task *next;    /* in its list */
    open_task **before; /* the pointer to it, while it is open */
};

/* How a method refits in the background; the copy is the method's own. */
typedef struct refit_method {
    bool (*is_due)(const segue_learner *learner);
    segue_status (*copy)(const segue_learner *learner, void **out, segue_error *err);
    /* Fit the copy, in any thread; @retval SEGUE_ENOMEM */
    segue_status (*run)(void *copy, segue_error *err);
    /* Refit many times, until it is stopped; NULL: there is no need. */
    void (*run_fully)(void *copy, const atomic_bool *stop);
    /* Replace the learner's fit by the copy's, add the tasks that were closed since, and publish.
     * On failure the learner is as it was, and the copy can be adopted again.
     * @retval SEGUE_ENOMEM */
    segue_status (*adopt)(segue_learner *learner, void *copy, segue_error *err);
    void (*discard)(void *copy);
} refit_method;

/* How a method uses features of tasks; `learn` gets them with the task. */
typedef struct feature_method {
    /* Shift the weights (n_components) of the current prior. */
    void (*shift)(const segue_learner *learner, const segue_feature *features, size_t n_features,
                  double *weight);
    /* The features of the window, and how they shift types; types and columns from 0 on. */
    const struct feature_table *(*table)(const segue_learner *learner);
    const struct feature_shift *(*factors)(const segue_learner *learner);
    /* Write them, and read them after the state; @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
    void (*serialize)(const segue_learner *learner, segue_bytes *b);
    segue_status (*deserialize)(segue_learner *learner, segue_bytes_reader *r, segue_error *err);
} feature_method;

typedef struct learner_method {
    segue_learner_method info; /* name, options, capabilities */
    /* NULL; or it stands for another method, which it chooses: only `info` is its own. */
    const struct learner_method *(*choose)(const segue_learner_config *config);
    /* Copy the options that were given to the common fields that they mean; NULL: none do. */
    void (*apply_options)(segue_learner_config *config);
    /* Fill in the defaults that depend on other settings; NULL: none do. */
    void (*fill_defaults)(segue_learner_config *config);
    /* Create and destroy learner->state; @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
    segue_status (*create)(segue_learner *learner, segue_error *err);
    void (*destroy)(segue_learner *learner);
    /* Its numbers per arm, if its operations are those of rivals/arm_rows.h; else NULL. */
    const struct arm_rows *rows;
    /* It learns the dispersion of rewards per arm (learner_dispersion.c). */
    bool learns_dispersion;
    const segue_policy *policy; /* of its tasks; NULL: `plan` sets it */
    /* Fill in options and batches of a task, and a policy that is not constant; NULL: nothing.
     * @retval SEGUE_EDOMAIN */
    segue_status (*plan)(const segue_learner *learner, bool identifies, segue_task_config *task,
                         segue_error *err);
    /* Start a task from its shared prior. */
    void (*set_prior)(const segue_learner *learner, open_task *entry);
    /* Learn from a closed task; @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
    segue_status (*learn)(segue_learner *learner, const open_task *entry, segue_error *err);
    /* Background refits, which `learn` leaves to the caller if config.background; NULL: none. */
    const refit_method *refit;
    /* Extend the state by one arm, and publish; NULL if info.fixed_arms.  On failure nothing has
     * changed; @retval SEGUE_ENOMEM */
    segue_status (*add_arm)(segue_learner *learner, segue_error *err);
    /* Add the state of a learner of the same method and arms, and publish; on failure nothing has
     * changed; @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
    segue_status (*merge)(segue_learner *into, const segue_learner *from, segue_error *err);
    /* Fill in what it knows of the summary; NULL: nothing. */
    void (*fill_info)(const segue_learner *learner, segue_learner_summary *info);
    /* Bytes of its state. */
    size_t (*bytes)(const segue_learner *learner);
    /* The mean of an arm of a published type (1, 2, ...), and its 95 % interval; NULL: no interval. */
    void (*describe_arm)(const segue_learner *learner, size_t type, size_t arm, double *mean,
                         double *low, double *high);
    /* The id of a published type, the same as long as the type exists; NULL: none. */
    uint64_t (*type_id)(const segue_learner *learner, size_t type);
    /* Write the state, and read it into a fresh one; @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
    void (*serialize)(const segue_learner *learner, segue_bytes *b);
    segue_status (*deserialize)(segue_learner *learner, segue_bytes_reader *r, segue_error *err);
    /* Read the state of a file before version 8, whose types were fitted by EM; NULL: as now. */
    segue_status (*deserialize_fitted)(segue_learner *learner, segue_bytes_reader *r,
                                       segue_error *err);
    /* Features of tasks; NULL: the method has no types that they could shift. */
    const feature_method *features;
} learner_method;

extern const learner_method segue_learner_auto, segue_learner_tla, segue_learner_tts,
    segue_learner_ts_prior, segue_learner_tucb, segue_learner_ts, segue_learner_la,
    segue_learner_ucb, segue_learner_ucb1, segue_learner_kl_ucb, segue_learner_moss,
    segue_learner_imed, segue_learner_bayes_ucb, segue_learner_eps_greedy, segue_learner_exp3,
    segue_learner_round_robin, segue_learner_ada_ts, segue_learner_hier_ts, segue_learner_dp_ts,
    segue_learner_club, segue_learner_v_ids;

/* The dispersion of rewards that a learner has seen. */
typedef struct learner_dispersion {
    segue_dispersion *arm;              /* n_arms: sums over tasks; NULL: the method learns none */
    double *expected;                   /* n_arms: what new tasks expect */
    segue_expected_dispersion of_tasks; /* ... with its other numbers */
    bool holds;                         /* of_tasks is set */
} learner_dispersion;

struct segue_learner {
    segue_learner_config config; /* completed: defaults filled in */
    const learner_method *method;
    void *state;           /* the method's own */
    shared_prior *current; /* of the next task; NULL: none yet */
    uint64_t version;      /* how often that has changed */
    uint64_t n_identify;   /* the first tasks, which are played round robin */
    uint64_t task_steps;   /* of tasks opened from now on; 0: config.horizon */
    bool *allowed;         /* n_arms: false where an arm is retired; NULL: none is */
    char **arm_name;       /* n_arms, each NULL without a name; NULL: none has one */
    learner_dispersion dispersion;
    segue_refit *refit; /* the open one, or NULL */
    open_task *open, *idle;
    size_t n_idle;
    size_t task_bytes, prior_bytes; /* of all tasks, idle ones too; of all shared priors in use */
    uint64_t opened, closed;
    bool has_posterior;
    segue_type_posterior posterior; /* of the task that was closed last */
};

/* The method of that name, `length` characters, or NULL. */
const learner_method *segue_learner_method_object(const char *name, size_t length);

/* Copy and check a configuration, choose its method, and fill the defaults in.
 * @retval SEGUE_EDOMAIN, SEGUE_ENAME */
SEGUE_MUST_CHECK segue_status segue_learner_config_complete(segue_learner_config *out,
                                                            const segue_learner_config *given,
                                                            const learner_method **method,
                                                            segue_error *err);

/* The open task of a learner; @retval SEGUE_EDOMAIN  it is not one of them */
SEGUE_MUST_CHECK segue_status segue_learner_find_task(const segue_learner *learner,
                                                      const segue_task *task, open_task **out,
                                                      segue_error *err);

/* Close an open task without learning; it may be stored to be opened again. */
void segue_learner_recycle_task(segue_learner *learner, open_task *entry);

/* Store the posterior of a task that is being closed. */
void segue_learner_store_posterior(segue_learner *learner, const open_task *entry);

/* Names of arms: free them; make room for `n_arms`; to bytes, and back into a learner without names.
 * @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
void segue_learner_names_fini(segue_learner *learner);
SEGUE_MUST_CHECK segue_status segue_learner_names_reserve(segue_learner *learner, size_t n_arms,
                                                          segue_error *err);
void segue_learner_names_serialize(const segue_learner *learner, segue_bytes *b);
SEGUE_MUST_CHECK segue_status segue_learner_names_deserialize(segue_learner *learner,
                                                              segue_bytes_reader *r,
                                                              segue_error *err);

/* Features of a task: copy them to an open task, count their memory, and free them; open_task's
 * fields.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_learner_features_set(open_task *entry,
                                                         const segue_feature *features,
                                                         size_t n_features, segue_error *err);
void segue_learner_features_clear(open_task *entry);

/* The prior of a task with features, which the caller uses; NULL: there is none yet.
 * @retval SEGUE_EDOMAIN, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_learner_features_prior(segue_learner *learner,
                                                           const segue_feature *features,
                                                           size_t n_features, shared_prior **out,
                                                           segue_error *err);

/* Forget the open refit: it can no longer be published. */
void segue_learner_refit_detach(segue_learner *learner);

#endif
