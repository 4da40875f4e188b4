/* response.h - bodies of responses.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_RESPONSE_H
#define SEGUE_SERVICE_API_RESPONSE_H

#include "segue/internal.h"
#include "service/engine/service.h"
#include "service/state/learner_state.h"
#include "store/store.h"

/* What is told of a learner, copied under its lock. */
typedef struct arm_view {
    const char *name;
    bool retired;
    uint64_t pulls;
    double total;
} arm_view;

typedef struct learner_view {
    arm_view *arm;
    size_t n_arms;
    uint64_t version, age, open, closed, control, rewards;
    task_stats_group whole;
    segue_type_list found;
} learner_view;

bool segue_response_copy_learner(learner_state *state,
                                 learner_view *out); /* false: out of memory */
void segue_response_view_fini(learner_view *shown);

/* Bodies of replies.  A learner is written in parts, 0, 1, ... until one returns false. */
bool segue_response_learner_part(const learner_state *state, const learner_view *shown, size_t part,
                                 segue_bytes *b);
void segue_response_learner(learner_state *state, int status, segue_response *reply);
void segue_response_sort_learners(learner_state **all, size_t count);
void segue_response_list_item(learner_state *state, segue_bytes *b); /* of the list of learners */
void segue_response_history(learner_state *state, segue_response *reply);
/* A task of a list, as it is now; with `explain`, an explanation. */
void segue_response_listed_task(learner_state *state, const segue_stored_task *row, bool explain,
                                segue_bytes *b);
void segue_response_task(segue_service *service, segue_store *store, learner_state *state,
                         const char *key, segue_response *reply);
/* One that is in the store: open or closed. */
void segue_response_stored_task(const learner_state *state, const segue_stored_task *row,
                                const char *key, int status, segue_response *reply);
/* `allowed`: the arms that may be chosen (NULL: all). */
void segue_response_explanation(learner_state *state, const task_state *task, const bool *allowed,
                                segue_bytes *b);
/* The same of a copy, without the lock; and free the copy, under it. */
void segue_response_explain_copy(const learner_state *state, const task_copy *copy,
                                 const bool *allowed, segue_bytes *b);
void segue_response_free_copy(learner_state *state, task_copy *copy);
/* What transfer is worth to a learner of no tasks. */
void segue_response_no_effect(segue_bytes *b);
void segue_response_reward(segue_bytes *b, bool is_new, const char *task, bool closed);
segue_stored_task segue_response_task_row(const learner_state *state, const task_state *task);

/* One of the types found, in a list. */
void segue_response_type(segue_bytes *b, const segue_type_list *found, size_t k);
/* A copy of the versions that are kept, and the newest; false: out of memory. */
bool segue_response_copy_history(learner_state *state, segue_model_history *out,
                                 model_version *newest);
void segue_response_version(segue_bytes *b, const model_version *version, bool first);
void segue_response_decisions(learner_state *state, segue_response *reply);

#endif
