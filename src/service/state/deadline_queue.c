/* deadline_queue.c - decisions whose reward has a deadline: a circular buffer, the oldest first.
 *
 * Pushing and popping cost O(1) amortized.  Entries of closed tasks stay until they reach the front
 * or the buffer is full; then compact() removes them.  The buffer doubles only if more than half of
 * it is still due, and shrinks when three quarters are free.
 *
 * Tasks of a learner have the same time to their deadlines, unless its settings changed.  So the
 * order of asking is the order of deadlines, and a queue is enough.  jobs/timer.c expires them; where
 * times differ, it reads the whole queue and removes entries in the middle.
 * Entries before `persisted` are in the store; the service limits how many are not.  The learner's
 * lock guards the queue.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/deadline_queue.h"

#include <stdlib.h>

#include "segue/internal.h"

#define MIN_CAPACITY 64

void segue_deadline_queue_fini(deadline_queue *queue)
{
    segue_deadline_queue_mark_persisted(queue, queue->next);
    free(queue->entry);
    *queue = (deadline_queue){.entry = NULL};
}

static pending_decision *at(const deadline_queue *queue, size_t i)
{
    return &queue->entry[(queue->first + i) % queue->capacity];
}

const pending_decision *segue_deadline_queue_at(const deadline_queue *queue, size_t i)
{
    return at(queue, i);
}

static bool resize(deadline_queue *queue, size_t capacity)
{
    pending_decision *entry = malloc(capacity * sizeof *entry);
    if (!entry)
        return false;
    for (size_t i = 0; i < queue->count; i++)
        entry[i] = *at(queue, i);
    free(queue->entry);
    queue->entry = entry;
    queue->first = 0;
    queue->capacity = capacity;
    return true;
}

static bool is_open(const hash_map *open, const pending_decision *pending)
{
    return segue_hash_map_find(open, &pending->decision.task, sizeof pending->decision.task) !=
           NULL;
}

/* Remove all entries of closed tasks. */
static void compact(deadline_queue *queue, const hash_map *open)
{
    size_t n = 0;
    for (size_t i = 0; i < queue->count; i++)
        if (is_open(open, at(queue, i)))
            *at(queue, n++) = *at(queue, i);
    queue->count = n;
}

/* Have capacity for one more entry. */
static bool grow(deadline_queue *queue, const hash_map *open)
{
    if (queue->count < queue->capacity)
        return true;
    compact(queue, open);
    if (queue->capacity > 0 && queue->count <= queue->capacity / 2)
        return true;
    return resize(queue, queue->capacity > 0 ? 2 * queue->capacity : MIN_CAPACITY);
}

bool segue_deadline_queue_reserve(deadline_queue *queue, size_t more, const hash_map *open)
{
    if (queue->count + more <= queue->capacity)
        return true;
    compact(queue, open);
    size_t capacity = queue->capacity > 0 ? queue->capacity : MIN_CAPACITY;
    while (capacity < queue->count + more)
        capacity *= 2;
    return capacity == queue->capacity || resize(queue, capacity);
}

segue_status segue_deadline_queue_push(deadline_queue *queue, const decision *d, bool persisted,
                                       const hash_map *open, segue_error *err)
{
    if (!grow(queue, open))
        return segue_fail_no_memory(err, "a decision with a deadline");
    *at(queue, queue->count++) = (pending_decision){.sequence = queue->next, .decision = *d};
    const bool stored = persisted && queue->persisted == queue->next;
    queue->next++;
    queue->persisted += stored;
    if (queue->unstored && !stored)
        (void)atomic_fetch_add(queue->unstored, 1);
    return SEGUE_OK;
}

size_t segue_deadline_queue_find(const deadline_queue *queue, uint64_t sequence)
{
    size_t low = 0, high = queue->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (at(queue, middle)->sequence < sequence)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void segue_deadline_queue_mark_persisted(deadline_queue *queue, uint64_t sequence)
{
    if (queue->persisted >= sequence)
        return;
    if (queue->unstored)
        (void)atomic_fetch_sub(queue->unstored, sequence - queue->persisted);
    queue->persisted = sequence;
}

void segue_deadline_queue_pop_before(deadline_queue *queue, uint64_t sequence)
{
    const size_t n_popped = segue_deadline_queue_find(queue, sequence);
    if (n_popped == 0)
        return;
    queue->first = (queue->first + n_popped) % queue->capacity;
    queue->count -= n_popped;
    segue_deadline_queue_mark_persisted(queue, sequence);
    if (queue->capacity > MIN_CAPACITY && queue->count < queue->capacity / 4)
        (void)resize(queue, queue->capacity / 2); /* without memory it stays large */
}

void segue_deadline_queue_remove(deadline_queue *queue, uint64_t sequence)
{
    const size_t i = segue_deadline_queue_find(queue, sequence);
    if (i == queue->count || at(queue, i)->sequence != sequence)
        return;
    if (i == 0)
        segue_deadline_queue_pop_before(queue, sequence + 1);
    else
        at(queue, i)->decision.task = 0; /* no task has this id */
}

void segue_deadline_queue_pop_closed(deadline_queue *queue, const hash_map *open)
{
    size_t i = 0;
    while (i < queue->count && !is_open(open, at(queue, i)))
        i++;
    if (i > 0)
        segue_deadline_queue_pop_before(queue, at(queue, i - 1)->sequence + 1);
}
