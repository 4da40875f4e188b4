/* learner.h - the memory of a learner, for the files of this folder.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TRANSFER_LEARNER_H
#define SEGUE_TRANSFER_LEARNER_H

#include "segue/learner.h"

/* A model set that open tasks share with the learner. */
typedef struct model_set {
    segue_models *models;
    uint64_t users;
} model_set;

/* A task and what it was opened with. */
typedef struct open_task {
    segue_learner *learner; /* NULL while it is idle */
    segue_task *task;
    model_set *set; /* NULL: there was no estimate */
    double eps;
    bool identifies;           /* plays round robin */
    struct open_task *next;    /* in its chain */
    struct open_task **before; /* what points at it, while it is open */
} open_task;

struct segue_learner {
    segue_learner_config config; /* defaults filled in */
    segue_moments *moments;
    segue_estimator *estimator;
    model_set *current; /* for the next task; NULL: no estimate */
    open_task *open, *idle;
    double *views; /* 3 x n_arms: scratch */
    double c;
    uint64_t opened, closed, left_out, violations, no_model_left;
    uint64_t estimated_at; /* tasks behind the current set */
    uint64_t next_fit;     /* estimate again at so many tasks */
};

/* Hand a copy of the estimator's set to the tasks to come.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_learner_publish(segue_learner *learner, segue_error *err);

#endif
