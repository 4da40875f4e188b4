/* fail.c - fill the caller's error with a sentence.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/fail.h"

#include <stdarg.h>
#include <stdio.h>

segue_status(segue_fail)(segue_error *err, segue_status status, const char *format, ...)
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

segue_status segue_fail_no_memory(segue_error *err, const char *what)
{
    return segue_fail(err, SEGUE_ENOMEM, "out of memory for %s", what);
}
