/* processes.h - the processes that mpirun or srun started together with this one.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_PROCESSES_H
#define SEGUE_CLI_COMMANDS_PROCESSES_H

#include "cli/launch.h"
#include "experiment/processes.h"

/**
 * Start MPI and connect to the other processes that a launcher started.
 *
 * @retval SEGUE_EUSAGE  built without MPI, or launcher and MPI disagree on the processes
 */
SEGUE_MUST_CHECK segue_status cli_processes_open(segue_processes *processes, cli_launch launch,
                                                 segue_error *err);

/** Write the name and version of the MPI library, for `segue version`. */
void cli_processes_describe(char *text, size_t size);

/** Finalize MPI; all processes must call it. */
void cli_processes_close(void);

#endif
