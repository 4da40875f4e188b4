/* store.h - what the service keeps on the disk; no learning in here.
 *
 * Learners, their arms, tasks, decisions that must be remembered, rewards, a journal of what
 * changed a learner, in order, and snapshots.  All changes are made between segue_store_begin and
 * segue_store_commit, which returns when they are on the disk.  One thread at a time may use a
 * store, but for segue_store_path and segue_store_files_exist, which any thread may call: they read
 * what segue_store_open and segue_store_lock have set.  A second store of the same file, opened
 * for reading, may be used beside the first by another thread.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_STORE_H
#define SEGUE_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

typedef struct segue_store segue_store;

#define SEGUE_STORE_FORMAT   3   /* what this program reads and writes */
#define SEGUE_STORE_KEY_SIZE 16  /* bytes of the key that decisions are signed with */
#define SEGUE_MAX_STORE_NAME 256 /* bytes of a task's key, at most */

typedef enum segue_store_mode {
    SEGUE_STORE_CREATE,        /* open it, or make it */
    SEGUE_STORE_CHANGE,        /* it must be there */
    SEGUE_STORE_UPGRADE,       /* it must be there, maybe in an older format */
    SEGUE_STORE_READ,          /* it must be there, and stays as it is */
    SEGUE_STORE_READ_IMMUTABLE /* the same, also where this process may write nothing */
} segue_store_mode;

/**
 * Open a store, "sqlite:PATH" or a path; "sqlite::memory:" is gone when it is closed.
 *
 * @retval SEGUE_EFILE   it cannot be opened, is no store, or is of another format
 * @retval SEGUE_EUSAGE  the kind of store is not known
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_store_open(segue_store **out, const char *name,
                                               segue_store_mode mode, segue_error *err);
void segue_store_close(segue_store *store);

/** The same, and a store that this process made goes: nothing came of it. */
void segue_store_discard(segue_store *store);

/** The path of its file; "" without one. */
const char *segue_store_path(const segue_store *store);

/** Have the store for this process alone, to serve it; others may still read.  It ends with the
 * process, however that ends.  @retval SEGUE_EFILE  another process has it */
SEGUE_MUST_CHECK segue_status segue_store_lock(segue_store *store, segue_error *err);

/** Whether the file that was claimed still has its name, and so those beside it that are watched:
 * else nobody will find what is stored.  From any thread. */
bool segue_store_files_exist(const segue_store *store);

/**
 * Watch the files of a store that was claimed: from now on segue_store_begin and segue_store_commit
 * also fail if another program removed, replaced, cut or overwrote them, and checkpoints are the
 * caller's, by segue_store_checkpoint.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_store_watch(segue_store *store, segue_error *err);

/** Whether a store that is watched must not be used any more: its files are not what was written,
 * or it is not known whether the last transaction is on the disk.  To open it again settles that.
 */
bool segue_store_is_lost(const segue_store *store);

/** What a checkpoint came to. */
typedef struct segue_checkpoint {
    int frames; /* in the WAL */
    int copied; /* of them to the main file; fewer than `frames`: a reader needs the others */
} segue_checkpoint;

/** Copy the WAL to the main file, so that its space is used again; `truncate`: and empty it, if
 * nobody reads.  @retval SEGUE_EIO  not all could be copied, and the WAL has it still */
SEGUE_MUST_CHECK segue_status segue_store_checkpoint(segue_store *store, bool truncate,
                                                     segue_checkpoint *out, segue_error *err);

/** Of a store that is watched, else 0: frames in the WAL and the bytes that they take, as of the
 * last transaction; bytes of its file, from any thread. */
uint64_t segue_store_wal_frames(const segue_store *store);
uint64_t segue_store_wal_used(const segue_store *store);
uint64_t segue_store_wal_bytes(const segue_store *store);

/** A sentence about damage: what was found, and what to do.  @return SEGUE_EFILE */
segue_status segue_store_fail_damaged(segue_error *err, const char *format, ...) SEGUE_PRINTF(2, 3);

/** Check what belongs to no single learner: the file as SQLite sees it, the key, the counters, and
 * rows whose learner or task does not exist.  @retval SEGUE_EFILE  it is damaged */
SEGUE_MUST_CHECK segue_status segue_store_verify_file(segue_store *store, segue_error *err);

/** Check one learner: read every row of it, and compare what is counted with what there is.
 * @retval SEGUE_EFILE  it is damaged */
SEGUE_MUST_CHECK segue_status segue_store_verify_learner(segue_store *store, int64_t learner,
                                                         segue_error *err);

/**
 * Bring a store that was opened for it to this format; *from: the format that it had.  Snapshots
 * are dropped: what an older program made of the journal need not be what this one makes of it.
 *
 * @retval SEGUE_EIO, SEGUE_ENOMEM  it is as it was
 */
SEGUE_MUST_CHECK segue_status segue_store_upgrade(segue_store *store, int64_t *from,
                                                  segue_error *err);

/** Write all there is but snapshots to a file, a line of JSON a row; and fill a new store from such
 * a file, which may be of an older format.  `stopped` is asked at each row whether to give up;
 * NULL: never.
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM, SEGUE_ESTOPPED */
SEGUE_MUST_CHECK segue_status segue_store_export(segue_store *store, const char *path,
                                                 bool (*stopped)(void), segue_error *err);
SEGUE_MUST_CHECK segue_status segue_store_import(segue_store *store, const char *path,
                                                 segue_error *err);

/** At most so many pages; 0: as many as the disk has.  For tests of a full disk. */
SEGUE_MUST_CHECK segue_status segue_store_limit_pages(segue_store *store, uint64_t pages,
                                                      segue_error *err);

/* ---- changes ------------------------------------------------------------------------------- */

/** @retval SEGUE_EIO  as for all that follow: the disk is full, say; then roll back, and nothing
 * has changed, unless segue_store_is_lost */
SEGUE_MUST_CHECK segue_status segue_store_begin(segue_store *store, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_store_commit(segue_store *store, segue_error *err);
void segue_store_rollback(segue_store *store);

/** The key, and how often the store was started, which this makes one more. */
SEGUE_MUST_CHECK segue_status segue_store_start(segue_store *store,
                                                unsigned char key[SEGUE_STORE_KEY_SIZE],
                                                uint64_t *boot, segue_error *err);

/** What segue_store_start checks before it writes.  @retval SEGUE_EFILE  it is damaged */
SEGUE_MUST_CHECK segue_status segue_store_verify_start(segue_store *store, segue_error *err);

/** The service time that was stored last, in seconds; without one *seconds stays as it is. */
SEGUE_MUST_CHECK segue_status segue_store_read_clock(segue_store *store, double *seconds,
                                                     segue_error *err);
SEGUE_MUST_CHECK segue_status segue_store_set_clock(segue_store *store, double seconds,
                                                    segue_error *err);

typedef struct segue_stored_learner {
    int64_t id;
    const char *name, *config; /* borrowed */
    double created;
    const char *damage; /* NULL: none; else why its row cannot be used, and `name` may be "" */
} segue_stored_learner;

SEGUE_MUST_CHECK segue_status segue_store_add_learner(segue_store *store,
                                                      segue_stored_learner *learner,
                                                      segue_error *err);

/** Take its name and settings away; segue_store_purge removes the rest, a part at a time, while
 * *more. */
SEGUE_MUST_CHECK segue_status segue_store_delete_learner(segue_store *store, int64_t learner,
                                                         segue_error *err);
SEGUE_MUST_CHECK segue_status segue_store_purge(segue_store *store, bool *more, segue_error *err);

SEGUE_MUST_CHECK segue_status segue_store_add_arm(segue_store *store, int64_t learner, size_t place,
                                                  const char *name, double when, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_store_retire_arm(segue_store *store, int64_t learner,
                                                     size_t place, double when, segue_error *err);

typedef struct segue_stored_task {
    int64_t id, learner;
    const char *key; /* borrowed */
    bool control, open;
    uint64_t version;
    size_t n_arms; /* that it was opened with */
    uint64_t tag;  /* random, below 2^63: tells it from a task of the same id in another history of
                      this store, before it was restored from a backup; 0: it has none */
    double opened, closed;
    uint64_t rewards;
    double total;        /* of the rewards */
    uint64_t closed_seq; /* the event that closed it; 0: none */
} segue_stored_task;

SEGUE_MUST_CHECK segue_status segue_store_add_task(segue_store *store, segue_stored_task *task,
                                                   segue_error *err);

/** Close it, with the number of its rewards, their total, and the place of this in the journal. */
SEGUE_MUST_CHECK segue_status segue_store_close_task(segue_store *store,
                                                     const segue_stored_task *task, uint64_t seq,
                                                     segue_error *err);

/** A decision that must outlive the process. */
typedef struct segue_stored_decision {
    int64_t task;
    uint64_t number, version;
    size_t arm;
    const char *event; /* NULL: it has none */
    double asked;
    double probability; /* 0: nobody wanted to know */
    bool exact;
} segue_stored_decision;

SEGUE_MUST_CHECK segue_status segue_store_add_decision(segue_store *store,
                                                       const segue_stored_decision *decision,
                                                       segue_error *err);

typedef struct segue_stored_reward {
    int64_t task;
    uint64_t number; /* of the decision */
    uint64_t place;  /* among the rewards of the task, from 0 on */
    size_t arm;
    double value, told;
    bool by_default; /* nobody told it in time */
} segue_stored_reward;

/** Add a reward, unless its decision has one: then that stays, and *is_new is false. */
SEGUE_MUST_CHECK segue_status segue_store_add_reward(segue_store *store,
                                                     const segue_stored_reward *reward,
                                                     bool *is_new, segue_error *err);

/** Find the reward of a decision; false in *found: it has none. */
SEGUE_MUST_CHECK segue_status segue_store_find_reward(segue_store *store, int64_t task,
                                                      uint64_t number, segue_stored_reward *out,
                                                      bool *found, segue_error *err);

/** What changes a learner. */
typedef enum segue_event_kind {
    SEGUE_EVENT_CLOSE = 1, /* subject: the task */
    SEGUE_EVENT_REFIT_BEGIN,
    SEGUE_EVENT_REFIT_PUBLISH,
    SEGUE_EVENT_ADD_ARM,   /* subject: its place */
    SEGUE_EVENT_RETIRE_ARM /* subject: its place */
} segue_event_kind;

typedef struct segue_stored_event {
    uint64_t seq;
    int64_t learner, subject;
    segue_event_kind kind;
    double when;
} segue_stored_event;

/** Add to the journal; fills in `seq`. */
SEGUE_MUST_CHECK segue_status segue_store_add_event(segue_store *store, segue_stored_event *event,
                                                    segue_error *err);

/** A learner's bytes behind event `seq` of the journal; all others are removed. */
SEGUE_MUST_CHECK segue_status segue_store_add_snapshot(segue_store *store, int64_t learner,
                                                       uint64_t seq, const void *data, size_t size,
                                                       segue_error *err);

/** Let all that is read from here on, until segue_store_rollback, be of one moment; whoever writes
 * meanwhile does not wait. */
SEGUE_MUST_CHECK segue_status segue_store_begin_read(segue_store *store, segue_error *err);

/* ---- reading ------------------------------------------------------------------------------- */

/* Every row is validated when it is read: SEGUE_EFILE, with a sentence that names table, row and
 * column, if it is impossible; SEGUE_ENOMEM if there is no memory for it. */

typedef struct segue_stored_arm {
    size_t place;
    const char *name; /* borrowed */
    bool retired;
    uint64_t pulls; /* in closed tasks ... */
    double total;   /* ... and the sum of these rewards */
} segue_stored_arm;

/** What is called for each row; a status other than OK ends it, and is returned. */
typedef segue_status (*segue_store_learner_callback)(void *context,
                                                     const segue_stored_learner *learner,
                                                     segue_error *err);
typedef segue_status (*segue_store_arm_callback)(void *context, const segue_stored_arm *arm,
                                                 segue_error *err);
typedef segue_status (*segue_store_task_callback)(void *context, const segue_stored_task *task,
                                                  segue_error *err);
typedef segue_status (*segue_store_reward_callback)(void *context,
                                                    const segue_stored_reward *reward,
                                                    segue_error *err);
typedef segue_status (*segue_store_event_callback)(void *context, const segue_stored_event *event,
                                                   segue_error *err);
typedef segue_status (*segue_store_decision_callback)(void *context,
                                                      const segue_stored_decision *decision,
                                                      segue_error *err);

/** A row that is damaged is seen, too, with the reason. */
SEGUE_MUST_CHECK segue_status segue_store_each_learner(segue_store *store,
                                                       segue_store_learner_callback seen,
                                                       void *context, segue_error *err);
/** The largest id that a learner of this store was ever given, deleted ones too; 0: none was. */
SEGUE_MUST_CHECK segue_status segue_store_last_learner(segue_store *store, int64_t *id,
                                                       segue_error *err);

SEGUE_MUST_CHECK segue_status segue_store_each_arm(segue_store *store, int64_t learner,
                                                   segue_store_arm_callback seen, void *context,
                                                   segue_error *err);

/** Which tasks, and in which order. */
typedef enum segue_store_task_filter {
    SEGUE_TASKS_OPEN, /* in the order of opening */
    SEGUE_TASKS_NEWEST_OPEN,
    SEGUE_TASKS_NEWEST_CLOSED,
    SEGUE_TASKS_NEWEST
} segue_store_task_filter;

/** At most `limit` of them. */
SEGUE_MUST_CHECK segue_status segue_store_each_task(segue_store *store, int64_t learner,
                                                    segue_store_task_filter which, uint64_t limit,
                                                    segue_store_task_callback seen, void *context,
                                                    segue_error *err);

/** One task by its key, or by its id; false in *found: there is none.  Its key is not filled in. */
SEGUE_MUST_CHECK segue_status segue_store_find_task(segue_store *store, int64_t learner,
                                                    const char *key, segue_stored_task *out,
                                                    bool *found, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_store_read_task(segue_store *store, int64_t id,
                                                    segue_stored_task *out, bool *found,
                                                    segue_error *err);

/** The key of a task that is there.  @retval SEGUE_EFILE  it is not */
SEGUE_MUST_CHECK segue_status segue_store_task_key(segue_store *store, int64_t id,
                                                   char key[SEGUE_MAX_STORE_NAME + 1],
                                                   segue_error *err);

/** The rewards of a task, in the order in which they were told; their places have no gaps. */
SEGUE_MUST_CHECK segue_status segue_store_each_reward(segue_store *store, int64_t task,
                                                      segue_store_reward_callback seen,
                                                      void *context, segue_error *err);

/** The decisions of an event of a task, in their order; without an event (NULL) all that are
 * stored.
 */
SEGUE_MUST_CHECK segue_status segue_store_each_decision(segue_store *store, int64_t task,
                                                        const char *event,
                                                        segue_store_decision_callback seen,
                                                        void *context, segue_error *err);

/** The decisions of a learner's open tasks that are kept and have no reward, the oldest first. */
SEGUE_MUST_CHECK segue_status segue_store_each_pending(segue_store *store, int64_t learner,
                                                       segue_store_decision_callback seen,
                                                       void *context, segue_error *err);

/** The journal of a learner behind event `after`, in order. */
SEGUE_MUST_CHECK segue_status segue_store_each_event(segue_store *store, int64_t learner,
                                                     uint64_t after,
                                                     segue_store_event_callback seen, void *context,
                                                     segue_error *err);

/** The newest snapshot of a learner; *bytes is the caller's to free, NULL without one. */
SEGUE_MUST_CHECK segue_status segue_store_read_snapshot(segue_store *store, int64_t learner,
                                                        uint64_t *seq, void **bytes, size_t *size,
                                                        segue_error *err);

#endif
