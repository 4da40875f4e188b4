/* clock.c - service time = stored service time + what the steady clock measured since the start.
 *
 * The steady clock is CLOCK_MONOTONIC: it ignores changes of the system's clock (NTP steps, an
 * administrator, a wrong clock at boot), and it stands still while the machine is suspended.  Time
 * during which the service did not run does not count: no reward could arrive then.  So a deadline
 * may come later than by the wall clock, but never earlier (ADR 29).
 *
 * The value is stored with other transactions, once a second at most, and by a probe once a minute
 * while tasks are open.  A kill therefore loses a minute at most.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/clock.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "segue/internal.h"

#define MAX_DURATION  3.2e9   /* seconds that --keep can have: about 100 years */
#define STORE_SECONDS 1.0     /* between two stored values, at least */
#define LATEST        0x1p+37 /* seconds: in milliseconds it fits into the 48 bits of a decision id */

static double seconds_of(clockid_t which)
{
    struct timespec t = {.tv_sec = 0};
    (void)clock_gettime(which, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double segue_clock_wall(void)
{
    return seconds_of(CLOCK_REALTIME);
}

double segue_clock_steady(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

static bool is_plausible(double seconds)
{
    return seconds >= 0.0 && seconds <= LATEST;
}

segue_status segue_clock_start(service_clock *clock, segue_store *store, double wall,
                               double (*steady)(void), segue_error *err)
{
    double stored = -1.0;
    SEGUE_TRY(segue_store_read_clock(store, &stored, err));
    const double first = is_plausible(wall) ? wall : 0.0;
    clock->steady = steady;
    clock->origin = steady();
    atomic_store(&clock->ahead, 0.0);
    clock->base = is_plausible(stored) ? stored : first;
    clock->stored = clock->base;
    return is_plausible(stored) ? SEGUE_OK : segue_store_set_clock(store, clock->base, err);
}

double segue_clock_now(const service_clock *clock)
{
    return clock->base + atomic_load(&clock->ahead) + (clock->steady() - clock->origin);
}

void segue_clock_continue(service_clock *clock, double stored)
{
    const double now = segue_clock_now(clock);
    if (is_plausible(stored) && stored > now)
        atomic_store(&clock->ahead, atomic_load(&clock->ahead) + (stored - now));
}

segue_status segue_clock_stage(service_clock *clock, segue_store *store, segue_error *err)
{
    const double now = segue_clock_now(clock);
    clock->staged = clock->stored;
    if (now - clock->stored < STORE_SECONDS)
        return SEGUE_OK;
    clock->staged = now;
    return segue_store_set_clock(store, now, err);
}

void segue_clock_commit(service_clock *clock)
{
    clock->stored = clock->staged;
}

segue_status segue_clock_parse_duration(const char *text, double *seconds, segue_error *err)
{
    static const struct {
        char letter;
        double seconds;
    } units[] = {{'s', 1.0}, {'m', 60.0}, {'h', 3600.0}, {'d', 86400.0}, {'w', 604800.0}};
    char *end = NULL;
    const double number = *text >= '0' && *text <= '9' ? strtod(text, &end) : -1.0;
    for (size_t i = 0; end && end[0] && !end[1] && i < sizeof units / sizeof *units; i++)
        if (*end == units[i].letter && number > 0.0 && number * units[i].seconds <= MAX_DURATION) {
            *seconds = number * units[i].seconds;
            return SEGUE_OK;
        }
    return segue_fail(err, SEGUE_EPARSE,
                      "'%.40s' is not a duration; need a positive number and s, m, h, d or w, such "
                      "as 90d, up to 100 years",
                      text);
}
