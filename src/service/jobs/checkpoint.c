/* checkpoint.c - keep the WAL small, and report when it cannot be.
 *
 * SQLite appends transactions to the WAL.  A checkpoint copies them to the main file; the next
 * transaction then starts the WAL again, unless a reader still needs it.  So one long read lets it
 * grow.  The thread that writes checkpoints after it has answered: when the WAL has 16 MB, and
 * while its file is larger than it should be.  Above WAL_LARGE that is reported; at --max-wal
 * nothing more is stored until the reader is gone.  A checkpoint that fails loses nothing: the WAL
 * has it all. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <time.h>

#include "service/engine/commit_queue.h"
#include "service/engine/service_internal.h"
#include "service/jobs/checkpoint.h"

#define CHECKPOINT_FRAMES 4000       /* of 4 KB each */
#define WAL_USUAL         20971520.0 /* bytes; the limit in sqlite.c */
#define WAL_LARGE         67108864.0
#define WAL_LARGE_SHARE   0.75 /* of --max-wal, if that is less */
#define MEGABYTE          1048576.0
#define PAUSE_SHORTEST    0.1  /* seconds after a checkpoint that did not empty the WAL ... */
#define PAUSE_SHARE       20.0 /* ... and so many times what it took */

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool is_oversized(const segue_service *service)
{
    return (double)segue_store_wal_bytes(service->store) > WAL_USUAL;
}

static void note_failure(segue_service *service, const segue_error *err)
{
    (void)atomic_fetch_add(&service->metrics.checkpoint_failures, 1);
    if (!atomic_exchange(&service->checkpoint_fails, true))
        segue_service_report(service,
                             "the WAL cannot be copied to the store's file: %.300s; it keeps all "
                             "that was stored, and this is tried again",
                             err->message);
}

static void note_success(segue_service *service)
{
    (void)atomic_fetch_add(&service->metrics.checkpoints, 1);
    if (atomic_exchange(&service->checkpoint_fails, false))
        segue_service_report(service, "the WAL can be copied to the store's file again");
}

static void note_size(segue_service *service)
{
    const double used = (double)segue_store_wal_used(service->store);
    const double large = fmin(WAL_LARGE, WAL_LARGE_SHARE * (double)service->config.wal_most);
    if (atomic_load(&service->wal_large) == (used > large))
        return;
    atomic_store(&service->wal_large, used > large);
    if (used > large)
        segue_service_report(service,
                             "%.300s-wal has %.0f MB, and a reader or a failing disk keeps it from "
                             "being emptied; look for open backups and sqlite3",
                             segue_store_path(service->store), used / MEGABYTE);
    else
        segue_service_report(service, "the WAL is small again");
}

/* Copy the WAL to the main file. */
static segue_status run(segue_service *service, segue_error *err)
{
    segue_checkpoint done;
    const double begun = seconds();
    const segue_status status =
        segue_store_checkpoint(service->store, is_oversized(service), &done, err);
    service->checkpoint_frames = segue_store_wal_frames(service->store);
    service->checkpoint_next = seconds() + fmax(PAUSE_SHORTEST, PAUSE_SHARE * (seconds() - begun));
    if (segue_store_is_lost(service->store))
        segue_service_fail(service, err);
    return status;
}

static void run_and_note(segue_service *service)
{
    segue_error err;
    const segue_status status = run(service, &err);
    if (segue_store_is_lost(service->store))
        return;
    if (status != SEGUE_OK)
        note_failure(service, &err);
    else
        note_success(service);
}

/* Whether the last one did not empty the WAL, and was a moment ago. */
static bool must_pause(const segue_service *service)
{
    return segue_store_wal_frames(service->store) >= service->checkpoint_frames &&
           seconds() < service->checkpoint_next;
}

void segue_checkpoint_for_space(segue_service *service)
{
    segue_error err;
    if (!must_pause(service) && run(service, &err) != SEGUE_OK)
        return; /* the disk is full: that was reported */
}

void segue_checkpoint_if_due(segue_service *service, bool oversized)
{
    if (segue_store_is_lost(service->store))
        return;
    const bool large = segue_store_wal_frames(service->store) >= CHECKPOINT_FRAMES;
    if ((large || oversized) && !must_pause(service))
        run_and_note(service);
    note_size(service);
}

segue_status segue_checkpoint_allow_write(segue_service *service, segue_error *err)
{
    const double most = (double)service->config.wal_most;
    if ((double)segue_store_wal_used(service->store) < most)
        return SEGUE_OK;
    if (!must_pause(service))
        run_and_note(service);
    if ((double)segue_store_wal_used(service->store) < most)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EIO,
                      "%.200s-wal has %.0f MB, as many as --max-wal allows; end what reads the "
                      "store, a backup or sqlite3, so that it can be emptied",
                      segue_store_path(service->store),
                      (double)segue_store_wal_used(service->store) / MEGABYTE);
}

void segue_checkpoint_enqueue(segue_service *service)
{
    if (is_oversized(service) && !atomic_exchange(&service->checkpoint_pending, true) &&
        !segue_commit_queue_add_job(service, &op_checkpoint, 0, 0))
        atomic_store(&service->checkpoint_pending, false);
}
