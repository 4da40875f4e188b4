/* types_internal.h - what types are made of, for the files that make them up.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_TYPES_TYPES_INTERNAL_H
#define SEGUE_ESTIMATE_TYPES_TYPES_INTERNAL_H

#include "estimate/types/mixture.h"
#include "estimate/types/task_window.h"
#include "estimate/types/types.h"

#define FIRST_FIT 8 /* tasks */

struct segue_types {
    segue_types_config config;
    task_window tasks;
    mixture mix;
    uint64_t finished; /* tasks so far */
    uint64_t fit_at;   /* the next fit by the clock */
    uint64_t fitted;   /* tasks at the last fit */
    double none;       /* moving average of the shares of the last tasks in none of the types */
    double alarm;      /* how many more of them were in none than should be */
    bool is_due;
};

#endif
