/* wal_checkpoint.c - keep the store's write-ahead log (WAL) small, and report when that fails.
 *
 * A store may append transactions to a WAL.  A checkpoint copies them to the main storage; the next
 * transaction then starts the WAL again, unless a reader still needs it.  So one long read lets it
 * grow.  The writer checkpoints after it has responded: when the WAL has 16 MB, and while its file
 * is larger than it should be.  A WAL above WAL_LARGE is reported; at --max-wal nothing more is
 * stored until the reader is gone.  A checkpoint that fails loses nothing: the WAL has it all.  For
 * a store without a WAL all sizes are 0, and none of this happens.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/jobs/wal_checkpoint.h"

#include <math.h>

#include "service/engine/commit_queue.h"
#include "service/engine/service_internal.h"

#define CHECKPOINT_FRAMES 4000       /* of 4 KB each */
#define WAL_USUAL         20971520.0 /* bytes of the file after a checkpoint, at most */
#define WAL_LARGE         67108864.0
#define WAL_LARGE_SHARE   0.75 /* of --max-wal, if that is less */
#define MEGABYTE          1048576.0
#define MIN_PAUSE         0.1  /* seconds after a checkpoint that did not empty the WAL ... */
#define PAUSE_FACTOR      20.0 /* ... or this many times its duration */

static segue_wal_info wal_of(const segue_service *service)
{
    segue_wal_info wal;
    segue_store_wal_info(service->store, &wal);
    return wal;
}

static bool is_oversized(const segue_service *service)
{
    return (double)wal_of(service).file_size > WAL_USUAL;
}

static void report_failure(segue_service *service, const segue_error *err)
{
    (void)atomic_fetch_add(&service->metrics.checkpoint_failures, 1);
    if (!atomic_exchange(&service->checkpoint_fails, true))
        segue_service_report(service,
                             "the WAL checkpoint failed: %.300s; no data is lost and the "
                             "checkpoint is retried; check the disk",
                             err->message);
}

static void report_success(segue_service *service)
{
    (void)atomic_fetch_add(&service->metrics.checkpoints, 1);
    if (atomic_exchange(&service->checkpoint_fails, false))
        segue_service_report(service, "WAL checkpoints work again");
}

static void report_size(segue_service *service)
{
    const segue_wal_info wal = wal_of(service);
    const double large = fmin(WAL_LARGE, WAL_LARGE_SHARE * (double)service->config.max_wal);
    const bool is_large = (double)wal.used > large;
    if (atomic_load(&service->wal_large) == is_large)
        return;
    atomic_store(&service->wal_large, is_large);
    if (is_large)
        segue_service_report(service,
                             "%.300s has %.0f MB, and a reader or a failing disk prevents "
                             "checkpoints; close open backups and database shells",
                             wal.path, (double)wal.used / MEGABYTE);
    else
        segue_service_report(service, "the WAL is small again");
}

/* Copy the WAL to the main storage. */
static segue_status run(segue_service *service, segue_error *err)
{
    const double begun = segue_clock_steady();
    const segue_status status = segue_store_checkpoint(service->store, is_oversized(service), err);
    const double now = segue_clock_steady();
    service->checkpoint_frames = wal_of(service).frames;
    service->checkpoint_next = now + fmax(MIN_PAUSE, PAUSE_FACTOR * (now - begun));
    if (segue_store_is_lost(service->store))
        segue_service_fail(service, err);
    return status;
}

static void run_and_report(segue_service *service)
{
    segue_error err;
    const segue_status status = run(service, &err);
    if (segue_store_is_lost(service->store))
        return;
    if (status != SEGUE_OK)
        report_failure(service, &err);
    else
        report_success(service);
}

/* Return whether the last checkpoint did not empty the WAL, and was a moment ago. */
static bool must_pause(const segue_service *service)
{
    return wal_of(service).frames >= service->checkpoint_frames &&
           segue_clock_steady() < service->checkpoint_next;
}

void segue_wal_checkpoint_for_space(segue_service *service)
{
    segue_error err;
    if (!must_pause(service) && run(service, &err) != SEGUE_OK)
        return; /* the disk is full: that was reported */
}

void segue_wal_checkpoint_if_due(segue_service *service, bool oversized)
{
    if (segue_store_is_lost(service->store))
        return;
    const bool is_due = wal_of(service).frames >= CHECKPOINT_FRAMES;
    if ((is_due || oversized) && !must_pause(service))
        run_and_report(service);
    report_size(service);
}

segue_status segue_wal_checkpoint_allow_write(segue_service *service, segue_error *err)
{
    const double limit = (double)service->config.max_wal;
    if ((double)wal_of(service).used < limit)
        return SEGUE_OK;
    if (!must_pause(service))
        run_and_report(service);
    const segue_wal_info wal = wal_of(service);
    if ((double)wal.used < limit)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EIO,
                      "%.200s has %.0f MB, as many as --max-wal allows; end what reads the store, "
                      "a backup or a database shell, so that it can be emptied",
                      wal.path, (double)wal.used / MEGABYTE);
}

void segue_wal_checkpoint_enqueue(segue_service *service)
{
    if (is_oversized(service) && !atomic_exchange(&service->checkpoint_pending, true) &&
        !segue_commit_queue_add_job(service, &op_checkpoint, 0, 0))
        atomic_store(&service->checkpoint_pending, false);
}
