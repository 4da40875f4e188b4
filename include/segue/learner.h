/* learner.h - many tasks, each starting from what the earlier ones taught.
 *
 * A learner opens tasks and closes them; from the closed ones it learns what tasks are like, and
 * the next task starts with that.  One thread at a time may use a learner and its tasks; only
 * segue_refit_run may go on beside it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_LEARNER_H
#define SEGUE_LEARNER_H

#include "segue/estimator.h"
#include "segue/task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct segue_learner segue_learner;

/** How a learner learns.  Start from segue_learner_defaults(). */
typedef struct segue_learner_config {
    const char *method;     /* one of segue_learner_kinds(); default "auto" */
    size_t n_arms;          /* required */
    size_t n_models;        /* tucb: m, how many models to look for; required (in a simulation, 0,
                               the default: as many as the environment has) */
    uint64_t horizon;       /* n: steps a task; 0 (the default): not known, which tucb and tla need,
                               tla as a guess on the high side */
    uint64_t n_tasks;       /* J: tasks to come; default 10,000 */
    double delta;           /* probability of failure; 0 (the default): 1 / n */
    double c;               /* C of eps_j = C sqrt(log(2 m K J / delta) / j); default 2 */
    bool doubling;          /* let C start at 0.25 and double at each violation; default false */
    bool cold;              /* rtp, em: forget the last answer at each estimate; default false */
    bool background;        /* closing a task never fits anew, which takes milliseconds; whoever has
                               the learner begins and publishes refits; default false */
    uint64_t identify;      /* play so many first tasks round robin, to estimate well; default 0 */
    segue_views views;      /* default: the paper's */
    segue_batches batches;  /* default: consecutive */
    const char *estimator;  /* "rtp" (the default), "algorithm-b", "eca", "em" */
    size_t starts, steps;   /* L and N of rtp; defaults 24 and 40 */
    uint64_t every;         /* estimate again after so many tasks; default 1 */
    double growth;          /* but not before the tasks have grown by this share; default 0, and at
                               least 0.05 with em or above SEGUE_MAX_DENSE_ARMS arms */
    size_t hint;            /* tts, tla: types that somebody expects; default 0, unknown */
    size_t window;          /* finished tasks that are kept, by tts and tla (default 512) and by
                               tucb with em (default 8,192); 0: the default */
    size_t cap;             /* tts, tla: the most types there may be; default 16 */
    double lowest, highest; /* the range of rewards; default 0 .. 1 */
    uint64_t seed, run;     /* of the random streams; defaults 1 and 0 */
} segue_learner_config;

SEGUE_API segue_learner_config segue_learner_defaults(void);

/**
 * Read a learner's name and options, `tucb:C=1,views=symmetric`, into `config`; other fields stay.
 *
 * @retval SEGUE_ENAME    no such learner or option
 * @retval SEGUE_EPARSE, SEGUE_EDOMAIN  a value is wrong
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_parse(segue_learner_config *config,
                                                            const char *text, segue_error *err);

/** Whether `text` begins with the name of a learner. */
SEGUE_API bool segue_learner_is_named(const char *text);

/** A method of learning, for help. */
typedef struct segue_learner_kind {
    const char *name;    /* as typed on the command line */
    const char *summary; /* one line */
    const segue_option *options;
    size_t n_options;
} segue_learner_kind;

/** The methods, from 0 on; NULL: there are no more. */
SEGUE_API const segue_learner_kind *segue_learner_kinds(size_t i);

/** How a learner is doing. */
typedef struct segue_learner_summary {
    uint64_t opened, closed; /* tasks */
    uint64_t left_out;       /* closed tasks with an arm of fewer than three rewards (em: with no
                                reward at all): their rewards are not in the estimate */
    uint64_t violations;     /* closed tasks whose averages no estimated model was near to */
    uint64_t no_model_left;  /* steps at which no estimated model agreed with the rewards */
    uint64_t age;            /* closed tasks that the estimate does not know of yet */
    double c, eps;           /* C now; eps of the next task, infinite without an estimate */
    size_t n_types;          /* tts, tla: found so far */
    double none;             /* and the share of tasks that fit none of them */
    segue_estimate_info estimate;
} segue_learner_summary;

/**
 * @retval SEGUE_ENAME, SEGUE_EDOMAIN  a field of `config` is wrong
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_create(segue_learner **out,
                                                             const segue_learner_config *config,
                                                             segue_error *err);

/** Free a learner and the tasks that are still open; NULL is fine. */
SEGUE_API void segue_learner_destroy(segue_learner *learner);

/**
 * Open a task: ask and tell as in task.h.  Several may be open at once; each goes by the models
 * that were current when it was opened.  It belongs to the learner until it is closed.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_open_task(segue_learner *learner,
                                                                segue_task **out, segue_error *err);

/**
 * Close a task, at any time, and learn from it; *task becomes NULL.
 *
 * tucb counts a task with an arm of fewer than three rewards (em: with none at all) and leaves it
 * out; that is no error.  The others learn from what there is.  On failure the task is closed, and
 * the learner goes by its last estimate.
 *
 * @retval SEGUE_EDOMAIN  the task is not of this learner; it stays as it is
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_close_task(segue_learner *learner,
                                                                 segue_task **task,
                                                                 segue_error *err);

/** tucb: the models of the next task, the learner's until a task is closed or a refit published;
 * NULL: none yet, or a learner that goes by no models. */
SEGUE_API const segue_models *segue_learner_models(const segue_learner *learner);

/** How the learner is doing. */
SEGUE_API segue_learner_summary segue_learner_info(const segue_learner *learner);

/** Its configuration, defaults filled in. */
SEGUE_API const segue_learner_config *segue_learner_settings(const segue_learner *learner);

/** How often what tasks are taught has changed; and how often it had when a task was opened.
 * Answers of one version number the types alike. */
SEGUE_API uint64_t segue_learner_version(const segue_learner *learner);

/** @retval SEGUE_EDOMAIN  the task is not an open one of this learner */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_task_version(const segue_learner *learner,
                                                                   const segue_task *task,
                                                                   uint64_t *version,
                                                                   segue_error *err);

/* ---- refits in the background -------------------------------------------------------------- */

/** A fit to the tasks that a learner keeps, made aside.  It ends with publish or destroy. */
typedef struct segue_refit segue_refit;

/** Whether a refit should begin: only with config.background, and not while one is open. */
SEGUE_API bool segue_learner_refit_due(const segue_learner *learner);

/**
 * Begin a refit with a copy of what the learner knows: quick.  A learner has one open at most, and
 * a file that is saved meanwhile does not have it: once loaded, a refit is due again.
 *
 * @retval SEGUE_EDOMAIN  none is due
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_refit_begin(segue_learner *learner,
                                                                  segue_refit **out,
                                                                  segue_error *err);

/**
 * Fit the copy: milliseconds, in any thread, while the learner and its tasks go on.
 *
 * @retval SEGUE_ENOMEM  it can be run again
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_refit_run(segue_refit *refit, segue_error *err);

/**
 * Let the tasks to come go by a refit that was run, and free it; *refit becomes NULL: quick.  Tasks
 * that were closed since it began are learned from on top of it, arms that were added are flat in
 * it.  What a learner knows depends only on the order in which tasks are closed and refits begun
 * and published, not on when they run.
 *
 * On failure the refit is left as it is, and the learner goes by its last types.
 *
 * @retval SEGUE_EDOMAIN  it is not of this learner, was not run, or began before a merge
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_refit_publish(segue_learner *learner,
                                                                    segue_refit **refit,
                                                                    segue_error *err);

/** Give a refit up, unless it runs; NULL is fine.  It is then due again. */
SEGUE_API void segue_refit_destroy(segue_refit *refit);

/* ---- arms that come and go ----------------------------------------------------------------- */

/**
 * Add an arm behind the others; config.n_arms grows by one.  Nothing is known of it, in any type,
 * until it is pulled.  Open tasks keep the arms that they were opened with.  On failure nothing has
 * changed.
 *
 * @retval SEGUE_EDOMAIN  there are SEGUE_MAX_ARMS, or it is tucb, whose moments cannot grow
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_add_arm(segue_learner *learner,
                                                              segue_error *err);

/**
 * Retire an arm: tasks that are opened from here on never pull it.  Arms keep their index, and what
 * an arm taught is kept.  To retire one that is retired changes nothing.
 *
 * @retval SEGUE_EDOMAIN  no such arm, the last one that is left, or it is tucb, which learns only
 *                        from tasks that pulled every arm
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_retire_arm(segue_learner *learner, size_t arm,
                                                                 segue_error *err);

/** Whether an arm is retired. */
SEGUE_API bool segue_learner_is_retired(const segue_learner *learner, size_t arm);

/* ---- several learners ---------------------------------------------------------------------- */

/**
 * Add what another learner has learned, as if the tasks that it closed had been closed here too.
 * tts and tla keep the newest tasks of both, in turn, as far as the window goes, and fit anew at
 * once, which takes milliseconds.  `from`, and what its open tasks have seen, stays as it is; arms
 * that it retired are not retired here.  On failure `into` goes by what it knew.
 *
 * @retval SEGUE_EDOMAIN  another method, number of arms or range of rewards; tucb: another
 *                        estimator or views, or em, whose counts do not add up
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_merge(segue_learner *into,
                                                            const segue_learner *from,
                                                            segue_error *err);

/* ---- what a task is taken for -------------------------------------------------------------- */

/** The most types that a task can be taken for. */
#define SEGUE_MAX_TYPES 16

/** What a task was taken for at its end.  Types are counted from 1; 0 is "none of them". */
typedef struct segue_type_posterior {
    uint64_t version; /* that the task was opened with, whose types these are */
    size_t n_types;
    double weight[SEGUE_MAX_TYPES + 1]; /* n_types + 1: how likely each is, sum 1 */
} segue_type_posterior;

/** What the task that was closed last was taken for; false: none was since the learner was made or
 * loaded, or it is tucb, which knows no types. */
SEGUE_API bool segue_learner_last_posterior(const segue_learner *learner,
                                            segue_type_posterior *out);

/** What the next pull of a task is for. */
typedef enum segue_purpose {
    SEGUE_EXPLOIT,    /* the arm with the largest mean now */
    SEGUE_TELL_APART, /* it tells two types apart, one of them maybe "none" */
    SEGUE_EXPLORE     /* to know the arm better, whatever the type is */
} segue_purpose;

/** What an open task is taken for, and why.  Types are counted from 1; 0 is "none of them". */
typedef struct segue_explanation {
    size_t n_types;
    double weight[SEGUE_MAX_TYPES + 1]; /* n_types + 1: how likely each is, sum 1 */
    size_t arm;                         /* that look-ahead would pull next */
    segue_purpose purpose;              /* of that pull */
    size_t first, second;               /* the two types that it tells apart most, if any */
    double gain;                        /* expected over the best arm now, to the task's end */
} segue_explanation;

/**
 * Explain an open task of a learner of types (tla, tts, ts-prior).  A learner that samples (tts,
 * and tla now and then) may pull another arm than look-ahead would.
 *
 * @retval SEGUE_EDOMAIN  the task is not an open one of this learner, or tucb's, which has no types
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_explain(const segue_learner *learner,
                                                              segue_task *task,
                                                              segue_explanation *out,
                                                              segue_error *err);

/** The same, if only the allowed arms may be pulled (n_arms of the task; NULL: all).
 * @retval SEGUE_EDOMAIN  also where none is left */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_explain_among(const segue_learner *learner,
                                                                    segue_task *task,
                                                                    const bool *allowed,
                                                                    segue_explanation *out,
                                                                    segue_error *err);

/* ---- files --------------------------------------------------------------------------------- */

/**
 * Save a learner to one file, whole or not at all; it can be read on every machine.  Open tasks
 * and refits are not in it.
 *
 * @retval SEGUE_EFILE  the file cannot be written
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_save(const segue_learner *learner,
                                                           const char *path, segue_error *err);

/**
 * Load a learner, which goes on bit for bit as the saved one would have.  `n_arms`, unless 0, is
 * the number of arms it must have.
 *
 * @retval SEGUE_EFILE    no learner's file, truncated, damaged, or of another version
 * @retval SEGUE_EDOMAIN  it has another number of arms
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_load(segue_learner **out, const char *path,
                                                           size_t n_arms, segue_error *err);

/** eps_j = C sqrt(log(2 m K J / delta) / j): how far an estimate from j tasks may be off. */
SEGUE_API double segue_tucb_model_error(double c, size_t n_models, size_t n_arms, uint64_t n_tasks,
                                        double delta, uint64_t j);

#ifdef __cplusplus
}
#endif
#endif
