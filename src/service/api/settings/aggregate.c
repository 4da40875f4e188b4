/* aggregate.c - how several rewards of one decision become one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/settings/aggregate.h"

#include <math.h>
#include <string.h>

#include "io/json.h"

static const char *const names[SEGUE_N_AGGREGATES] = {[SEGUE_AGGREGATE_FIRST] = "first",
                                                      [SEGUE_AGGREGATE_SUM] = "sum",
                                                      [SEGUE_AGGREGATE_LAST] = "last",
                                                      [SEGUE_AGGREGATE_MAX] = "max"};

const char *segue_aggregate_name(segue_aggregate aggregate)
{
    return names[aggregate];
}

segue_status segue_aggregate_read(json_t *body, segue_aggregate *out, segue_error *err)
{
    static const segue_json_location location = {.path = "the body"};
    const json_t *value = json_object_get(body, "aggregate");
    const char *text = json_string_value(value);
    size_t i = 0;
    if (!value)
        return SEGUE_OK;
    while (i < SEGUE_N_AGGREGATES && !(text && strcmp(text, names[i]) == 0))
        i++;
    if (i == SEGUE_N_AGGREGATES)
        return segue_json_fail(&location, "aggregate", err,
                               "need \"first\", \"sum\", \"last\" or \"max\"");
    *out = (segue_aggregate)i;
    return SEGUE_OK;
}

double segue_aggregate_add(segue_aggregate aggregate, double before, double reward)
{
    switch (aggregate) {
    case SEGUE_AGGREGATE_SUM:
        return before + reward;
    case SEGUE_AGGREGATE_MAX:
        return fmax(before, reward);
    case SEGUE_AGGREGATE_LAST:
        return reward;
    default:
        return before;
    }
}
