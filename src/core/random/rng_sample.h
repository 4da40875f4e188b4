/* rng_sample.h - an index by weights.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_RANDOM_RNG_SAMPLE_H
#define SEGUE_CORE_RANDOM_RNG_SAMPLE_H

#include <stddef.h>

#include "segue/rng.h"

/** Draw an index with probability proportional to its weight. Weights are >= 0 and not all 0; an
 * index of weight 0 is never drawn. */
size_t segue_rng_index(segue_rng *rng, const double *weight, size_t count);

#endif
