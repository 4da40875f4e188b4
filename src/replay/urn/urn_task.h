/* urn_task.h - one task of an urn while it is played.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_URN_URN_TASK_H
#define SEGUE_REPLAY_URN_URN_TASK_H

#include "replay/urn/urn.h"

typedef struct segue_urn_task {
    const segue_urn *urn; /* borrowed */
    size_t number;        /* of the task in the log */
    uint64_t seed, run;
    double *theta;   /* n_arms: means, drawn from the posterior of the task */
    double best;     /* the largest of them */
    size_t *pulled;  /* n_arms: pulls so far */
    segue_rng *rng;  /* n_arms: streams of rewards beyond the logged ones */
    double value;    /* of all pulls: a logged reward counts as it is, a drawn one by its mean */
    size_t n_logged; /* pulls that a logged reward answered */
} segue_urn_task;

/** @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_urn_task_init(segue_urn_task *out, const segue_urn *urn,
                                                  segue_error *err);
void segue_urn_task_fini(segue_urn_task *task);

/** Begin a task of the log.  Means and rewards depend on (seed, run, task, arm) alone: they are
 * the same for all candidates. */
void segue_urn_task_begin(segue_urn_task *task, size_t number, uint64_t seed, uint64_t run);

/** Pull an arm: return its reward. */
double segue_urn_task_pull(segue_urn_task *task, size_t arm);

#endif
