/* version.c - `segue version`: print the version, the build and the libraries in use.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/version.h"
#include "cli/command.h"
#include "cli/commands/processes.h"
#include "cli/output.h"
#include "segue/internal.h"

static segue_status run(int argc, char **argv, segue_error *err)
{
    segue_output output;
    char mpi[100];
    SEGUE_TRY(cli_options_parse(NULL, 0, argc, argv, NULL, err));
    SEGUE_TRY(segue_output_init(&output, err));
    cli_processes_describe(mpi, sizeof mpi);
    fprintf(output.stream, "segue %s\nbuild: %s\nblas:  %s\nmpi:   %s\n", segue_version(),
            segue_version_build(), segue_linalg_backend(), mpi);
    const segue_status status = cli_output_send(&output, NULL, err);
    segue_output_fini(&output);
    return status;
}

const cli_command cli_command_version = {
    .name = "version",
    .summary = "print the version, the build, and the BLAS and MPI in use",
    .usage = "version",
    .details = "",
    .run = run,
};
