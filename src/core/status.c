/* status.c - texts, exit codes and error sentences, all from one list.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/status.h"

#include <stdarg.h>
#include <stdio.h>

const char *segue_status_text(segue_status status)
{
    switch (status) {
#define TEXT(name, exit_code, text)                                                                \
    case SEGUE_##name:                                                                             \
        return text;
        SEGUE_STATUS_MAP(TEXT)
#undef TEXT
    }
    return "an unknown status";
}

int segue_status_exit_code(segue_status status)
{
    switch (status) {
#define EXIT_CODE(name, exit_code, text)                                                           \
    case SEGUE_##name:                                                                             \
        return exit_code;
        SEGUE_STATUS_MAP(EXIT_CODE)
#undef EXIT_CODE
    }
    return 1;
}

segue_status segue_fail(segue_error *err, segue_status status, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        err->status = status;
        (void)vsnprintf(err->message, sizeof err->message, format, args);
        va_end(args);
    }
    return status;
}
