/* permissions.c - warn about files that others can read or change.
 *
 * serve and the client commands call it for token files, logs and stores. It only warns: an
 * operator may have reasons, and a refusal would stop a service.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/permissions.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "segue/internal.h"
#include "store/store.h"

#define OTHERS_READ  (S_IRGRP | S_IROTH)
#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

/* Name the access that others have; NULL: none. */
static const char *others_access(const struct stat *about)
{
    const bool is_of_root = about->st_uid == 0;
    const mode_t mode = about->st_mode & (mode_t) ~(is_of_root ? S_IRGRP : 0);
    if (mode & OTHERS_READ)
        return mode & OTHERS_WRITE ? "can be read and written by others" : "can be read by others";
    return mode & OTHERS_WRITE ? "can be written by others" : NULL;
}

/* A file of root that its group may read is accepted: services often get secrets that way. */
bool cli_permissions_warn(const char *who, const char *what, const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    const char *name = segue_path_tail(path), *access = others_access(&about);
    const bool is_foreign = about.st_uid != geteuid() && about.st_uid != 0;
    if (is_foreign)
        (void)fprintf(stderr, "%s: %s %s belongs to another user, %lu; need a file of your own\n",
                      who, what, name, (unsigned long)about.st_uid);
    else if (access)
        (void)fprintf(stderr, "%s: %s %s %s (mode %03o); 'chmod 600' makes it private\n", who, what,
                      name, access, (unsigned)about.st_mode & 0777);
    return is_foreign || access;
}

/* One warning suffices: the files beside a store have its permissions. */
void cli_permissions_warn_store(const char *who, const char *store)
{
    char path[PATH_MAX];
    for (size_t i = 0; segue_store_file_path(store, i, path, sizeof path); i++)
        if (cli_permissions_warn(who, "the store", path))
            return;
}

/* An argument belongs to the program, which may write to it.  What comes before its colon stays. */
segue_status cli_permissions_take_store(const char *argument, cli_store_name *out, segue_error *err)
{
    bool secret = false;
    if (snprintf(out->name, sizeof out->name, "%s", argument) >= (int)sizeof out->name)
        return segue_fail(err, SEGUE_EUSAGE, "the name of the store is longer than %zu characters",
                          sizeof out->name - 1);
    segue_store_label(out->name, out->label, sizeof out->label, &secret);
    char *colon = strchr(argument, ':');
    if (secret && colon)
        memset(colon + 1, '*', strlen(colon + 1));
    return SEGUE_OK;
}
