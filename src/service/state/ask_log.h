/* ask_log.h - what each ask of an open task was asked with, in the order of the asks.
 *
 * With the rewards, this is all that the arms of a task depend on: an ask without a reward is played
 * again, not stored.  The entries since the last reward are stored with the next one, as a text
 * (column asks of table reward).  An ask that one reward follows, with all arms, stores nothing.
 *
 *   @SEQ,DRAW;    first reward of a task in this run of the service: the event after which the task
 *                 took its shared prior, and its random draw
 *   R:N;          N asks when R rewards were counted
 *   R:Np-1.4;     ... of one request with probabilities, without arms 1 and 4
 *   R:f;          a long ask copies the task and takes a stream of its own
 *   R:N*F;        N asks that were chosen on copy F of this run, from 0 on
 *   ?;            entries were lost: later asks of this run cannot be played again
 *
 * A new property of an ask adds a letter after the number: parse and write are here alone.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_ASK_LOG_H
#define SEGUE_SERVICE_STATE_ASK_LOG_H

#include "segue/internal.h"

typedef enum ask_kind {
    ASKS_OF_TASK, /* chosen on the task */
    ASKS_OF_COPY, /* chosen on copy `copy` */
    ASKS_COPY,    /* a copy is made */
    ASKS_RUN,     /* a run of the service begins */
    ASKS_LOST
} ask_kind;

typedef struct ask_entry {
    ask_kind kind;
    uint64_t rewards; /* counted before it; of ASKS_RUN: the event of the shared prior */
    uint64_t n;       /* asks; of ASKS_RUN: the random draw */
    uint32_t copy;
    bool probability;   /* the distribution was computed before the first of them */
    uint32_t n_without; /* arms that must not be chosen */
    uint16_t *without;  /* NULL: none */
} ask_entry;

/** Entries that are not stored.  The lock of the learner guards them. */
typedef struct ask_log {
    ask_entry *entry;
    size_t n, capacity;
    size_t n_without;            /* arms in the lists of the entries */
    size_t staged;               /* the first of them are in this transaction */
    uint32_t copies;             /* made in this run */
    bool run_stored, run_staged; /* the entry ASKS_RUN */
    bool is_lost;                /* no more entries in this run */
} ask_log;

void segue_ask_log_fini(ask_log *log);

/** Bytes of its entries. */
size_t segue_ask_log_bytes(const ask_log *log);

/** The terms that all asks of one request share. */
typedef struct ask_terms {
    uint64_t rewards;    /* counted */
    const bool *allowed; /* NULL: all arms */
    size_t n_arms;
    bool probability;
} ask_terms;

/** Add asks of the task, or of a copy.  Without memory the log is lost: the ask does not fail. */
void segue_ask_log_add(ask_log *log, const ask_terms *terms, uint64_t n);
void segue_ask_log_add_of_copy(ask_log *log, const ask_terms *terms, uint64_t n, uint32_t copy);

/** Add a copy; returns its number. */
uint32_t segue_ask_log_add_copy(ask_log *log, uint64_t rewards);

/** Write what a reward at `position` stores; nothing for one ask with all arms just before it.
 * `seq`, `draw`: of the run.  Returns the number of entries. */
size_t segue_ask_log_stage(ask_log *log, uint64_t position, uint64_t seq, uint64_t draw,
                           segue_bytes *out);
/** The first entries are stored; none is. */
void segue_ask_log_commit(ask_log *log, size_t n);
void segue_ask_log_rollback(ask_log *log);

/** Read the next entry of a text and move *text behind it; entry->without is the caller's to free.
 * @retval false  the text ends, or *text is not NULL and has no entry */
bool segue_ask_log_parse(const char **text, ask_entry *entry);

#endif
