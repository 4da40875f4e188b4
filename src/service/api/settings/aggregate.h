/* aggregate.h - how several rewards of one decision become one.
 *
 * A decision has one reward.  With `first` it is the first that was told, and it cannot change.  With
 * the others each tell has an event id of its own and is stored as a part; the reward is the sum of
 * the parts, the part that came last, or the largest.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_SETTINGS_AGGREGATE_H
#define SEGUE_SERVICE_API_SETTINGS_AGGREGATE_H

#include <jansson.h>

#include "segue/status.h"

#define SEGUE_MAX_REWARD_PARTS 1000 /* of one decision */

typedef enum segue_aggregate {
    SEGUE_AGGREGATE_FIRST,
    SEGUE_AGGREGATE_SUM,
    SEGUE_AGGREGATE_LAST,
    SEGUE_AGGREGATE_MAX,
    SEGUE_N_AGGREGATES
} segue_aggregate;

const char *segue_aggregate_name(segue_aggregate aggregate);

/** Read the field "aggregate"; without it *out stays.  @retval SEGUE_EDOMAIN  it is no such name */
SEGUE_MUST_CHECK segue_status segue_aggregate_read(json_t *body, segue_aggregate *out,
                                                   segue_error *err);

/** Return the reward of a decision that had `before` when one more came. */
double segue_aggregate_add(segue_aggregate aggregate, double before, double reward);

#endif
