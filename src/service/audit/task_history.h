/* task_history.h - the rewards and asks of a task, as the store has them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_AUDIT_TASK_HISTORY_H
#define SEGUE_SERVICE_AUDIT_TASK_HISTORY_H

#include "service/state/ask_log.h"
#include "store/store.h"

typedef struct past_reward {
    uint64_t number;
    size_t arm;
    double value;
} past_reward;

/** The asks of a task in one run of the service. */
typedef struct task_run {
    uint64_t prior_seq, draw;
    uint64_t first_reward; /* rewards that the task had when the run began */
    uint64_t asks;         /* in its entries */
    size_t begin, end;     /* its entries */
    bool is_lost;          /* later entries are missing */
} task_run;

typedef struct task_history {
    past_reward *reward;
    ask_entry *entry;
    task_run *run;
    size_t n_rewards, n_entries, n_runs;
} task_history;

/** Read all rewards of a task.  Free *out, also after a failure.
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_task_history_read(segue_store *store, int64_t task,
                                                      task_history *out, segue_error *err);
void segue_task_history_fini(task_history *history);

/** Find the run that made decision `number`; *index: the asks of the run before it.  NULL: none. */
const task_run *segue_task_history_find(const task_history *history, uint64_t number,
                                        uint64_t *index);

#endif
