/* arm_stream.h - the stream of rewards of one arm.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_ARM_STREAM_H
#define SEGUE_SIM_ARM_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "segue/environment.h"
#include "segue/rng.h"

/* The rewards of one arm in one task. */
typedef struct arm_stream {
    segue_rng rng;
    double mean;
    bool ready;         /* the fields below are computed */
    uint64_t threshold; /* laws with bits: see segue_rng_bernoulli_threshold */
    uint64_t block;     /* ... and the draws that are not used yet, lowest bit first */
    unsigned left;
    double location;      /* normal, lognormal: before truncation */
    const double *sample; /* of a log: rewards to draw from, whatever the law; or NULL */
    size_t n_samples;
} arm_stream;

void segue_arm_stream_open(arm_stream *stream, double mean, uint64_t seed, uint64_t run,
                           uint64_t task, size_t arm);
/* Draw rewards from `count` given ones, which must outlive the stream. */
void segue_arm_stream_resample(arm_stream *stream, const double *sample, size_t count);
double segue_arm_stream_next(arm_stream *stream, const segue_rewards *rewards);

/* For kernels, with Bernoulli rewards of which none was drawn singly: return the next 64; and put
 * back the block of which the kernel has used `used`. */
uint64_t segue_arm_stream_block(arm_stream *stream);
void segue_arm_stream_unread(arm_stream *stream, uint64_t block, unsigned used);

#endif
