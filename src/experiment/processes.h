/* processes.h - the processes that share an experiment, and the messages between them.
 *
 * Three functions carry the messages: MPI in the program, mailboxes between threads in tests.
 * Process 0 is the coordinator, the others are workers; all of them play.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_PROCESSES_H
#define SEGUE_EXPERIMENT_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

typedef enum segue_message_kind {
    SEGUE_MESSAGE_STATUS,  /* worker: the status of its part of a stage */
    SEGUE_MESSAGE_OUTCOME, /* coordinator: the status of the stage for all, which ends it */
    SEGUE_MESSAGE_START,   /* coordinator: which runs are done already */
    SEGUE_MESSAGE_RUN,     /* worker: a finished run */
    SEGUE_MESSAGE_STOP     /* coordinator: stop playing */
} segue_message_kind;

typedef struct segue_message {
    size_t from;
    segue_message_kind kind;
    unsigned char *data; /* the receiver's memory, `capacity` bytes; no message is longer */
    size_t capacity, size;
} segue_message;

/** Any thread may call these, one at a time.  A lost connection aborts all processes. */
typedef struct segue_processes {
    size_t self, count; /* this process, 0 .. count - 1 */
    void *context;
    void (*send)(void *context, size_t to, segue_message_kind kind, const void *data, size_t size);
    /* Receive the next message; false if none has arrived. */
    bool (*receive)(void *context, segue_message *message);
    void (*abort)(void *context, int code); /* end all processes with this exit code */
} segue_processes;

/** The size of the largest message except START and RUN. */
#define SEGUE_MESSAGE_SIZE (SEGUE_ERROR_SIZE + 16)

/** Test whether this process writes files and messages; a single one (NULL) does. */
bool segue_processes_is_coordinator(const segue_processes *processes);

/** Send a message from the coordinator to all workers. */
void segue_processes_broadcast(const segue_processes *processes, segue_message_kind kind,
                               const void *data, size_t size);

/** Sleep for a millisecond before receiving again. */
void segue_processes_backoff(void);

/**
 * End a stage: all processes succeed, or all fail with the failure of the lowest rank.  The
 * coordinator gets its message, workers an empty one.  `fingerprint` identifies the experiment and
 * must be equal in all processes.  A single process gets `status` back.
 *
 * @retval SEGUE_EUSAGE  the fingerprints differ
 */
SEGUE_MUST_CHECK segue_status segue_processes_agree(const segue_processes *processes,
                                                    segue_status status, uint32_t fingerprint,
                                                    segue_error *err);

/** Send a worker's status to the coordinator; the reader names the rank in the message. */
void segue_processes_send_status(const segue_processes *processes, segue_status status,
                                 uint32_t fingerprint, const segue_error *err);
SEGUE_MUST_CHECK segue_status segue_processes_read_status(const segue_message *message,
                                                          uint32_t *fingerprint, segue_error *err);

/** Send a finished run to the coordinator; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_processes_send_run(const segue_processes *processes,
                                                       uint64_t unit, const double *values,
                                                       size_t count, segue_error *err);

#endif
