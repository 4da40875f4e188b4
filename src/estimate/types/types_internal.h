/* types_internal.h - the state of types, for the files that implement them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_TYPES_TYPES_INTERNAL_H
#define SEGUE_ESTIMATE_TYPES_TYPES_INTERNAL_H

#include "estimate/types/mixture.h"
#include "estimate/types/task_window.h"
#include "estimate/types/types_read.h"

#define FIRST_FIT 8 /* tasks */

struct segue_types {
    segue_types_config config;
    task_window tasks;
    mixture mix;
    uint64_t finished; /* tasks so far */
    uint64_t fit_at;   /* tasks at which the next refit is due */
    uint64_t fitted;   /* tasks at the last fit */
    double no_type;    /* moving average of the posterior of no type over the last tasks */
    double alarm;      /* CUSUM of the posterior of no type above its weight */
    bool is_due;
};

#endif
