/* progress.h - how far long work has come.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_PROGRESS_H
#define SEGUE_CLI_PROGRESS_H

#include <stdbool.h>

/** Seconds of a clock that only goes forward. */
double cli_progress_clock(void);

typedef struct cli_progress {
    bool quiet;          /* show nothing */
    bool terminal;       /* a bar that is drawn over; else lines */
    bool drawn;          /* there is a bar to wipe */
    double started;      /* cli_progress_clock() */
    double next;         /* when to show it again */
    const char *label;   /* what is under way */
    double part_started; /* likewise */
    double before;       /* shares of the whole: done by earlier parts, and this part's own */
    double share;
    double skipped; /* shares that took no time */
} cli_progress;

void cli_progress_init(cli_progress *progress, bool quiet);
/** The next part begins: the shares of the whole that are behind it, and that it makes itself. */
void cli_progress_part(cli_progress *progress, const char *label, double before, double share);
/** Of the part under way, `done` of `total` steps are done.  For segue_simulation.progress. */
void cli_progress_show(void *context, double done, double total);
/** The same, where `done` and `total` are estimates of time and not steps. */
void cli_progress_show_time(void *context, double done, double total);
/** The part under way was finished before, and takes no time. */
void cli_progress_skip(cli_progress *progress);
/** Wipe the bar. */
void cli_progress_fini(cli_progress *progress);

#endif
