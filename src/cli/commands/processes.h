/* processes.h - the processes that mpirun or srun started together with this one.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_PROCESSES_H
#define SEGUE_CLI_COMMANDS_PROCESSES_H

#include "experiment/processes.h"

/** What the environment says of a launcher: process `self` of `count`; count 1: there is none. */
typedef struct cli_launch {
    uint64_t self, count;
} cli_launch;

cli_launch cli_launch_detect(void);

/**
 * Join the others that a launcher started.  This starts MPI, and whoever is alone does without.
 *
 * @retval SEGUE_EUSAGE  this segue was built without MPI, or the launcher and MPI disagree
 */
SEGUE_MUST_CHECK segue_status cli_processes_open(segue_processes *ranks, cli_launch launch,
                                                 segue_error *err);

/** Which MPI this is, as `segue version` tells it. */
void cli_processes_describe(char *text, size_t size);

/** Part, all together. */
void cli_processes_close(void);

#endif
