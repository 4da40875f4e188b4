/* launch.c - detect a launcher (mpirun, srun) that started several processes.
 *
 * `segue run` starts MPI only if a launcher is found: a program that links MPI must also run
 * without it. output.c asks too, since the standard output is then a pipe of the launcher.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/launch.h"

#include <stdbool.h>
#include <stdlib.h>

#include "segue/number.h"

#define MAX_PROCESSES 100000000

/* srun sets SLURM_* even where processes cannot find each other; PMIX_RANK shows that they can. */
static const struct {
    const char *count, *self;
} variables[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, /* Open MPI's mpirun */
    {"PMI_SIZE", "PMI_RANK"},                         /* srun --mpi=pmi2 and other launchers */
    {"SLURM_STEP_NUM_TASKS", "PMIX_RANK"},            /* srun --mpi=pmix */
};

/* A variable that is not a number counts as unset. */
static bool read_integer(const char *name, uint64_t *out)
{
    const char *text = getenv(name);
    return text && segue_number_parse_integer(text, 0, MAX_PROCESSES, out, NULL) == SEGUE_OK;
}

/* The first pair of variables with more than one process decides. */
cli_launch cli_launch_detect(void)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        cli_launch launch;
        if (read_integer(variables[i].count, &launch.count) && launch.count > 1 &&
            read_integer(variables[i].self, &launch.self))
            return launch;
    }
    return (cli_launch){.count = 1};
}
