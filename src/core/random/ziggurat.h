/* ziggurat.h - fast normal, gamma and beta numbers.
 *
 * The distributions are those of segue/rng.h; fewer random bits are used, so the numbers differ.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_RANDOM_ZIGGURAT_H
#define SEGUE_CORE_RANDOM_ZIGGURAT_H

#include "segue/rng.h"

#define ZIGGURAT_LAYERS 128

/** Layers of equal area under the normal density. */
typedef struct ziggurat {
    double edge[ZIGGURAT_LAYERS + 1];    /* the right end of each layer, 0 the base */
    double inner[ZIGGURAT_LAYERS];       /* the share of a layer that lies under the next one too */
    double density[ZIGGURAT_LAYERS + 1]; /* exp(-edge^2 / 2) */
} ziggurat;

void segue_ziggurat_init(ziggurat *z);
double segue_ziggurat_normal(const ziggurat *z, segue_rng *rng);

/** Beta(a, b) for a, b >= 1. */
double segue_ziggurat_beta(const ziggurat *z, segue_rng *rng, double a, double b);

#endif
