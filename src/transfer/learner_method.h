/* learner_method.h - the memory of a learner, and what a method of learning is; one file a method.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TRANSFER_LEARNER_METHOD_H
#define SEGUE_TRANSFER_LEARNER_METHOD_H

#include "bandit/belief.h"
#include "bandit/task.h"
#include "core/bytes.h"
#include "segue/learner.h"

/* What tasks are taught, shared by those that were opened with it. */
typedef struct lesson {
    segue_models *models; /* tucb's; or ... */
    segue_prior prior;    /* ... a prior, whose arrays are ... */
    double *numbers;      /* ... here */
    uint64_t users; /* the learner, while it is current, each open task and each copy of one */
    size_t bytes;   /* of memory ... */
    size_t *total;  /* ... and where those of all lessons of a learner are added up */
} lesson;

/* A task and what it was opened with. */
typedef struct open_task {
    segue_learner *learner; /* NULL while it is idle */
    segue_task *task;
    lesson *lesson;   /* NULL: there was none yet */
    uint64_t version; /* of the learner when it was opened */
    double eps;
    bool identifies;           /* plays round robin */
    struct open_task *next;    /* in its chain */
    struct open_task **before; /* what points at it, while it is open */
} open_task;

/* How a fit is made aside; what is copied is the method's. */
typedef struct refit_method {
    bool (*is_due)(const segue_learner *learner);
    segue_status (*copy)(const segue_learner *learner, void **out, segue_error *err);
    /* Fit the copy, in any thread; @retval SEGUE_ENOMEM */
    segue_status (*run)(void *copy, segue_error *err);
    /* Take over what the copy has become, with what came in since, and publish it; on failure the
     * learner is as it was, and the copy can be adopted again; @retval SEGUE_ENOMEM */
    segue_status (*adopt)(segue_learner *learner, void *copy, segue_error *err);
    void (*discard)(void *copy);
} refit_method;

typedef struct learner_method {
    segue_learner_kind kind; /* name, summary, options */
    /* NULL; or it stands for another method, which it chooses: all but `take` is that one's. */
    const struct learner_method *(*choose)(const segue_learner_config *config);
    /* Take the options that were given (NaN: not) over into a configuration. */
    void (*take)(segue_learner_config *config, const double *value);
    /* Look at the fields that only it uses, and fill in defaults; NULL: there are none.
     * @retval SEGUE_EDOMAIN, SEGUE_ENAME */
    segue_status (*check)(segue_learner_config *config, segue_error *err);
    /* Make and free what it remembers, learner->part; @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
    segue_status (*create)(segue_learner *learner, segue_error *err);
    void (*destroy)(segue_learner *learner);
    /* What its tasks are played by; NULL: that depends, and `plan` fills in policy and batches.
     * @retval SEGUE_EDOMAIN */
    const segue_policy *policy;
    segue_status (*plan)(const segue_learner *learner, bool identifies, segue_task_config *task,
                         segue_error *err);
    void (*teach)(const segue_learner *learner, open_task *entry);
    /* Learn from a task that is over; @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
    segue_status (*learn)(segue_learner *learner, const open_task *entry, segue_error *err);
    /* Refits aside, which `learn` leaves out with config.background; NULL: it needs none. */
    const refit_method *refit;
    /* Remember one arm more than config.n_arms, and publish what is known of all; NULL: arms do not
     * come and go.  On failure nothing has changed; @retval SEGUE_ENOMEM */
    segue_status (*add_arm)(segue_learner *learner, segue_error *err);
    /* Add what another learner of the method, with as many arms, remembers, and publish it; on
     * failure nothing has changed; @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
    segue_status (*merge)(segue_learner *into, const segue_learner *from, segue_error *err);
    void (*look)(const segue_learner *learner, segue_learner_summary *info);
    /* Bytes of what it remembers. */
    size_t (*bytes)(const segue_learner *learner);
    /* The 95 % interval of the mean of an arm of a type (1, 2, ...) that is taught now; NULL: it
     * knows none. */
    void (*interval)(const segue_learner *learner, size_t type, size_t arm, double *low,
                     double *high);
    /* Its memory to bytes, and back into a fresh one; @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
    void (*put)(const segue_learner *learner, segue_bytes *b);
    segue_status (*get)(segue_learner *learner, segue_bytes_reader *r, segue_error *err);
} learner_method;

extern const learner_method segue_learner_auto, segue_learner_tla, segue_learner_tts,
    segue_learner_ts_prior, segue_learner_tucb;

struct segue_learner {
    segue_learner_config config; /* defaults filled in */
    const learner_method *method;
    void *part;         /* what the method remembers */
    lesson *current;    /* for the next task; NULL: none yet */
    uint64_t version;   /* how often that has changed */
    bool *allowed;      /* n_arms: arms that are not retired; NULL: none is */
    segue_refit *refit; /* the one that is open, or NULL */
    open_task *open, *idle;
    size_t n_idle;
    size_t task_bytes, prior_bytes; /* of all tasks, idle ones too; of all lessons in use */
    uint64_t opened, closed;
    bool has_posterior;
    segue_type_posterior taken; /* what the task that was closed last was taken for */
};

#define LEARNER_FILE_VERSION 3

/* The method of that name, or NULL; `length` characters of it. */
const learner_method *segue_learner_method_find(const char *name, size_t length);

/* The open task of a learner; @retval SEGUE_EDOMAIN  it is none */
SEGUE_MUST_CHECK segue_status segue_learner_find_task(const segue_learner *learner,
                                                      const segue_task *task, open_task **out,
                                                      segue_error *err);

/* Have an open task no more; it may be kept to be opened again. */
void segue_learner_recycle_task(segue_learner *learner, open_task *entry);

/* Keep what a task that is being closed is taken for. */
void segue_learner_store_posterior(segue_learner *learner, const open_task *entry);

/* Have no open refit any more: what it becomes is not wanted. */
void segue_learner_refit_detach(segue_learner *learner);

/* A prior of so many components, to be filled in; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_shared_prior_create(lesson **out, size_t n_components,
                                                        size_t n_arms, segue_error *err);
/* One user less; the last one frees it.  NULL is fine. */
void segue_shared_prior_release(lesson *old);

/* Where its numbers are, which a prior only borrows: n_components weights, then n_components x
 * n_arms times a, and b. */
double *segue_shared_prior_weight(const lesson *l);
double *segue_shared_prior_a(const lesson *l);
double *segue_shared_prior_b(const lesson *l);

/* Teach a task the prior of its lesson. */
void segue_shared_prior_apply(const segue_learner *learner, open_task *entry);

/* Let `next` (NULL: none), which the learner owns from here on, be what tasks are taught. */
void segue_shared_prior_publish(segue_learner *learner, lesson *next);

#endif
