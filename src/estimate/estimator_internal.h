/* estimator_internal.h - moments and estimators as a learner uses them: bytes, copies, memory.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_ESTIMATOR_INTERNAL_H
#define SEGUE_ESTIMATE_ESTIMATOR_INTERNAL_H

#include "core/bytes.h"
#include "segue/estimator.h"

/** Append the state, so that a copy continues bit for bit. */
void segue_moments_serialize(const segue_moments *moments, segue_bytes *b);
void segue_estimator_serialize(const segue_estimator *estimator, segue_bytes *b);

/**
 * Read the state into an object of the same sizes.  On failure it may be half changed.
 *
 * @retval SEGUE_EDOMAIN  a number is invalid
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_moments_deserialize(segue_moments *moments,
                                                        segue_bytes_reader *r, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_estimator_deserialize(segue_estimator *estimator,
                                                          segue_bytes_reader *r, segue_error *err);

/** Copy an estimator; the copy continues bit for bit.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_estimator_copy(segue_estimator **out,
                                                   const segue_estimator *from, segue_error *err);

/** Swap two estimators of the same configuration, except the tasks that were added (em). */
void segue_estimator_swap(segue_estimator *a, segue_estimator *b);

/** em: the number of tasks added so far. */
uint64_t segue_estimator_tasks(const segue_estimator *estimator);

/** Bytes of memory; of an estimator those that do not depend on the course of a fit. */
size_t segue_moments_bytes(const segue_moments *moments);
size_t segue_estimator_bytes(const segue_estimator *estimator);

#endif
