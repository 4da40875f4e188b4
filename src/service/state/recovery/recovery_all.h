/* recovery_all.h - recover all learners of a store, one after the other.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_RECOVERY_RECOVERY_ALL_H
#define SEGUE_SERVICE_STATE_RECOVERY_RECOVERY_ALL_H

#include "service/state/recovery/recovery_learner.h"

typedef segue_status (*segue_recovery_callback)(void *context, const segue_recovery_result *found,
                                                segue_error *err);

/**
 * Recover every learner of a store, the damaged ones too.
 *
 * @retval SEGUE_EFILE  the table of learners cannot be read
 * @retval SEGUE_EIO, SEGUE_ENOMEM  also of one learner: this is no damage
 */
SEGUE_MUST_CHECK segue_status segue_recovery_all(const segue_recovery_source *recovery,
                                                 segue_recovery_callback seen, void *context,
                                                 segue_error *err);

#endif
