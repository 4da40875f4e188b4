/* task.h - what a learner may do with a task, and a user may not.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_TASK_H
#define SEGUE_BANDIT_TASK_H

#include "batches.h"

/** Whether there can be tasks of this setting, and of rewards in this range.
 * @retval SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_task_check_setting(const segue_setting *setting, double lowest,
                                                       double highest, segue_error *err);

/** Before the first step: the models that a policy without precomputed goes by (NULL: none yet),
 * and the value of one of its options. */
void segue_task_set_models(segue_task *task, const segue_models *models, size_t option,
                           double value);

/** Before the first step: what the policies of taught.h begin with; `prior`, and what it points to,
 * must outlive the task, or its next prior.  NULL: nothing. */
void segue_task_set_prior(segue_task *task, const segue_prior *prior);

/** Before the first step: the arms that it may pull (n_arms, copied, one at least); NULL: all. */
void segue_task_set_allowed(segue_task *task, const bool *allowed);

/** What the task sees if only the allowed arms may be chosen (NULL: any that it may pull), until it
 * is narrowed again; false: none is left. */
bool segue_task_restrict(segue_task *task, const bool *allowed, segue_view *out);

/** The law of what the policy draws for its next choices among the allowed arms (n_arms), found by
 * `draws` >= 1 draws: the same until something is told.  *certain: nothing is drawn.
 * @retval SEGUE_EDOMAIN, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_task_draw_distribution(segue_task *task, const bool *allowed,
                                                           uint64_t draws, double *law,
                                                           bool *certain, segue_error *err);

/** How likely each arm is to be what the next ask gives, by that law. */
SEGUE_MUST_CHECK segue_status segue_task_apply_distribution(segue_task *task, const bool *allowed,
                                                            const double *law, bool certain,
                                                            double *out, segue_error *err);

/**
 * A copy to ask and to look at, but not to tell: it keeps no batches.  What the task's prior or
 * models point to must outlive it.  Free it with segue_task_destroy.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_task_copy(segue_task **out, const segue_task *task,
                                              segue_error *err);

/** Before a copy is asked: give it a random stream of its own, which the task's stream names. */
void segue_task_fork_stream(segue_task *task, segue_task *copy);

/** An arm was chosen on a copy: count it as asked. */
void segue_task_count_ask(segue_task *task, size_t arm);

/** Bytes of memory that it takes, without its prior or models. */
size_t segue_task_bytes(const segue_task *task);

/** What a kernel works on, which plays a whole task as asking and telling would. */
typedef struct task_internals {
    const segue_policy *policy;
    const segue_view *view;
    bool unit_range; /* rewards are from 0 to 1 */
    uint64_t *asked, *pulls;
    double *sum;
    const double *graded; /* of each arm the sum of x (1 - x) over its rewards x */
    uint64_t *step, *no_model_left;
    segue_reason *last_reason;
    segue_rng *rng;
    batches *batches;
    size_t state_size;
} task_internals;
task_internals segue_task_internals(segue_task *task);

/** Whoever opened it. */
void segue_task_set_owner(segue_task *task, void *owner);
void *segue_task_owner(const segue_task *task);

/** L of its radius. */
double segue_task_log_term(const segue_task *task);

#endif
