/* merge.h - merge a learner with a saved one, in the service and in recovery.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_MERGE_H
#define SEGUE_SERVICE_STATE_MERGE_H

#include "segue/internal.h"
#include "segue/learner.h"
#include "store/store.h"

/** Merge a saved learner, given as bytes, into `learner`; on failure that stays as it is.
 * @retval SEGUE_EDOMAIN  they do not go together
 * @retval SEGUE_EFILE    the bytes are not a saved learner
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_merge_bytes(segue_learner *learner, const void *data,
                                                size_t size, segue_error *err);

/** Merge into a copy, and drop that: find whether the merge succeeds.
 * @retval SEGUE_EDOMAIN, SEGUE_EFILE, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_merge_try(const segue_learner *learner, const void *data,
                                              size_t size, segue_error *err);

/** Merge the stored learner `number` into learner `id`.
 * @retval SEGUE_EFILE  the store lacks it, or it is damaged
 * @retval SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_merge_stored(segue_store *store, int64_t id, uint64_t number,
                                                 segue_learner *learner, segue_error *err);

#endif
