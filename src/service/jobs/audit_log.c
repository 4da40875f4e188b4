/* audit_log.c - a log that loses no line: who changed what.
 *
 * Lines are written one at a time, under `lock`, which is held while the disk is waited for: lines
 * are rare, and a line that was cut by a full disk must be removed before the next one is written.
 * If a sync fails, its line is written again: it may be in the file twice, but is never missing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/jobs/audit_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "segue/internal.h"
#include "store/store.h"

struct segue_audit_log {
    const char *path;
    pthread_mutex_t lock;
    int fd;              /* guarded by lock, as all that follows */
    segue_bytes waiting; /* lines that could not be written */
    uint64_t dropped;    /* lines for which there was no memory */
};

/* ---- the file ---------------------------------------------------------------------------- */

static segue_status check_file(const char *path, int fd, segue_error *err)
{
    struct stat about;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode))
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EFILE, "%s: is no regular file; name one with --audit-log",
                      segue_path_tail(path));
}

/* Without O_NONBLOCK opening a FIFO would wait for its reader; files ignore it. */
static segue_status open_file(const char *path, int *out, segue_error *err)
{
    if (segue_store_file_detect(path))
        return segue_fail(err, SEGUE_EFILE,
                          "%s: is part of a store; name another file with --audit-log",
                          segue_path_tail(path));
    const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd < 0)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_path_tail(path),
                          strerror(errno));
    const segue_status status = check_file(path, fd, err);
    if (status == SEGUE_OK)
        *out = fd;
    else
        (void)close(fd);
    return status;
}

static int write_all(int fd, const unsigned char *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = write(fd, data + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        done += (size_t)n;
    }
    return 0;
}

/* Write all bytes or none: a part of a line is cut off again. */
static int write_whole(const segue_audit_log *log, const void *data, size_t size, bool sync)
{
    const off_t end = lseek(log->fd, 0, SEEK_END);
    const int error = end < 0 ? errno : write_all(log->fd, data, size);
    if (error != 0) {
        if (end >= 0 && ftruncate(log->fd, end) != 0)
            return errno;
        return error;
    }
    return sync && fdatasync(log->fd) != 0 ? errno : 0;
}

/* ---- lines that wait --------------------------------------------------------------------- */

static void queue_line(segue_audit_log *log, const void *line, size_t size)
{
    if (size <= SEGUE_AUDIT_LOG_BUFFER - log->waiting.size)
        segue_bytes_append(&log->waiting, line, size);
    else
        log->dropped++;
    if (log->waiting.failed) { /* the lines before are still there */
        log->waiting.failed = false;
        log->dropped++;
    }
}

/* Say how many lines are missing at this point of the file. */
static int write_dropped(segue_audit_log *log)
{
    char line[64];
    const int size = snprintf(line, sizeof line, "{\"dropped\":%" PRIu64 "}\n", log->dropped);
    const int error = log->dropped > 0 ? write_whole(log, line, (size_t)size, true) : 0;
    if (error == 0)
        log->dropped = 0;
    return error;
}

/* Under the lock. */
static int flush(segue_audit_log *log)
{
    if (log->waiting.size > 0) {
        const int error = write_whole(log, log->waiting.data, log->waiting.size, true);
        if (error != 0)
            return error;
        log->waiting.size = 0;
    }
    return write_dropped(log);
}

/* ---- for its callers --------------------------------------------------------------------- */

segue_status segue_audit_log_open(segue_audit_log **out, const char *path, segue_error *err)
{
    *out = NULL;
    segue_audit_log *log = calloc(1, sizeof *log);
    if (!log)
        return segue_fail_no_memory(err, "the audit log");
    log->path = path;
    const segue_status status = open_file(path, &log->fd, err);
    if (status != SEGUE_OK) {
        free(log);
        return status;
    }
    (void)pthread_mutex_init(&log->lock, NULL);
    *out = log;
    return SEGUE_OK;
}

segue_status segue_audit_log_close(segue_audit_log *log, segue_error *err)
{
    if (!log)
        return SEGUE_OK;
    const int error = flush(log);
    const segue_status status =
        error == 0
            ? SEGUE_OK
            : segue_fail(err, SEGUE_EIO, "lines of the audit log are lost: %s; check its disk",
                         strerror(error));
    (void)close(log->fd);
    (void)pthread_mutex_destroy(&log->lock);
    segue_bytes_fini(&log->waiting);
    free(log);
    return status;
}

int segue_audit_log_append(segue_audit_log *log, const void *line, size_t size, bool sync)
{
    (void)pthread_mutex_lock(&log->lock);
    int error = flush(log);
    if (error == 0)
        error = write_whole(log, line, size, sync);
    if (error != 0)
        queue_line(log, line, size);
    (void)pthread_mutex_unlock(&log->lock);
    return error;
}

void segue_audit_log_drop(segue_audit_log *log)
{
    (void)pthread_mutex_lock(&log->lock);
    log->dropped++;
    (void)pthread_mutex_unlock(&log->lock);
}

int segue_audit_log_flush(segue_audit_log *log)
{
    (void)pthread_mutex_lock(&log->lock);
    const int error = flush(log);
    (void)pthread_mutex_unlock(&log->lock);
    return error;
}

segue_status segue_audit_log_reopen(segue_audit_log *log, segue_error *err)
{
    int fd = -1;
    SEGUE_TRY(open_file(log->path, &fd, err));
    (void)pthread_mutex_lock(&log->lock);
    const int old = log->fd;
    log->fd = fd;
    (void)flush(log); /* lines that the old file did not take */
    (void)pthread_mutex_unlock(&log->lock);
    (void)close(old);
    return SEGUE_OK;
}
