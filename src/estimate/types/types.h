/* types.h - learn types from finished tasks: how many there are, and the Beta prior of each arm.
 *
 * A finished task is given by the reward sum and the number of pulls of every arm.  Component 0 is
 * the background: tasks of no type, flat on every arm.  Components 1 .. count are types.  Every
 * task changes the types a little; now and then the caller refits them to the task window, which
 * takes milliseconds, here or on a copy in another thread.  types_read.h has the queries.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_TYPES_TYPES_H
#define SEGUE_ESTIMATE_TYPES_TYPES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../core/bytes.h"
#include "segue/estimator.h"

#define SEGUE_MAX_FITTED_TYPES 16
#define SEGUE_MIN_TYPES_WINDOW 16
#define SEGUE_MAX_TYPES_WINDOW 65536

typedef struct segue_types segue_types;

typedef struct segue_types_config {
    size_t n_arms; /* SEGUE_MIN_ARMS .. SEGUE_MAX_ARMS */
    size_t window; /* tasks that refits read: SEGUE_MIN_TYPES_WINDOW .. SEGUE_MAX_TYPES_WINDOW */
    size_t hint;   /* expected number of types: above 6, the first fit tries longer to add types */
    size_t cap;    /* largest number of types: 1 .. SEGUE_MAX_FITTED_TYPES */
    uint64_t seed, run; /* of the random numbers that a fit draws */
} segue_types_config;

/** 2 arms, a window of 512, no hint, SEGUE_MAX_FITTED_TYPES types, seed 1, run 0. */
segue_types_config segue_types_defaults(void);

/**
 * Create an object without tasks and types.
 *
 * @retval SEGUE_EDOMAIN  a field of `config` is outside its range
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_types_create(segue_types **out,
                                                 const segue_types_config *config,
                                                 segue_error *err);
void segue_types_destroy(segue_types *types);

/* ---- learn --------------------------------------------------------------------------------- */

/**
 * Add a finished task: its reward sums and pulls, n_arms each; rewards are in [0, 1].
 * Cost O(types x arms).  On failure nothing has changed.
 *
 * @retval SEGUE_EDOMAIN  not 0 <= sum <= pulls <= 1e15
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_types_add_task(segue_types *types, const double *sum,
                                                   const double *pulls, segue_error *err);

/** True if a refit is due: the tasks have grown by 30 %, many recent ones are of no type, or a
 * stale type was removed. */
bool segue_types_due(const segue_types *types);

/** Refit to the task window; then no refit is due.  If the tasks have changed, the window forgets
 * those before the change, and there are no types for a few tasks.  On failure nothing has changed.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_types_refit(segue_types *types, segue_error *err);

/** Refit while the objective grows, each fit from the one before: for tasks that came all at once.
 * No change is looked for, since their order may be that of a file.  `stop` ends it, or is NULL: the
 * types of the last fit remain.
 * @retval SEGUE_ENOMEM, SEGUE_ESTOPPED */
SEGUE_MUST_CHECK segue_status segue_types_refit_until_stable(segue_types *types,
                                                             const atomic_bool *stop,
                                                             segue_error *err);

/* ---- serialize ------------------------------------------------------------------------------ */

/** Append the state, so that a copy continues bit for bit. */
void segue_types_serialize(const segue_types *types, segue_bytes *b);

/**
 * Read the state into a fresh object of the same config and arms.  On failure it may be half
 * changed.
 *
 * @retval SEGUE_EDOMAIN  a number is invalid
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_types_deserialize(segue_types *types, segue_bytes_reader *r,
                                                      segue_error *err);

#endif
