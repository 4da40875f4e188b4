/* path.c - the folder, the identity and the end of a path.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/path.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_SHOWN_LENGTH 200 /* of a path, in an error */

size_t segue_path_folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

const char *segue_path_folder(const char *path, char folder[SEGUE_MAX_FOLDER_LENGTH])
{
    (void)snprintf(folder, SEGUE_MAX_FOLDER_LENGTH, "%.*s.", (int)segue_path_folder_length(path),
                   path);
    return folder;
}

static bool stat_folder(const char *path, struct stat *about)
{
    char folder[SEGUE_MAX_FOLDER_LENGTH];
    return stat(segue_path_folder(path, folder), about) == 0;
}

bool segue_path_has_folder(const char *path)
{
    struct stat about;
    return stat_folder(path, &about);
}

static bool is_same_inode(const struct stat *x, const struct stat *y)
{
    return x->st_dev == y->st_dev && x->st_ino == y->st_ino;
}

bool segue_path_is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (!a || !b)
        return false;
    const bool a_exists = stat(a, &x) == 0, b_exists = stat(b, &y) == 0;
    if (a_exists && b_exists)
        return S_ISREG(x.st_mode) && is_same_inode(&x, &y);
    return a_exists == b_exists && stat_folder(a, &x) && stat_folder(b, &y) &&
           is_same_inode(&x, &y) &&
           strcmp(a + segue_path_folder_length(a), b + segue_path_folder_length(b)) == 0;
}

const char *segue_path_tail(const char *path)
{
    const size_t length = strlen(path);
    return length > MAX_SHOWN_LENGTH ? path + length - MAX_SHOWN_LENGTH : path;
}
