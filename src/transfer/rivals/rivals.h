/* rivals.h - what the learners of others share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TRANSFER_RIVALS_RIVALS_H
#define SEGUE_TRANSFER_RIVALS_RIVALS_H

#include <string.h>

#include "transfer/learner_method.h"

/* Give the options of a learner to its policy, which has the same table: a `plan`. */
static inline segue_status plan_with_options(const segue_learner *learner, bool identifies,
                                             segue_task_config *task, segue_error *err)
{
    (void)identifies;
    (void)err;
    memcpy(task->policy.option, learner->config.option,
           learner->method->info.n_options * sizeof *task->policy.option);
    return SEGUE_OK;
}

/* Copy sums and pulls of a closed task to 2 x n_arms numbers; it may know only the first arms. */
static inline void copy_counts(const open_task *entry, size_t n_arms, double *counts)
{
    const task_internals in = segue_task_internals(entry->task);
    for (size_t i = 0; i < n_arms; i++) {
        const bool is_known = i < in.view->n_arms;
        counts[i] = is_known ? in.sum[i] : 0.0;
        counts[n_arms + i] = is_known ? (double)in.pulls[i] : 0.0;
    }
}

#endif
