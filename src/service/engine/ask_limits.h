/* ask_limits.h - all that restricts the choice of one ask, collected in one place.
 *
 * The request names arms (`eligible`, `exclude`), the learner has retired some, and the settings that
 * the task was opened with have a floor and fixed shares.  Costs are part of the task itself: it got
 * them when it was opened (learner_state.c).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_ASK_LIMITS_H
#define SEGUE_SERVICE_ENGINE_ASK_LIMITS_H

#include "service/state/learner_state.h"

struct segue_parsed_request;
struct segue_response;

typedef struct ask_limits {
    bool *allowed;          /* of all arms: those that may be chosen; NULL: all of the task */
    segue_task_limits play; /* as the task's own arms meet them, its arrays owned */
} ask_limits;

/* Collect the limits of an ask.  False: the response says why no arm can be chosen.  The caller
 * holds the learner's lock, and frees the limits in any case. */
bool segue_ask_limits_collect(const learner_state *state, task_state *task,
                              const struct segue_parsed_request *request, ask_limits *out,
                              struct segue_response *response);
void segue_ask_limits_fini(ask_limits *limits);

/* Add floor and shares of the task's settings to the allowed arms that `limits` has.
 * SEGUE_EDOMAIN: no arm may be chosen; SEGUE_ENOMEM. */
SEGUE_MUST_CHECK segue_status segue_ask_limits_set(const learner_state *state, task_state *task,
                                                   ask_limits *limits, segue_error *err);

/* The arms that the policy chooses among, to explain its choice; NULL: all. */
const bool *segue_ask_limits_explained(const ask_limits *limits);

/* The first n_arms arms that a request leaves: *allowed (of all arms), to be freed by the caller;
 * NULL: all.  False: the response says why not. */
bool segue_ask_limits_allowed(const learner_state *state, size_t n_arms,
                              const struct segue_parsed_request *request, bool **allowed,
                              struct segue_response *response);

/* Respond that no arm of an open task can be chosen, or with another error. */
void segue_ask_limits_respond_none(const segue_error *why, struct segue_response *response);

#endif
