/* processes.h - the processes that share an experiment, and how they talk.
 *
 * What carries the messages, such as MPI, hides behind two functions; an array of mailboxes does
 * as well, and is how the tests try it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_PROCESSES_H
#define SEGUE_EXPERIMENT_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

typedef enum segue_message_kind {
    SEGUE_MESSAGE_STATUS,  /* to the first: how a stage of the work went here */
    SEGUE_MESSAGE_OUTCOME, /* from it: how it went for all, and the stage is over */
    SEGUE_MESSAGE_START,   /* from it: which runs are there already */
    SEGUE_MESSAGE_RUN,     /* to it: a finished run */
    SEGUE_MESSAGE_STOP,    /* from it: play no further */
    SEGUE_MESSAGE_QUIT     /* from it: it ends, and nobody will answer any more */
} segue_message_kind;

typedef struct segue_message {
    size_t from;
    segue_message_kind kind;
    unsigned char *data; /* the receiver's memory, `capacity` bytes; no message is longer */
    size_t capacity, size;
} segue_message;

/** One call at a time, by any thread.  A link that breaks ends the program. */
typedef struct segue_processes {
    size_t self, count; /* this process, 0 .. count - 1 */
    void *context;
    void (*send)(void *context, size_t to, segue_message_kind kind, const void *data, size_t size);
    /* Take the next message, if one has come. */
    bool (*receive)(void *context, segue_message *message);
    void (*leave)(void *context, int code); /* end this process at once */
} segue_processes;

/** Room for any message but GO and RUN. */
#define SEGUE_MESSAGE_SIZE (SEGUE_ERROR_SIZE + 16)

/** Whether this is the process that keeps, writes and tells; who is alone (NULL) is. */
bool segue_processes_is_coordinator(const segue_processes *ranks);

/** A message to all others, sent by the first. */
void segue_processes_broadcast(const segue_processes *ranks, segue_message_kind kind,
                               const void *data, size_t size);

/** Wait a moment, while nothing comes. */
void segue_processes_backoff(void);

/**
 * End a stage of the work: all have succeeded, or all fail with the first failure by number, of
 * which the first process gets the sentence, and the others an empty one.  `mark` stands for what
 * they work on, and must be the same everywhere.  Alone, `status` comes back.
 *
 * @retval SEGUE_EUSAGE  the marks differ
 */
SEGUE_MUST_CHECK segue_status segue_processes_agree(const segue_processes *ranks,
                                                    segue_status status, uint32_t mark,
                                                    segue_error *err);

/** Tell the first how it went here; and read it there, with the rank named in the sentence. */
void segue_processes_send_status(const segue_processes *ranks, segue_status status, uint32_t mark,
                                 const segue_error *err);
SEGUE_MUST_CHECK segue_status segue_processes_read_status(const segue_message *message,
                                                          uint32_t *mark, segue_error *err);

/** Send a finished run to the first; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_processes_send_run(const segue_processes *ranks, uint64_t unit,
                                                       const double *values, size_t count,
                                                       segue_error *err);

#endif
