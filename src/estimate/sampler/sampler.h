/* sampler.h - learn types from finished tasks, without knowing how many there are.
 *
 * A finished task is given by the reward sum and the number of pulls of every arm.  The tasks of a
 * window are divided into types by a Dirichlet-process mixture, of which a sampler holds one
 * partition: every task is of one type.  A new task joins a type at once; now and then the caller
 * refits (a sweep over the window, splits and merges), here or on a copy in another thread.
 * sampler_prior.h says what a new task gets.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_SAMPLER_SAMPLER_H
#define SEGUE_ESTIMATE_SAMPLER_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/stop.h"
#include "estimate/features/feature_shift.h"
#include "estimate/types/types.h"
#include "segue/estimator.h"

#define SEGUE_MIN_SAMPLER_WINDOW 16
#define SEGUE_MAX_SAMPLER_WINDOW 65536

typedef struct segue_sampler segue_sampler;

typedef struct segue_sampler_config {
    size_t n_arms; /* SEGUE_MIN_ARMS .. SEGUE_MAX_ARMS */
    size_t window; /* tasks that it keeps */
    size_t cap;    /* largest number of types: 1 .. SEGUE_MAX_TYPES; then up to 64 are sampled */
    uint64_t seed, run; /* of the random numbers */
} segue_sampler_config;

/** 2 arms, a window of 1,024, SEGUE_MAX_TYPES types, seed 1, run 0. */
segue_sampler_config segue_sampler_defaults(void);

/**
 * Create a sampler without tasks.
 *
 * @retval SEGUE_EDOMAIN  a field of `config` is outside its range
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_sampler_create(segue_sampler **out,
                                                   const segue_sampler_config *config,
                                                   segue_error *err);
void segue_sampler_destroy(segue_sampler *s);

/** Bytes of memory. */
size_t segue_sampler_bytes(const segue_sampler *s);

size_t segue_sampler_arms(const segue_sampler *s);

/** Tasks finished so far, and those in the window. */
uint64_t segue_sampler_tasks(const segue_sampler *s);
size_t segue_sampler_in_window(const segue_sampler *s);

/** The types that are shown: at most SEGUE_MAX_TYPES. */
size_t segue_sampler_count(const segue_sampler *s);

/** An arm of a type (1 .. count). */
typedef struct segue_sampled_arm {
    double mean;      /* of the type */
    double low, high; /* 95 % interval of it (Wilson) */
    double kappa;     /* means of tasks are Beta(kappa mean, kappa (1 - mean)) */
    double pulls;     /* effective pulls that it was learned from */
} segue_sampled_arm;

segue_sampled_arm segue_sampler_arm(const segue_sampler *s, size_t type, size_t arm);

/** Tasks of a type (1 .. count) in the window, and its id, which no other type has or had. */
double segue_sampler_size(const segue_sampler *s, size_t type);
uint64_t segue_sampler_id(const segue_sampler *s, size_t type);

/* ---- learn --------------------------------------------------------------------------------- */

/**
 * Add a finished task: its reward sums and pulls, n_arms each; rewards are in [0, 1].
 * Cost O(types x arms + window).  On failure nothing has changed.
 *
 * @retval SEGUE_EDOMAIN  not 0 <= sum <= pulls <= 1e15
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_sampler_add_task(segue_sampler *s, const double *sum,
                                                     const double *pulls, segue_error *err);

/** Add a finished task with features, which say nothing about its type: types come from rewards. */
SEGUE_MUST_CHECK segue_status segue_sampler_add_featured(segue_sampler *s, const double *sum,
                                                         const double *pulls,
                                                         const segue_feature *features,
                                                         size_t n_features, segue_error *err);

/** The features of the tasks of the window. */
const feature_table *segue_sampler_features(const segue_sampler *s);

/** How these shift the weights of the types; segue_feature_shift_fini frees it.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_sampler_shift(const segue_sampler *s, feature_shift *out,
                                                  segue_error *err);

/** True if a refit is due: after every task at first, then after 8, in a long window after a 64th
 * of it. */
bool segue_sampler_due(const segue_sampler *s);

/** Refit to the window, and number the types by size, the largest first; then no refit is due. */
void segue_sampler_refit(segue_sampler *s);

/** Refit many times in a row, with a small concentration of the process, after many tasks were added.  After
 * *stop (NULL: never) it ends early, with types that are of no use. */
void segue_sampler_refit_fully(segue_sampler *s, const atomic_bool *stop);

/** Learn from the tasks of types that were fitted by EM, in a fresh sampler of as many arms; its
 * window is at least theirs.  On failure it may be half changed.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_sampler_learn_fitted(segue_sampler *s,
                                                         const segue_types *fitted,
                                                         segue_error *err);

/** Copy, for another thread to refit.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_sampler_copy(segue_sampler **out, const segue_sampler *s,
                                                 segue_error *err);

/**
 * Adopt a copy that was refitted: add the tasks that were finished since to it, and swap the two.
 * Types that only the copy has get ids that `s` has not used.  The caller then destroys `copy`, or
 * swaps the two back.  On failure `s` is as it was.
 *
 * @retval SEGUE_EDOMAIN  it is not a copy, or arms were added since
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_sampler_adopt(segue_sampler *s, segue_sampler *copy,
                                                  segue_error *err);

/** Swap two samplers with the same tasks; each keeps its own features. */
void segue_sampler_swap(segue_sampler *a, segue_sampler *b);

/**
 * Merge the tasks of `other`: the newest tasks of both, in turn, up to the window; those of the one
 * with more finished tasks keep their types, those of `other` with ids that are new in `s`.  On failure
 * nothing has changed.
 *
 * @retval SEGUE_EDOMAIN  their arms differ
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_sampler_merge(segue_sampler *s, const segue_sampler *other,
                                                  segue_error *err);

/**
 * Add arms after the others.  They are not known until they are pulled.  On failure nothing has
 * changed.
 *
 * @retval SEGUE_EDOMAIN  fewer arms than there are, or more than SEGUE_MAX_ARMS
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_sampler_resize(segue_sampler *s, size_t n_arms,
                                                   segue_error *err);

/* ---- serialize ------------------------------------------------------------------------------ */

/** Append the state, so that a copy continues bit for bit. */
void segue_sampler_serialize(const segue_sampler *s, segue_bytes *b);

/**
 * Read the state into a fresh sampler of the same config and arms.  On failure it may be half
 * changed.
 *
 * @retval SEGUE_EDOMAIN  a number is invalid
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_sampler_deserialize(segue_sampler *s, segue_bytes_reader *r,
                                                        segue_error *err);

/** Append the features, and read them into a sampler that was deserialized.
 * @retval SEGUE_EDOMAIN, SEGUE_ENOMEM */
void segue_sampler_serialize_features(const segue_sampler *s, segue_bytes *b);
SEGUE_MUST_CHECK segue_status segue_sampler_deserialize_features(segue_sampler *s,
                                                                 segue_bytes_reader *r,
                                                                 segue_error *err);

#endif
