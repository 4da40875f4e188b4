/* interrupt.c - signals as requests: stop, or reload files.
 *
 * A handler only sets a flag; commands poll it between pieces of work. The second Ctrl-C ends the
 * program at once, since the first one restores the default action (SA_RESETHAND).
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

/* A signal handler can only set such flags. */
static atomic_bool interrupted, hung_up;

static void set_interrupted(int number)
{
    (void)number;
    atomic_store(&interrupted, true);
}

/* A signal that is ignored stays ignored: nohup starts a program with SIGHUP ignored. */
void cli_interrupt_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = set_interrupted, .sa_flags = (int)SA_RESETHAND};
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            (void)sigaction(signals[i], &action, NULL);
    }
}

/* The request stays: after the first signal every later poll is true. */
bool cli_interrupt_requested(void)
{
    return atomic_load(&interrupted);
}

static void set_hung_up(int number)
{
    (void)number;
    atomic_store(&hung_up, true);
}

/* Call it after cli_interrupt_catch, whose action for SIGHUP it replaces. */
void cli_interrupt_catch_hangup(void)
{
    struct sigaction action = {.sa_handler = set_hung_up};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGHUP, &action, NULL);
}

/* Reading the request clears it: each SIGHUP reloads once. */
bool cli_interrupt_hangup_requested(void)
{
    return atomic_exchange(&hung_up, false);
}
