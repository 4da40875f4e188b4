/* operation.h - one change: what a request or a job asks for, and how far it has come.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_OPERATION_H
#define SEGUE_SERVICE_ENGINE_OPERATION_H

#include "service/engine/decide.h"
#include "service/engine/operation_kind.h"
#include "service/engine/service.h"
#include "service/state/learner_state.h"

typedef struct operation {
    struct operation *next;
    operation_kind kind;
    segue_parsed_request request;
    segue_response *response; /* NULL: nobody waits */
    segue_completion done;
    void *context;
    int64_t learner_id, task_id; /* of what the service wishes */
    decision decision;           /* OP_TELL, OP_DEFAULT_REWARD */
    uint64_t
        place; /* OP_DEFAULT_REWARD: in the line; OP_PERSIST_PENDING: those before it are stored */
    bool resumed;   /* a part of it is stored already */
    unsigned tries; /* how often its task was said to be open, and was not in memory */

    /* while it is staged and applied */
    learner_state *state; /* held */
    int64_t damaged;      /* OP_DELETE: a learner that is not served, and `state` is NULL */
    task_state *task;
    bool answered; /* the reply is there; there is nothing to apply */
    bool again;    /* it goes on in the next group, with another kind */
    bool is_new;   /* what it opens was not there, what it tells was not told */
    bool closes;   /* it closes `task` */
    bool more;     /* OP_PURGE: it is not through */
    size_t arm;    /* OP_RETIRE_ARM */
    segue_stored_task row;
    uint64_t seq;
    asked asked;                       /* OP_ASK: what was stored */
    segue_bytes told;                  /* what an ask tells of the reward that came with it */
    char key[SEGUE_MAX_NAME_SIZE + 1]; /* OP_TELL: of the task, if it is closed */
    segue_learner *learner;            /* OP_CREATE: made when the words were checked */
    task_state *opened;                /* that it opens: made before it is stored */
    struct read_state *read;           /* how far the pool has come, or NULL */
    bool to_pool;                      /* its decisions take long: the pool makes them */
} operation;

operation *segue_operation_create(operation_kind kind);
void segue_operation_destroy(operation *op);

/* Store an operation; a failure is the store's, and undoes the whole group. */
segue_status segue_stage(segue_service *service, operation *op, segue_error *err);
/* It is not stored, and will not be. */
void segue_stage_undo(segue_service *service, operation *op);
void segue_stage_undo_open(segue_service *service,
                           operation *op); /* nor is the task that it opens */
/* It is stored: let it be seen, and answer. */
void segue_apply(segue_service *service, operation *op);
/* Wish for what a learner is due. */
void segue_apply_enqueue_due(segue_service *service, learner_state *state);

#endif
