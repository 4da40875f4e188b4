/* fail.h - propagation of failures, in one idiom.
 *
 *     SEGUE_TRY(segue_models_file_read(&models, path, err));   no resource is held: return the status
 *
 * A function that holds a resource assigns the status and jumps to one label, `done`.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_FAIL_H
#define SEGUE_CORE_FAIL_H

#include <stdarg.h>

#include "segue/status.h"

/** Return from the calling function with the status of `call`, unless it is SEGUE_OK. */
#define SEGUE_TRY(call)                                                                            \
    do {                                                                                           \
        const segue_status try_status = (call);                                                    \
        if (try_status != SEGUE_OK)                                                                \
            return try_status;                                                                     \
    } while (0)

/** Fail with `prefix` and the formatted sentence after it: for printf-like helpers that know where
 * a problem is.  `prefix` is text, not a format. */
segue_status segue_vfail(segue_error *err, segue_status status, const char *prefix,
                         const char *format, va_list args);

/** Fail with SEGUE_ENOMEM: "out of memory for WHAT". */
segue_status segue_fail_no_memory(segue_error *err, const char *what);

#ifdef __clang_analyzer__
/* The analyser does not see the body: tell it which status is returned. */
#define segue_fail_no_memory(err, what) ((void)segue_fail_no_memory(err, what), SEGUE_ENOMEM)
#endif

#endif
