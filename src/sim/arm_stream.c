/* arm_stream.c - reading a law of rewards, and drawing from it.
 *
 * The rewards of an arm come from a stream of that arm, so that all policies of a run see the same
 * ones.  A mean of 0 or 1 leaves any law one value.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/arm_stream.h"

#include <string.h>

#include "segue/number.h"
#include "sim/truncated_normal.h"

typedef struct family_entry {
    const char *name;
    segue_family family;
    double least, most; /* of the parameter; both 0: it has none */
} family_entry;

static const family_entry families[] = {
    {"bernoulli", SEGUE_BERNOULLI, 0.0, 0.0},
    {"beta", SEGUE_BETA, 1e-6, 1e6},
    {"normal", SEGUE_NORMAL, 1e-3, 1e2},
    {"twopoint", SEGUE_TWOPOINT, 1e-6, 1.0},
};

segue_status segue_rewards_check(const segue_rewards *rewards, segue_error *err)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const family_entry *entry = &families[i];
        if (entry->family != rewards->family)
            continue;
        if (entry->most > 0.0 &&
            !(rewards->parameter >= entry->least && rewards->parameter <= entry->most))
            return segue_fail(err, SEGUE_EDOMAIN, "rewards '%s': %g is out of range; need %g to %g",
                              entry->name, rewards->parameter, entry->least, entry->most);
        return SEGUE_OK;
    }
    return segue_fail(err, SEGUE_EDOMAIN, "rewards of no known family");
}

segue_status segue_rewards_parse(segue_rewards *out, const char *text, segue_error *err)
{
    const size_t length = strcspn(text, ":");
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const family_entry *entry = &families[i];
        if (strlen(entry->name) != length || strncmp(entry->name, text, length) != 0)
            continue;
        const bool given = text[length] == ':', wanted = entry->most > 0.0;
        if (given && !wanted)
            return segue_fail(err, SEGUE_EPARSE, "rewards '%s' take no parameter", entry->name);
        if (wanted && !given)
            return segue_fail(err, SEGUE_EPARSE, "rewards '%s' need a parameter, as in '%s:0.5'",
                              entry->name, entry->name);
        *out = (segue_rewards){.family = entry->family};
        segue_error inner;
        const segue_status status =
            given ? segue_number_parse_double(text + length + 1, &out->parameter, &inner)
                  : SEGUE_OK;
        if (status != SEGUE_OK)
            return segue_fail(err, status, "rewards '%s': %s", entry->name, inner.message);
        return segue_rewards_check(out, err);
    }
    return segue_fail(err, SEGUE_ENAME,
                      "there are no rewards '%.40s'; need bernoulli, beta:PRECISION, normal:SD or "
                      "twopoint:S",
                      text);
}

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

/* A uniform number is at most 1 - 2^-53, so that the index is below the count. */
static double next_sample(arm_stream *stream)
{
    return stream->sample[(size_t)(segue_rng_uniform(&stream->rng) * (double)stream->n_samples)];
}

static void precompute_stream(arm_stream *stream, const segue_rewards *rewards)
{
    if (rewards->family == SEGUE_BERNOULLI)
        stream->threshold = segue_rng_bernoulli_threshold(stream->mean);
    else if (rewards->family == SEGUE_TWOPOINT)
        stream->threshold = segue_rng_bernoulli_threshold(stream->mean / rewards->parameter);
    else if (rewards->family == SEGUE_NORMAL)
        stream->location = segue_truncated_normal_location(stream->mean, rewards->parameter);
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

uint64_t segue_arm_stream_block(arm_stream *stream)
{
    static const segue_rewards bernoulli = {.family = SEGUE_BERNOULLI};
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
    const bool drawn_in_blocks =
        rewards->family == SEGUE_BERNOULLI || rewards->family == SEGUE_TWOPOINT;
    if (!drawn_in_blocks && (mean <= 0.0 || mean >= 1.0))
        return mean;
    if (!stream->ready)
        precompute_stream(stream, rewards);
    switch (rewards->family) {
    case SEGUE_BERNOULLI:
        return next_bit(stream);
    case SEGUE_TWOPOINT:
        return rewards->parameter * next_bit(stream);
    case SEGUE_BETA:
        return segue_rng_beta(&stream->rng, rewards->parameter * mean,
                              rewards->parameter * (1.0 - mean));
    case SEGUE_NORMAL:
        return segue_truncated_normal_draw(&stream->rng, stream->location, rewards->parameter);
    }
    return mean;
}
