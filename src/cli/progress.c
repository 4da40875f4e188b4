/* progress.c - a bar with the time left, on standard error when that is a terminal.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 0.5 /* seconds before the first bar: short work needs none */
#define INTERVAL 0.1
#define WIDTH    30

double cli_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_progress_init(cli_progress *progress, bool quiet)
{
    const double now = cli_seconds();
    *progress = (cli_progress){.shown = !quiet && isatty(STDERR_FILENO), .started = now};
    progress->last = now + PATIENCE - INTERVAL;
}

void cli_progress_part(cli_progress *progress, const char *label, double index, double count)
{
    progress->label = label;
    progress->before = index / count;
    progress->share = 1.0 / count;
}

static void draw(const cli_progress *progress, double done, double seconds)
{
    char bar[WIDTH + 1];
    for (int i = 0; i < WIDTH; i++)
        bar[i] = (double)i < done * WIDTH ? '#' : '.';
    bar[WIDTH] = '\0';
    const double left = done > 0.0 ? seconds * (1.0 - done) / done : 0.0;
    (void)fprintf(stderr, "\r%-16.16s [%s] %3.0f %%, %.0f s left \033[K", progress->label, bar,
                  100.0 * done, left);
    (void)fflush(stderr);
}

void cli_progress_show(void *context, double done, double total)
{
    cli_progress *progress = context;
    const double now = progress->shown ? cli_seconds() : 0.0;
    if (!progress->shown || now < progress->last + INTERVAL)
        return;
    progress->last = now;
    progress->drawn = true;
    draw(progress, progress->before + progress->share * done / total, now - progress->started);
}

void cli_progress_fini(cli_progress *progress)
{
    if (progress->drawn)
        (void)fputs("\r\033[K", stderr);
    progress->drawn = false;
}
