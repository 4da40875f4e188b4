/* processes.c - messages between the processes that share an experiment.
 *
 * A stage ends when every worker has sent its status and the coordinator has answered with the
 * outcome for all.  A STATUS message is the status (4 bytes), the fingerprint (4 bytes), both
 * little-endian, and the error message.  An OUTCOME is one byte.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/processes.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#include "segue/internal.h"

#define HEADER 8 /* bytes of a STATUS before its error message */

/* A run without MPI is its own coordinator. */
bool segue_processes_is_coordinator(const segue_processes *processes)
{
    return !processes || processes->self == 0;
}

void segue_processes_broadcast(const segue_processes *processes, segue_message_kind kind,
                               const void *data, size_t size)
{
    for (size_t to = 1; to < processes->count; to++)
        processes->send(processes->context, to, kind, data, size);
}

/* MPI has no wait with a time limit: poll, a thousand times per second. */
void segue_processes_backoff(void)
{
    const struct timespec millisecond = {.tv_nsec = 1000000};
    (void)nanosleep(&millisecond, NULL);
}

/* Does not allocate: the status may be that memory ran out. */
void segue_processes_send_status(const segue_processes *processes, segue_status status,
                                 uint32_t fingerprint, const segue_error *err)
{
    unsigned char data[HEADER + SEGUE_ERROR_SIZE] = {0};
    const size_t length = status == SEGUE_OK ? 0 : strlen(err->message);
    for (size_t i = 0; i < 4; i++) {
        data[i] = (unsigned char)((uint32_t)status >> (8 * i));
        data[4 + i] = (unsigned char)(fingerprint >> (8 * i));
    }
    memcpy(data + HEADER, err->message, length);
    processes->send(processes->context, 0, SEGUE_MESSAGE_STATUS, data, HEADER + length);
}

segue_status segue_processes_read_status(const segue_message *message, uint32_t *fingerprint,
                                         segue_error *err)
{
    assert(message->kind == SEGUE_MESSAGE_STATUS && message->size >= HEADER);
    uint32_t status = 0;
    *fingerprint = 0;
    for (size_t i = 0; i < 4; i++) {
        status |= (uint32_t)message->data[i] << (8 * i);
        *fingerprint |= (uint32_t)message->data[4 + i] << (8 * i);
    }
    if (status == SEGUE_OK)
        return SEGUE_OK;
    return segue_fail(err, (segue_status)status, "rank %zu: %.*s", message->from,
                      (int)(message->size - HEADER), (const char *)message->data + HEADER);
}

static void wait_for(const segue_processes *processes, segue_message *message)
{
    while (!processes->receive(processes->context, message))
        segue_processes_backoff();
}

/* Receive the status of every worker; returns the failure of the lowest rank. */
static segue_status collect_statuses(const segue_processes *processes, uint32_t fingerprint,
                                     segue_error *err)
{
    unsigned char buffer[SEGUE_MESSAGE_SIZE];
    segue_message message = {.data = buffer, .capacity = sizeof buffer};
    segue_status first = SEGUE_OK;
    size_t lowest = processes->count;
    for (size_t received = 1; received < processes->count; received++) {
        uint32_t theirs = 0;
        segue_error why = {.status = SEGUE_OK};
        wait_for(processes, &message);
        segue_status status = segue_processes_read_status(&message, &theirs, &why);
        if (status == SEGUE_OK && theirs != fingerprint)
            status = segue_fail(&why, SEGUE_EUSAGE,
                                "rank %zu: has another experiment, or another build of segue, than "
                                "rank 0; need the same in all processes",
                                message.from);
        if (status != SEGUE_OK && message.from < lowest) {
            lowest = message.from;
            first = segue_fail(err, status, "%s", why.message);
        }
    }
    return first;
}

/* The error has no text: only the coordinator prints one. */
static segue_status await_outcome(const segue_processes *processes, segue_error *err)
{
    unsigned char outcome = SEGUE_OK;
    segue_message message = {.data = &outcome, .capacity = sizeof outcome};
    wait_for(processes, &message);
    return outcome == SEGUE_OK ? SEGUE_OK : segue_fail(err, (segue_status)outcome, "%s", "");
}

/* Every process must call it: it fails in all of them, or in none. */
segue_status segue_processes_agree(const segue_processes *processes, segue_status status,
                                   uint32_t fingerprint, segue_error *err)
{
    if (!processes)
        return status;
    if (processes->self != 0) {
        segue_processes_send_status(processes, status, fingerprint, err);
        return await_outcome(processes, err);
    }
    segue_error theirs;
    const segue_status other = collect_statuses(processes, fingerprint, &theirs);
    if (status == SEGUE_OK && other != SEGUE_OK)
        status = segue_fail(err, other, "%s", theirs.message);
    const unsigned char outcome = (unsigned char)status;
    segue_processes_broadcast(processes, SEGUE_MESSAGE_OUTCOME, &outcome, 1);
    return status;
}

/* The coordinator writes it to the checkpoint file. */
segue_status segue_processes_send_run(const segue_processes *processes, uint64_t unit,
                                      const double *values, size_t count, segue_error *err)
{
    segue_bytes b = {.data = NULL};
    segue_bytes_append_u64(&b, unit);
    segue_bytes_append_f64(&b, values, count);
    const bool failed = b.failed;
    if (!failed)
        processes->send(processes->context, 0, SEGUE_MESSAGE_RUN, b.data, b.size);
    segue_bytes_fini(&b);
    return failed ? segue_fail_no_memory(err, "a finished run") : SEGUE_OK;
}
