/* status.c - texts and exit codes, both from one list.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/status.h"

#include <stddef.h>

static const struct {
    int exit_code;
    const char *text;
} table[] = {
#define ENTRY(name, exit_code, text) {exit_code, text},
    SEGUE_STATUS_MAP(ENTRY)
#undef ENTRY
};

static int is_known(segue_status status)
{
    return (size_t)status < sizeof table / sizeof *table;
}

const char *segue_status_text(segue_status status)
{
    return is_known(status) ? table[status].text : "an unknown status";
}

int segue_status_exit_code(segue_status status)
{
    return is_known(status) ? table[status].exit_code : 1;
}
