/* right.h - what a token may do: read, decide or admin; each includes those before it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_ACCESS_RIGHT_H
#define SEGUE_SERVICE_API_ACCESS_RIGHT_H

#include <stdbool.h>

/** In order: a right includes all lower ones. */
typedef enum segue_right {
    RIGHT_NONE,   /* of a route: it needs no token */
    RIGHT_READ,   /* read learners, tasks and metrics */
    RIGHT_DECIDE, /* open tasks, ask, tell, close tasks */
    RIGHT_ADMIN   /* create, change and delete learners */
} segue_right;

/** "read", "decide", "admin"; "none" for RIGHT_NONE. */
const char *segue_right_name(segue_right right);

/** Find the right of a name; false: there is none.  No token has RIGHT_NONE. */
bool segue_right_parse(const char *name, segue_right *out);

#endif
