/* permissions.h - warn about files that others can read or change.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_PERMISSIONS_H
#define SEGUE_CLI_PERMISSIONS_H

#include <stdbool.h>

#include "segue/status.h"

/**
 * Print a warning to stderr if the file at `path` is not private; true if it is not.
 *
 * A private file belongs to this user and gives others no access, or belongs to root and may be
 * read by its group: PostgreSQL requires the same of its keys.  Devices, pipes and missing files
 * cause no warning.  The line begins with `who` ("segue serve"); `what` names the file ("the
 * store").
 */
bool cli_permissions_warn(const char *who, const char *what, const char *path);

/** The name of a store: to open it, and for messages, without its password. */
typedef struct cli_store_name {
    char name[2048], label[256];
} cli_store_name;

/** Copy the argument of --store.  A password is overwritten there, so that it is no more in the list
 * of processes.  @retval SEGUE_EUSAGE  it is too long */
SEGUE_MUST_CHECK segue_status cli_permissions_take_store(const char *argument, cli_store_name *out,
                                                         segue_error *err);

/** Warn about a store, "sqlite:PATH" or a path: about its file, or one of those next to it. */
void cli_permissions_warn_store(const char *who, const char *store);

#endif
