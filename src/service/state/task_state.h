/* task_state.h - an open task in memory.
 *
 * The lock of its learner guards a task.  Its staged fields belong to the writer: they say what the
 * task will be if the transaction commits, and a rollback resets them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_TASK_STATE_H
#define SEGUE_SERVICE_STATE_TASK_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/internal.h"
#include "service/api/settings/task_terms.h"
#include "service/state/ask_log.h"
#include "service/state/hash_map.h"

typedef struct task_state {
    int64_t id;
    uint64_t tag; /* random bits: a decision id of another task with this id does not fit */
    char *key;
    bool control;         /* played by ts, without transfer */
    double control_share; /* probability of that, when it opened */
    uint64_t version;     /* of the learner, when it opened */
    size_t n_arms;        /* of the learner, when it opened */
    task_terms terms;     /* of the learner, when it opened */
    segue_task *play;     /* counts and policy of the library; asks and tells go to it */
    uint64_t next;        /* number of its next decision */
    uint64_t pending;     /* decisions of this run of the service that have no reward yet */
    uint64_t draw;        /* random bits of this task in this run of the service */
    uint64_t prior_seq;   /* the last event that its shared prior knows */
    ask_log asks;         /* since its last reward */
    double opened;        /* wall time */
    double active;        /* service time of the last ask or tell */
    uint64_t rewards;
    double total;
    segue_given_reward *given; /* its rewards, if they can change; the writer's */
    size_t given_capacity;
    /* After this transaction; the writer's. */
    uint64_t staged_rewards;
    double staged_total;
    bool staged_closed; /* guarded by the lock: no thread decides on the task any more */
    bool close_pending; /* its close is in the queue, because it was idle */
    hash_map_entry *id_entry, *key_entry; /* until it is inserted */
} task_state;

#endif
