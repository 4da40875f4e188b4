/* types.h - types of tasks, learned from finished ones: how many there are, and what each is like.
 *
 * A finished task is told by the sum of the rewards and the number of the pulls of every arm.
 * Component 0 is "none of the types", flat on every arm; components 1 .. count are types.  Types
 * change a little with every task; now and then they are fitted anew to the tasks that are kept,
 * which takes milliseconds and is the caller's to do, here or on a copy in another thread.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_TYPES_TYPES_H
#define SEGUE_ESTIMATE_TYPES_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../core/bytes.h"
#include "segue/status.h"

#define SEGUE_MAX_TYPES_COUNT  16 /* types */
#define SEGUE_MIN_TYPES_WINDOW 16
#define SEGUE_MAX_TYPES_WINDOW 65536

typedef struct segue_types segue_types;

typedef struct segue_types_config {
    size_t n_arms; /* SEGUE_MIN_ARMS .. SEGUE_MAX_ARMS */
    size_t window; /* finished tasks that are kept: SEGUE_MIN_TYPES_WINDOW .. _MOST_WINDOW */
    size_t hint;   /* types that somebody expects: beyond 6, the first fit tries as many births */
    size_t cap;    /* types that there may be: 1 .. SEGUE_MAX_TYPES_COUNT */
    uint64_t seed, run; /* of the random numbers that a fit draws */
} segue_types_config;

/** 2 arms, a window of 512, no hint, SEGUE_MAX_TYPES_COUNT types, seed 1, run 0. */
segue_types_config segue_types_defaults(void);

/**
 * No tasks yet, and no types.
 *
 * @retval SEGUE_EDOMAIN  a field of `config` is outside its range
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_types_create(segue_types **out,
                                                 const segue_types_config *config,
                                                 segue_error *err);
void segue_types_destroy(segue_types *types);

/* ---- learning ------------------------------------------------------------------------------ */

/**
 * A task is finished: sums of its rewards and numbers of its pulls, n_arms each; rewards are in
 * [0, 1].  O(types x arms).  On failure nothing has changed.
 *
 * @retval SEGUE_EDOMAIN  not 0 <= sum <= pulls <= 1e15
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_types_add_task(segue_types *types, const double *sum,
                                                   const double *pulls, segue_error *err);

/** Whether a fit is due: tasks have grown by 30 %, many of late are of no type, or a type has not
 * been seen for long and was given up. */
bool segue_types_due(const segue_types *types);

/** Fit to the tasks that are kept; then none is due.  Where these have changed, those before the
 * change are forgotten, and there are no types for a few tasks.  On failure nothing has changed.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_types_refit(segue_types *types, segue_error *err);

/** Fit again as long as it helps, each fit from the one before: for tasks that came all at once.
 * None is forgotten: their order may be that of a file, and tells no change.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_types_refit_until_stable(segue_types *types, segue_error *err);

/** A copy of its own, for another thread to refit.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_types_copy(segue_types **out, const segue_types *types,
                                               segue_error *err);

/**
 * Take over what a copy has become.  Tasks that were finished since the copy was made are finished
 * in it too; then the two change places, and the caller destroys `copy`.  On failure `types` is as
 * it was.
 *
 * @retval SEGUE_EDOMAIN  it is not a copy of these, or arms were added since
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_types_adopt(segue_types *types, segue_types *copy,
                                                segue_error *err);

/**
 * Add what others have seen: the newest tasks of both, in turn, as far as the window goes, are
 * fitted anew, from the types of those who had more tasks.  On failure nothing has changed.
 *
 * @retval SEGUE_EDOMAIN  they have other arms
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_types_merge(segue_types *types, const segue_types *other,
                                                segue_error *err);

/**
 * Add arms behind those there are: nothing is known of them in any type until they are pulled.  (An
 * arm that is gone just gets no more pulls.)  On failure nothing has changed.
 *
 * @retval SEGUE_EDOMAIN  fewer arms than there are, or more than SEGUE_MAX_ARMS
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_types_resize(segue_types *types, size_t n_arms,
                                                 segue_error *err);

/* ---- reading ------------------------------------------------------------------------------- */

size_t segue_types_arms(const segue_types *types);

/** Bytes of memory that they take. */
size_t segue_types_bytes(const segue_types *types);

/** Types; 0 before the first fit, and for a few tasks after a change. */
size_t segue_types_count(const segue_types *types);

/** Tasks finished so far, and those of them that are kept. */
uint64_t segue_types_tasks(const segue_types *types);
size_t segue_types_in_window(const segue_types *types);

/** Weights (count + 1) of the components; that of none, 1 before the first fit, is the share of
 * tasks that fit no type. */
const double *segue_types_weights(const segue_types *types);

/** Beta parameters of the means of a new task, (count + 1) x n_arms each, until the types change.
 */
const double *segue_types_a(const segue_types *types);
const double *segue_types_b(const segue_types *types);

/** Weights (count + 1) for a new task: that of none is raised, within a few tasks, where the last
 * ones fitted no type. */
void segue_types_prior(const segue_types *types, double *weight);

/** What a task, finished or not, is taken for: shares (count + 1) of the components.  Returns the
 * logarithm of the likelihood of its rewards. */
double segue_types_posterior(const segue_types *types, const double *sum, const double *pulls,
                             double *share);

/** An arm of a type (1 .. count). */
typedef struct segue_type_arm {
    double mean;      /* of the type */
    double low, high; /* 95 % interval of it (Wilson) */
    double kappa;     /* tasks' means are Beta(kappa mean, kappa (1 - mean)); 1e6: all the same */
    double pulls;     /* that it was learned from, as far as they count */
} segue_type_arm;

segue_type_arm segue_types_arm(const segue_types *types, size_t type, size_t arm);

/** The number of the last task of a type (1 .. count), counted from 1. */
uint64_t segue_types_last_task(const segue_types *types, size_t type);

/** How the types fit the tasks that are kept. */
typedef struct segue_types_fit {
    double log_likelihood;
    double objective; /* less what so many types cost: what a fit makes large */
    double
        size[SEGUE_MAX_TYPES_COUNT + 1]; /* of the components, in tasks: their sum is that kept */
} segue_types_fit;

/** O(kept x types x arms). */
segue_types_fit segue_types_evaluate(const segue_types *types);

/* ---- saving -------------------------------------------------------------------------------- */

/** Add all that is needed to go on, bit for bit. */
void segue_types_serialize(const segue_types *types, segue_bytes *b);

/**
 * Take it back, into new ones made with the same config and arms.  On failure they may be half
 * changed.
 *
 * @retval SEGUE_EDOMAIN  a number cannot be
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_types_deserialize(segue_types *types, segue_bytes_reader *r,
                                                      segue_error *err);

#endif
