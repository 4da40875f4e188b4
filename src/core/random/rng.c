/* rng.c - opening named streams, and Bernoulli rewards in blocks of sixty-four.
 *
 * A name becomes a state by an injective chain: each word is splitmix64's finaliser, a bijection,
 * of the word before it plus the next part of the name, so that two names of one seed never share
 * a state.  The state is never all zero: that would need a part equal to 2^64 - 1.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/rng.h"

#include <assert.h>
#include <math.h>

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio, splitmix64's step */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void segue_rng_init(segue_rng *rng, uint64_t seed, uint64_t run, uint64_t task, uint64_t purpose)
{
    rng->s[0] = mix(seed + GOLDEN);
    rng->s[1] = mix(rng->s[0] + GOLDEN * (run + 1));
    rng->s[2] = mix(rng->s[1] + GOLDEN * (task + 1));
    rng->s[3] = mix(rng->s[2] + GOLDEN * (purpose + 1));
}

uint64_t segue_rng_bernoulli_threshold(double p)
{
    assert(p >= 0.0 && p <= 1.0);
    return (uint64_t)ceil(p * 0x1p53);
}

uint64_t segue_rng_bernoulli_block(segue_rng *rng, uint64_t threshold)
{
    if (threshold >> 53)
        return ~UINT64_C(0); /* p = 1 */

    uint64_t below = 0;
    uint64_t undecided = ~UINT64_C(0);
    /* Once only zeros are left in the threshold, a lane that is still equal is not below it. */
    for (uint64_t rest = threshold << 11; rest && undecided; rest <<= 1) {
        const uint64_t bits = segue_rng_next(rng);
        if (rest >> 63) {
            below |= undecided & ~bits;
            undecided &= bits;
        } else {
            undecided &= ~bits;
        }
    }
    return below;
}
