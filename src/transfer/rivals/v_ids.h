/* v_ids.h - the choice of information-directed sampling between two arms.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TRANSFER_RIVALS_V_IDS_H
#define SEGUE_TRANSFER_RIVALS_V_IDS_H

#include <stdbool.h>
#include <stddef.h>

/* Two arms: the first is pulled with probability `share`, else the second. */
typedef struct segue_v_ids_pair {
    size_t first, second;
    double share;
} segue_v_ids_pair;

/* Return the pair that minimises (expected regret)^2 / (expected information), among the allowed
 * arms (NULL: all). Arms without regret and information win. */
segue_v_ids_pair segue_v_ids_choose(const double *regret, const double *information,
                                    const bool *allowed, size_t n_arms);

#endif
