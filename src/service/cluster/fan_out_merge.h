/* fan_out_merge.h - the items of lists in JSON, as text.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_CLUSTER_FAN_OUT_MERGE_H
#define SEGUE_SERVICE_CLUSTER_FAN_OUT_MERGE_H

#include "segue/internal.h"

typedef struct segue_fan_out_item {
    const char *data; /* borrowed from the body */
    size_t size;
} segue_fan_out_item;

/** Start from zeros. */
typedef struct segue_fan_out_merge {
    segue_fan_out_item *item;
    size_t n, capacity;
    bool failed; /* out of memory */
} segue_fan_out_merge;

/** Add the objects of the first array in a body, {"NAME":[{...},{...}]}. */
void segue_fan_out_merge_add(segue_fan_out_merge *m, const segue_bytes *body);

/** Sort by their text, which begins with the name. */
void segue_fan_out_merge_sort(segue_fan_out_merge *m);
void segue_fan_out_merge_fini(segue_fan_out_merge *m);

#endif
