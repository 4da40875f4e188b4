/* store_chain.h - a hash chain over the event log of each learner.
 *
 * The hash of an event covers the hash before it, the event, and a digest of the rows that it
 * stands for: of a closed task its row and its rewards, of an arm its row, of settings the
 * learner's row.  An altered, removed or moved row is found, and named.  Who can write the file can
 * compute a new chain: compare the newest hash with one that was noted elsewhere.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_STORE_CHAIN_H
#define SEGUE_STORE_STORE_CHAIN_H

#include "store/rows.h"

/** Begin the chain of a new learner, from its row. */
SEGUE_MUST_CHECK segue_status segue_store_chain_begin(segue_store *store,
                                                      const segue_stored_learner *learner,
                                                      segue_error *err);

/** Append an event, whose rows are stored.  segue_store_add_event and segue_store_close_task do. */
SEGUE_MUST_CHECK segue_status segue_store_chain_append(segue_store *store,
                                                       const segue_stored_event *event,
                                                       segue_error *err);

/** Build the chains of all learners from the rows as they are.  A damaged learner gets the part
 * before the damage. */
SEGUE_MUST_CHECK segue_status segue_store_chain_build(segue_store *store, segue_error *err);

/** Read the newest link of a learner.  @retval SEGUE_EFILE  it has none */
SEGUE_MUST_CHECK segue_status segue_store_chain_head(segue_store *store, int64_t learner,
                                                     segue_stored_link *out, segue_error *err);

/** Check the chain of a learner.
 * @retval SEGUE_EFILE  a row was altered, removed or moved; the sentence names it */
SEGUE_MUST_CHECK segue_status segue_store_chain_verify(segue_store *store,
                                                       const segue_stored_learner *learner,
                                                       segue_error *err);

#endif
