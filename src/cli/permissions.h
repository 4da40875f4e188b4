/* permissions.h - warn about files that others can read or change.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_PERMISSIONS_H
#define SEGUE_CLI_PERMISSIONS_H

#include <stdbool.h>

/**
 * Print a line to stderr if the file at `path` is not private.
 *
 * Private is a file of this user that nobody else may read or write, or one of root's that the
 * group may read too: what PostgreSQL asks of its keys.  Devices, pipes and files that are not
 * there are passed over.  Returns whether there is a warning.  `who` begins the line ("segue
 * serve"), `what` says what the file is ("the store").
 */
bool cli_permissions_warn(const char *who, const char *what, const char *path);

/** The same for a store, "sqlite:PATH" or a path, or else for the files beside it. */
void cli_permissions_warn_store(const char *who, const char *store);

#endif
