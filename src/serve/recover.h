/* recover.h - learners as a start finds them in the store.
 *
 * A start of the service and the check of a store use the same functions: what a start refuses or
 * sets apart, a check calls damaged.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVE_RECOVER_H
#define SEGUE_SERVE_RECOVER_H

#include "serve/live.h"

typedef struct segue_recovery {
    segue_store *store;
    const unsigned char *key;        /* 16 bytes, of hash tables */
    uint64_t (*draw)(void *context); /* random bits, which never repeat: see segue_live_open */
    void *context;
    double now; /* service time */
} segue_recovery;

/** What became of one learner. */
typedef struct segue_recovered {
    const segue_stored_learner *row;
    live_learner *live;    /* the receiver's to release; NULL: it is damaged ... */
    const char *why;       /* ... for this reason */
    bool snapshot_damaged; /* it was rebuilt from the first event of its journal */
} segue_recovered;

typedef segue_status (*segue_recovered_seen)(void *context, const segue_recovered *found,
                                             segue_error *err);

/**
 * Recover every learner of a store, the damaged ones too.
 *
 * @retval SEGUE_EFILE  the table of learners cannot be read
 * @retval SEGUE_EIO, SEGUE_ENOMEM  also of one learner: this is no damage
 */
SEGUE_MUST_CHECK segue_status segue_recover_all(const segue_recovery *recovery,
                                                segue_recovered_seen seen, void *context,
                                                segue_error *err);

#endif
