/* timer.h - the thread that enqueues jobs because time has passed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_JOBS_TIMER_H
#define SEGUE_SERVICE_JOBS_TIMER_H

#include "service/engine/operation.h"

void *segue_timer_main(void *service);
/* The end of an idle task is not in the queue any more. */
void segue_timer_clear_close_pending(learner_state *state, int64_t id);
/* Whether the wait of a decision is over; under the learner's lock. */
bool segue_timer_defaults_due(const learner_state *state, double now);
/* The defaults that are due: operations, linked. */
operation *segue_timer_expired(segue_service *service, int64_t learner);
void segue_timer_tick(segue_service *service);
/* Report requests without a valid token, at most once a minute. */
void segue_timer_report_rejections(segue_service *service);

#endif
