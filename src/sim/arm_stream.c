/* arm_stream.c - draw the rewards of an arm.
 *
 * Each arm has its own random stream, so that all policies of a run see the same rewards. With a
 * mean of 0 or 1 every law has one value. Bernoulli rewards are drawn in blocks of 64.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/arm_stream.h"

#include <math.h>

#include "core/math/exp.h"
#include "sim/laws/clipped_lognormal.h"
#include "sim/laws/truncated_normal.h"

#define ZEROS_PRECISION 5.0 /* of the rewards of `zeros` that are not 0 */

void segue_arm_stream_open(arm_stream *stream, double mean, uint64_t seed, uint64_t run,
                           uint64_t task, size_t arm)
{
    segue_rng_init(&stream->rng, seed, run, task, arm);
    stream->mean = mean;
    stream->ready = false;
    stream->left = 0;
    stream->sample = NULL;
}

void segue_arm_stream_resample(arm_stream *stream, const double *sample, size_t count)
{
    stream->sample = sample;
    stream->n_samples = count;
}

/* The largest uniform number is 1 - 2^-53, so that the index is below the count. */
static double next_sample(arm_stream *stream)
{
    return stream->sample[(size_t)(segue_rng_uniform(&stream->rng) * (double)stream->n_samples)];
}

/* Return the probability of a bit of 1, for laws with bits. */
static double bit_probability(double mean, const segue_rewards *rewards)
{
    if (rewards->law == SEGUE_TWOPOINT || rewards->law == SEGUE_ZEROS)
        return mean / rewards->parameter;
    if (rewards->law == SEGUE_JACKPOT)
        return (mean - rewards->parameter) / (1.0 - rewards->parameter);
    return mean;
}

static void precompute_stream(arm_stream *stream, const segue_rewards *rewards)
{
    if (rewards->law == SEGUE_NORMAL)
        stream->location = segue_truncated_normal_location(stream->mean, rewards->parameter);
    else if (rewards->law == SEGUE_LOGNORMAL)
        stream->location = segue_clipped_lognormal_location(stream->mean, rewards->parameter);
    else if (rewards->law != SEGUE_BETA)
        stream->threshold = segue_rng_bernoulli_threshold(bit_probability(stream->mean, rewards));
    stream->ready = true;
}

static double next_bit(arm_stream *stream)
{
    if (stream->left == 0) {
        stream->block = segue_rng_bernoulli_block(&stream->rng, stream->threshold);
        stream->left = 64;
    }
    const double bit = (double)(int)(stream->block & 1);
    stream->block >>= 1;
    stream->left--;
    return bit;
}

static double next_grade(arm_stream *stream, unsigned count)
{
    double ones = 0.0;
    for (unsigned n = 0; n < count; n++)
        ones += next_bit(stream);
    return ones / (double)count;
}

/* 0, or a Beta number. */
static double next_of_zeros(arm_stream *stream, double mean)
{
    return next_bit(stream) > 0.0 ? segue_rng_beta(&stream->rng, ZEROS_PRECISION * mean,
                                                   ZEROS_PRECISION * (1.0 - mean))
                                  : 0.0;
}

uint64_t segue_arm_stream_block(arm_stream *stream)
{
    static const segue_rewards bernoulli = {.law = SEGUE_BERNOULLI};
    if (!stream->ready)
        precompute_stream(stream, &bernoulli);
    return segue_rng_bernoulli_block(&stream->rng, stream->threshold);
}

void segue_arm_stream_unread(arm_stream *stream, uint64_t block, unsigned used)
{
    stream->block = block >> used;
    stream->left = 64 - used;
}

double segue_arm_stream_next(arm_stream *stream, const segue_rewards *rewards)
{
    const double mean = stream->mean;
    if (stream->sample)
        return next_sample(stream);
    const bool is_continuous = rewards->law == SEGUE_BETA || rewards->law == SEGUE_NORMAL ||
                               rewards->law == SEGUE_LOGNORMAL;
    if (is_continuous && (mean <= 0.0 || mean >= 1.0))
        return mean;
    if (!stream->ready)
        precompute_stream(stream, rewards);
    switch (rewards->law) {
    case SEGUE_BERNOULLI:
        return next_bit(stream);
    case SEGUE_TWOPOINT:
        return rewards->parameter * next_bit(stream);
    case SEGUE_BETA:
        return segue_rng_beta(&stream->rng, rewards->parameter * mean,
                              rewards->parameter * (1.0 - mean));
    case SEGUE_NORMAL:
        return segue_truncated_normal_draw(&stream->rng, stream->location, rewards->parameter);
    case SEGUE_GRADES:
        return next_grade(stream, (unsigned)rewards->parameter);
    case SEGUE_ZEROS:
        return next_of_zeros(stream, rewards->parameter);
    case SEGUE_JACKPOT:
        return next_bit(stream) > 0.0 ? 1.0 : rewards->parameter;
    case SEGUE_LOGNORMAL:
        return fmin(
            1.0, segue_exp(stream->location + rewards->parameter * segue_rng_normal(&stream->rng)));
    }
    return mean;
}
