/* fail.c - fill the caller's error with a sentence.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/fail.h"

#include <stdio.h>
#include <string.h>

segue_status(segue_fail)(segue_error *err, segue_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    segue_vfail(err, status, "", format, args);
    va_end(args);
    return status;
}

segue_status segue_vfail(segue_error *err, segue_status status, const char *prefix,
                         const char *format, va_list args)
{
    if (!err)
        return status;
    err->status = status;
    (void)snprintf(err->message, sizeof err->message, "%s", prefix);
    const size_t used = strlen(err->message);
    (void)vsnprintf(err->message + used, sizeof err->message - used, format, args);
    return status;
}

segue_status(segue_fail_no_memory)(segue_error *err, const char *what)
{
    return segue_fail(err, SEGUE_ENOMEM, "out of memory for %s", what);
}
