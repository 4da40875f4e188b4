/* decide.h - decisions, and the responses that carry them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_DECIDE_H
#define SEGUE_SERVICE_ENGINE_DECIDE_H

#include "service/engine/service.h"
#include "service/state/learner_state.h"

struct operation;

/* Decisions, and what an answer tells beside them. */
typedef struct decided {
    arm_choice *choice; /* n */
    size_t n;
    bool control;
    uint64_t version;
    segue_bytes why; /* the explanation, if it was wanted */
} decided;

void segue_decide_fini(decided *d);

/* The number of decisions that an ask wants. */
size_t segue_decide_count(const segue_parsed_request *call);

/* Choose for a call, under the learner's lock; false: the reply tells why not. */
bool segue_decide_choose(segue_service *service, learner_state *state, task_state *task,
                         const segue_parsed_request *call, decided *out, segue_response *reply);

/* Whether a task that is opened for a call would have an arm to choose; false: the reply tells why
 * not.  For the thread that writes, which alone changes the arms. */
bool segue_decide_can_choose(const learner_state *state, const segue_parsed_request *call,
                             segue_response *reply);

/* Have room for decisions that wait for the learner's default; false: the reply says that there is
 * none.  Under its lock. */
bool segue_decide_reserve_deadlines(segue_service *service, learner_state *state,
                                    const segue_parsed_request *call, segue_response *reply);
/* Let decisions wait for the learner's default, if it has one; under its lock. */
void segue_decide_push_deadlines(learner_state *state, const decided *d, bool kept);

/* Those of the first n_arms that may be chosen: *allowed (of all arms), the caller's to free; NULL:
 * all of them.  False: the reply tells why not. */
bool segue_decide_allowed_arms(const learner_state *state, size_t n_arms,
                               const segue_parsed_request *call, bool **allowed,
                               segue_response *reply);
void segue_decide_respond_none(const segue_error *why, segue_response *reply);

/* Whether an ask takes so long that it is the pool's to answer. */
bool segue_decide_is_long(const task_state *task, const segue_parsed_request *call);

/* Ask a task by its key. */
typedef enum ask_outcome { ASK_ANSWERED, ASK_NOT_OPEN, ASK_IS_LONG } ask_outcome;
ask_outcome segue_decide_ask(segue_service *service, learner_state *state,
                             const segue_parsed_request *call, const segue_bytes *reward_result,
                             segue_response *reply);

void segue_decide_respond(segue_service *service, const segue_parsed_request *call,
                          const decided *d, const segue_bytes *reward_result,
                          segue_response *reply);
/* What an ask gives where the reward that came with it has closed the task. */
void segue_decide_respond_closed(const struct operation *op);

#endif
