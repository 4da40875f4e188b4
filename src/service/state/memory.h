/* memory.h - the memory that the service may use, and that it uses.
 *
 * Two sums are counted: learners with their tasks and pending decisions; and bodies of requests and
 * responses in progress.  Learners and tasks may use three quarters of the limit, requests a
 * quarter, so that a service that opens no more tasks still serves asks, tells and reads.  The
 * counts are a model of what is allocated; a test compares them with malloc's numbers (ADR 28).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_MEMORY_H
#define SEGUE_SERVICE_STATE_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

#define SEGUE_MIN_MEMORY (UINT64_C(32) << 20)

typedef struct memory {
    uint64_t limit;            /* bytes */
    bool has_address_limit;    /* the process has one (ulimit -v) */
    atomic_ullong of_learners; /* used by learners and tasks */
    atomic_ullong of_requests; /* used by requests and responses */
    atomic_bool full;          /* new tasks are refused ... */
    atomic_bool full_reported; /* ... and that was reported ... */
    atomic_ullong full_at;     /* ... last at this second of service time */
    atomic_bool spare_is_lent; /* the spare could not be had back yet */
    /* the writer's: */
    bool is_tight;               /* the system refused memory of late */
    void *spare;                 /* memory that lets a task close when there is no other ... */
    size_t spare_size, spare_of; /* ... its size, and the size that it should have */
} memory;

void segue_memory_init(memory *m, uint64_t limit);
void segue_memory_fini(memory *m);

/** Half of the least of the machine's memory, its control group's and its resource limits. */
uint64_t segue_memory_default(void);

/** Parse a size: bytes, or a number with K, M or G.
 * @retval SEGUE_EPARSE, SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_memory_parse(const char *text, uint64_t *out, segue_error *err);

/** Return whether tasks and learners may use more. */
bool segue_memory_has_space(const memory *m);

/** Return whether open tasks may use more: they have an eighth of the limit beyond that. */
bool segue_memory_has_reserve(const memory *m);

/** Count a body, and stop to count it; false: there is no space, and it is not counted. */
bool segue_memory_reserve(memory *m, size_t size);
void segue_memory_release(memory *m, size_t size);

/** Count a response that exists already; return whether there is space for others. */
void segue_memory_add_response(memory *m, size_t size);
bool segue_memory_has_response_space(const memory *m);

/** Write the reason for a rejection, a sentence. */
void segue_memory_reason(const memory *m, char *text, size_t size);

/** Spare memory, for the work after a commit, which must not fail, and for transactions when the
 * system gives no more memory.  Set its least size; free it, so that the next allocations find it;
 * allocate it again, false: not yet possible.  The writer's. */
void segue_memory_set_spare(memory *m, size_t size);
void segue_memory_free_spare(memory *m);
bool segue_memory_restore_spare(memory *m);

/** Bytes of this process that are in memory; 0: not known. */
uint64_t segue_memory_resident(void);

#endif
