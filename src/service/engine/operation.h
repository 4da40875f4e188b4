/* operation.h - one change: validated, stored, applied, responded to.
 *
 * A request that changes something, or an internal job, becomes an operation in the commit queue.
 * The writer takes a group of operations from the queue and runs these steps:
 *
 *   validate  check what needs no state                  any thread, before the queue, no lock
 *   dequeue   clear the queued flag of a job; may add
 *             operations to the group                    writer, before BEGIN
 *   store     check it and write rows                    writer, inside the transaction
 *   apply     change memory                              writer, after COMMIT, learner's lock
 *   respond   write the response                         writer, after apply, no lock held
 *   rollback  undo what `store` did in memory            writer, after ROLLBACK
 *
 * Changes of memory in `store` are not visible to other threads before `apply`; later operations
 * of the same transaction see them in the staged fields of a task.  An error of `store` is an error
 * of the store and rolls back the whole group.  A rejected request is no error: its result is
 * OP_RESPONDED.
 *
 * Each kind is a constant object in a file of its own: operations/op_*.c.  A new kind may need
 * more: an event kind, its recovery, its recovery cost.  ARCHITECTURE.md, "How to add an
 * operation", lists the steps.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_OPERATION_H
#define SEGUE_SERVICE_ENGINE_OPERATION_H

#include "service/engine/decide.h"
#include "service/engine/service.h"
#include "service/state/learner_state.h"

typedef struct operation operation;

/* Where an operation goes after its last step. */
typedef enum operation_result {
    OP_DONE,      /* stored: apply it after the commit, respond, and start its follow-up */
    OP_RESPONDED, /* nothing to apply: the response is written, or it is a job */
    OP_REQUEUE,   /* run it again in a later transaction */
    OP_TO_POOL,   /* its decisions take long: the read pool makes them */
} operation_result;

/* Steps that are NULL do nothing. */
typedef struct operation_kind {
    const char *name;
    bool (*validate)(segue_service *service, operation *op); /* false: the response says why */
    void (*dequeue)(segue_service *service, operation *op);
    void (*expect)(segue_service *service, const operation *op); /* what `store` will look for */
    segue_status (*store)(segue_service *service, operation *op, segue_error *err);
    segue_status (*apply)(segue_service *service, operation *op, segue_error *err);
    void (*respond)(segue_service *service, operation *op); /* only where a request waits */
    void (*rollback)(segue_service *service, operation *op);
    void (*fini)(operation *op);                      /* free the data of this kind */
    bool (*changes_memory_size)(const operation *op); /* by `apply`: count it again */
    learner_job job;                                  /* the flag that says it is queued */
    bool is_alone;                                    /* it is the only one of its transaction */
} operation_kind;

extern const operation_kind op_create_learner, op_change_learner, op_delete_learner;
extern const operation_kind op_add_arm, op_retire_arm, op_merge;
extern const operation_kind op_open, op_close, op_tell, op_tell_many, op_ask;
extern const operation_kind op_erase;
extern const operation_kind op_stop_transfer, op_resume_transfer; /* the first is a job */
extern const operation_kind op_read; /* only reads: never in the commit queue */
/* Internal jobs. */
extern const operation_kind op_persist_pending, op_expire, op_default_reward;
extern const operation_kind op_refit_begin, op_refit_publish, op_snapshot;
extern const operation_kind op_purge, op_probe, op_checkpoint;
extern const operation_kind op_trim;
/* Of a server among several. */
extern const operation_kind op_adopt, op_resign, op_session;

struct operation {
    operation *next; /* in the queue, in its group, or in the read pool */
    const operation_kind *kind;
    const operation_kind *follow_up; /* an ask that brings a reward: op_ask, after op_tell */
    operation_result result;
    bool requeued;  /* it, or the tell before it, was in an earlier transaction */
    unsigned tries; /* times it was requeued because its task is not in memory yet */

    /* A request; zero for a job. */
    segue_parsed_request request;
    segue_response *response; /* NULL for a job */
    segue_completion done;
    void *context;
    decision decision;         /* of its reward */
    segue_bytes reward_result; /* an ask: JSON about the reward that it brought */
    struct read_state *read;   /* progress in the read pool, or NULL */

    /* A job. */
    int64_t learner_id, task_id;

    /* From `store` to `apply`. */
    learner_state *state; /* acquired */
    task_state *task;     /* its staged fields have changed */
    task_state *opened;   /* a task that is not visible yet */
    segue_stored_task row;
    segue_event_kind event_kind; /* of its entry in the event log, at ... */
    uint64_t seq;                /* ... this sequence number */

    union {
        struct {
            segue_learner *learner; /* from `validate` to `store` */
            segue_bytes saved;      /* the saved learner that it starts from */
            bool is_new;
        } create;
        struct {
            terms_change *list; /* `count`, the last one is new; NULL: terms stay */
            size_t count;
            arm_numbers *numbers; /* lists that the new terms point to */
            bool paused;
            bool is_new; /* something changes */
        } change;
        int64_t damaged_id; /* delete: a learner that is not served; `state` is NULL */
        struct {
            segue_session session;      /* adopt: that took it; session: that begins */
            char why[SEGUE_ERROR_SIZE]; /* adopt: it is damaged; "": it is not */
            uint64_t epoch;             /* adopt: of the lease */
            double created, clock;
            unsigned long long number; /* session: that begins */
        } owner;
        struct {
            bool is_new;
        } open;
        struct {
            size_t index;
            bool is_new; /* it was not retired before */
        } arm;
        struct {
            uint64_t sequence; /* default reward: of its entry in the deadline queue */
            size_t n_asks;     /* entries of the task's ask_log that are stored with it */
            bool is_new;       /* the reward was not stored before */
            bool closes;       /* it is the task's last */
            bool is_closed;    /* the task was closed before, or by this reward */
            bool corrects;     /* the decision had a reward, at ... */
            uint64_t position; /* ... this place among those of its task */
            double value;      /* of a learner with several rewards per decision: their aggregate */
            bool grows;        /* the task's memory */
            char key[SEGUE_MAX_NAME_SIZE + 1]; /* of the task */
        } reward;
        struct {
            decided decided; /* decisions of an ask with an event id; n = 0 without one */
            bool is_new;     /* they were not stored before */
        } ask;
        struct {
            int64_t last_task; /* resume: of the open ones */
            bool is_new;       /* it was stopped */
        } transfer;
        struct {
            uint64_t number, tasks; /* of the merges of the learner; tasks that it adds */
            bool is_new;            /* these bytes were not merged before */
        } merge;
        struct tell_list *tell_list; /* tell many: until it is dequeued */
        uint64_t persisted_end;      /* persist: entries before this one are stored */
        bool more;                   /* purge: rows are left */
        segue_trimmed trimmed;       /* trim */
        struct {
            uint64_t rewards; /* that were removed */
            double time;
            bool was_open, snapshot;               /* the task was open; the learner was stored */
            unsigned char hash[SEGUE_DIGEST_SIZE]; /* of the event */
        } erase;
    };
};

operation *segue_operation_create(const operation_kind *kind);
void segue_operation_destroy(operation *op);

/* Reset an operation that ran in a transaction, so that a later one can run `kind`. */
void segue_operation_restart(operation *op, const operation_kind *kind);

/* Find the learner that the request names, or that the job is about: op->state.  False: there is
 * none, and the operation is responded to. */
bool segue_operation_find_learner(segue_service *service, operation *op);
bool segue_operation_find_job_learner(segue_service *service, operation *op);

/* Reject a request: OP_RESPONDED with this status and message. */
void segue_operation_reject(operation *op, int status, const char *format, ...) SEGUE_PRINTF(3, 4);

/* Append to the learner's event log; after the commit, note that memory has the event. */
SEGUE_MUST_CHECK segue_status segue_operation_add_event(segue_service *service, operation *op,
                                                        segue_event_kind kind, int64_t subject,
                                                        segue_error *err);
void segue_operation_event_applied(operation *op, uint64_t rewards);

/* Announce the reward of the operation's decision to the store. */
void segue_operation_expect_reward(segue_service *service, const operation *op);

/* Run the steps after COMMIT or ROLLBACK. */
void segue_operation_apply(segue_service *service, operation *op);
void segue_operation_rollback(segue_service *service, operation *op);

#endif
