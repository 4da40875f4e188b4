/* memory.h - how much memory the service may take, and how much it takes.
 *
 * What grows with use is counted: learners with their tasks and the decisions that wait, and, apart
 * from these, bodies of requests and responses that are under way.  Tasks and learners may take
 * three quarters of the limit, requests a quarter, so that a service that takes no more tasks can
 * still be asked, told and looked at.  What is counted is a model of what is allocated, which a
 * test compares with malloc's own numbers (ADR 28).
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
    atomic_ullong kept;        /* by learners and tasks */
    atomic_ullong under_way;   /* by requests and responses */
    atomic_bool full;          /* new tasks are refused ... */
    atomic_bool full_reported; /* ... and that was reported ... */
    atomic_ullong full_at;     /* ... last at this second of service time */
    atomic_bool spare_is_lent; /* the spare could not be had back yet */
    /* of the thread that writes: */
    bool is_tight;               /* the system refused memory of late */
    void *spare;                 /* what lets a task be closed when all else is taken ... */
    size_t spare_size, spare_of; /* ... its size, and the size that it should have */
} memory;

void segue_memory_init(memory *m, uint64_t limit);
void segue_memory_fini(memory *m);

/** Half of what this machine, its control group or its resource limits allow, whichever is least.
 */
uint64_t segue_memory_default(void);

/** Parse a size: bytes, or a number with K, M or G.
 * @retval SEGUE_EPARSE, SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_memory_parse(const char *text, uint64_t *out, segue_error *err);

/** Whether tasks and learners may take more. */
bool segue_memory_has_space(const memory *m);

/** Whether tasks that are open may take more: they have an eighth of the limit beyond that. */
bool segue_memory_has_reserve(const memory *m);

/** Count a body, or count it no more; false: there is no room, and it is not counted. */
bool segue_memory_reserve(memory *m, size_t size);
void segue_memory_release(memory *m, size_t size);

/** Count a response that is there already; and whether there is room for others. */
void segue_memory_add_response(memory *m, size_t size);
bool segue_memory_has_response_space(const memory *m);

/** The reason for a refusal, a sentence. */
void segue_memory_reason(const memory *m, char *text, size_t size);

/** A spare, for what follows a commit, which must not fail, and for transactions when the system
 * gives no more memory: `want` it at least so large; `lend` it, so that the next allocations find
 * it; and have it back, false: not yet.  For the thread that writes. */
void segue_memory_set_spare(memory *m, size_t size);
void segue_memory_free_spare(memory *m);
bool segue_memory_restore_spare(memory *m);

/** Bytes of this process that are in memory; 0: not known. */
uint64_t segue_memory_resident(void);

#endif
