/* progress.c - show progress on standard error: a bar with rate and time left on a terminal, else a
 * line every few seconds.
 *
 * Work has parts; each has its share of the whole.  The time left is extrapolated from the shares
 * that took time.  One thread calls these functions; a simulation calls cli_progress_show under its
 * progress lock.
 *
 * simulate, replay, bench, run and paper show progress. A caller begins each part with
 * cli_progress_part, passes cli_progress_show as a callback, and ends with cli_progress_fini before
 * it prints anything else. Callbacks are frequent: most return after one reading of the clock.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define FIRST_BAR      0.5 /* seconds before the first bar: short work needs none */
#define INTERVAL       0.1 /* between bars */
#define PLAIN_INTERVAL 5.0 /* between lines */
#define FIRST_GUESS    2.0 /* seconds before the first guess of the time left */
#define WIDTH          24

/* Seconds of the monotonic clock: changes of the date do not matter. */
double cli_progress_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The first bar waits, so that short work shows none. */
void cli_progress_init(cli_progress *progress, bool quiet)
{
    const double now = cli_progress_clock();
    *progress = (cli_progress){.quiet = quiet, .terminal = isatty(STDERR_FILENO), .started = now};
    progress->next = now + (progress->terminal ? FIRST_BAR : PLAIN_INTERVAL);
}

/* `before` and `share` are shares of the whole, in 0 .. 1. */
void cli_progress_part(cli_progress *progress, const char *label, double before, double share)
{
    progress->label = label;
    progress->before = before;
    progress->share = share;
    progress->part_started = cli_progress_clock();
}

/* Write ", 21.3 M steps/s": a rate with three digits. */
static void print_rate(char *text, size_t size, double rate)
{
    static const char *const prefixes[] = {"", " k", " M", " G", " T"};
    size_t i = 0;
    for (; rate >= 1000.0 && i + 1 < sizeof prefixes / sizeof *prefixes; i++)
        rate /= 1000.0;
    if (rate > 0.0)
        (void)snprintf(text, size, ", %.3g%s steps/s", rate, prefixes[i]);
    else
        *text = '\0'; /* not known */
}

/* \033[K erases the rest of the line, where a longer bar may have been. */
static void draw(const cli_progress *progress, double done, const char *left, const char *rate)
{
    char bar[WIDTH + 1];
    for (int i = 0; i < WIDTH; i++)
        bar[i] = (double)i < done * WIDTH ? '#' : '.';
    bar[WIDTH] = '\0';
    (void)fprintf(stderr, "\r%-16.16s [%s] %3.0f %%%s%s \033[K", progress->label, bar, 100.0 * done,
                  rate, left);
    (void)fflush(stderr);
}

/* Write the time left, from the time that the shares so far have taken. */
static void print_left(char *text, size_t size, double all, double elapsed)
{
    if (elapsed < FIRST_GUESS || all <= 0.0)
        *text = '\0'; /* not known yet */
    else
        (void)snprintf(text, size, ", %.0f s left", elapsed * (1.0 - all) / all);
}

/* Show that the share `all` of everything is done. */
static void show_all(cli_progress *progress, double all, const char *left, const char *rate)
{
    progress->next = cli_progress_clock() + (progress->terminal ? INTERVAL : PLAIN_INTERVAL);
    if (progress->terminal)
        draw(progress, all, left, rate);
    else
        (void)fprintf(stderr, "segue: %s: %.0f %%%s%s\n", progress->label, 100.0 * all, rate, left);
    progress->drawn = progress->terminal;
}

/* `share` is the finished share of the current part, in 0 .. 1. */
static void show(cli_progress *progress, double share, const char *rate)
{
    char left[40];
    const double all = progress->before + progress->share * share;
    print_left(left, sizeof left, all, cli_progress_clock() - progress->started);
    show_all(progress, all, left, rate);
}

/* The rate is that of the current part; 1e-9 avoids a division by zero. */
void cli_progress_show(void *context, double done, double total)
{
    cli_progress *progress = context;
    char rate[40];
    if (progress->quiet || cli_progress_clock() < progress->next)
        return;
    print_rate(rate, sizeof rate, done / (cli_progress_clock() - progress->part_started + 1e-9));
    show(progress, total > 0.0 ? done / total : 1.0, rate);
}

/* Estimated seconds have no rate to show. */
void cli_progress_show_time(void *context, double done, double total)
{
    cli_progress *progress = context;
    if (!progress->quiet && cli_progress_clock() >= progress->next)
        show(progress, total > 0.0 ? done / total : 1.0, "");
}

bool cli_progress_is_due(const cli_progress *progress)
{
    return !progress->quiet && cli_progress_clock() >= progress->next;
}

void cli_progress_show_left(cli_progress *progress, double left)
{
    char text[40];
    const double elapsed = cli_progress_clock() - progress->started;
    (void)snprintf(text, sizeof text, ", %.0f s left", left);
    show_all(progress, elapsed / (elapsed + left), text, "");
}

/* Erase the bar; lines of a plain output stay. */
void cli_progress_fini(cli_progress *progress)
{
    if (progress->drawn)
        (void)fputs("\r\033[K", stderr);
    progress->drawn = false;
}
