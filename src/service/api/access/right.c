/* right.c - names of the rights.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/access/right.h"

#include <string.h>

static const char *const names[] = {"none", "read", "decide", "admin"};

const char *segue_right_name(segue_right right)
{
    return names[right];
}

bool segue_right_parse(const char *name, segue_right *out)
{
    for (int right = RIGHT_READ; right <= RIGHT_ADMIN; right++)
        if (strcmp(names[right], name) == 0) {
            *out = (segue_right)right;
            return true;
        }
    return false;
}
