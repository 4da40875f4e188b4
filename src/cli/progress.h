/* progress.h - the progress of long work, on standard error.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_PROGRESS_H
#define SEGUE_CLI_PROGRESS_H

#include <stdbool.h>

/** Return the seconds of the monotonic clock. */
double cli_progress_clock(void);

typedef struct cli_progress {
    bool quiet;          /* show nothing */
    bool terminal;       /* draw a bar; else print lines */
    bool drawn;          /* there is a bar to erase */
    double started;      /* cli_progress_clock() */
    double next;         /* when to show it again */
    const char *label;   /* of the current part */
    double part_started; /* cli_progress_clock() */
    double before;       /* share of the earlier parts in the whole, ... */
    double share;        /* ... and of the current part */
} cli_progress;

void cli_progress_init(cli_progress *progress, bool quiet);
/** Begin the next part; `before` and `share` are the shares of the earlier parts and of this one.
 */
void cli_progress_part(cli_progress *progress, const char *label, double before, double share);
/** Show that `done` of `total` steps of the part are done.  For segue_simulation.progress. */
void cli_progress_show(void *context, double done, double total);
/** Show progress where `done` and `total` are estimates of time, not steps. */
void cli_progress_show_time(void *context, double done, double total);
/** Test whether it is time to show progress again. */
bool cli_progress_is_due(const cli_progress *progress);
/** Show an estimate of the seconds left, `left`, and the share that has passed. */
void cli_progress_show_left(cli_progress *progress, double left);
/** Erase the bar. */
void cli_progress_fini(cli_progress *progress);

#endif
