/* explain.h - write the reasons of a watched task, one line of JSON per step.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_SIMULATE_EXPLAIN_H
#define SEGUE_CLI_COMMANDS_SIMULATE_EXPLAIN_H

#include "io/output.h"
#include "segue/simulation.h"

/** Print a step to a segue_output, `out`; a watcher of a simulation.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status cli_explain_step(void *out, const segue_step *step, segue_error *err);

#endif
