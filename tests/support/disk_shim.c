/* disk_shim.c - a disk that fails on demand, and records the calls that it gets.
 *
 * To be preloaded (LD_PRELOAD) into `segue serve`.  It handles files whose path begins with
 * SEGUE_DISK_PREFIX, the store's, and that path's folder.
 *
 * SEGUE_DISK_CONTROL names a file of a `control`, which a test maps or writes while the service
 * runs: the calls of one kind, on files whose path ends with `suffix`, are counted from the moment
 * at which `kind` is set; the first `skip` of them are let through, the next `times` fail.
 *
 * SEGUE_DISK_TRACE names a file to which each call that succeeded is appended, with its data, by
 * one write; a test may append lines of its own, which then stand in the order in which things
 * happened: kind, path, offset, size \n data \n
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, SYNC = 2, TRUNCATE = 4 };
enum { NOTHING, HALF, WHOLE }; /* what a write that fails has written */

typedef struct control {
    _Atomic uint32_t kind;            /* which calls; 0: none */
    _Atomic uint32_t skip, times;     /* calls that pass first, then calls that fail */
    uint32_t error, part;             /* errno; of a write, what was written */
    _Atomic uint32_t calls, failures; /* counted here */
    char suffix[36];                  /* of the path */
} control;

#define FILES 4096
static char *paths[FILES]; /* by descriptor; a path is never freed */
static control *orders;
static int trace = -1;

static int (*real_open)(const char *, int, ...);
static int (*real_close)(int);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_fsync)(int), (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_unlink)(const char *);

static void find(void *function, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

__attribute__((constructor)) static void start(void)
{
    const char *path = getenv("SEGUE_DISK_CONTROL");
    find(&real_open, "open64");
    find(&real_close, "close");
    find(&real_pwrite, "pwrite64");
    find(&real_fsync, "fsync");
    find(&real_fdatasync, "fdatasync");
    find(&real_ftruncate, "ftruncate64");
    find(&real_unlink, "unlink");
    const int fd = path ? real_open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd >= 0) {
        void *at = mmap(NULL, sizeof *orders, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        orders = at == MAP_FAILED ? NULL : at;
        real_close(fd);
    }
    path = getenv("SEGUE_DISK_TRACE");
    if (path)
        trace = real_open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

/* The store's files, and its folder. */
static bool is_watched(const char *path)
{
    const char *prefix = getenv("SEGUE_DISK_PREFIX");
    const char *slash = prefix ? strrchr(prefix, '/') : NULL;
    return prefix && (strncmp(path, prefix, strlen(prefix)) == 0 ||
                      (slash && strlen(path) == (size_t)(slash - prefix) &&
                       strncmp(path, prefix, (size_t)(slash - prefix)) == 0));
}

static const char *path_of(int fd)
{
    return fd >= 0 && fd < FILES ? paths[fd] : NULL;
}

static void record(const char *kind, const char *path, off_t offset, const void *data, size_t size)
{
    char head[512];
    if (trace < 0)
        return;
    const int n = snprintf(head, sizeof head, "%s %s %lld %zu\n", kind, path, (long long)offset,
                           data ? size : 0);
    const struct iovec parts[] = {{head, (size_t)n},
                                  {(void *)(uintptr_t)data, data ? size : 0},
                                  {(void *)(uintptr_t) "\n", 1}};
    if (writev(trace, parts, 3) < 0)
        abort();
}

/* Return whether this call must fail. */
static bool fails(uint32_t kind, const char *path)
{
    if (!orders || !path || !(atomic_load(&orders->kind) & kind))
        return false;
    const size_t size = strlen(path), end = strlen(orders->suffix);
    if (size < end || strcmp(path + size - end, orders->suffix) != 0)
        return false;
    const uint32_t call = atomic_fetch_add(&orders->calls, 1);
    const uint32_t skip = atomic_load(&orders->skip);
    if (call < skip || call - skip >= atomic_load(&orders->times))
        return false;
    (void)atomic_fetch_add(&orders->failures, 1);
    return true;
}

int open64(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    const int fd = real_open(path, flags, mode);
    if (fd >= 0 && fd < FILES && is_watched(path)) {
        paths[fd] = strdup(path);
        if (flags & O_CREAT)
            record("open", path, 0, NULL, 0);
    }
    return fd;
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open64(path, flags, mode);
}

int close(int fd)
{
    if (fd >= 0 && fd < FILES)
        paths[fd] = NULL;
    return real_close(fd);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off_t offset)
{
    const char *path = path_of(fd);
    if (!fails(WRITE, path)) {
        const ssize_t done = real_pwrite(fd, data, size, offset);
        if (path && done > 0)
            record("write", path, offset, data, (size_t)done);
        return done;
    }
    const size_t part = orders->part == WHOLE ? size : orders->part == HALF ? size / 2 : 0;
    const ssize_t done = part > 0 ? real_pwrite(fd, data, part, offset) : 0;
    if (done > 0)
        record("write", path, offset, data, (size_t)done);
    errno = (int)orders->error;
    return -1;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    return pwrite64(fd, data, size, offset);
}

static int sync_with(int (*real)(int), int fd)
{
    const char *path = path_of(fd);
    if (fails(SYNC, path)) {
        errno = (int)orders->error;
        return -1;
    }
    const int code = real(fd);
    if (path && code == 0)
        record("sync", path, 0, NULL, 0);
    return code;
}

int fsync(int fd)
{
    return sync_with(real_fsync, fd);
}

int fdatasync(int fd)
{
    return sync_with(real_fdatasync, fd);
}

int ftruncate64(int fd, off_t size)
{
    const char *path = path_of(fd);
    if (fails(TRUNCATE, path)) {
        errno = (int)orders->error;
        return -1;
    }
    const int code = real_ftruncate(fd, size);
    if (path && code == 0)
        record("truncate", path, size, NULL, 0);
    return code;
}

int ftruncate(int fd, off_t size)
{
    return ftruncate64(fd, size);
}

int unlink(const char *path)
{
    const int code = real_unlink(path);
    if (code == 0 && is_watched(path))
        record("unlink", path, 0, NULL, 0);
    return code;
}
