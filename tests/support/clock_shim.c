/* clock_shim.c - preload this into a program to set its wall clock: the file that CLOCK_SHIM names
 * holds the seconds by which the program's clock is ahead of the system's.  CLOCK_MONOTONIC stays.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Called in signal handlers (PostgreSQL's timeouts): no malloc, errno stays.  Called before the constructors of
 * other shims, whose open() is not ready then: system calls only. */
static long offset(void)
{
    const char *path = getenv("CLOCK_SHIM");
    const int before = errno;
    const long file = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC) : -1;
    char text[32] = "0";
    if (file >= 0) {
        const long size = syscall(SYS_read, file, text, sizeof text - 1);
        text[size > 0 ? size : 0] = '\0';
        (void)syscall(SYS_close, file);
    }
    errno = before;
    return strtol(text, NULL, 10);
}

int clock_gettime(clockid_t which, struct timespec *out)
{
    const int code = (int)syscall(SYS_clock_gettime, which, out);
    if (code == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
        out->tv_sec += offset();
    return code;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}
