/* rng.h - named random streams.
 *
 * A stream has a name, (seed, run, task, purpose), never an order of use: run 7 draws the same
 * numbers on one thread and on sixty-four.  No two names of one seed share a state.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_RNG_H
#define SEGUE_RNG_H

#include <stdint.h>

#include "segue/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Purposes of the streams of a task.  Purpose i < n_arms: the rewards of arm i. */
#define SEGUE_STREAM_MODEL     ((UINT64_C(1) << 32) + 0) /* the model of the task */
#define SEGUE_STREAM_MEANS     ((UINT64_C(1) << 32) + 1) /* means around the model */
#define SEGUE_STREAM_POLICY    ((UINT64_C(1) << 32) + 2) /* draws of the policy */
#define SEGUE_STREAM_ESTIMATOR ((UINT64_C(1) << 32) + 3) /* draws of the estimator */
#define SEGUE_STREAM_PROBABILITIES                                                                 \
    ((UINT64_C(1) << 32) + 4) /* draws that estimate choice probabilities */
#define SEGUE_STREAM_THINNING   ((UINT64_C(1) << 32) + 5) /* which logged rows are used */
#define SEGUE_STREAM_BOOTSTRAP  ((UINT64_C(1) << 32) + 6) /* resampled tasks of a bootstrap */
#define SEGUE_STREAM_REFIT      ((UINT64_C(1) << 32) + 7) /* draws of a refit of types */
#define SEGUE_STREAM_FULL_REFIT ((UINT64_C(1) << 32) + 8) /* draws of refits in a row */

/** A stream: xoshiro256++ (Blackman and Vigna 2019). The caller owns the storage; copy it to copy
 * the stream. */
typedef struct segue_rng {
    uint64_t s[4];
} segue_rng;

/** Initialise the stream of that name. Each of run, task and purpose is below 2^64 - 1. */
SEGUE_API void segue_rng_init(segue_rng *rng, uint64_t seed, uint64_t run, uint64_t task,
                              uint64_t purpose);

/** Return the next 64 random bits. */
static inline uint64_t segue_rng_next(segue_rng *rng)
{
    uint64_t *s = rng->s;
    const uint64_t sum = s[0] + s[3];
    const uint64_t out = ((sum << 23) | (sum >> 41)) + s[0];
    const uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return out;
}

/** Return a uniform number in [0, 1), a multiple of 2^-53. */
static inline double segue_rng_uniform(segue_rng *rng)
{
    return (double)(int64_t)(segue_rng_next(rng) >> 11) * (1.0 / 9007199254740992.0); /* 2^-53 */
}

/** Return the threshold of a Bernoulli probability `p` in [0, 1]: a 53-bit uniform number is below
 * it with probability `p`, rounded up to a multiple of 2^-53. */
SEGUE_API uint64_t segue_rng_bernoulli_threshold(double p);

/**
 * Make 64 Bernoulli draws, one per bit.
 *
 * The function compares sixty-four 53-bit uniform numbers with the threshold, bit by bit from the
 * top, with one word of the stream per bit, until all are decided or the threshold has no further
 * bits. This defines Bernoulli rewards: wider code must give the same bits.
 */
SEGUE_API uint64_t segue_rng_bernoulli_block(segue_rng *rng, uint64_t threshold);

/** Draw a standard normal number. */
SEGUE_API double segue_rng_normal(segue_rng *rng);

/** Draw the logarithm of a Gamma(shape, 1) number, shape > 0; finite even where the number
 * underflows. */
SEGUE_API double segue_rng_log_gamma(segue_rng *rng, double shape);

/** Draw a Beta(a, b) number in [0, 1]; a, b > 0. */
SEGUE_API double segue_rng_beta(segue_rng *rng, double a, double b);

#ifdef __cplusplus
}
#endif
#endif
