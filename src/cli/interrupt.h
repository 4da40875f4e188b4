/* interrupt.h - signals as requests: stop, or reload files.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_INTERRUPT_H
#define SEGUE_CLI_INTERRUPT_H

#include <stdbool.h>

/** Turn the first SIGINT, SIGTERM or SIGHUP into a request to stop; the second ends the program as
 * usual.  A signal that is ignored, as under nohup, stays ignored. */
void cli_interrupt_catch(void);

/** True after such a signal. */
bool cli_interrupt_requested(void);

/** Turn SIGHUP into a request to reload files. */
void cli_interrupt_catch_hangup(void);

/** True if there was a SIGHUP since the last call. */
bool cli_interrupt_hangup_requested(void);

#endif
