/* tally_write.c - a tally as bytes: equal tallies have equal bytes.
 *
 *   8 bytes  "SEGUETLY"
 *   u64      version
 *   u64      bytes of what follows, without the checksum
 *   f64 x 2  range of the rewards
 *   u64 x 5  1 if all rewards are 0 or 1, else 0; rewards; skipped rows; arms; tasks
 *   ...      names of the arms, sorted by their bytes
 *   ...      tasks, sorted by their bytes: name, number of arms with rewards, and of each: its number
 *            less that of the one before (the first: plus 1), pulls, and either the sum or, in
 *            u64 x 4, the sum and the sum of squares in units of 2^-62, low words first
 *   u64      CRC-32 of all before it
 *
 * A name is its length and its bytes.  Numbers that are not u64 are of variable length: 7 bits per
 * byte, the lowest first, the top bit set in all bytes but the last.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "io/tally/tally_internal.h"

typedef struct sorted_name {
    const char *name;
    size_t number; /* in the tally */
} sorted_name;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const sorted_name *)a)->name, ((const sorted_name *)b)->name);
}

/* List names sorted by their bytes. */
static sorted_name *sort_names(const names *list)
{
    sorted_name *sorted = calloc(list->count + 1, sizeof *sorted);
    for (size_t i = 0; sorted && i < list->count; i++)
        sorted[i] = (sorted_name){.name = list->name[i], .number = i};
    if (sorted)
        qsort(sorted, list->count, sizeof *sorted, by_name);
    return sorted;
}

static void append_number(segue_bytes *b, uint64_t x)
{
    unsigned char byte[10];
    size_t n = 0;
    for (; x >= 128; x >>= 7)
        byte[n++] = (unsigned char)(x | 128);
    byte[n++] = (unsigned char)x;
    segue_bytes_append(b, byte, n);
}

static void append_name(segue_bytes *b, const char *name)
{
    const size_t length = strlen(name);
    append_number(b, length);
    segue_bytes_append(b, name, length);
}

static void append_cell(segue_bytes *b, const tally_cell *cell, bool binary)
{
    append_number(b, cell->pulls);
    if (binary) {
        append_number(b, cell->sum.high << (64 - TALLY_BITS) | cell->sum.low >> TALLY_BITS);
        return;
    }
    const uint64_t word[4] = {cell->sum.low, cell->sum.high, cell->square.low, cell->square.high};
    for (size_t i = 0; i < 4; i++)
        segue_bytes_append_u64(b, word[i]);
}

/* Arms are in the order of their names; a task may lack the last ones. */
static void append_task(segue_bytes *b, const tally_task *task, const sorted_name *arm,
                        size_t n_arms, bool binary)
{
    uint64_t present = 0;
    size_t before = 0;
    for (size_t i = 0; i < task->n_cells; i++)
        present += task->cell[i].pulls > 0;
    append_number(b, present);
    for (size_t i = 0; i < n_arms; i++) {
        const size_t number = arm[i].number;
        if (number >= task->n_cells || task->cell[number].pulls == 0)
            continue;
        append_number(b, i + 1 - before);
        append_cell(b, &task->cell[number], binary);
        before = i + 1;
    }
}

static void append_head(segue_bytes *b, const segue_tally *tally, bool binary)
{
    segue_bytes_append(b, TALLY_MAGIC, TALLY_MAGIC_SIZE);
    segue_bytes_append_u64(b, TALLY_VERSION);
    segue_bytes_append_u64(b, 0); /* the length, once it is known */
    segue_bytes_append_f64(b, &tally->lowest, 1);
    segue_bytes_append_f64(b, &tally->highest, 1);
    const uint64_t word[5] = {binary, tally->n_rows, tally->n_skipped, tally->arms.count,
                              tally->tasks.count};
    for (size_t i = 0; i < 5; i++)
        segue_bytes_append_u64(b, word[i]);
}

/* Set the length, and append the checksum. */
static void append_tail(segue_bytes *b)
{
    const uint64_t length = b->size - TALLY_HEAD;
    for (size_t i = 0; i < 8 && !b->failed; i++)
        b->data[TALLY_HEAD - 8 + i] = (unsigned char)(length >> (8 * i));
    if (!b->failed)
        segue_bytes_append_u64(b, segue_bytes_crc32(b->data, b->size));
}

segue_status segue_tally_serialize(const segue_tally *tally, segue_bytes *b, segue_error *err)
{
    const bool binary = segue_tally_is_binary(tally);
    sorted_name *arm = sort_names(&tally->arms), *task = sort_names(&tally->tasks);
    const bool is_sorted = arm && task;
    append_head(b, tally, binary);
    for (size_t i = 0; is_sorted && i < tally->arms.count; i++)
        append_name(b, arm[i].name);
    for (size_t i = 0; is_sorted && i < tally->tasks.count; i++) {
        append_name(b, task[i].name);
        append_task(b, &tally->task[task[i].number], arm, tally->arms.count, binary);
    }
    append_tail(b);
    free(arm);
    free(task);
    return is_sorted && !b->failed ? SEGUE_OK : segue_fail_no_memory(err, "the bytes of a tally");
}
