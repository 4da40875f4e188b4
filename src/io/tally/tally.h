/* tally.h - the counts of a log per task and arm: pulls, sum and sum of squares of the rewards.
 *
 * Tallies of the parts of a log add up to the tally of the whole, in any order and to the byte:
 * sums are in fixed point, and a file lists tasks and arms by name.  docs/tally.md describes the
 * file.  The order of rewards, times and probabilities are lost.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_TALLY_TALLY_H
#define SEGUE_IO_TALLY_TALLY_H

#include "io/log/history.h"
#include "io/log/log.h"
#include "segue/internal.h"

/* A sum of numbers in [0, 1], in units of 2^-62: high * 2^64 + low. */
typedef struct tally_sum {
    uint64_t low, high;
} tally_sum;

/* The rewards of one arm in one task, mapped to [0, 1]. */
typedef struct tally_cell {
    uint64_t pulls;
    tally_sum sum, square;
} tally_cell;

typedef struct tally_task {
    tally_cell *cell; /* n_cells, by number of the arm: arms from there on have no reward */
    size_t n_cells;
} tally_task;

/* All zeros: a tally of nothing. */
typedef struct segue_tally {
    double lowest, highest; /* the range of the rewards */
    uint64_t n_rows, n_skipped;
    log_skipped skipped; /* the reasons, of a tally that was made of a log */
    names tasks, arms;   /* a tally that was read from one file has them sorted */
    tally_task *task;
    size_t capacity; /* of task */
} segue_tally;

void segue_tally_fini(segue_tally *tally);

/**
 * Read a log.  Memory is that of its tasks and arms, not of its rows.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN  the message names file, line and field
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_tally_read_log(segue_tally *out, const char *path,
                                                   const log_read_options *options,
                                                   segue_error *err);

/** True if the path names a regular file that starts as a tally does, compressed or not. */
bool segue_tally_detect(const char *path);

/**
 * Add a file to a tally, which may be empty.  On failure the tally is useless.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE  it cannot be read, is no tally, cut or damaged
 * @retval SEGUE_EDOMAIN  it has another range of rewards, or more names than a log may have
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_tally_add_file(segue_tally *tally, const char *path,
                                                   segue_error *err);

/** Append the bytes of a file.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_tally_serialize(const segue_tally *tally, segue_bytes *b,
                                                    segue_error *err);

/** True if every reward is the lowest or the highest: 0 or 1. */
bool segue_tally_is_binary(const segue_tally *tally);

/* ---- as input of other commands --------------------------------------------------------------- */

/**
 * Make the counts of a log of a tally that was read from one file; it loses its names to `out`.
 * With `views`, the rewards must be 0 or 1, and go to the batches of segue_log_read, or of
 * segue_log_read_consecutive, in an order that is drawn from the streams of `seed`.
 *
 * @retval SEGUE_EDOMAIN  it has one arm only; or views are wanted of other rewards
 * @retval SEGUE_ENOMEM
 */
typedef struct tally_log_options {
    const char *path; /* for messages */
    bool views, consecutive;
    uint64_t seed;
} tally_log_options;
SEGUE_MUST_CHECK segue_status segue_tally_make_log(segue_tally *tally,
                                                   const tally_log_options *options, segue_log *out,
                                                   segue_error *err);

/** Make rows of a tally that was read from one file, of at most SEGUE_MAX_PLAYED_TASKS tasks, those of
 * a task in an order that is drawn from the streams of `seed`; rewards must be 0 or 1.  Returns as segue_tally_make_log. */
SEGUE_MUST_CHECK segue_status segue_tally_make_history(segue_tally *tally, const char *path,
                                                       uint64_t seed, segue_history *out,
                                                       segue_error *err);

#endif
