/* processes_single.c - replaces processes_mpi.c where segue is built without MPI.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/commands/processes.h"

segue_status cli_processes_open(segue_processes *processes, cli_launch launch, segue_error *err)
{
    *processes = (segue_processes){.count = 0};
    return segue_fail(err, SEGUE_EUSAGE,
                      "was started as %" PRIu64 " processes, and this segue was built without MPI; "
                      "start it once, or a part of it in each process with --shard",
                      launch.count);
}

void cli_processes_describe(char *text, size_t size)
{
    (void)snprintf(text, size, "none");
}

void cli_processes_close(void)
{
}
