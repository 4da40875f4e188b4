/* terms_changes.h - the changes of a learner's terms, and which task has which.
 *
 * A change applies to tasks opened after it.  Ids of tasks grow, so a change stores the largest id
 * before it: a task with a larger id has the new terms, also after a restart.  A change that no task
 * has is replaced by the next one.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_SETTINGS_TERMS_CHANGES_H
#define SEGUE_SERVICE_API_SETTINGS_TERMS_CHANGES_H

#include "service/api/settings/task_terms.h"

#define SEGUE_MAX_CHANGES       1000              /* of the settings of one learner */
#define SEGUE_MAX_SETTINGS_SIZE ((size_t)1 << 20) /* bytes of settings that change */

/** One change of a learner's terms. */
typedef struct terms_change {
    int64_t after; /* tasks with a larger id have these terms */
    double time;   /* wall time */
    task_terms terms;
} terms_change;

/** Write the changes as a list.  A list of numbers is written once: later changes with it name the
 * first change that has it, counted from 1, or 0, the terms at creation.  `created` and the changes
 * point to lists of one pool. */
void segue_terms_changes_write(const terms_change *change, size_t count, const task_terms *created,
                               segue_bytes *b);

/** Read it: *out is the caller's to free.
 * @retval SEGUE_EDOMAIN, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_terms_changes_read(json_t *list, const task_terms *created,
                                                       double lowest, double highest,
                                                       arm_numbers **pool, terms_change **out,
                                                       size_t *count, segue_error *err);

/** Free the lists of the pool that neither `created` nor a change points to. */
void segue_terms_changes_free_unused(const terms_change *change, size_t count,
                                     const task_terms *created, arm_numbers **pool);

#endif
