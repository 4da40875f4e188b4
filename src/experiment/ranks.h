/* ranks.h - the processes that share an experiment, and how they talk.
 *
 * What carries the messages, such as MPI, hides behind two functions; an array of mailboxes does
 * as well, and is how the tests try it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_RANKS_H
#define SEGUE_EXPERIMENT_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

typedef enum segue_message_kind {
    SEGUE_MESSAGE_FARE,    /* to the first: how a stage of the work went here */
    SEGUE_MESSAGE_VERDICT, /* from it: how it went for all, and the stage is over */
    SEGUE_MESSAGE_GO,      /* from it: which runs are there already */
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
typedef struct segue_ranks {
    size_t self, count; /* this process, 0 .. count - 1 */
    void *context;
    void (*send)(void *context, size_t to, segue_message_kind kind, const void *data, size_t size);
    /* Take the next message, if one has come. */
    bool (*receive)(void *context, segue_message *message);
    void (*leave)(void *context, int code); /* end this process at once */
} segue_ranks;

/** Room for any message but GO and RUN. */
#define SEGUE_MESSAGE_SIZE (SEGUE_ERROR_SIZE + 16)

/** Whether this is the process that keeps, writes and tells; who is alone (NULL) is. */
bool segue_ranks_is_first(const segue_ranks *ranks);

/** A message to all others, sent by the first. */
void segue_ranks_send_all(const segue_ranks *ranks, segue_message_kind kind, const void *data,
                          size_t size);

/** Wait a moment, while nothing comes. */
void segue_ranks_nap(void);

/**
 * End a stage of the work: all have succeeded, or all fail with the first failure by number, of
 * which the first process gets the sentence, and the others an empty one.  `mark` stands for what
 * they work on, and must be the same everywhere.  Alone, `status` comes back.
 *
 * @retval SEGUE_EUSAGE  the marks differ
 */
SEGUE_MUST_CHECK segue_status segue_ranks_agree(const segue_ranks *ranks, segue_status status,
                                                uint32_t mark, segue_error *err);

/** Tell the first how it went here; and read it there, with the rank named in the sentence. */
void segue_ranks_send_fare(const segue_ranks *ranks, segue_status status, uint32_t mark,
                           const segue_error *err);
SEGUE_MUST_CHECK segue_status segue_ranks_read_fare(const segue_message *message, uint32_t *mark,
                                                    segue_error *err);

/** Send a finished run to the first; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_ranks_send_run(const segue_ranks *ranks, uint64_t unit,
                                                   const double *values, size_t count,
                                                   segue_error *err);

#endif
