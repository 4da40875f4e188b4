/* learner_dispersion.h - the dispersion of rewards per arm, learned over tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TRANSFER_LEARNER_DISPERSION_H
#define SEGUE_TRANSFER_LEARNER_DISPERSION_H

#include "transfer/learner_method.h"

/* The dispersion of rewards: reserve memory for `n_arms`, of which added ones have no sums; free it;
 * give a task that is being opened what to expect; learn from a closed task; add what another learner
 * knows; to bytes, and back.  @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_learner_dispersion_reserve(segue_learner *learner,
                                                               size_t n_arms, segue_error *err);
void segue_learner_dispersion_fini(segue_learner *learner);
void segue_learner_dispersion_apply(const segue_learner *learner, segue_task *task);
void segue_learner_dispersion_learn(segue_learner *learner, segue_task *task);
void segue_learner_dispersion_merge(segue_learner *into, const segue_learner *from);
void segue_learner_dispersion_serialize(const segue_learner *learner, segue_bytes *b);
SEGUE_MUST_CHECK segue_status segue_learner_dispersion_deserialize(segue_learner *learner,
                                                                   segue_bytes_reader *r,
                                                                   segue_error *err);

#endif
