/* types_verdict.h - one sentence on types that were fitted to a log.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_TYPES_VERDICT_H
#define SEGUE_REPLAY_TYPES_VERDICT_H

#include "segue/internal.h"

#define SEGUE_TYPES_VERDICT_SIZE 200

/** Return the standard deviation of tasks' means around a type's; `width` is that of the range of
 * rewards. */
double segue_types_verdict_spread(const segue_type_arm *arm, double width);

/** Write "good: ..." or "none: ..." to `out`, SEGUE_TYPES_VERDICT_SIZE bytes. */
void segue_types_verdict_write(const segue_types *types, const segue_types_fit *fit, double width,
                               char *out);

#endif
