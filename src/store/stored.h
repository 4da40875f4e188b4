/* stored.h - the rows of a store.
 *
 * Times are seconds.  Texts are borrowed: from the caller of an insert, from the cursor of a read.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_STORED_H
#define SEGUE_STORE_STORED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

typedef struct segue_store segue_store;

typedef struct segue_stored_learner {
    int64_t id;
    const char *name, *config;
    double created;
    const char *damage; /* NULL: none; else why the row cannot be used, and `name` may be "" */
} segue_stored_learner;

typedef struct segue_stored_arm {
    int64_t learner;
    size_t position;
    const char *name;
    double added;
    bool retired;
    uint64_t pulls; /* in closed tasks ... */
    double total;   /* ... and the sum of their rewards */
} segue_stored_arm;

typedef struct segue_stored_task {
    int64_t id, learner;
    const char *key;
    bool control, open;
    uint64_t version;
    size_t n_arms;        /* when it was opened */
    double control_share; /* probability that it became a control task, when it was opened */
    uint64_t tag; /* random, 1 to 2^63 - 1; distinguishes it from a task with the same id in another
                     history of this store, before a backup was restored; 0: none */
    double opened, closed;
    uint64_t rewards;
    double total;         /* of the rewards */
    uint64_t closed_seq;  /* the event that closed it; 0: none */
    const char *features; /* JSON that it was opened with; NULL: none */
} segue_stored_task;

/** Segue's own choice where the caller chose the arm (shadow mode). */
typedef struct segue_stored_shadow {
    bool is_set;        /* the caller chose */
    size_t arm;         /* that Segue would have chosen */
    double probability; /* that Segue gave to the caller's arm */
} segue_stored_shadow;

/** A decision that must outlive the process. */
typedef struct segue_stored_decision {
    int64_t task;
    uint64_t number, version;
    size_t arm;
    const char *event_id; /* of its ask; NULL: none */
    double created;
    double probability; /* 0: it was not requested */
    bool exact;
    segue_stored_shadow shadow;
} segue_stored_decision;

typedef struct segue_stored_reward {
    int64_t task;
    uint64_t number;   /* of the decision */
    uint64_t position; /* among the rewards of the task, from 0 on */
    size_t arm;
    double value, created;
    bool by_default;    /* stored at its deadline */
    double probability; /* of the arm when it was chosen; 0: it was not requested */
    const char *asks;   /* the asks before it (ask_log.h); NULL: one ask, with all arms */
    segue_stored_shadow shadow;
} segue_stored_reward;

/** One of several rewards of a decision: its tell had an event id of its own. */
typedef struct segue_stored_reward_part {
    int64_t task;
    uint64_t number;   /* of the decision */
    uint64_t position; /* among the parts of the decision, from 0 on */
    const char *event_id;
    double value, created;
} segue_stored_reward_part;

/** A change of a learner. */
typedef enum segue_event_kind {
    SEGUE_EVENT_CLOSE = 1, /* subject: the task */
    SEGUE_EVENT_REFIT_BEGIN,
    SEGUE_EVENT_REFIT_PUBLISH,
    SEGUE_EVENT_ADD_ARM,    /* subject: its index */
    SEGUE_EVENT_RETIRE_ARM, /* subject: its index */
    SEGUE_EVENT_STOP_TRANSFER,
    SEGUE_EVENT_RESUME_TRANSFER, /* subject: the last task that opened before, of the open ones */
    SEGUE_EVENT_SETTINGS,        /* subject: the number of the change, from 1 on */
    SEGUE_EVENT_PAUSE,           /* subject: 1 paused, 0 resumed */
    SEGUE_EVENT_TRIM,  /* rewards of tasks are gone; subject: the last of their closing events */
    SEGUE_EVENT_ERASE, /* a task's key and rewards are gone; subject: the task */
    SEGUE_EVENT_MERGE, /* subject: the number of the merged learner, from 1 on */
    SEGUE_LAST_EVENT_KIND = SEGUE_EVENT_MERGE
} segue_event_kind;

typedef struct segue_stored_event {
    uint64_t seq;
    int64_t learner, subject;
    segue_event_kind kind;
    double created;
    uint64_t epoch; /* of the lease of the server that wrote it; 0: it served the store alone */
} segue_stored_event;

/** The saved learner that a learner was created from: its state before its first event. */
typedef struct segue_stored_initial {
    int64_t learner;
    const void *bytes;
    size_t size;
} segue_stored_initial;

/** A saved learner that a learner was merged with. */
typedef struct segue_stored_merged {
    int64_t learner;
    uint64_t number;     /* of the merges of this learner, from 1 on */
    const char *origins; /* JSON: its hash, and where its tasks come from */
    const void *bytes;   /* NULL: of a list */
    size_t size;
} segue_stored_merged;

/** The state of a learner after event `seq`. */
typedef struct segue_stored_snapshot {
    int64_t learner;
    uint64_t seq;
    const void *bytes;
    size_t size;
} segue_stored_snapshot;

#define SEGUE_DIGEST_SIZE 32 /* bytes of a digest: BLAKE2b-256 */

/** A link of a learner's hash chain: event `seq`, or 0 for the learner itself. */
typedef struct segue_stored_link {
    int64_t learner;
    uint64_t seq;
    unsigned char digest[SEGUE_DIGEST_SIZE]; /* of the rows that the event stands for */
    unsigned char hash[SEGUE_DIGEST_SIZE];   /* of the hash before it, the event and the digest */
} segue_stored_link;

/** The remains of the rewards of a closed task, or of the task, when they are removed. */
typedef struct segue_stored_removed {
    int64_t task, learner;
    const char *counts;                       /* pulls and sums per arm: {"0":[3,2]} */
    unsigned char rewards[SEGUE_DIGEST_SIZE]; /* digest of the rewards' rows ... */
    unsigned char key[SEGUE_DIGEST_SIZE];     /* ... and of the task's key */
    bool erased;                              /* the key is gone, too */
} segue_stored_removed;

#endif
