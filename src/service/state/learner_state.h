/* learner_state.h - a learner at work: what it knows, its open tasks, and what is counted of it.
 *
 * The lock of a learner guards all of it but what never changes.  Only the thread that writes the
 * store opens, tells and closes tasks; others ask, and look.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_LEARNER_STATE_H
#define SEGUE_SERVICE_STATE_LEARNER_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "service/api/learner_settings.h"
#include "service/state/deadline_queue.h"
#include "service/state/hash_map.h"
#include "service/state/model_history.h"
#include "service/state/recent_rewards.h"
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
    N_LEARNER_JOBS
} learner_job;

/** An open task. */
typedef struct task_state {
    int64_t id;
    uint64_t tag;
    char *key;
    bool control;     /* played by ts, without transfer */
    uint64_t version; /* of the model set that it goes by */
    size_t n_arms;    /* those that the learner had when it was opened */
    segue_task *play;
    uint64_t next; /* number of its next decision */
    uint64_t asked;
    double opened; /* wall time */
    double active; /* service time of the last ask or tell; the caller of
                      segue_learner_state_open_task sets it */
    uint64_t rewards;
    double total;
    /* The same as it will be once this transaction is through, by the thread that writes alone. */
    uint64_t staged_rewards;
    double staged_total;
    bool staged_closed; /* under the lock: who asks waits for what becomes of it */
    bool close_pending; /* it was idle, and its end is in the queue */
    hash_map_entry *id_entry, *key_entry; /* until it is entered */
} task_state;

typedef struct learner_arm {
    size_t index;
    uint64_t pulls; /* in closed tasks ... */
    double total;   /* ... and the sum of these rewards */
    char name[];
} learner_arm;

typedef struct learner_state {
    /* these never change */
    int64_t id;
    learner_settings settings;
    segue_bytes config; /* the settings, written; ends with 0 */
    double created;
    const char *method;
    atomic_uint users;

    pthread_mutex_t lock;
    segue_learner *learner;
    learner_arm **arm; /* n_arms, which stay where they are */
    bool *allowed;     /* n_arms: not retired */
    size_t n_arms, n_retired;
    map arm_by_name;
    map by_key, by_id;
    task_stats stats; /* closed tasks */
    uint64_t rewards;
    deadline_queue deadlines;
    recent recent;                /* decisions with a reward, since the service started */
    segue_model_history versions; /* that it had */
    size_t key_bytes;             /* of the keys of open tasks */
    size_t control_bytes;         /* of control tasks */
    size_t counted;               /* bytes that the service has counted for it */
    bool is_gone;                 /* it was deleted: nothing is counted any more */

    /* of the thread that writes alone */
    uint64_t seq;         /* of the last event of the journal that it knows */
    uint64_t replay_cost; /* what a start would have to do again since the last snapshot */
    uint64_t
        replay_cost_refused; /* at which one could not be stored: not again before twice that */
    segue_refit *refit;      /* that runs in the background, or NULL */
    bool refit_staged; /* its beginning or end is in this transaction: one of them is enough */
    atomic_bool refit_finished;

    atomic_bool job_pending[N_LEARNER_JOBS]; /* the job is in the queue */

    hash_map_entry *name_entry, *id_entry; /* until it is entered */

    bool refit_fails;                /* the last refit; of the thread that estimates */
    double idle_checked;             /* service time; of the thread that keeps time */
    struct learner_state *next_work; /* of those whose fit is to be run */
} learner_state;

/**
 * A learner without tasks; `learner` becomes its own, on failure too.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_learner_state_create(
    learner_state **out, const segue_stored_learner *row, learner_settings *w,
    segue_learner *learner, const unsigned char key[16], segue_error *err);
void segue_learner_state_acquire(learner_state *state);
void segue_learner_state_release(learner_state *state); /* the last one frees it; NULL is fine */

/** Add an arm behind the others, to the names alone.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_learner_state_add_arm(learner_state *state, const char *name,
                                                          bool retired, segue_error *err);

/** Retire an arm, in the names alone. */
void segue_learner_state_retire_arm(learner_state *state, size_t place);

/** The arms that are not retired, the first of which are those of a task; NULL: all. */
const bool *segue_learner_state_allowed_arms(const learner_state *state);

/** The place of an arm; false: there is none of that name. */
bool segue_learner_state_find_arm(const learner_state *state, const char *name, size_t *place);

/**
 * Open a task that is in the store.  `draw`: 64 random bits of this task and this start; numbers of
 * decisions and random draws go by them, so that none repeats, also after the store was restored.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_learner_state_open_task(learner_state *state,
                                                            const segue_stored_task *row,
                                                            const char *key, uint64_t draw,
                                                            segue_error *err);

/**
 * The same in two steps, the second of which cannot fail: a task that nobody sees, with all the
 * memory that it needs; and letting it be seen once it is in the store and has an id.  Or discard
 * it.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_learner_state_prepare_task(learner_state *state,
                                                               const segue_stored_task *row,
                                                               const char *key, task_state **out,
                                                               segue_error *err);
void segue_learner_state_insert_task(learner_state *state, task_state *task, int64_t id,
                                     uint64_t draw);
void segue_learner_state_discard_task(learner_state *state, task_state *task);

/** Bytes of memory of a learner with all that it has; under its lock. */
size_t segue_learner_state_bytes(const learner_state *state);

task_state *segue_learner_state_task_by_key(const learner_state *state, const char *key);
task_state *segue_learner_state_task_by_id(const learner_state *state, int64_t id);

/** Tell a task a reward that is in the store. */
void segue_learner_state_tell(learner_state *state, task_state *task, size_t arm, double value);

/** End an open task: what was learned from it is not touched. */
void segue_learner_state_close_task(learner_state *state, task_state *task);

/** One decision: which arm, and its probability if that was wanted. */
typedef struct arm_choice {
    decision decision;
    const char *arm; /* its name */
    double probability;
    bool exact;
} arm_choice;

/** What a task draws from, until something is told; all zeros: nobody wants to know. */
typedef struct arm_distribution {
    double *drawn, *chance; /* of each arm; one allocation */
    uint64_t draws;
    bool certain; /* nothing is drawn */
} arm_distribution;

/** Find it: the work of many decisions, hence once for all of a request; free law->drawn.
 * @retval SEGUE_EDOMAIN  no arm is left
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_learner_state_distribution(task_state *task,
                                                               const bool *allowed,
                                                               arm_distribution *law,
                                                               segue_error *err);

/** The two halves of segue_learner_state_ask: choose an arm; make of it a decision that can be
 * told. */
SEGUE_MUST_CHECK segue_status segue_learner_state_choose(task_state *task, const bool *allowed,
                                                         arm_distribution *law, arm_choice *out,
                                                         segue_error *err);
void segue_learner_state_issue(learner_state *state, task_state *task, arm_choice *choice,
                               double now);

/** A copy of an open task, to choose and to explain without the lock. */
typedef struct task_copy {
    task_state task;    /* without a key */
    const char **names; /* of all arms: these stay */
    bool *allowed;      /* arms that are not retired; NULL: all */
} task_copy;

/**
 * Make one and free it, under the lock; free it after a failure, too.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_learner_state_copy_task(learner_state *state,
                                                            const task_state *task, task_copy *out,
                                                            segue_error *err);
void segue_learner_state_copy_fini(task_copy *copy);

/** Make a decision of what was chosen on a copy. */
void segue_learner_state_issue_copied(learner_state *state, task_state *task, arm_choice *choice,
                                      double now);

/** How much an ask may cost, in units of some 0.1 microseconds. */
double segue_learner_state_ask_cost(const task_state *task, uint64_t count, bool probability,
                                    bool explain);

/**
 * Ask a task.
 *
 * @retval SEGUE_EDOMAIN  no arm is left
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_learner_state_ask(learner_state *state, task_state *task,
                                                      const bool *allowed, arm_distribution *law,
                                                      double now, arm_choice *out,
                                                      segue_error *err);

#endif
