/* inside.h - the parts of the service, for its own files.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVE_INSIDE_H
#define SEGUE_SERVE_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "serve/check.h"
#include "serve/clock.h"
#include "serve/live.h"
#include "serve/memory.h"
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

/* Requests that wait to be begun, of one class: those that read, or asks that take long. */
typedef struct read_class {
    struct op *fresh, **fresh_end; /* not begun, in the order in which they came */
    size_t n_begun, n_open;        /* n_begun counts those that a thread has in hand, too */
} read_class;

enum { POOL_READS, POOL_ASKS, POOL_CLASSES };

/* Requests that only read, or that take long, each a piece at a time: read_pool.c. */
typedef struct read_pool {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    read_class of[POOL_CLASSES];
    struct op *begun, **begun_end; /* waiting for their next turn */
    bool prefers_begun;            /* whose turn it is */
    bool started, full, closed;    /* it has threads; takes nothing more; works no more */
    pthread_t thread[2];           /* of the thread that starts and stops it */
    size_t n_threads;
} read_pool;

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
    uint64_t seq;
    asked asked;             /* OP_ASK: what was stored */
    bytes told;              /* what an ask tells of the reward that came with it */
    char key[NAME_MOST + 1]; /* OP_TELL: of the task, if it is closed */
    segue_learner *learner;  /* OP_CREATE: made when the words were checked */
    live_task *opened;       /* that it opens: made before it is stored */
    struct read_state *read; /* how far the pool has come, or NULL */
    bool to_pool;            /* its decisions take long: the pool makes them */
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
    /* Used by the writer alone (before it starts: by the thread that creates the service); other
     * threads only call segue_store_is_there. */
    segue_store *store;
    segue_store *reader; /* used by all others, under reader_lock; the same one without a file */
    pthread_mutex_t reader_lock;
    unsigned char key[16];
    unsigned char start[16]; /* random bits of this start; what must never repeat goes by them */
    service_clock clock;
    double clock_probed; /* service time of the last probe for it; of the thread that keeps time */
    tokens tokens;
    metrics metrics;
    memory memory;

    pthread_rwlock_t learners_lock;
    map by_name, by_id;              /* of live_learner */
    damaged_learner *damaged;        /* those that are not served */
    char reported[SEGUE_ERROR_SIZE]; /* the damage that was reported last ... */
    double reported_at;              /* ... and when, in service time */

    queue queue;
    read_pool pool;
    pthread_t writer, estimator, timer;
    bool started, stopped, estimates, keeps_time;
    atomic_bool broken, failing;             /* cannot go on; cannot store just now */
    atomic_bool probes;                      /* a probe is in the queue */
    atomic_bool checkpoints;                 /* a checkpoint is in the queue */
    atomic_bool checkpoint_fails, wal_large; /* and that was reported */
    double checkpoint_next;     /* of the thread that writes: not before this (monotonic) ... */
    uint64_t checkpoint_frames; /* ... unless the WAL became smaller than it was then */
    char why[SEGUE_ERROR_SIZE]; /* it is broken */
    atomic_ullong open_tasks, draws;
    atomic_ullong unstored;         /* decisions that wait for a default and are not stored yet */
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
/* Draw 64 random bits.  They do not repeat, but for chance: not in this start, nor in another one,
 * nor in a history that was lost when the store was restored from a backup. */
uint64_t segue_service_draw(segue_service *service);
/* What was stored could not be applied: memory is not what the disk is. */
void segue_service_break(segue_service *service, const segue_error *why);
/* Take the memory to enter a learner; then entering it cannot fail. */
bool segue_service_prepare(segue_service *service, live_learner *live);
bool segue_service_enter(segue_service *service, live_learner *live);
void segue_service_leave(segue_service *service, live_learner *live);
/* Learners one after the other, each held. */
live_learner **segue_service_all(segue_service *service, size_t *count);

/* Count the memory of a learner anew, under its lock.  For the thread that writes: also what its
 * operations may need after a commit. */
void segue_count_memory(segue_service *service, live_learner *live);
/* The learner is served no more: what it takes counts no more. */
void segue_service_forget_memory(segue_service *service, live_learner *live);
void segue_want_memory(segue_service *service, const live_learner *live);
/* Whether there is room for tasks and learners; false: the reply says why not. */
bool segue_has_memory(segue_service *service, segue_reply *reply);

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

/* ---- checkpoint.c ------------------------------------------------------------------------ */

/* Copy the WAL to the main file, if it is large, or if its file was found to be; or because the
 * disk may be full.  For the thread that writes, outside a transaction. */
void segue_checkpoint_if_due(segue_service *service, bool oversized);
void segue_checkpoint_for_space(segue_service *service);
/* Whether the WAL may grow.  @retval SEGUE_EIO  it may not */
segue_status segue_wal_allow(segue_service *service, segue_error *err);
/* Enqueue a checkpoint, if the WAL is too large; from any thread. */
void segue_wish_checkpoint(segue_service *service);

/* ---- stage.c, apply.c -------------------------------------------------------------------- */

/* Store an operation; a failure is the store's, and undoes the whole group. */
segue_status segue_stage(segue_service *service, op *o, segue_error *err);
/* It is not stored, and will not be. */
void segue_undo(segue_service *service, op *o);
void segue_undo_open(segue_service *service, op *o); /* nor is the task that it opens */
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
/* Report requests without a valid token, at most once a minute. */
void segue_report_refusals(segue_service *service);

/* ---- asking.c ---------------------------------------------------------------------------- */

/* Choose for a call, under the learner's lock; false: the reply tells why not. */
bool segue_choose(segue_service *service, live_learner *live, live_task *task,
                  const segue_call *call, asked *out, segue_reply *reply);

/* Whether a task that is opened for a call would have an arm to choose; false: the reply tells why
 * not.  For the thread that writes, which alone changes the arms. */
bool segue_may_choose(const live_learner *live, const segue_call *call, segue_reply *reply);

/* Have room for decisions that wait for the learner's default; false: the reply says that there is
 * none.  Under its lock. */
bool segue_let_many_wait(segue_service *service, live_learner *live, const segue_call *call,
                         segue_reply *reply);
/* Let decisions wait for the learner's default, if it has one; under its lock. */
void segue_let_wait(live_learner *live, const asked *a, bool kept);

/* Those of the first n_arms that may be chosen: *allowed (of all arms), the caller's to free; NULL:
 * all of them.  False: the reply tells why not. */
bool segue_find_allowed(const live_learner *live, size_t n_arms, const segue_call *call,
                        bool **allowed, segue_reply *reply);
void segue_answer_no_choice(const segue_error *why, segue_reply *reply);

/* Whether an ask takes so long that it is the pool's to answer. */
bool segue_is_long(const live_task *task, const segue_call *call);

/* Ask a task by its key. */
typedef enum ask_outcome { ASK_ANSWERED, ASK_NOT_OPEN, ASK_IS_LONG } ask_outcome;
ask_outcome segue_ask_now(segue_service *service, live_learner *live, const segue_call *call,
                          const bytes *told, segue_reply *reply);

void segue_answer_asked(segue_service *service, const segue_call *call, const asked *a,
                        const bytes *told, segue_reply *reply);
/* What an ask gives where the reward that came with it has closed the task. */
void segue_answer_ended(const op *o);

/* ---- long_ask.c -------------------------------------------------------------------------- */

/* Take what the pool has chosen for an event as decisions of an open task, under the lock; false:
 * it has chosen nothing for this task. */
bool segue_take_chosen(segue_service *service, op *o, live_task *task);

/* ---- read_pool.c ------------------------------------------------------------------------- */

void segue_pool_init(read_pool *pool);
SEGUE_MUST_CHECK segue_status segue_pool_start(segue_service *service, segue_error *err);
/* Answer what is under way with 503, and end the threads. */
void segue_pool_stop(segue_service *service);
void segue_pool_fini(read_pool *pool);
void segue_read_fini(op *o); /* reads.c */
/* Let the pool answer it, and call `done`; without threads that is done at once.  False: the pool
 * is full or closed, and the operation is still the caller's. */
bool segue_pool_put(segue_service *service, op *o);
size_t segue_pool_length(read_pool *pool);

/* ---- glance.c ---------------------------------------------------------------------------- */

/* One of the types found, in a list. */
void segue_answer_type(bytes *b, const segue_found *found, size_t k);
/* A copy of the versions that are kept, and the newest; false: out of memory. */
bool segue_copy_versions(live_learner *live, segue_versions *out, past_version *newest);
void segue_answer_version(bytes *b, const past_version *version, bool first);
void segue_answer_decisions(live_learner *live, segue_reply *reply);

/* ---- answers.c --------------------------------------------------------------------------- */

/* What is told of a learner, copied under its lock. */
typedef struct shown_arm {
    const char *name;
    bool retired;
    uint64_t pulls;
    double total;
} shown_arm;

typedef struct shown_learner {
    shown_arm *arm;
    size_t n_arms;
    uint64_t version, age, open, closed, control, rewards;
    record_group whole;
    segue_found found;
} shown_learner;

bool segue_show_learner(live_learner *live, shown_learner *out); /* false: out of memory */
void segue_shown_fini(shown_learner *shown);

/* Bodies of replies.  A learner is written in parts, 0, 1, ... until one returns false. */
bool segue_answer_part(const live_learner *live, const shown_learner *shown, size_t part, bytes *b);
void segue_answer_learner(live_learner *live, int status, segue_reply *reply);
void segue_sort_learners(live_learner **all, size_t count);
void segue_answer_line(live_learner *live, bytes *b); /* of the list of learners */
void segue_answer_history(live_learner *live, segue_reply *reply);
/* A task of a list, as it is now; with `explain`, an explanation. */
void segue_answer_listed(live_learner *live, const segue_stored_task *row, bool explain, bytes *b);
void segue_answer_task(segue_service *service, segue_store *store, live_learner *live,
                       const char *key, segue_reply *reply);
/* One that is in the store: open or closed. */
void segue_answer_row(const live_learner *live, const segue_stored_task *row, const char *key,
                      int status, segue_reply *reply);
/* `allowed`: the arms that may be chosen (NULL: all). */
void segue_answer_explanation(live_learner *live, const live_task *task, const bool *allowed,
                              bytes *b);
/* The same of a copy, without the lock; and free the copy, under it. */
void segue_answer_copied(const live_learner *live, const copied_task *copy, const bool *allowed,
                         bytes *b);
void segue_end_copy(live_learner *live, copied_task *copy);
/* What transfer is worth to a learner of no tasks. */
void segue_answer_no_worth(bytes *b);
void segue_answer_told(bytes *b, bool is_new, const char *task, bool closed);
segue_stored_task segue_row_of(const live_learner *live, const live_task *task);

#endif
