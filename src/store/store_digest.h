/* store_digest.h - digests of rows, for the hash chain.
 *
 * A digest is BLAKE2b-256 over the fields of a row: integers and doubles as 8 bytes in
 * little-endian order, texts with their length before them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_STORE_DIGEST_H
#define SEGUE_STORE_STORE_DIGEST_H

#include "segue/internal.h"
#include "store/rows.h"

typedef unsigned char segue_digest[SEGUE_DIGEST_SIZE];

/** The hash of an event: of the hash before it, the event and the digest of its rows. */
void segue_digest_event(const segue_stored_event *event, const segue_digest before,
                        const segue_digest rows, segue_digest out);

/** The hash before the first event: of the learner's id and the digest of its row. */
void segue_digest_first(int64_t learner, const segue_digest row, segue_digest out);

/** A learner's name, settings and time of creation. */
void segue_digest_learner(const segue_stored_learner *learner, segue_digest out);

/** The remains of the rewards of a closed task: counts per arm and the digest of the rows. */
typedef struct segue_reward_digest {
    segue_bytes counts; /* {"0":[3,2]}: pulls and sum of each arm that has rewards; ends with 0 */
    segue_digest rows;
} segue_reward_digest;

/** Read the rewards of a task of `n_arms` arms.  Free out->counts, also after a failure.
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_digest_rewards(segue_store *store, int64_t task, size_t n_arms,
                                                   segue_reward_digest *out, segue_error *err);

/** The key and the features of a task, with its tag: who has the digest cannot guess them. */
void segue_digest_key(const segue_stored_task *task, segue_digest out);

/** A closed task: its row, and the digests of its key and its rewards. */
SEGUE_MUST_CHECK segue_status segue_digest_closed_task(segue_store *store, int64_t task,
                                                       segue_digest out, segue_error *err);

/** The rows that an event stands for. .
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_digest_rows(segue_store *store, const segue_stored_event *event,
                                                segue_digest out, segue_error *err);

#endif
