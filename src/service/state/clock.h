/* clock.h - service time: a clock that measures durations, and that no change of the system's clock
 * moves.
 *
 * Service time is in seconds.  It starts at the wall time when the store is first served, then
 * advances with the steady clock while the service runs, and continues from its stored value after
 * a restart.  Deadlines, idle times and rate limits use it; what people read uses the wall time.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_CLOCK_H
#define SEGUE_SERVICE_STATE_CLOCK_H

#include "store/store.h"

/** After segue_clock_start only the writer changes it, by segue_clock_stage and
 * segue_clock_commit. */
typedef struct service_clock {
    double (*steady)(void);
    double base, origin;   /* service time and `steady` at the start */
    _Atomic double ahead;  /* by which it was advanced since */
    double stored, staged; /* service time on the disk; and in the transaction */
} service_clock;

/** Seconds since 1970 by the system's clock, and seconds by CLOCK_MONOTONIC. */
double segue_clock_wall(void);
double segue_clock_steady(void);

/**
 * Continue from the stored service time; without one start at `wall`, and store that.  Inside a
 * transaction.
 *
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_clock_start(service_clock *clock, segue_store *store,
                                                double wall, double (*steady)(void),
                                                segue_error *err);

/** Service time: seconds that never jump.  From any thread. */
double segue_clock_now(const service_clock *clock);

/** Advance it to a stored service time that is later: of another server of the store. */
void segue_clock_continue(service_clock *clock, double stored);

/** Store the service time with the transaction, unless the stored one is less than a second old. */
SEGUE_MUST_CHECK segue_status segue_clock_stage(service_clock *clock, segue_store *store,
                                                segue_error *err);

/** The transaction is durable. */
void segue_clock_commit(service_clock *clock);

/** Parse a duration: a number and s, m, h, d or w; "90d" is 90 days.
 * @retval SEGUE_EPARSE, SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_clock_parse_duration(const char *text, double *seconds,
                                                         segue_error *err);

#endif
