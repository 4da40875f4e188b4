/* outfile.c - write aside, then rename.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* realpath */
#include "io/outfile.h"

#include <errno.h>
#include <fcntl.h>
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
    const int fd = open(path, O_WRONLY);
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

static segue_status write_aside(const char *path, const void *data, size_t size, segue_error *err)
{
    const size_t length = strlen(path);
    static const char suffix[] = ".XXXXXX";
    char *aside = malloc(length + sizeof suffix);
    if (!aside)
        return segue_fail(err, SEGUE_ENOMEM, "%s: out of memory", segue_text_tail(path));
    memcpy(aside, path, length);
    memcpy(aside + length, suffix, sizeof suffix);

    const int fd = mkstemp(aside);
    if (fd < 0) {
        free(aside);
        return cannot(path, err);
    }
    const bool written =
        write_all(fd, data, size) && fchmod(fd, mode_for(path)) == 0 && fsync(fd) == 0;
    int code = errno;
    const bool closed = close(fd) == 0;
    if (written && !closed)
        code = errno;
    bool renamed = false;
    if (written && closed) {
        renamed = rename(aside, path) == 0;
        code = errno;
    }
    if (!renamed)
        (void)unlink(aside);
    free(aside);
    if (!renamed)
        return segue_fail(err, SEGUE_EIO, "%s: writing failed: %s", segue_text_tail(path),
                          strerror(code));
    return SEGUE_OK;
}

segue_status segue_outfile_write(const char *path, const void *data, size_t size, segue_error *err)
{
    struct stat about;
    segue_status status = segue_outfile_check(path, err);
    if (status != SEGUE_OK)
        return status;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return write_directly(path, data, size, err);
    char *target = realpath(path, NULL); /* what a link points to; NULL if it does not exist yet */
    status = write_aside(target ? target : path, data, size, err);
    free(target);
    return status;
}
