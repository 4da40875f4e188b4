/* atomic_file.c - write a temporary file, sync it, rename it to its path.
 *
 * A reader sees the old file or the new one, never a part. Where O_TMPFILE works the new file has
 * no
 * name until it is complete: link() gives it its path if that is free. To replace a file it first
 * needs a temporary name, because link() does not replace and rename() does. Signals that end the
 * process are blocked between the two calls, so that no temporary file remains.
 *
 * A writer holds flock() on its file; segue_atomic_file_remove_stale removes the temporary files
 * of
 * killed processes: old, of this user, and without a lock. An atomic_file belongs to one thread.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* O_TMPFILE; realpath, flock */
#include "core/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/path.h"
#include "core/store_file.h"

#define TEMPORARY_PREFIX  ".segue-" /* prefix of a temporary name */
#define RANDOM_LETTERS    8         /* number of letters after it */
#define STALE_SECONDS     60        /* age from which a file without a lock is removed */
#define MAX_NAME_ATTEMPTS 100       /* attempts at a free name; one collides once in 2^40 */

static segue_status cannot_write(const char *path, segue_error *err)
{
    return segue_fail(err, SEGUE_EFILE, "%s: cannot be written: %s", segue_path_tail(path),
                      strerror(errno));
}

segue_status segue_atomic_file_check(const char *path, segue_error *err)
{
    struct stat about;
    char folder[SEGUE_MAX_FOLDER_LENGTH];
    if (*path == '\0')
        return segue_fail(err, SEGUE_EFILE, "the name of the file to write is empty");
    if (stat(path, &about) != 0 && lstat(path, &about) == 0)
        return segue_fail(err, SEGUE_EFILE, "%s: is a link to nothing", segue_path_tail(path));
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return segue_fail(err, SEGUE_EFILE, "%s: is a directory; need a file",
                          segue_path_tail(path));
    if (access(path, F_OK) == 0 && access(path, W_OK) != 0)
        return cannot_write(path, err);
    if (segue_store_file_detect(path))
        return segue_fail(err, SEGUE_EFILE, "%s: is part of a store; need another file",
                          segue_path_tail(path));
    if (access(path, F_OK) == 0 && !S_ISREG(about.st_mode))
        return SEGUE_OK;
    return access(segue_path_folder(path, folder), W_OK) == 0 ? SEGUE_OK : cannot_write(path, err);
}

/* Return the mode of the file that is replaced; 0: there is none, and the system gives the mode. */
static mode_t mode_for(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? about.st_mode : 0;
}

/* Return a hidden name in the folder of `path`, without its letters. It is short whatever the name
 * of the file. */
static char *temporary_name(const char *path)
{
    static const char name[] = TEMPORARY_PREFIX;
    const size_t directory = segue_path_folder_length(path);
    char *temporary = calloc(1, directory + sizeof name + RANDOM_LETTERS);
    if (temporary) {
        memcpy(temporary, path, directory);
        memcpy(temporary + directory, name, sizeof name);
    }
    return temporary;
}

static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";

/* Draw the letters of a name; false: the system has no entropy. */
static bool draw_letters(char end[RANDOM_LETTERS])
{
    unsigned char draw[RANDOM_LETTERS];
    if (getentropy(draw, sizeof draw) != 0)
        return false;
    for (size_t k = 0; k < sizeof draw; k++)
        end[k] = letters[draw[k] % 32];
    return true;
}

/* Return the mode to create a file with. A new file gets its final mode at once, because only the
 * kernel can apply the umask without changing it for all threads. A file that replaces another one
 * stays private until it gets the mode of that one. */
static mode_t first_mode(mode_t mode)
{
    return mode ? 0600 : 0666;
}

/* Create a file under a temporary name with letters that are free. */
static int open_temporary(char *temporary, mode_t mode)
{
    char *end = temporary + strlen(temporary);
    int fd = -1;
    for (int i = 0; i < MAX_NAME_ATTEMPTS && fd < 0 && (i == 0 || errno == EEXIST); i++) {
        if (!draw_letters(end))
            break;
        fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, first_mode(mode));
    }
    if (fd < 0)
        *temporary = '\0'; /* the last name belongs to another file */
    return fd;
}

/* Create a file without a name in the folder of `path`; -1: not supported there. */
static int open_unnamed(const char *path, mode_t mode)
{
#ifdef O_TMPFILE
    char folder[SEGUE_MAX_FOLDER_LENGTH];
    if (access("/proc/self/fd", X_OK) != 0) /* link_to_path needs it */
        return -1;
    return open(segue_path_folder(path, folder), O_TMPFILE | O_WRONLY | O_CLOEXEC,
                first_mode(mode));
#else
    (void)path;
    (void)mode;
    return -1;
#endif
}

/* Link a file without a name to `path`: 0, or -1. */
static int link_to_path(int fd, const char *path)
{
    char from[32];
    (void)snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* Link it to a temporary name with letters that are free: 0, or -1. */
static int link_temporary(int fd, char *temporary)
{
    char *end = temporary + strlen(temporary);
    int failed = -1;
    for (int i = 0; i < MAX_NAME_ATTEMPTS && failed && (i == 0 || errno == EEXIST); i++) {
        if (!draw_letters(end))
            break;
        failed = link_to_path(fd, temporary);
    }
    if (failed)
        *temporary = '\0';
    return failed;
}

/* ---- in pieces --------------------------------------------------------------------------- */

/* Return true for a path to write to directly: a device, a pipe, or a name that stands for one. */
static bool is_direct(const char *path)
{
    struct stat about;
    return (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) ||
           strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/dev/std", 8) == 0 ||
           strncmp(path, "/proc/", 6) == 0;
}

/* Set the path and the temporary name. */
static bool set_names(atomic_file *out, const char *path)
{
    out->path = realpath(path, NULL); /* the target of a link */
    if (!out->path && errno != ENOMEM)
        out->path = strdup(path); /* it does not exist yet */
    if (out->path && !is_direct(path))
        out->temporary = temporary_name(out->path);
    return out->path && (out->temporary || is_direct(path));
}

static void open_output(atomic_file *out, const char *path)
{
    if (!out->temporary) {
        out->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
        return;
    }
    out->fd = open_unnamed(out->path, out->mode);
    out->unnamed = out->fd >= 0;
    if (!out->unnamed)
        out->fd = open_temporary(out->temporary, out->mode);
    if (out->fd >= 0)
        (void)flock(out->fd,
                    LOCK_EX | LOCK_NB); /* marks it as in use: see segue_atomic_file_remove_stale */
}

segue_status segue_atomic_file_begin(atomic_file *out, const char *path, unsigned mode,
                                     segue_error *err)
{
    *out = (atomic_file){.mode = mode ? mode : mode_for(path), .fd = -1};
    segue_status status = segue_atomic_file_check(path, err);
    if (status != SEGUE_OK)
        goto failed;
    if (!set_names(out, path)) {
        status = segue_fail(err, SEGUE_ENOMEM, "%s: out of memory", segue_path_tail(path));
        goto failed;
    }
    open_output(out, path);
    if (out->fd >= 0)
        return SEGUE_OK;
    status = cannot_write(path, err);
failed:
    segue_atomic_file_rollback(out);
    return status;
}

static void write_all(atomic_file *out, const char *data, size_t size)
{
    while (size > 0 && out->code == 0) {
        const ssize_t written = write(out->fd, data, size);
        if (written < 0 && errno != EINTR)
            out->code = errno;
        if (written > 0) {
            data += written;
            size -= (size_t)written;
        }
    }
}

static void flush(atomic_file *out)
{
    write_all(out, out->buffer, out->used);
    out->used = 0;
}

void segue_atomic_file_append(atomic_file *out, const void *data, size_t size)
{
    if (size > sizeof out->buffer - out->used)
        flush(out);
    if (size > sizeof out->buffer) {
        write_all(out, data, size);
        return;
    }
    memcpy(out->buffer + out->used, data, size);
    out->used += size;
}

/* Sync the folder, so that the new name survives a loss of power: 0, or the error code. A folder
 * that may not be read, or a file system without this call, is no error. */
static int sync_folder(const char *path)
{
    char folder[SEGUE_MAX_FOLDER_LENGTH];
    const int fd = open(segue_path_folder(path, folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int code = fd >= 0 && fsync(fd) != 0 ? errno : 0;
    if (fd >= 0)
        (void)close(fd);
    return code == EINVAL || code == ENOTSUP || code == ENOSYS || code == EROFS ? 0 : code;
}

static int apply_mode(const atomic_file *out)
{
    return out->mode ? fchmod(out->fd, out->mode & 07777) : 0;
}

/* Block signals that would end the process between link and rename and leave a temporary file. */
static void hold_signals(sigset_t *before)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &ends, before);
}

/* Give the file its path: 0, or the error code. A link does not replace a file, a rename does. */
static int rename_to_path(atomic_file *out)
{
    sigset_t before;
    if (out->unnamed && link_to_path(out->fd, out->path) == 0)
        return 0;
    hold_signals(&before);
    int failed = out->unnamed ? link_temporary(out->fd, out->temporary) : 0;
    if (!failed)
        failed = rename(out->temporary, out->path);
    int code = failed ? errno : 0;
    if (!failed)
        *out->temporary = '\0'; /* it has its final name */
    else if (out->unnamed && *out->temporary)
        (void)unlink(out->temporary);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

/* Write the rest, set the mode, sync, rename, close: 0, or the error code. */
static int finish(atomic_file *out)
{
    flush(out);
    int code = out->code;
    if (code == 0 && out->temporary && (apply_mode(out) != 0 || fsync(out->fd) != 0))
        code = errno;
    if (code == 0 && out->temporary)
        code = rename_to_path(out);
    const int closed = close(out->fd);
    out->fd = -1;
    if (closed != 0 && code == 0)
        code = errno;
    return code == 0 && out->temporary ? sync_folder(out->path) : code;
}

segue_status segue_atomic_file_commit(atomic_file *out, segue_error *err)
{
    segue_status status = SEGUE_OK;
    const int code = finish(out);
    if (code != 0)
        status = segue_fail(err, SEGUE_EIO, "%s: writing failed: %s", segue_path_tail(out->path),
                            strerror(code));
    segue_atomic_file_rollback(out);
    return status;
}

void segue_atomic_file_rollback(atomic_file *out)
{
    if (out->fd >= 0)
        (void)close(out->fd);
    if (out->temporary && *out->temporary && !out->unnamed)
        (void)unlink(out->temporary);
    free(out->temporary);
    free(out->path);
    *out = (atomic_file){.fd = -1};
}

/* ---- in one call --------------------------------------------------------------------------- */

segue_status segue_atomic_file_write(const char *path, const void *data, size_t size,
                                     segue_error *err)
{
    atomic_file out;
    sigset_t before;
    hold_signals(&before);
    segue_status status = segue_atomic_file_begin(&out, path, 0, err);
    if (status == SEGUE_OK) {
        segue_atomic_file_append(&out, data, size);
        status = segue_atomic_file_commit(&out, err);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* ---- temporary files of killed processes --------------------------------------------------- */

static bool is_temporary(const char *name)
{
    static const char begin[] = TEMPORARY_PREFIX;
    const size_t length = sizeof begin - 1;
    return strncmp(name, begin, length) == 0 && strlen(name) == length + RANDOM_LETTERS &&
           strspn(name + length, letters) == RANDOM_LETTERS;
}

/* Return true if `fd` is a plain file of this user, last written a minute or more before another
 * one. */
static bool is_old(int fd, const struct stat *newer)
{
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
           about.st_mtime + STALE_SECONDS <= newer->st_mtime;
}

/* Remove a temporary file if it is old and no writer holds its lock. */
static void remove_if_stale(int folder, const char *name, const struct stat *newer)
{
    const int fd = openat(folder, name, O_RDWR | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    if (is_old(fd, newer) && flock(fd, LOCK_EX | LOCK_NB) == 0)
        (void)unlinkat(folder, name, 0);
    (void)close(fd);
}

void segue_atomic_file_remove_stale(const atomic_file *out)
{
    char folder[SEGUE_MAX_FOLDER_LENGTH];
    struct stat about;
    if (!out->temporary || fstat(out->fd, &about) != 0)
        return;
    DIR *entries = opendir(segue_path_folder(out->path, folder));
    for (const struct dirent *entry; entries && (entry = readdir(entries));)
        if (is_temporary(entry->d_name))
            remove_if_stale(dirfd(entries), entry->d_name, &about);
    if (entries)
        (void)closedir(entries);
}
