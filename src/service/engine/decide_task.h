/* decide_task.h - choose an arm of an open task, and make it a decision.
 *
 * The caller holds the learner's lock, except where a function works on a copy.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_DECIDE_TASK_H
#define SEGUE_SERVICE_ENGINE_DECIDE_TASK_H

#include "service/engine/ask_limits.h"
#include "service/state/learner_state.h"

/** One decision: which arm, and its probability if that was wanted. */
typedef struct arm_choice {
    decision decision;
    const char *arm;                 /* its name */
    double probability;              /* 0: not requested */
    bool exact;                      /* not estimated by draws */
    const char *would_choose;        /* shadow mode: the name of Segue's arm ... */
    double would_choose_probability; /* ... and its probability; 0: not known any more */
} arm_choice;

/** The distribution of the arm that the policy would choose next, within the limits of an ask;
 * valid until a reward; all zeros: not computed. */
typedef struct arm_distribution {
    double *drawn, *probability; /* per arm; one allocation */
    uint64_t draws;
    bool certain; /* exact: the policy draws nothing, or does not choose */
} arm_distribution;

/** Compute the distribution, once per request: it costs as much as many decisions.  Free
 * distribution->drawn.
 * @retval SEGUE_EDOMAIN  no arm may be chosen
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_decide_task_distribution(task_state *task,
                                                             const ask_limits *limits,
                                                             arm_distribution *distribution,
                                                             segue_error *err);

/** The two halves of segue_decide_task_ask: choose an arm; make the choice a decision. */
SEGUE_MUST_CHECK segue_status segue_decide_task_choose(task_state *task, const ask_limits *limits,
                                                       arm_distribution *distribution,
                                                       arm_choice *out, segue_error *err);
void segue_decide_task_issue(learner_state *state, task_state *task, arm_choice *choice,
                             double now);

/** In shadow mode, instead of segue_decide_task_choose: the caller chose out->decision.arm with
 * out->probability (0: not known); find what Segue would have chosen.  `distribution` is computed. */
SEGUE_MUST_CHECK segue_status segue_decide_task_observe(task_state *task, const ask_limits *limits,
                                                        arm_distribution *distribution,
                                                        arm_choice *out, segue_error *err);

/** A copy of an open task, to choose and to explain without the lock. */
typedef struct task_copy {
    task_state task;    /* without a key */
    const char **names; /* of all arms; the names belong to the learner */
    bool *allowed;      /* arms that are not retired; NULL: all */
} task_copy;

/**
 * Copy a task.  The caller holds the lock, also to free the copy; free it after a failure, too.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_decide_task_copy(learner_state *state, const task_state *task,
                                                     task_copy *out, segue_error *err);
void segue_decide_task_copy_fini(task_copy *copy);

/** Make a choice on a copy a decision of the task. */
void segue_decide_task_issue_copied(learner_state *state, task_state *task, arm_choice *choice,
                                    double now);

/** The cost of an ask, in units of about 0.1 microseconds. */
double segue_decide_task_cost(const task_state *task, uint64_t count, bool probability,
                              bool explain);

/**
 * Ask a task.
 *
 * @retval SEGUE_EDOMAIN  no arm may be chosen
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_decide_task_ask(learner_state *state, task_state *task,
                                                    const ask_limits *limits,
                                                    arm_distribution *distribution, double now,
                                                    arm_choice *out, segue_error *err);

#endif
