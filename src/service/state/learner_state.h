/* learner_state.h - a learner in the service: the learner, its open tasks and its statistics.
 *
 * The learner's lock guards all of it, except what is constant and what is said to belong to one
 * thread.  Only the writer opens, rewards and closes tasks; other threads ask and read.  The writer
 * reads without the lock what only it changes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_LEARNER_STATE_H
#define SEGUE_SERVICE_STATE_LEARNER_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "service/api/learner_settings.h"
#include "service/state/deadline_queue.h"
#include "service/state/effect/effect_state.h"
#include "service/state/hash_map.h"
#include "service/state/model_history.h"
#include "service/state/recent_rewards.h"
#include "service/state/shadow/shadow_state.h"
#include "service/state/task_state.h"
#include "service/state/task_stats.h"
#include "store/store.h"

/** Jobs of which a learner has at most one in the queue. */
typedef enum learner_job {
    JOB_OTHER, /* any number may be queued */
    JOB_PERSIST_PENDING,
    JOB_EXPIRE,
    JOB_REFIT_BEGIN,
    JOB_REFIT_PUBLISH,
    JOB_SNAPSHOT,
    JOB_STOP_TRANSFER,
    JOB_TRIM,
    N_LEARNER_JOBS
} learner_job;

typedef struct learner_arm {
    size_t index;
    uint64_t pulls; /* in closed tasks ... */
    double total;   /* ... and the sum of these rewards */
    char name[];
} learner_arm;

typedef struct learner_state {
    /* Constant. */
    int64_t id;
    learner_settings settings; /* except its changes, which the lock guards */
    segue_bytes config;        /* the settings at its creation, as JSON; ends with 0 */
    double created;
    const char *method;
    uint64_t epoch;    /* of this server's lease; 0: it serves the store alone */
    atomic_uint users; /* references */

    pthread_mutex_t lock; /* guards these: */
    segue_learner *learner;
    learner_arm **arm; /* n_arms; the arms never move */
    bool *allowed;     /* n_arms: not retired */
    size_t n_arms, n_retired;
    hash_map arm_by_name;
    hash_map by_key, by_id;
    task_stats stats; /* closed tasks */
    effect_state effect;
    shadow_state shadow; /* closed tasks in which the caller chose */
    uint64_t rewards;
    double reward_sum;
    uint64_t pending; /* decisions of open tasks: the sum of theirs */
    deadline_queue deadlines;
    bool mixed_deadlines;         /* open tasks may have different times to their deadlines */
    recent_rewards recent;        /* rewards since the service started */
    double oldest_stored;         /* the first closed task that --keep left closed then; 0: none */
    segue_model_history versions; /* earlier ones */
    size_t key_bytes;             /* of the keys of open tasks */
    size_t control_bytes;         /* of control tasks */
    size_t given_bytes;           /* of rewards that can change */
    size_t ask_bytes;             /* of the asks of open tasks that are not stored */
    size_t counted;               /* bytes counted in the service's memory */
    bool is_gone;                 /* deleted, damaged or resigned: it is not served any more */
    bool is_leaving;              /* this transaction resigns it: no thread decides on it */

    /* The writer's. */
    uint64_t seq;                   /* of the last event that memory has */
    uint64_t recovery_cost;         /* since the last snapshot (learn.h) */
    uint64_t recovery_cost_refused; /* when a snapshot failed; retried at twice that */
    uint64_t stop_refused; /* tasks of the effect when a stop of transfer failed; retried later */
    segue_refit *refit;    /* the refit worker's from begin to publish; NULL: none */
    bool refit_staged;     /* this transaction begins or publishes a refit */
    atomic_bool refit_finished; /* the worker is done: it may be published */

    atomic_bool job_pending[N_LEARNER_JOBS]; /* the job is in the queue */

    hash_map_entry *name_entry, *id_entry; /* until it is inserted */

    atomic_ullong refits, refit_microseconds; /* run since the start */

    bool refit_fails;                 /* the refit worker's: the last refit failed */
    double trim_checked;              /* the timer's: service time when it enqueued op_trim */
    double idle_checked;              /* the timer's: service time of the last check ... */
    double shortest_idle;             /* ... and the shortest idle time that it found; 0: none */
    struct learner_state *next_refit; /* guarded by worker_lock */
} learner_state;

/**
 * Create the state of a learner without tasks.  It owns `learner`, also after a failure.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_learner_state_create(
    learner_state **out, const segue_stored_learner *row, learner_settings *settings,
    segue_learner *learner, const unsigned char key[16], segue_error *err);
void segue_learner_state_acquire(learner_state *state);
void segue_learner_state_release(
    learner_state *state); /* the last release frees it; NULL is allowed */

/** Append an arm, to the names alone.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_learner_state_add_arm(learner_state *state, const char *name,
                                                          bool retired, segue_error *err);

/** Retire an arm, in the names alone. */
void segue_learner_state_retire_arm(learner_state *state, size_t index);

/** Flags of the arms that are not retired; NULL: all. */
const bool *segue_learner_state_allowed_arms(const learner_state *state);

/** The index of an arm; false: there is none of that name. */
bool segue_learner_state_find_arm(const learner_state *state, const char *name, size_t *index);

/**
 * Open a stored task.  `draw`: 64 random bits of this task and this start, which seed the numbers
 * of its decisions and its random draws: none repeats, also after the store was restored.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_learner_state_open_task(learner_state *state,
                                                            const segue_stored_task *row,
                                                            const char *key, uint64_t draw,
                                                            segue_error *err);

/**
 * Open a task in two steps: allocate all that it needs; insert it, once it is stored and has an id,
 * which cannot fail.  Or discard it.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_learner_state_prepare_task(learner_state *state,
                                                               const segue_stored_task *row,
                                                               const char *key, task_state **out,
                                                               segue_error *err);
void segue_learner_state_insert_task(learner_state *state, task_state *task, int64_t id,
                                     uint64_t draw);
/** Note whether a task's time to its deadlines is not that of new tasks. */
void segue_learner_state_check_deadlines(learner_state *state, const task_state *task);
void segue_learner_state_discard_task(learner_state *state, task_state *task);

/** The number of the first decision of a task with this draw: random, so that none repeats after a
 * restart. */
uint64_t segue_learner_state_first_number(uint64_t draw);

/** Bytes of a learner and all that belongs to it. */
size_t segue_learner_state_bytes(const learner_state *state);

task_state *segue_learner_state_task_by_key(const learner_state *state, const char *key);
task_state *segue_learner_state_task_by_id(const learner_state *state, int64_t id);

/**
 * Allocate for `count` rewards of a task, if its learner takes several per decision; *grows: it did.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_learner_state_reserve_given(learner_state *state,
                                                                task_state *task, uint64_t count,
                                                                bool *grows, segue_error *err);

/** Replace the reward at a position by another value.  Costs a tell per reward of the task. */
void segue_learner_state_correct(learner_state *state, task_state *task, uint64_t position,
                                 double value);

/** Give a stored reward to its task. */
void segue_learner_state_tell(learner_state *state, task_state *task, size_t arm, double value);

/** Count a decision as pending; count that a decision of this number has its reward. */
void segue_learner_state_count_decision(learner_state *state, task_state *task);
void segue_learner_state_count_rewarded(learner_state *state, task_state *task, uint64_t number);

/** Asks were added to a task, or were stored; `before`: the bytes of all of them until then. */
void segue_learner_state_count_asks(learner_state *state, const task_state *task, size_t before);

/** Remove and free an open task, without learning from it. */
void segue_learner_state_close_task(learner_state *state, task_state *task);

#endif
