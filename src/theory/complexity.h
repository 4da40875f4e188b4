/* complexity.h - pulls of an arm of an estimated set; shared by complexity and bounds.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_THEORY_COMPLEXITY_H
#define SEGUE_THEORY_COMPLEXITY_H

#include "segue/theory.h"

/** Return the number of umUCB's pulls of `arm`, up to a factor 2 L: min(1 / Delta^2, 1 / (4 g^2))
 * on A_1, 1 / Delta^2 on A_2, 0 elsewhere. */
double segue_complexity_pulls(const segue_estimated_sets *sets, size_t arm);

#endif
