/* learner.h - play many tasks, and start each from what the earlier ones showed.
 *
 * A learner opens and closes tasks.  From the closed tasks it learns a shared prior (a model set,
 * or types), from which the next tasks start.  One thread at a time may use a learner and its
 * tasks; only segue_refit_run may run beside it.  See also learner_config.h (methods and settings),
 * learner_arms.h (add and retire arms), learner_explain.h (posteriors), learner_features.h (features of
 * tasks) and learner_refit.h (background refits).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_LEARNER_H
#define SEGUE_LEARNER_H

#include "segue/estimator.h"
#include "segue/learner_config.h"
#include "segue/task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct segue_learner segue_learner;

/**
 * Create a learner that has learned nothing yet. `config` is copied. On failure *out is NULL.
 *
 * @retval SEGUE_ENAME, SEGUE_EDOMAIN  a field of `config` is wrong, or its size is unknown
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_create(segue_learner **out,
                                                             const segue_learner_config *config,
                                                             segue_error *err);

/** Free a learner and its open tasks; NULL is fine. */
SEGUE_API void segue_learner_destroy(segue_learner *learner);

/* ---- tasks --------------------------------------------------------------------------------- */

/**
 * Open a task: ask and tell as in task.h.  Several may be open at once; each uses the shared prior
 * that was current when it was opened.  It belongs to the learner until it is closed.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_open_task(segue_learner *learner,
                                                                segue_task **out, segue_error *err);

/**
 * Close a task, at any time, and learn from it; *task becomes NULL.
 *
 * If some arm has fewer than three rewards (em: if the task has no reward at all), tucb skips the
 * task: the estimate does not use it, and `skipped` counts it; that is no error.  Other methods
 * learn from every task.  On failure the task is closed, and the shared prior does not change.
 *
 * @retval SEGUE_EDOMAIN  the task is not of this learner; it stays as it is
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_close_task(segue_learner *learner,
                                                                 segue_task **task,
                                                                 segue_error *err);

/* ---- state --------------------------------------------------------------------------------- */

/** How a learner is doing. */
typedef struct segue_learner_summary {
    uint64_t opened, closed; /* tasks */
    uint64_t skipped;        /* closed tasks with an arm of fewer than three rewards (em: with no
                                reward at all): the estimate does not use them */
    uint64_t violations;     /* closed tasks whose averages are near no estimated model */
    uint64_t no_model_left;  /* steps at which no estimated model agreed with the rewards */
    uint64_t age;            /* closed tasks that the estimate does not contain yet */
    double c, eps;           /* C now; eps of the next task, infinite without an estimate */
    size_t n_types;          /* types found so far */
    double no_type;          /* share of tasks that fit no type */
    segue_estimate_info estimate;
} segue_learner_summary;

/** Return how a learner is doing. */
SEGUE_API segue_learner_summary segue_learner_info(const segue_learner *learner);

/** The model set of the next task, valid until a task is closed or a refit published; NULL: none
 * yet, or the method has no models. */
SEGUE_API const segue_models *segue_learner_models(const segue_learner *learner);

/** The configuration of a learner, with every default filled in. */
SEGUE_API const segue_learner_config *segue_learner_get_config(const segue_learner *learner);

/** The number of changes of the shared prior.  Types keep their numbers while it is the same. */
SEGUE_API uint64_t segue_learner_version(const segue_learner *learner);

/** The version of the shared prior that a task started from.
 * @retval SEGUE_EDOMAIN  the task is not an open one of this learner */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_task_version(const segue_learner *learner,
                                                                   const segue_task *task,
                                                                   uint64_t *version,
                                                                   segue_error *err);

/* ---- merge, save, load --------------------------------------------------------------------- */

/**
 * Add what another learner has learned, as if the tasks that it closed had been closed here too.
 * Methods with types keep the newest tasks of both, in turn, up to the window, and refit at once,
 * which takes milliseconds.  `from` stays as it is; arms that it retired are not retired here.  On
 * failure `into` stays as it is.
 *
 * @retval SEGUE_EDOMAIN  another method, number of arms or range of rewards; tucb: another
 *                        estimator or views, or em, whose counts do not add up
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_merge(segue_learner *into,
                                                            const segue_learner *from,
                                                            segue_error *err);

/**
 * Save a learner to one file that every machine can read, by an atomic rename.  The file contains
 * neither open tasks nor refits.
 *
 * @retval SEGUE_EFILE  the file cannot be written
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_save(const segue_learner *learner,
                                                           const char *path, segue_error *err);

/**
 * Load a learner, which continues bit for bit as the saved one.  `n_arms`, unless 0, is the number
 * of arms that it must have.
 *
 * @retval SEGUE_EFILE    not a learner file, truncated, damaged, or of another version
 * @retval SEGUE_EDOMAIN  it has another number of arms
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_load(segue_learner **out, const char *path,
                                                           size_t n_arms, segue_error *err);

/** The logarithm of eps_j: the paper has three. */
typedef enum segue_eps_form {
    SEGUE_EPS_LEMMA,    /* log(2 m K J / delta): Lemma 9; the default */
    SEGUE_EPS_THEOREM,  /* log(K / delta): Theorem 2 */
    SEGUE_EPS_COROLLARY /* log(2 K^2 / delta): the corollary of Theorem 2 */
} segue_eps_form;

/** eps_j = C sqrt(log(...) / j): how far a model estimated from j tasks may be off. */
SEGUE_API double segue_tucb_model_error(segue_eps_form form, double c, size_t n_models,
                                        size_t n_arms, uint64_t n_tasks, double delta, double j);

#ifdef __cplusplus
}
#endif
#endif
