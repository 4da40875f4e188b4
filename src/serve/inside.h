/* inside.h - the parts of the service, for its own files.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVE_INSIDE_H
#define SEGUE_SERVE_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "serve/check.h"
#include "serve/live.h"
#include "serve/metrics.h"
#include "serve/rebuild.h"
#include "serve/service.h"
#include "serve/tokens.h"
#include "transfer/play.h"

/* Decisions, and what an answer tells beside them. */
typedef struct asked {
    live_choice *choice; /* n */
    size_t n;
    bool control;
    uint64_t version;
    bytes why; /* the explanation, if it was wanted */
} asked;

typedef struct op {
    struct op *next;
    op_kind kind;
    segue_call call;
    segue_reply *reply; /* NULL: nobody waits */
    segue_done done;
    void *context;
    int64_t learner_id, task_id; /* of what the service wishes */
    decision decision;           /* OP_TELL, OP_FALL_BACK */
    uint64_t place; /* OP_FALL_BACK: in the line; OP_KEEP: those before it are stored */
    bool resumed;   /* a part of it is stored already */
    unsigned tries; /* how often its task was said to be open, and was not in memory */

    /* while it is staged and applied */
    live_learner *live; /* held */
    int64_t damaged;    /* OP_DELETE: a learner that is not served, and `live` is NULL */
    live_task *task;
    bool answered; /* the reply is there; there is nothing to apply */
    bool again;    /* it goes on in the next group, with another kind */
    bool is_new;   /* what it opens was not there, what it tells was not told */
    bool closes;   /* it closes `task` */
    bool more;     /* OP_PURGE: it is not through */
    size_t arm;    /* OP_RETIRE_ARM */
    segue_stored_task row;
    segue_stored_learner made; /* OP_CREATE: its id and when */
    uint64_t seq;
    asked asked;             /* OP_ASK: what was stored */
    bytes told;              /* what an ask tells of the reward that came with it */
    char key[NAME_MOST + 1]; /* OP_TELL: of the task, if it is closed */
    segue_learner *learner;  /* OP_CREATE: made when the words were checked */
} op;

typedef struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    op *first, **last;
    size_t count;
    uint64_t group_most; /* operations of one transaction */
    bool closed;         /* takes nothing more */
} queue;

typedef struct damaged_learner damaged_learner; /* damage.h */

struct segue_service {
    segue_service_config config;
    segue_store *store;  /* of the thread that writes */
    segue_store *reader; /* of all others, one at a time; the same one without a file */
    pthread_mutex_t reader_lock;
    unsigned char key[16];
    uint64_t boot;
    tokens tokens;
    metrics metrics;

    pthread_rwlock_t learners_lock;
    map by_name, by_id;              /* of live_learner */
    damaged_learner *damaged;        /* those that are not served */
    char reported[SEGUE_ERROR_SIZE]; /* the damage that the operator was told of last */

    queue queue;
    pthread_t writer, estimator, timer;
    bool started, stopped, estimates, keeps_time;
    atomic_bool broken, failing; /* cannot go on; cannot store just now */
    atomic_bool probes;          /* a probe is in the queue */
    char why[SEGUE_ERROR_SIZE];  /* it is broken */
    atomic_ullong open_tasks, made_up;
    unsigned long long staged_open; /* of the thread that writes: opened by this transaction */

    pthread_mutex_t work_lock; /* refits to run, in order */
    pthread_cond_t work_filled, tick;
    live_learner *work;
    bool ending;
};

/* ---- service.c --------------------------------------------------------------------------- */

/* A learner by its name or id, held; NULL: there is none. */
live_learner *segue_service_find(segue_service *service, const char *name);
live_learner *segue_service_find_id(segue_service *service, int64_t id);
/* What was stored could not be applied: memory is not what the disk is. */
void segue_service_break(segue_service *service, const segue_error *why);
bool segue_service_enter(segue_service *service, live_learner *live);
void segue_service_leave(segue_service *service, live_learner *live);
/* Learners one after the other, each held. */
live_learner **segue_service_all(segue_service *service, size_t *count);

/* ---- queue.c ----------------------------------------------------------------------------- */

void segue_queue_init(queue *q, uint64_t group_most);
void segue_queue_fini(queue *q);
/* Put it into the queue; false: it takes nothing more, unless it must. */
bool segue_queue_put(queue *q, op *o, bool must);
void segue_queue_close(queue *q);
size_t segue_queue_length(queue *q);
op *segue_op_create(op_kind kind);
void segue_op_destroy(op *o);
void segue_asked_fini(asked *a);
/* Wait for a group, if that is wanted; NULL: there is none, or the queue is closed and empty. */
op *segue_queue_take(queue *q, bool wait);
/* Something of the service's own; false: it cannot be put into the queue. */
bool segue_service_wish(segue_service *service, op_kind kind, int64_t learner, int64_t task);
/* The same, about a learner, unless it is wished already and was not taken up yet. */
void segue_service_wish_once(segue_service *service, live_learner *live, op_kind kind);

/* ---- writer.c ---------------------------------------------------------------------------- */

/* Store a group, apply it, answer. */
void segue_writer_group(segue_service *service, op *group);
void *segue_writer_thread(void *service);
/* Wish for what is due and is not on its way: nothing was wished, or it is lost. */
void segue_catch_up(segue_service *service);

/* ---- stage.c, apply.c -------------------------------------------------------------------- */

/* Store an operation; a failure is the store's, and undoes the whole group. */
segue_status segue_stage(segue_service *service, op *o, segue_error *err);
/* It is not stored, and will not be. */
void segue_undo(op *o);
/* It is stored: let it be seen, and answer. */
void segue_apply(segue_service *service, op *o);
/* Wish for what a learner is due. */
void segue_wish_due(segue_service *service, live_learner *live);

/* ---- background.c ------------------------------------------------------------------------ */

void segue_work_add(segue_service *service, live_learner *live);
void *segue_estimator_thread(void *service);
void *segue_timer_thread(void *service);
/* Run a refit, if there is one to run; false: there is none. */
bool segue_refit_one(segue_service *service, bool wait);
/* The end of an idle task is not in the queue any more. */
void segue_wish_close_again(live_learner *live, int64_t id);
/* Whether the wait of a decision is over; under the learner's lock. */
bool segue_defaults_due(const live_learner *live, double now);
/* The defaults that are due: operations, linked. */
op *segue_expired(segue_service *service, int64_t learner);
void segue_tick(segue_service *service);

/* ---- asking.c ---------------------------------------------------------------------------- */

/* Choose for a call, under the learner's lock; false: the reply tells why not. */
bool segue_choose(segue_service *service, live_learner *live, live_task *task,
                  const segue_call *call, asked *out, segue_reply *reply);

/* Whether a task that is opened for a call would have an arm to choose; false: the reply tells why
 * not.  For the thread that writes, which alone changes the arms. */
bool segue_may_choose(const live_learner *live, const segue_call *call, segue_reply *reply);

/* Let decisions wait for the learner's default, if it has one; under its lock. */
void segue_let_wait(live_learner *live, const asked *a, bool kept);

/* Ask a task by its key; false: no such task is open. */
bool segue_ask_now(segue_service *service, live_learner *live, const segue_call *call,
                   const bytes *told, segue_reply *reply);

void segue_answer_asked(segue_service *service, const segue_call *call, const asked *a,
                        const bytes *told, segue_reply *reply);
/* What an ask gives where the reward that came with it has closed the task. */
void segue_answer_ended(const op *o);

/* ---- glance.c ---------------------------------------------------------------------------- */

/* The types found and the share of none, as fields of an object. */
void segue_answer_types(bytes *b, const segue_found *found);
void segue_answer_versions(live_learner *live, segue_reply *reply);
void segue_answer_decisions(live_learner *live, segue_reply *reply);

/* ---- answers.c --------------------------------------------------------------------------- */

/* Bodies of replies. */
void segue_answer_list(segue_service *service, segue_reply *reply);
void segue_answer_learner(live_learner *live, int status, segue_reply *reply);
void segue_answer_history(live_learner *live, segue_reply *reply);
void segue_answer_tasks(segue_service *service, live_learner *live, const segue_call *call,
                        segue_reply *reply);
void segue_answer_task(segue_service *service, live_learner *live, const char *key,
                       segue_reply *reply);
/* One that is in the store: open or closed. */
void segue_answer_row(const live_learner *live, const segue_stored_task *row, const char *key,
                      int status, segue_reply *reply);
/* `allowed`: the arms that may be chosen (NULL: all). */
void segue_answer_explanation(live_learner *live, const live_task *task, const bool *allowed,
                              bytes *b);
/* What transfer is worth to a learner of no tasks. */
void segue_answer_no_worth(bytes *b);
void segue_answer_told(bytes *b, bool is_new, const char *task, bool closed);
segue_stored_task segue_row_of(const live_learner *live, const live_task *task);

#endif
