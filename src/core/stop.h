/* stop.h - end long work from another thread.
 *
 * A caller that may end its work early passes a flag, and sets it in another thread; the work polls
 * it about every few milliseconds and then fails with SEGUE_ESTOPPED.  NULL: it runs to its end.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_STOP_H
#define SEGUE_CORE_STOP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "segue/status.h"

/** True if the work shall end. */
static inline bool segue_stop_requested(const atomic_bool *stop)
{
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/** Fail if the work shall end.  @retval SEGUE_ESTOPPED */
SEGUE_MUST_CHECK static inline segue_status segue_stop_check(const atomic_bool *stop,
                                                             segue_error *err)
{
    return segue_stop_requested(stop)
               ? segue_fail(err, SEGUE_ESTOPPED, "it was stopped before its end")
               : SEGUE_OK;
}

#endif
