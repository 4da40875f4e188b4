/* interrupt.h - Ctrl-C as a request.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_INTERRUPT_H
#define SEGUE_CLI_INTERRUPT_H

#include <stdbool.h>

/** From now on the first SIGINT, SIGTERM or SIGHUP is a request to stop; the second one ends the
 * program as usual.  One that is ignored, as nohup has it, stays so. */
void cli_interrupt_catch(void);

/** Whether there was one. */
bool cli_interrupt_requested(void);

/** From now on SIGHUP is a request to begin a new log; whether there was one since the last call.
 */
void cli_interrupt_catch_hangup(void);
bool cli_interrupt_hangup_requested(void);

#endif
