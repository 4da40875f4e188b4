/* estimator_internal.h - what a learner keeps of moments and estimators: bytes, and the method's
 * name. SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_ESTIMATOR_INTERNAL_H
#define SEGUE_ESTIMATE_ESTIMATOR_INTERNAL_H

#include "core/bytes.h"
#include "segue/estimator.h"

/** Add all that is needed to go on, bit for bit. */
void segue_moments_serialize(const segue_moments *moments, segue_bytes *b);
void segue_estimator_serialize(const segue_estimator *estimator, segue_bytes *b);

/**
 * Take it back, into one made with the same sizes.  On failure it may be half changed.
 *
 * @retval SEGUE_EDOMAIN  a number cannot be
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_moments_deserialize(segue_moments *moments,
                                                        segue_bytes_reader *r, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_estimator_deserialize(segue_estimator *estimator,
                                                          segue_bytes_reader *r, segue_error *err);

/** A copy, which goes on bit for bit as the other would.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_estimator_copy(segue_estimator **out,
                                                   const segue_estimator *from, segue_error *err);

/** Let two of the same configuration change places, but for the tasks that em was told. */
void segue_estimator_swap(segue_estimator *a, segue_estimator *b);

/** em: the tasks that were added so far. */
uint64_t segue_estimator_tasks(const segue_estimator *estimator);

/** Bytes of memory that they take; of an estimator those that do not depend on how it fits. */
size_t segue_moments_bytes(const segue_moments *moments);
size_t segue_estimator_bytes(const segue_estimator *estimator);

#endif
