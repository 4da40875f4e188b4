/* outfile.c - write aside, then rename.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* realpath */
#include "core/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"

static segue_status cannot(const char *path, segue_error *err)
{
    return segue_fail(err, SEGUE_EFILE, "%s: cannot be written: %s", segue_text_tail(path),
                      strerror(errno));
}

/* How long the directory part of a path is, its last '/' included. */
static int directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* The directory of a path, by its number and device. */
static bool directory_of(const char *path, struct stat *about)
{
    char directory[4096];
    (void)snprintf(directory, sizeof directory, "%.*s.", directory_length(path), path);
    return stat(directory, about) == 0;
}

static bool is_same(const struct stat *x, const struct stat *y)
{
    return x->st_dev == y->st_dev && x->st_ino == y->st_ino;
}

int segue_is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (!a || !b)
        return 0;
    const bool a_exists = stat(a, &x) == 0, b_exists = stat(b, &y) == 0;
    if (a_exists && b_exists)
        return S_ISREG(x.st_mode) && is_same(&x, &y);
    return a_exists == b_exists && directory_of(a, &x) && directory_of(b, &y) && is_same(&x, &y) &&
           strcmp(a + directory_length(a), b + directory_length(b)) == 0;
}

segue_status segue_outfile_check(const char *path, segue_error *err)
{
    struct stat about;
    char directory[4096];
    if (*path == '\0')
        return segue_fail(err, SEGUE_EFILE, "the name of the file to write is empty");
    if (stat(path, &about) != 0 && lstat(path, &about) == 0)
        return segue_fail(err, SEGUE_EFILE, "%s: is a link to nothing", segue_text_tail(path));
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return segue_fail(err, SEGUE_EFILE, "%s: is a directory; need a file",
                          segue_text_tail(path));
    if (access(path, F_OK) == 0 && access(path, W_OK) != 0)
        return cannot(path, err);
    if (access(path, F_OK) == 0 && !S_ISREG(about.st_mode))
        return SEGUE_OK;
    (void)snprintf(directory, sizeof directory, "%.*s.", directory_length(path), path);
    return access(directory, W_OK) == 0 ? SEGUE_OK : cannot(path, err);
}

static bool write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(fd, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        data += written;
        size -= (size_t)written;
    }
    return true;
}

static segue_status write_directly(const char *path, const void *data, size_t size,
                                   segue_error *err)
{
    const int fd = open(path, O_WRONLY | O_APPEND);
    if (fd < 0)
        return cannot(path, err);
    const bool written = write_all(fd, data, size);
    const int code = errno;
    if (close(fd) != 0 && written)
        return segue_fail(err, SEGUE_EIO, "%s: writing failed: %s", segue_text_tail(path),
                          strerror(errno));
    if (!written)
        return segue_fail(err, SEGUE_EIO, "%s: writing failed: %s", segue_text_tail(path),
                          strerror(code));
    return SEGUE_OK;
}

/* The permissions of the file that is replaced, or those a new one gets. */
static mode_t mode_for(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0)
        return about.st_mode & 07777;
    const mode_t mask = umask(0);
    umask(mask);
    return (mode_t)(0666 & ~mask);
}

/* A name beside `path` for mkstemp: hidden, and short whatever the name of the file. */
static char *name_aside(const char *path)
{
    static const char name[] = ".segue-XXXXXX";
    const size_t directory = (size_t)directory_length(path);
    char *aside = malloc(directory + sizeof name);
    if (aside) {
        memcpy(aside, path, directory);
        memcpy(aside + directory, name, sizeof name);
    }
    return aside;
}

/* Fill the file at `fd`, give it its mode, and see it on the disk; 0 or the error code. */
static int fill(int fd, mode_t mode, const void *data, size_t size)
{
    int code = 0;
    if (!write_all(fd, data, size) || fchmod(fd, mode) != 0 || fsync(fd) != 0)
        code = errno;
    if (close(fd) != 0 && code == 0)
        code = errno;
    return code;
}

static segue_status write_aside(const char *path, mode_t mode, const void *data, size_t size,
                                segue_error *err)
{
    char *aside = name_aside(path);
    if (!aside)
        return segue_fail(err, SEGUE_ENOMEM, "%s: out of memory", segue_text_tail(path));
    const int fd = mkstemp(aside);
    if (fd < 0) {
        free(aside);
        return cannot(path, err);
    }
    int code = fill(fd, mode, data, size);
    if (code == 0 && rename(aside, path) != 0)
        code = errno;
    if (code != 0)
        (void)unlink(aside);
    free(aside);
    if (code != 0)
        return segue_fail(err, SEGUE_EIO, "%s: writing failed: %s", segue_text_tail(path),
                          strerror(code));
    return SEGUE_OK;
}

/* Do not end between making the file aside and renaming it: it would stay behind. */
static void hold_signals(sigset_t *before)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &ends, before);
}

/* `mode` 0: what the file has, or a new one gets. */
static segue_status write_file(const char *path, mode_t mode, const void *data, size_t size,
                               segue_error *err)
{
    struct stat about;
    segue_status status = segue_outfile_check(path, err);
    if (status != SEGUE_OK)
        return status;
    if ((stat(path, &about) == 0 && !S_ISREG(about.st_mode)) || strncmp(path, "/dev/", 5) == 0 ||
        strncmp(path, "/proc/", 6) == 0) /* also where these lead to a plain file */
        return write_directly(path, data, size, err);
    char *target = realpath(path, NULL); /* what a link points to; NULL if it does not exist yet */
    sigset_t before;
    hold_signals(&before);
    status = write_aside(target ? target : path, mode ? mode : mode_for(path), data, size, err);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(target);
    return status;
}

segue_status segue_outfile_write(const char *path, const void *data, size_t size, segue_error *err)
{
    return write_file(path, 0, data, size, err);
}

segue_status segue_outfile_write_private(const char *path, const void *data, size_t size,
                                         segue_error *err)
{
    return write_file(path, 0600, data, size, err);
}
