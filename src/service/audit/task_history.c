/* task_history.c - the rewards and asks of a task, as the store has them.
 *
 * Each reward has the asks since the reward before it.  The first reward of a run of the service has
 * an entry ASKS_RUN; rewards before it were told when the run began.  Entries after ASKS_LOST are
 * not used.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/audit/task_history.h"

#include <inttypes.h>
#include <stdlib.h>

#include "service/state/learner_state.h"

/* Make room for one more element of `size` bytes. */
static bool grow(void **array, size_t n, size_t size)
{
    void *more = (n & (n - 1)) == 0 ? realloc(*array, (n ? 2 * n : 1) * size) : *array;
    if (more)
        *array = more;
    return more != NULL;
}

static segue_status fail_memory(segue_error *err)
{
    return segue_fail_no_memory(err, "the asks of a task");
}

static segue_status begin_run(task_history *h, const ask_entry *entry, uint64_t position,
                              segue_error *err)
{
    if (!grow((void **)&h->run, h->n_runs, sizeof *h->run))
        return fail_memory(err);
    h->run[h->n_runs++] = (task_run){.prior_seq = entry->rewards,
                                     .draw = entry->n,
                                     .first_reward = position,
                                     .begin = h->n_entries,
                                     .end = h->n_entries};
    return SEGUE_OK;
}

/* Entries before the first run are of an older format, or lost. */
static segue_status add_entry(task_history *h, ask_entry *entry, segue_error *err)
{
    task_run *run = h->n_runs > 0 ? &h->run[h->n_runs - 1] : NULL;
    if (run && entry->kind == ASKS_LOST)
        run->is_lost = true;
    if (!run || run->is_lost) {
        free(entry->without);
        return SEGUE_OK;
    }
    if (!grow((void **)&h->entry, h->n_entries, sizeof *h->entry)) {
        free(entry->without);
        return fail_memory(err);
    }
    h->entry[h->n_entries++] = *entry;
    run->end = h->n_entries;
    run->asks += entry->kind == ASKS_COPY ? 0 : entry->n;
    return SEGUE_OK;
}

static segue_status read_asks(task_history *h, const segue_stored_reward *row, segue_error *err)
{
    const char *text = row->asks;
    ask_entry entry = {.kind = ASKS_OF_TASK, .rewards = row->position, .n = 1};
    if (!text)
        return add_entry(h, &entry, err);
    while (segue_ask_log_parse(&text, &entry))
        SEGUE_TRY(entry.kind == ASKS_RUN ? begin_run(h, &entry, row->position, err)
                                         : add_entry(h, &entry, err));
    return text ? segue_store_fail_damaged(err,
                                           "table reward, task %" PRId64 ", number %" PRId64
                                           ", column asks: '%.40s'; need a list of asks",
                                           row->task, (int64_t)row->number, text)
                : SEGUE_OK;
}

static segue_status add_reward(task_history *h, const segue_stored_reward *row, segue_error *err)
{
    if (!grow((void **)&h->reward, h->n_rewards, sizeof *h->reward))
        return fail_memory(err);
    h->reward[h->n_rewards++] =
        (past_reward){.number = row->number, .arm = row->arm, .value = row->value};
    return read_asks(h, row, err);
}

segue_status segue_task_history_read(segue_store *store, int64_t task, task_history *out,
                                     segue_error *err)
{
    segue_rows rows;
    segue_stored_reward reward;
    segue_status status = SEGUE_OK;
    *out = (task_history){.n_runs = 0};
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_REWARDS, .id = task}, err);
    while (status == SEGUE_OK && segue_rows_next_reward(&rows, &reward))
        status = add_reward(out, &reward, err);
    return segue_rows_close(&rows, status);
}

void segue_task_history_fini(task_history *history)
{
    for (size_t i = 0; i < history->n_entries; i++)
        free(history->entry[i].without);
    free(history->reward);
    free(history->entry);
    free(history->run);
    *history = (task_history){.n_runs = 0};
}

const task_run *segue_task_history_find(const task_history *history, uint64_t number,
                                        uint64_t *index)
{
    for (size_t i = 0; i < history->n_runs; i++) {
        const task_run *run = &history->run[i];
        *index = number - segue_learner_state_first_number(run->draw);
        if (*index < run->asks)
            return run;
    }
    return NULL;
}
