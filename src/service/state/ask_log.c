/* ask_log.c - what each ask of an open task was asked with, in the order of the asks.
 *
 * Asks with the same terms at the same rewards are one entry, so that a client that asks without
 * ever telling costs no memory.  MAX_ENTRIES and MAX_WITHOUT limit the others.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/ask_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ENTRIES 1024  /* that wait for the next reward of their task ... */
#define MAX_WITHOUT 16384 /* ... and arms that they may not choose, in all of them */

size_t segue_ask_log_bytes(const ask_log *log)
{
    enum { OVERHEAD = 16 }; /* of malloc per list */
    return log->capacity * sizeof *log->entry + log->n_without * sizeof *log->entry->without +
           (log->n_without > 0 ? log->n * (size_t)OVERHEAD : 0);
}

static void drop(ask_log *log, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        log->n_without -= log->entry[i].n_without;
        free(log->entry[i].without);
    }
    if (log->n > n)
        memmove(log->entry, log->entry + n, (log->n - n) * sizeof *log->entry);
    log->n -= n;
}

void segue_ask_log_fini(ask_log *log)
{
    drop(log, log->n);
    free(log->entry);
    *log = (ask_log){.entry = NULL};
}

/* ---- adding ------------------------------------------------------------------------------ */

static bool reserve(ask_log *log)
{
    if (log->n < log->capacity)
        return true;
    const size_t capacity = log->capacity ? 2 * log->capacity : 2;
    ask_entry *entry = log->n < MAX_ENTRIES ? realloc(log->entry, capacity * sizeof *entry) : NULL;
    if (!entry)
        return false;
    log->entry = entry;
    log->capacity = capacity;
    return true;
}

/* Later entries would be of asks that cannot be played again. */
static void append(ask_log *log, const ask_entry *entry)
{
    if (log->is_lost || log->n_without + entry->n_without > MAX_WITHOUT || !reserve(log)) {
        log->is_lost = true;
        free(entry->without);
        return;
    }
    log->entry[log->n++] = *entry;
    log->n_without += entry->n_without;
}

/* List the arms that are not allowed; false: out of memory. */
static bool list_without(const ask_terms *terms, ask_entry *out)
{
    size_t n = 0;
    for (size_t i = 0; terms->allowed && i < terms->n_arms; i++)
        n += !terms->allowed[i];
    if (n == 0)
        return true;
    out->without = malloc(n * sizeof *out->without);
    if (!out->without)
        return false;
    for (size_t i = 0; i < terms->n_arms; i++)
        if (!terms->allowed[i])
            out->without[out->n_without++] = (uint16_t)i;
    return true;
}

static bool is_same(const ask_entry *a, const ask_entry *b)
{
    return a->kind == ASKS_OF_TASK && b->kind == a->kind && a->rewards == b->rewards &&
           !a->probability && !b->probability && a->n_without == b->n_without &&
           (a->n_without == 0 ||
            memcmp(a->without, b->without, a->n_without * sizeof *a->without) == 0);
}

/* An entry that is staged has its text already. */
static void add(ask_log *log, const ask_terms *terms, ask_entry entry)
{
    if (entry.n == 0)
        return;
    entry.rewards = terms->rewards;
    entry.probability = terms->probability;
    if (!list_without(terms, &entry)) {
        log->is_lost = true;
        return;
    }
    if (!log->is_lost && log->n > log->staged && is_same(&log->entry[log->n - 1], &entry)) {
        log->entry[log->n - 1].n += entry.n;
        free(entry.without);
    } else {
        append(log, &entry);
    }
}

void segue_ask_log_add(ask_log *log, const ask_terms *terms, uint64_t n)
{
    add(log, terms, (ask_entry){.kind = ASKS_OF_TASK, .n = n});
}

void segue_ask_log_add_of_copy(ask_log *log, const ask_terms *terms, uint64_t n, uint32_t copy)
{
    add(log, terms, (ask_entry){.kind = ASKS_OF_COPY, .n = n, .copy = copy});
}

uint32_t segue_ask_log_add_copy(ask_log *log, uint64_t rewards)
{
    append(log, &(ask_entry){.kind = ASKS_COPY, .rewards = rewards});
    return log->copies++;
}

/* ---- storing ----------------------------------------------------------------------------- */

static void write_entry(const ask_entry *entry, segue_bytes *out)
{
    char text[80];
    int size = snprintf(text, sizeof text, "%" PRIu64 ":", entry->rewards);
    if (entry->kind == ASKS_COPY)
        size += snprintf(text + size, sizeof text - (size_t)size, "f");
    else
        size += snprintf(text + size, sizeof text - (size_t)size, "%" PRIu64, entry->n);
    if (entry->kind == ASKS_OF_COPY)
        size += snprintf(text + size, sizeof text - (size_t)size, "*%" PRIu32, entry->copy);
    segue_bytes_append(out, text, (size_t)size);
    if (entry->probability)
        segue_bytes_append(out, "p", 1);
    for (uint32_t i = 0; i < entry->n_without; i++) {
        size = snprintf(text, sizeof text, "%c%u", i == 0 ? '-' : '.', (unsigned)entry->without[i]);
        segue_bytes_append(out, text, (size_t)size);
    }
    segue_bytes_append(out, ";", 1);
}

static bool is_usual(const ask_log *log, uint64_t position)
{
    if (log->is_lost || !log->run_staged || log->n != log->staged + 1)
        return false;
    const ask_entry *e = &log->entry[log->staged];
    return e->kind == ASKS_OF_TASK && e->n == 1 && e->rewards == position && !e->probability &&
           e->n_without == 0;
}

size_t segue_ask_log_stage(ask_log *log, uint64_t position, uint64_t seq, uint64_t draw,
                           segue_bytes *out)
{
    const size_t first = log->staged;
    if (!is_usual(log, position)) {
        char text[64];
        if (!log->run_staged)
            segue_bytes_append(
                out, text,
                (size_t)snprintf(text, sizeof text, "@%" PRIu64 ",%" PRIu64 ";", seq, draw));
        for (size_t i = first; i < log->n; i++)
            write_entry(&log->entry[i], out);
        if (log->is_lost)
            segue_bytes_append(out, "?;", 2);
        if (out->size == 0) /* no ask: NULL would mean one */
            segue_bytes_append(out, ";", 1);
        segue_bytes_append(out, "", 1);
    }
    log->run_staged = true;
    log->staged = log->n;
    return log->n - first;
}

void segue_ask_log_commit(ask_log *log, size_t n)
{
    drop(log, n);
    log->staged -= n;
    log->run_stored = true;
}

void segue_ask_log_rollback(ask_log *log)
{
    log->staged = 0;
    log->run_staged = log->run_stored;
}

/* ---- reading ----------------------------------------------------------------------------- */

static bool read_number(const char **text, uint64_t *out)
{
    char *end = NULL;
    if (**text < '0' || **text > '9')
        return false;
    *out = strtoull(*text, &end, 10);
    *text = end;
    return true;
}

/* Arms after '-', separated by points. */
static bool read_without(const char **text, ask_entry *entry)
{
    while (**text == (entry->n_without == 0 ? '-' : '.')) {
        uint64_t arm = 0;
        uint16_t *more = realloc(entry->without, (entry->n_without + 1) * sizeof *more);
        if (more)
            entry->without = more;
        ++*text;
        if (!more || !read_number(text, &arm) || arm > UINT16_MAX)
            return false;
        entry->without[entry->n_without++] = (uint16_t)arm;
    }
    return true;
}

static bool read_asks(const char **text, ask_entry *entry)
{
    uint64_t copy = 0;
    if (!read_number(text, &entry->rewards) || *(*text)++ != ':')
        return false;
    if (**text == 'f') {
        entry->kind = ASKS_COPY;
        ++*text;
        return true;
    }
    if (!read_number(text, &entry->n))
        return false;
    if (**text == '*') {
        ++*text;
        entry->kind = ASKS_OF_COPY;
        if (!read_number(text, &copy))
            return false;
        entry->copy = (uint32_t)copy;
    }
    entry->probability = **text == 'p';
    *text += entry->probability;
    return read_without(text, entry);
}

static bool read_run(const char **text, ask_entry *entry)
{
    entry->kind = ASKS_RUN;
    ++*text;
    return read_number(text, &entry->rewards) && *(*text)++ == ',' && read_number(text, &entry->n);
}

bool segue_ask_log_parse(const char **text, ask_entry *entry)
{
    const char *at = *text;
    bool fine = true;
    *entry = (ask_entry){.kind = ASKS_OF_TASK};
    while (*at == ';')
        at++;
    if (*at == '\0') {
        *text = NULL;
        return false;
    }
    if (*at == '?') {
        entry->kind = ASKS_LOST;
        at++;
    } else {
        fine = *at == '@' ? read_run(&at, entry) : read_asks(&at, entry);
    }
    if (fine && *at == ';') {
        *text = at + 1;
        return true;
    }
    free(entry->without);
    entry->without = NULL;
    return false;
}
