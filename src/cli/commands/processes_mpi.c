/* processes_mpi.c - messages between processes through MPI.
 *
 * The build selects it with MPI, else processes_single.c. MPI's default error handler stays: a
 * failed call ends all processes with a message. Several threads may call MPI, one at a time
 * (MPI_THREAD_SERIALIZED).
 *
 * run.c opens the processes and passes them to src/experiment, which knows nothing of MPI: it calls
 * the three functions of segue_processes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands/processes.h"

/* Blocks until MPI has the bytes; the kind is the tag. */
static void send_message(void *context, size_t to, segue_message_kind kind, const void *data,
                         size_t size)
{
    (void)context;
    assert(size <= INT_MAX);
    (void)MPI_Send(data, (int)size, MPI_BYTE, (int)to, (int)kind, MPI_COMM_WORLD);
}

/* Does not wait: returns false if there is no message. The kind of a message is its tag. */
static bool receive_message(void *context, segue_message *message)
{
    MPI_Status about;
    int here = 0, size = 0;
    (void)context;
    (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &here, &about);
    if (!here)
        return false;
    (void)MPI_Get_count(&about, MPI_BYTE, &size);
    assert((size_t)size <= message->capacity);
    (void)MPI_Recv(message->data, size, MPI_BYTE, about.MPI_SOURCE, about.MPI_TAG, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    message->from = (size_t)about.MPI_SOURCE;
    message->kind = (segue_message_kind)about.MPI_TAG;
    message->size = (size_t)size;
    return true;
}

/* Ends every process of the launch, this one included. */
static void abort_all(void *context, int code)
{
    (void)context;
    (void)MPI_Abort(MPI_COMM_WORLD, code);
}

/* If launcher and MPI do not belong together, MPI finds one process per start. */
segue_status cli_processes_open(segue_processes *processes, cli_launch launch, segue_error *err)
{
    int threads = MPI_THREAD_SINGLE, self = 0, count = 1;
    (void)MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &threads);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &self);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &count);
    *processes = (segue_processes){.self = (size_t)self,
                                   .count = (size_t)count,
                                   .send = send_message,
                                   .receive = receive_message,
                                   .abort = abort_all};
    segue_status status = SEGUE_OK;
    if ((uint64_t)count != launch.count)
        status = segue_fail(err, SEGUE_EUSAGE,
                            "was started as %" PRIu64 " processes, of which MPI finds %d; start it "
                            "with the mpirun of the MPI that it was built with, or with srun "
                            "--mpi=pmix",
                            launch.count, count);
    else if (threads < MPI_THREAD_SERIALIZED)
        status = segue_fail(err, SEGUE_EUSAGE,
                            "this MPI does not provide MPI_THREAD_SERIALIZED; need one that does");
    if (status != SEGUE_OK)
        cli_processes_close();
    return status;
}

/* Copy the description up to the first comma or line end. */
void cli_processes_describe(char *text, size_t size)
{
    char about[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    (void)MPI_Get_library_version(about, &length);
    (void)snprintf(text, size, "%.*s", (int)strcspn(about, ",\n"), about);
}

void cli_processes_close(void)
{
    (void)MPI_Finalize();
}
