/* timer.h - the thread that enqueues jobs because time has passed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_JOBS_TIMER_H
#define SEGUE_SERVICE_JOBS_TIMER_H

#include "service/engine/operation.h"

void *segue_timer_main(void *service);

/* Enqueue the jobs that are due now. */
void segue_timer_tick(segue_service *service);

/* Clear the mark that the close of an idle task is in the queue.  Takes the learner's lock. */
void segue_timer_clear_close_pending(learner_state *state, int64_t id);

/* The task is idle for too long, and the learner is not paused.  The caller holds the learner's
 * lock. */
bool segue_timer_is_idle(const learner_state *state, const task_state *task, double now);

/* A pending decision is past its deadline.  The caller holds the learner's lock. */
bool segue_timer_defaults_due(const learner_state *state, double now);

/* Create the default rewards of decisions past their deadline: a linked list of operations, which
 * the caller owns.  Takes the learner's lock. */
operation *segue_timer_create_default_rewards(segue_service *service, int64_t learner);

/* Report requests without a valid token, at most once a minute. */
void segue_timer_report_rejections(segue_service *service);

#endif
