/* live.h - a learner at work: what it knows, its open tasks, and what is counted of it.
 *
 * The lock of a learner guards all of it but what never changes.  Only the thread that writes the
 * store opens, tells and closes tasks; others ask, and look.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVE_LIVE_H
#define SEGUE_SERVE_LIVE_H

#include <pthread.h>
#include <stdatomic.h>

#include "serve/line.h"
#include "serve/map.h"
#include "serve/op.h"
#include "serve/recent.h"
#include "serve/record.h"
#include "serve/versions.h"
#include "serve/words.h"
#include "store/store.h"

/** An open task. */
typedef struct live_task {
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
    double active; /* service time of the last ask or tell; the caller of segue_live_open sets it */
    uint64_t rewards;
    double total;
    /* The same as it will be once this transaction is through, by the thread that writes alone. */
    uint64_t staged_rewards;
    double staged_total;
    bool staged_closed;              /* under the lock: who asks waits for what becomes of it */
    bool close_wished;               /* it was idle, and its end is in the queue */
    map_entry *id_entry, *key_entry; /* until it is entered */
} live_task;

typedef struct live_arm {
    size_t place;
    uint64_t pulls; /* in closed tasks ... */
    double total;   /* ... and the sum of these rewards */
    char name[];
} live_arm;

typedef struct live_learner {
    /* these never change */
    int64_t id;
    words words;
    bytes config; /* the words, written; ends with 0 */
    double created;
    const char *method;
    atomic_uint users;

    pthread_mutex_t lock;
    segue_learner *learner;
    live_arm **arm; /* n_arms, which stay where they are */
    bool *allowed;  /* n_arms: not retired */
    size_t n_arms, n_retired;
    map arm_by_name;
    map by_key, by_id;
    record record; /* closed tasks */
    uint64_t rewards;
    waiting_line line;
    recent recent;           /* decisions with a reward, since the service started */
    segue_versions versions; /* that it had */
    size_t key_bytes;        /* of the keys of open tasks */
    size_t control_bytes;    /* of control tasks */
    size_t counted;          /* bytes that the service has counted for it */
    bool is_gone;            /* it was deleted: nothing is counted any more */

    /* of the thread that writes alone */
    uint64_t seq;          /* of the last event of the journal that it knows */
    uint64_t debt;         /* what a start would have to do again since the last snapshot */
    uint64_t debt_refused; /* at which one could not be stored: not again before twice that */
    segue_refit *refit;    /* that runs in the background, or NULL */
    bool refit_staged;     /* its beginning or end is in this transaction: one of them is enough */
    atomic_bool refit_run;

    atomic_bool wished[OP_KINDS]; /* that is on its way already */

    map_entry *name_entry, *id_entry; /* until it is entered */

    bool refit_fails;               /* the last refit; of the thread that estimates */
    double idle_looked;             /* service time; of the thread that keeps time */
    struct live_learner *next_work; /* of those whose fit is to be run */
} live_learner;

/**
 * A learner without tasks; `learner` becomes its own, on failure too.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_live_create(live_learner **out, const segue_stored_learner *row,
                                                words *w, segue_learner *learner,
                                                const unsigned char key[16], segue_error *err);
void segue_live_hold(live_learner *live);
void segue_live_release(live_learner *live); /* the last one frees it; NULL is fine */

/** Add an arm behind the others, to the names alone.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_live_name_arm(live_learner *live, const char *name,
                                                  bool retired, segue_error *err);

/** Retire an arm, in the names alone. */
void segue_live_retire_arm(live_learner *live, size_t place);

/** The arms that are not retired, the first of which are those of a task; NULL: all. */
const bool *segue_live_allowed(const live_learner *live);

/** The place of an arm; false: there is none of that name. */
bool segue_live_find_arm(const live_learner *live, const char *name, size_t *place);

/**
 * Open a task that is in the store.  `draw`: 64 random bits of this task and this start; numbers of
 * decisions and random draws go by them, so that none repeats, also after the store was restored.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_live_open(live_learner *live, const segue_stored_task *row,
                                              const char *key, uint64_t draw, segue_error *err);

/**
 * The same in two steps, the second of which cannot fail: a task that nobody sees, with all the
 * memory that it needs; and letting it be seen once it is in the store and has an id.  Or discard
 * it.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_live_prepare(live_learner *live, const segue_stored_task *row,
                                                 const char *key, live_task **out,
                                                 segue_error *err);
void segue_live_enter(live_learner *live, live_task *task, int64_t id, uint64_t draw);
void segue_live_discard(live_learner *live, live_task *task);

/** Bytes of memory of a learner with all that it has; under its lock. */
size_t segue_live_bytes(const live_learner *live);

live_task *segue_live_by_key(const live_learner *live, const char *key);
live_task *segue_live_by_id(const live_learner *live, int64_t id);

/** Tell a task a reward that is in the store. */
void segue_live_tell(live_learner *live, live_task *task, size_t arm, double value);

/** End an open task: what was learned from it is not touched. */
void segue_live_end(live_learner *live, live_task *task);

/** One decision: which arm, and its probability if that was wanted. */
typedef struct live_choice {
    decision decision;
    const char *arm; /* its name */
    double probability;
    bool exact;
} live_choice;

/** What a task draws from, until something is told; all zeros: nobody wants to know. */
typedef struct live_law {
    double *drawn, *chance; /* of each arm; one allocation */
    uint64_t draws;
    bool certain; /* nothing is drawn */
} live_law;

/** Find it: the work of many decisions, hence once for all of a request; free law->drawn.
 * @retval SEGUE_EDOMAIN  no arm is left
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_live_find_law(live_task *task, const bool *allowed,
                                                  live_law *law, segue_error *err);

/** The two halves of segue_live_ask: choose an arm; make of it a decision that can be told. */
SEGUE_MUST_CHECK segue_status segue_live_pick(live_task *task, const bool *allowed, live_law *law,
                                              live_choice *out, segue_error *err);
void segue_live_issue(live_learner *live, live_task *task, live_choice *choice, double now);

/** A copy of an open task, to choose and to explain without the lock. */
typedef struct copied_task {
    live_task task;     /* without a key */
    const char **names; /* of all arms: these stay */
    bool *allowed;      /* arms that are not retired; NULL: all */
} copied_task;

/**
 * Make one and free it, under the lock; free it after a failure, too.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_live_copy(live_learner *live, const live_task *task,
                                              copied_task *out, segue_error *err);
void segue_live_copy_fini(copied_task *copy);

/** Make a decision of what was chosen on a copy. */
void segue_live_issue_copied(live_learner *live, live_task *task, live_choice *choice, double now);

/** How much an ask may cost, in units of some 0.1 microseconds. */
double segue_live_work(const live_task *task, uint64_t count, bool probability, bool explain);

/**
 * Ask a task.
 *
 * @retval SEGUE_EDOMAIN  no arm is left
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_live_ask(live_learner *live, live_task *task,
                                             const bool *allowed, live_law *law, double now,
                                             live_choice *out, segue_error *err);

#endif
