/* log_writer.c - a log that never makes its writers wait.
 *
 * There are two buffers.  Callers fill `front` under the lock; the thread swaps it with `back`,
 * and writes `back` without the lock.  The thread wakes up every tenth of a second, or when
 * `front` is half full, so that a line costs its caller no system call.
 *
 * The thread may be stuck in write() for ever: no process reads the pipe.  It can be cancelled
 * there, and only there, where it holds no lock.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/jobs/log_writer.h"
#include "segue/internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_SECONDS 0.1

struct segue_log_writer {
    pthread_t thread;
    segue_log_writer_notice notice;
    atomic_int error; /* of the first write that failed */

    pthread_mutex_t lock;
    pthread_cond_t wake, ended;
    char *front;        /* guarded by lock, as all that follows */
    size_t used;        /* of `front` */
    uint64_t dropped;   /* lines since the last swap */
    int next;           /* the file to go on with, or -1 */
    bool closing, done; /* done: the thread has ended by itself */

    char *back; /* the thread's */
    int fd;     /* the thread's */
    bool owned; /* fd is to be closed */
};

/* ---- time -------------------------------------------------------------------------------- */

static struct timespec after(double seconds)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)seconds;
    t.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

/* ---- the thread -------------------------------------------------------------------------- */

/* write(), and the only place where the thread may be cancelled. */
static ssize_t write_some(int fd, const char *data, size_t size)
{
    int before = 0;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
    const ssize_t n = write(fd, data, size);
    const int why = errno;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    errno = why;
    return n;
}

static void write_all(segue_log_writer *log, const char *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = write_some(log->fd, data + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            int none = 0;
            (void)atomic_compare_exchange_strong(&log->error, &none, n < 0 ? errno : EIO);
            return;
        }
        done += (size_t)n;
    }
}

static void write_notice(segue_log_writer *log, uint64_t dropped)
{
    char line[SEGUE_LOG_WRITER_NOTICE];
    const int size = log->notice(line, dropped);
    if (size > 0 && size < SEGUE_LOG_WRITER_NOTICE)
        write_all(log, line, (size_t)size);
}

/* The lines that wait, in `back`; the file to go on with.  Under the lock. */
static size_t take(segue_log_writer *log, uint64_t *dropped, int *next)
{
    char *full = log->front;
    const size_t size = log->used;
    log->front = log->back;
    log->back = full;
    log->used = 0;
    *dropped = log->dropped;
    log->dropped = 0;
    *next = log->next;
    log->next = -1;
    return size;
}

static void go_on_in(segue_log_writer *log, int fd)
{
    if (fd < 0)
        return;
    if (log->owned)
        (void)close(log->fd);
    log->fd = fd;
    log->owned = true;
}

/* Wait until there is enough to write, or for a while. */
static void await_lines(segue_log_writer *log)
{
    const struct timespec until = after(PAUSE_SECONDS);
    int code = 0;
    while (!log->closing && log->next < 0 && log->used < SEGUE_LOG_WRITER_BUFFER / 2 && code == 0)
        code = pthread_cond_timedwait(&log->wake, &log->lock, &until);
}

static void *write_lines(void *context)
{
    segue_log_writer *log = context;
    int before = 0;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    (void)pthread_mutex_lock(&log->lock);
    while (!log->closing || log->used > 0 || log->dropped > 0) {
        uint64_t dropped = 0;
        int next = -1;
        await_lines(log);
        const size_t size = take(log, &dropped, &next);
        (void)pthread_mutex_unlock(&log->lock);
        write_all(log, log->back, size);
        if (dropped > 0)
            write_notice(log, dropped);
        go_on_in(log, next);
        (void)pthread_mutex_lock(&log->lock);
    }
    log->done = true;
    (void)pthread_cond_signal(&log->ended);
    (void)pthread_mutex_unlock(&log->lock);
    return NULL;
}

/* ---- for its callers --------------------------------------------------------------------- */

static void init_conditions(segue_log_writer *log)
{
    pthread_condattr_t steady;
    (void)pthread_condattr_init(&steady);
    (void)pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&log->wake, &steady);
    (void)pthread_cond_init(&log->ended, &steady);
    (void)pthread_condattr_destroy(&steady);
}

static void free_log(segue_log_writer *log)
{
    if (log->owned)
        (void)close(log->fd);
    if (log->next >= 0)
        (void)close(log->next);
    (void)pthread_cond_destroy(&log->wake);
    (void)pthread_cond_destroy(&log->ended);
    (void)pthread_mutex_destroy(&log->lock);
    free(log->front);
    free(log->back);
    free(log);
}

segue_status segue_log_writer_create(segue_log_writer **out, int fd, segue_log_writer_notice notice,
                                     segue_error *err)
{
    *out = NULL;
    segue_log_writer *log = calloc(1, sizeof *log);
    if (!log)
        return segue_fail_no_memory(err, "a log");
    log->fd = fd;
    log->next = -1;
    log->notice = notice;
    (void)pthread_mutex_init(&log->lock, NULL);
    init_conditions(log);
    log->front = malloc(SEGUE_LOG_WRITER_BUFFER);
    log->back = malloc(SEGUE_LOG_WRITER_BUFFER);
    if (!log->front || !log->back) {
        free_log(log);
        return segue_fail_no_memory(err, "a log");
    }
    if (pthread_create(&log->thread, NULL, write_lines, log) != 0) {
        free_log(log);
        return segue_fail(
            err, SEGUE_ETHREAD,
            "the log thread could not be started; check the limits of the process (ulimit -u)");
    }
    *out = log;
    return SEGUE_OK;
}

/* Once a line was dropped, so are all until the next swap: the notice stands where they would. */
bool segue_log_writer_append(segue_log_writer *log, const void *line, size_t size)
{
    (void)pthread_mutex_lock(&log->lock);
    const bool fits = log->dropped == 0 && size <= SEGUE_LOG_WRITER_BUFFER - log->used;
    if (fits) {
        const bool was_low = log->used < SEGUE_LOG_WRITER_BUFFER / 2;
        memcpy(log->front + log->used, line, size);
        log->used += size;
        if (was_low && log->used >= SEGUE_LOG_WRITER_BUFFER / 2)
            (void)pthread_cond_signal(&log->wake);
    } else {
        log->dropped++;
    }
    (void)pthread_mutex_unlock(&log->lock);
    return fits;
}

void segue_log_writer_reopen(segue_log_writer *log, int fd)
{
    (void)pthread_mutex_lock(&log->lock);
    if (log->next >= 0)
        (void)close(log->next);
    log->next = fd;
    (void)pthread_cond_signal(&log->wake);
    (void)pthread_mutex_unlock(&log->lock);
}

int segue_log_writer_error(const segue_log_writer *log)
{
    return atomic_load(&log->error);
}

int segue_log_writer_destroy(segue_log_writer *log, double seconds)
{
    if (!log)
        return 0;
    const struct timespec until = after(seconds);
    int code = 0;
    (void)pthread_mutex_lock(&log->lock);
    log->closing = true;
    (void)pthread_cond_signal(&log->wake);
    while (!log->done && code == 0)
        code = pthread_cond_timedwait(&log->ended, &log->lock, &until);
    const bool done = log->done;
    (void)pthread_mutex_unlock(&log->lock);
    if (!done)
        (void)pthread_cancel(log->thread);
    (void)pthread_join(log->thread, NULL);
    const int error = atomic_load(&log->error);
    free_log(log);
    return error != 0 || done ? error : ETIMEDOUT;
}
