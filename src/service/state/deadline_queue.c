/* deadline_queue.c - decisions that wait for a default.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/deadline_queue.h"
#include "segue/internal.h"

#include <stdlib.h>

#define LEAST 64 /* of the ring */

void segue_deadline_queue_fini(deadline_queue *line)
{
    segue_deadline_queue_mark_persisted(line, line->next);
    free(line->entry);
    *line = (deadline_queue){.entry = NULL};
}

static waiting *at(const deadline_queue *line, size_t i)
{
    return &line->entry[(line->first + i) % line->capacity];
}

const waiting *segue_deadline_queue_at(const deadline_queue *line, size_t i)
{
    return at(line, i);
}

static bool resize(deadline_queue *line, size_t capacity)
{
    waiting *entry = malloc(capacity * sizeof *entry);
    if (!entry)
        return false;
    for (size_t i = 0; i < line->count; i++)
        entry[i] = *at(line, i);
    free(line->entry);
    line->entry = entry;
    line->first = 0;
    line->capacity = capacity;
    return true;
}

static bool is_open(const map *open, const waiting *w)
{
    return segue_hash_map_find(open, &w->decision.task, sizeof w->decision.task) != NULL;
}

/* Those of closed tasks go, wherever they stand. */
static void squeeze(deadline_queue *line, const map *open)
{
    size_t left = 0;
    for (size_t i = 0; i < line->count; i++)
        if (is_open(open, at(line, i)))
            *at(line, left++) = *at(line, i);
    line->count = left;
}

/* Room for one more.  Twice as much only if more than half are still due, so that each is looked
 * at a few times at most. */
static bool make_room(deadline_queue *line, const map *open)
{
    if (line->count < line->capacity)
        return true;
    squeeze(line, open);
    if (line->capacity > 0 && line->count <= line->capacity / 2)
        return true;
    return resize(line, line->capacity > 0 ? 2 * line->capacity : LEAST);
}

bool segue_deadline_queue_reserve(deadline_queue *line, size_t more, const map *open)
{
    if (line->count + more <= line->capacity)
        return true;
    squeeze(line, open);
    size_t capacity = line->capacity > 0 ? line->capacity : LEAST;
    while (capacity < line->count + more)
        capacity *= 2;
    return capacity == line->capacity || resize(line, capacity);
}

segue_status segue_deadline_queue_push(deadline_queue *line, const decision *d, bool kept,
                                       const map *open, segue_error *err)
{
    if (!make_room(line, open))
        return segue_fail_no_memory(err, "a decision that waits");
    *at(line, line->count++) = (waiting){.place = line->next, .decision = *d};
    const bool stored = kept && line->kept == line->next;
    line->next++;
    line->kept += stored;
    if (line->unstored && !stored)
        (void)atomic_fetch_add(line->unstored, 1);
    return SEGUE_OK;
}

size_t segue_deadline_queue_find(const deadline_queue *line, uint64_t place)
{
    size_t low = 0, high = line->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (at(line, middle)->place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void segue_deadline_queue_mark_persisted(deadline_queue *line, uint64_t place)
{
    if (line->kept >= place)
        return;
    if (line->unstored)
        (void)atomic_fetch_sub(line->unstored, place - line->kept);
    line->kept = place;
}

void segue_deadline_queue_pop_before(deadline_queue *line, uint64_t place)
{
    const size_t gone = segue_deadline_queue_find(line, place);
    if (gone == 0)
        return;
    line->first = (line->first + gone) % line->capacity;
    line->count -= gone;
    segue_deadline_queue_mark_persisted(line, place);
    if (line->capacity > LEAST && line->count < line->capacity / 4)
        (void)resize(line, line->capacity / 2); /* or not */
}

void segue_deadline_queue_pop_closed(deadline_queue *line, const map *open)
{
    size_t i = 0;
    while (i < line->count && !is_open(open, at(line, i)))
        i++;
    if (i > 0)
        segue_deadline_queue_pop_before(line, at(line, i - 1)->place + 1);
}
