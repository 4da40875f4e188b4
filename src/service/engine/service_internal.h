/* service_internal.h - the parts of the service, for its own files.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_SERVICE_INTERNAL_H
#define SEGUE_SERVICE_ENGINE_SERVICE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "segue/internal.h"
#include "service/api/auth.h"
#include "service/engine/metrics.h"
#include "service/engine/service.h"
#include "service/state/clock.h"
#include "service/state/learner_state.h"
#include "service/state/memory.h"
#include "service/state/recovery.h"
#include "service/state/store_check.h"

/* Decisions, and what an answer tells beside them. */
typedef struct asked {
    arm_choice *choice; /* n */
    size_t n;
    bool control;
    uint64_t version;
    segue_bytes why; /* the explanation, if it was wanted */
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
    operation_kind kind;
    segue_parsed_request call;
    segue_response *reply; /* NULL: nobody waits */
    segue_completion done;
    void *context;
    int64_t learner_id, task_id; /* of what the service wishes */
    decision decision;           /* OP_TELL, OP_DEFAULT_REWARD */
    uint64_t
        place; /* OP_DEFAULT_REWARD: in the line; OP_PERSIST_PENDING: those before it are stored */
    bool resumed;   /* a part of it is stored already */
    unsigned tries; /* how often its task was said to be open, and was not in memory */

    /* while it is staged and applied */
    learner_state *live; /* held */
    int64_t damaged;     /* OP_DELETE: a learner that is not served, and `live` is NULL */
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
     * threads only call segue_store_files_exist. */
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
    map by_name, by_id;              /* of learner_state */
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
    learner_state *work;
    bool ending;
};

/* ---- service.c --------------------------------------------------------------------------- */

/* A learner by its name or id, held; NULL: there is none. */
learner_state *segue_service_find(segue_service *service, const char *name);
learner_state *segue_service_find_id(segue_service *service, int64_t id);
/* Draw 64 random bits.  They do not repeat, but for chance: not in this start, nor in another one,
 * nor in a history that was lost when the store was restored from a backup. */
uint64_t segue_service_random_bits(segue_service *service);
/* What was stored could not be applied: memory is not what the disk is. */
void segue_service_fail(segue_service *service, const segue_error *why);
/* Take the memory to enter a learner; then entering it cannot fail. */
bool segue_service_reserve_entry(segue_service *service, learner_state *live);
bool segue_service_register(segue_service *service, learner_state *live);
void segue_service_unregister(segue_service *service, learner_state *live);
/* Learners one after the other, each held. */
learner_state **segue_service_learners(segue_service *service, size_t *count);

/* Count the memory of a learner anew, under its lock.  For the thread that writes: also what its
 * operations may need after a commit. */
void segue_service_count_memory(segue_service *service, learner_state *live);
/* The learner is served no more: what it takes counts no more. */
void segue_service_release_memory(segue_service *service, learner_state *live);
void segue_service_reserve_memory(segue_service *service, const learner_state *live);
/* Whether there is room for tasks and learners; false: the reply says why not. */
bool segue_service_has_memory(segue_service *service, segue_response *reply);

/* ---- queue.c ----------------------------------------------------------------------------- */

void segue_commit_queue_init(queue *q, uint64_t group_most);
void segue_commit_queue_fini(queue *q);
/* Put it into the queue; false: it takes nothing more, unless it must. */
bool segue_commit_queue_push(queue *q, op *o, bool must);
void segue_commit_queue_close(queue *q);
size_t segue_commit_queue_length(queue *q);
op *segue_operation_create(operation_kind kind);
void segue_operation_destroy(op *o);
void segue_decide_fini(asked *a);
/* Wait for a group, if that is wanted; NULL: there is none, or the queue is closed and empty. */
op *segue_commit_queue_pop_group(queue *q, bool wait);
/* Something of the service's own; false: it cannot be put into the queue. */
bool segue_commit_queue_add_job(segue_service *service, operation_kind kind, int64_t learner,
                                int64_t task);
/* The same, about a learner, unless it is wished already and was not taken up yet. */
void segue_commit_queue_add_job_once(segue_service *service, learner_state *live,
                                     operation_kind kind);

/* ---- writer.c ---------------------------------------------------------------------------- */

/* Store a group, apply it, answer. */
void segue_writer_commit(segue_service *service, op *group);
void *segue_writer_main(void *service);
/* Wish for what is due and is not on its way: nothing was wished, or it is lost. */
void segue_writer_enqueue_due(segue_service *service);

/* ---- checkpoint.c ------------------------------------------------------------------------ */

/* Copy the WAL to the main file, if it is large, or if its file was found to be; or because the
 * disk may be full.  For the thread that writes, outside a transaction. */
void segue_checkpoint_if_due(segue_service *service, bool oversized);
void segue_checkpoint_for_space(segue_service *service);
/* Whether the WAL may grow.  @retval SEGUE_EIO  it may not */
segue_status segue_checkpoint_allow_write(segue_service *service, segue_error *err);
/* Enqueue a checkpoint, if the WAL is too large; from any thread. */
void segue_checkpoint_enqueue(segue_service *service);

/* ---- stage.c, apply.c -------------------------------------------------------------------- */

/* Store an operation; a failure is the store's, and undoes the whole group. */
segue_status segue_stage(segue_service *service, op *o, segue_error *err);
/* It is not stored, and will not be. */
void segue_stage_undo(segue_service *service, op *o);
void segue_stage_undo_open(segue_service *service, op *o); /* nor is the task that it opens */
/* It is stored: let it be seen, and answer. */
void segue_apply(segue_service *service, op *o);
/* Wish for what a learner is due. */
void segue_apply_enqueue_due(segue_service *service, learner_state *live);

/* ---- background.c ------------------------------------------------------------------------ */

void segue_refit_worker_enqueue(segue_service *service, learner_state *live);
void *segue_refit_worker_main(void *service);
void *segue_timer_main(void *service);
/* Run a refit, if there is one to run; false: there is none. */
bool segue_refit_worker_run_one(segue_service *service, bool wait);
/* The end of an idle task is not in the queue any more. */
void segue_timer_clear_close_pending(learner_state *live, int64_t id);
/* Whether the wait of a decision is over; under the learner's lock. */
bool segue_timer_defaults_due(const learner_state *live, double now);
/* The defaults that are due: operations, linked. */
op *segue_timer_expired(segue_service *service, int64_t learner);
void segue_timer_tick(segue_service *service);
/* Report requests without a valid token, at most once a minute. */
void segue_timer_report_refusals(segue_service *service);

/* ---- asking.c ---------------------------------------------------------------------------- */

/* Choose for a call, under the learner's lock; false: the reply tells why not. */
bool segue_decide_choose(segue_service *service, learner_state *live, task_state *task,
                         const segue_parsed_request *call, asked *out, segue_response *reply);

/* Whether a task that is opened for a call would have an arm to choose; false: the reply tells why
 * not.  For the thread that writes, which alone changes the arms. */
bool segue_decide_can_choose(const learner_state *live, const segue_parsed_request *call,
                             segue_response *reply);

/* Have room for decisions that wait for the learner's default; false: the reply says that there is
 * none.  Under its lock. */
bool segue_decide_reserve_deadlines(segue_service *service, learner_state *live,
                                    const segue_parsed_request *call, segue_response *reply);
/* Let decisions wait for the learner's default, if it has one; under its lock. */
void segue_decide_push_deadlines(learner_state *live, const asked *a, bool kept);

/* Those of the first n_arms that may be chosen: *allowed (of all arms), the caller's to free; NULL:
 * all of them.  False: the reply tells why not. */
bool segue_decide_allowed_arms(const learner_state *live, size_t n_arms,
                               const segue_parsed_request *call, bool **allowed,
                               segue_response *reply);
void segue_decide_respond_none(const segue_error *why, segue_response *reply);

/* Whether an ask takes so long that it is the pool's to answer. */
bool segue_decide_is_long(const task_state *task, const segue_parsed_request *call);

/* Ask a task by its key. */
typedef enum ask_outcome { ASK_ANSWERED, ASK_NOT_OPEN, ASK_IS_LONG } ask_outcome;
ask_outcome segue_decide_ask(segue_service *service, learner_state *live,
                             const segue_parsed_request *call, const segue_bytes *told,
                             segue_response *reply);

void segue_decide_respond(segue_service *service, const segue_parsed_request *call, const asked *a,
                          const segue_bytes *told, segue_response *reply);
/* What an ask gives where the reward that came with it has closed the task. */
void segue_decide_respond_closed(const op *o);

/* ---- long_ask.c -------------------------------------------------------------------------- */

/* Take what the pool has chosen for an event as decisions of an open task, under the lock; false:
 * it has chosen nothing for this task. */
bool segue_long_ask_take_chosen(segue_service *service, op *o, task_state *task);

/* ---- read_pool.c ------------------------------------------------------------------------- */

void segue_read_pool_init(read_pool *pool);
SEGUE_MUST_CHECK segue_status segue_read_pool_start(segue_service *service, segue_error *err);
/* Answer what is under way with 503, and end the threads. */
void segue_read_pool_stop(segue_service *service);
void segue_read_pool_fini(read_pool *pool);
void segue_reads_fini(op *o); /* reads.c */
/* Let the pool answer it, and call `done`; without threads that is done at once.  False: the pool
 * is full or closed, and the operation is still the caller's. */
bool segue_read_pool_push(segue_service *service, op *o);
size_t segue_read_pool_length(read_pool *pool);

/* ---- glance.c ---------------------------------------------------------------------------- */

/* One of the types found, in a list. */
void segue_response_type(segue_bytes *b, const segue_type_list *found, size_t k);
/* A copy of the versions that are kept, and the newest; false: out of memory. */
bool segue_response_copy_history(learner_state *live, segue_model_history *out,
                                 model_version *newest);
void segue_response_version(segue_bytes *b, const model_version *version, bool first);
void segue_response_decisions(learner_state *live, segue_response *reply);

/* ---- answers.c --------------------------------------------------------------------------- */

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

bool segue_response_copy_learner(learner_state *live, learner_view *out); /* false: out of memory */
void segue_response_view_fini(learner_view *shown);

/* Bodies of replies.  A learner is written in parts, 0, 1, ... until one returns false. */
bool segue_response_learner_part(const learner_state *live, const learner_view *shown, size_t part,
                                 segue_bytes *b);
void segue_response_learner(learner_state *live, int status, segue_response *reply);
void segue_response_sort_learners(learner_state **all, size_t count);
void segue_response_list_item(learner_state *live, segue_bytes *b); /* of the list of learners */
void segue_response_history(learner_state *live, segue_response *reply);
/* A task of a list, as it is now; with `explain`, an explanation. */
void segue_response_listed_task(learner_state *live, const segue_stored_task *row, bool explain,
                                segue_bytes *b);
void segue_response_task(segue_service *service, segue_store *store, learner_state *live,
                         const char *key, segue_response *reply);
/* One that is in the store: open or closed. */
void segue_response_stored_task(const learner_state *live, const segue_stored_task *row,
                                const char *key, int status, segue_response *reply);
/* `allowed`: the arms that may be chosen (NULL: all). */
void segue_response_explanation(learner_state *live, const task_state *task, const bool *allowed,
                                segue_bytes *b);
/* The same of a copy, without the lock; and free the copy, under it. */
void segue_response_explain_copy(const learner_state *live, const task_copy *copy,
                                 const bool *allowed, segue_bytes *b);
void segue_response_free_copy(learner_state *live, task_copy *copy);
/* What transfer is worth to a learner of no tasks. */
void segue_response_no_effect(segue_bytes *b);
void segue_response_reward(segue_bytes *b, bool is_new, const char *task, bool closed);
segue_stored_task segue_response_task_row(const learner_state *live, const task_state *task);

#endif
