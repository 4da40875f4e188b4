/* response.h - a response, and the functions that write bodies.
 *
 * Functions that take a learner_state lock it themselves unless they say otherwise.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_RESPONSE_H
#define SEGUE_SERVICE_API_RESPONSE_H

#include <stdbool.h>

#include "segue/internal.h"
#include "service/api/access/token_file.h"
#include "service/api/http/static_files.h"
#include "service/api/name.h"
#include "service/api/route.h"
#include "service/engine/decide_task.h"
#include "service/state/learner_state.h"
#include "service/state/memory.h"
#include "store/store.h"

typedef struct segue_service segue_service;

typedef struct segue_response {
    segue_route route;
    int status;
    const char *type;              /* Content-Type of the body */
    const char *allow;             /* the header Allow, or NULL */
    unsigned retry;                /* Retry-After in seconds; 0: a retry does not help */
    bool authorized;               /* a valid token came with the request, or none is needed */
    const segue_static_file *page; /* sent instead of `body` (with 304: not sent), or NULL */
    bool is_elsewhere; /* the learner is another server's, or free: route the request again */
    bool is_unknown;   /* ... and it may have been stored: only if a repeat does no harm */
    bool is_absent;    /* the store has no such learner: no server has it */
    segue_bytes body;
    memory *memory; /* counts `held` bytes of the body, or NULL */
    size_t held;
    char id[SEGUE_MAX_NAME_SIZE + 1];           /* of the request */
    char caller[SEGUE_MAX_TOKEN_NAME_SIZE + 1]; /* name of the request's token; "": none */
    char learner[SEGUE_MAX_NAME_SIZE + 1];      /* of a request that needs the right admin */
    char hop[SEGUE_MAX_ADDRESS + 1];            /* of the server that answered; "": this one */
} segue_response;

void segue_response_fini(segue_response *response);

/** Make the response an error with a status and a message.  503 sets Retry-After, since such
 * conditions pass; set `retry` to 0 afterwards where this one does not. */
void segue_response_fail(segue_response *response, int status, const char *format, ...)
    SEGUE_PRINTF(3, 4);

/** Make it an error from a status of the library: 400 for wrong input, else 503. */
void segue_response_fail_status(segue_response *response, const segue_error *why);

/** Make it 503: too many long requests are running. */
void segue_response_busy(segue_response *response);

/** Make it 421: this server does not own the learner. */
void segue_response_elsewhere(segue_response *response);

/** Make it 404: there is no learner of that name. */
void segue_response_no_learner(segue_response *response, const char *name);

/** Add to an error of an ask the result of the tell that came with it: the reward was stored. */
void segue_response_add_reward(segue_response *response, const segue_bytes *reward);

/* ---- bodies: response_learner.c, response_task.c, response_dashboard.c ------------------- */

/** A copy of what a response says about an arm and a learner, made under the learner's lock. */
typedef struct arm_view {
    const char *name;
    bool retired;
    uint64_t pulls;
    double total;
} arm_view;

typedef struct learner_view {
    arm_view *arm;
    size_t n_arms;
    uint64_t version, age, open, closed, control, shadow, rewards;
    segue_bytes settings; /* as JSON */
    task_terms terms;     /* of new tasks */
    uint64_t n_changes;
    bool paused;
    task_stats_group whole;
    effect_state effect;
    segue_type_list found;
    segue_bytes features; /* as JSON; empty: no task of the window has one */
} learner_view;

/** Copy; false: out of memory.  Call segue_response_view_fini in both cases. */
bool segue_response_copy_learner(learner_state *state, learner_view *out);
void segue_response_view_fini(learner_view *shown);

/** Write a learner in parts, 0, 1, ... until one returns false: a long list of types is written
 * between other requests. */
bool segue_response_learner_part(const learner_state *state, const learner_view *shown, size_t part,
                                 segue_bytes *b);
void segue_response_learner(learner_state *state, int status, segue_response *response);

/** Write one learner of the list; sort the list by name. */
void segue_response_list_item(learner_state *state, segue_bytes *b);
void segue_response_sort_learners(learner_state **all, size_t count);

/** Write "mean", or null without pulls.  Rewards were scaled and back: 13 digits are exact. */
void segue_response_mean(segue_bytes *b, uint64_t pulls, double total);

/** Write what a method offers, as flags; NULL: a damaged learner, all false. */
void segue_response_capabilities(segue_bytes *b, const segue_learner_method *method);

/** Write the effect of transfer for a learner without tasks. */
void segue_response_no_effect(segue_bytes *b);

/** Write the groups of closed tasks. */
void segue_response_history(learner_state *state, segue_response *response);

/** Write the report about shadow mode (response_shadow.c). */
void segue_response_shadow(learner_state *state, segue_response *response);

/** Write a learner as an export (response_export.c). */
void segue_response_export(segue_service *service, segue_store *store, learner_state *state,
                           segue_response *response);

/** Write one type of a list. */
void segue_response_type(segue_bytes *b, const segue_type_list *found, size_t k);

/** Copy the stored versions and the newest one; false: out of memory. */
bool segue_response_copy_history(learner_state *state, segue_model_history *out,
                                 model_version *newest);
void segue_response_version(segue_bytes *b, const model_version *version, bool first);

/** Write the last decisions with a reward. */
void segue_response_decisions(learner_state *state, segue_response *response);

/** Write a task of a list in its current state; with `explain`, an explanation. */
void segue_response_listed_task(learner_state *state, const segue_stored_task *row, bool explain,
                                segue_bytes *b);
/** Write the task with this key: an open one from memory, a closed one from the store. */
void segue_response_task(segue_service *service, segue_store *store, learner_state *state,
                         const char *key, segue_response *response);
/** Write a task from its row. */
void segue_response_stored_task(const learner_state *state, const segue_stored_task *row,
                                const char *key, int status, segue_response *response);
/** Return the row of an open task; the caller holds the lock. */
segue_stored_task segue_response_task_row(const learner_state *state, const task_state *task);

/** Write the explanation of a task's next pull, or null.  `allowed`: the arms that may be chosen
 * (NULL: all).  The caller holds the lock. */
void segue_response_explanation(learner_state *state, const task_state *task, const bool *allowed,
                                segue_bytes *b);
/** Write the explanation from a copy, without the lock. */
void segue_response_explain_copy(const learner_state *state, const task_copy *copy,
                                 const bool *allowed, segue_bytes *b);
/** Free a copy: its shared prior is counted under the lock. */
void segue_response_free_copy(learner_state *state, task_copy *copy);

/** Write what a learner knows of features, as a list.  The caller holds the lock. */
void segue_response_features(const segue_learner *learner, segue_bytes *b);
/** Write the field "features" of a stored task, if it has some. */
void segue_response_task_features(segue_store *store, int64_t task, segue_bytes *b);

/** Write the result of a tell. */
void segue_response_reward(segue_bytes *b, bool is_new, const char *task, bool closed,
                           const double *reward);

#endif
