/* decide.h - choose arms for an ask, and write the response.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_DECIDE_H
#define SEGUE_SERVICE_ENGINE_DECIDE_H

#include "service/engine/decide_task.h"
#include "service/engine/service.h"
#include "service/state/learner_state.h"

struct operation;

/* Decisions of one ask, and what the response says besides. */
typedef struct decided {
    arm_choice *choice; /* n */
    size_t n;
    bool control;
    uint64_t version;
    segue_bytes why; /* the explanation, if it was requested */
} decided;

void segue_decide_fini(decided *d);

/* The number of decisions that an ask wants. */
size_t segue_decide_count(const segue_parsed_request *request);

/* A task that is opened for this request would have an arm to choose; false: the response says that
 * it has none.  Writer, which alone changes the arms. */
bool segue_decide_can_choose(const learner_state *state, const segue_parsed_request *request,
                             segue_response *response);

/* In shadow mode, put the caller's arm and its probability into *out, for a task with these terms
 * and arms; `allowed`: NULL, or the arms that may be chosen.  False: the response says why not, also
 * if the request does not fit the mode.  The caller holds the learner's lock, or is the writer. */
bool segue_decide_take_chosen(const learner_state *state, const task_terms *terms, size_t n_arms,
                              const segue_parsed_request *request, const bool *allowed,
                              arm_choice *out, segue_response *response);

/* The ask needs the probabilities of the arms. */
bool segue_decide_needs_distribution(const task_state *task, const segue_parsed_request *request);

/* Choose; false: the response says why not.  The caller holds the learner's lock. */
bool segue_decide_choose(segue_service *service, learner_state *state, task_state *task,
                         const segue_parsed_request *request, decided *out,
                         segue_response *response);

/* The learner is paused: the response says so.  The caller holds the learner's lock, or is the
 * writer. */
bool segue_decide_is_paused(const learner_state *state, segue_response *response);

/* Allocate for deadlines of these decisions, if the task has a default reward; false: the
 * response says why not.  The caller holds the learner's lock. */
bool segue_decide_reserve_deadlines(segue_service *service, learner_state *state,
                                    const task_state *task, const segue_parsed_request *request,
                                    segue_response *response);
/* Count the memory of the asks of a task, which had `before` bytes. */
void segue_decide_count_asks(segue_service *service, learner_state *state, const task_state *task,
                             size_t before);
/* Push decisions onto the deadline queue, if their task has a default reward. */
void segue_decide_push_deadlines(learner_state *state, const decided *d, bool persisted);

/* The ask takes so long that the read pool must decide it. */
bool segue_decide_is_long(const task_state *task, const segue_parsed_request *request);

/* Ask an open task by its key.  Takes the learner's lock. */
typedef enum ask_outcome { ASK_RESPONDED, ASK_NOT_OPEN, ASK_IS_LONG } ask_outcome;
ask_outcome segue_decide_ask(segue_service *service, learner_state *state,
                             const segue_parsed_request *request, const segue_bytes *reward_result,
                             segue_response *response);

/* Write the decisions; `reward_result`: JSON about the reward that came with the ask, or NULL. */
void segue_decide_respond(segue_service *service, const segue_parsed_request *request,
                          const decided *d, const segue_bytes *reward_result,
                          segue_response *response);
/* Respond to an ask whose reward closed the task. */
void segue_decide_respond_closed(const struct operation *op);

#endif
