/* store_file.c - recognise the files of a store by their first bytes and by their names.
 *
 * A database begins with "SQLite format 3" and has its application_id at byte 68 (big-endian); a
 * write-ahead log begins with 0x377f0682 or 0x377f0683 (big-endian); its index with the number
 * 3007000 in the machine's order, twice.  (sqlite.org/fileformat2.html, sqlite.org/walformat.html)
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* realpath */
#include "core/store_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD        72 /* bytes of a file that identify it */
#define INDEX_FIRST 3007000
#define INDEX_AGAIN 48 /* offset of the second copy of the index header */

/* Read the first bytes of a plain file; returns how many there are. */
static size_t read_head(const char *path, unsigned char head[HEAD])
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return 0;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const ssize_t size = fd >= 0 ? pread(fd, head, HEAD, 0) : 0;
    if (fd >= 0)
        (void)close(fd);
    return size > 0 ? (size_t)size : 0;
}

static uint32_t big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint32_t native(const unsigned char *at)
{
    uint32_t x = 0;
    memcpy(&x, at, sizeof x);
    return x;
}

static bool is_store(const char *path)
{
    static const char magic[16] = "SQLite format 3";
    unsigned char head[HEAD];
    return read_head(path, head) == HEAD && memcmp(head, magic, sizeof magic) == 0 &&
           big_endian(head + 68) == SEGUE_STORE_APPLICATION_ID;
}

static bool is_log_or_index(const char *path)
{
    unsigned char head[HEAD];
    const size_t size = read_head(path, head);
    if (size >= 4 && (big_endian(head) & ~UINT32_C(1)) == UINT32_C(0x377f0682))
        return true;
    return size == HEAD && native(head) == INDEX_FIRST && native(head + INDEX_AGAIN) == INDEX_FIRST;
}

/* Remove a suffix of SQLite's side files; false: the path has none. */
static bool cut_suffix(char *path)
{
    static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const size_t size = strlen(suffixes[i]);
        if (length > size && strcmp(path + length - size, suffixes[i]) == 0) {
            path[length - size] = '\0';
            return true;
        }
    }
    return false;
}

int segue_store_file_detect(const char *path)
{
    char *real = realpath(path, NULL), beside[PATH_MAX];
    const int size = snprintf(beside, sizeof beside, "%s", real ? real : path);
    free(real);
    if (is_store(path) || is_log_or_index(path))
        return 1;
    return size < (int)sizeof beside && cut_suffix(beside) && is_store(beside);
}
