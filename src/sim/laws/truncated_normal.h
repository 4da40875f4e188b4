/* truncated_normal.h - the normal distribution truncated to [0, 1].
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_TRUNCATED_NORMAL_H
#define SEGUE_SIM_TRUNCATED_NORMAL_H

#include "segue/rng.h"

/** Return the location for which the normal distribution of standard deviation `sd`, truncated to
 * [0, 1], has this mean. */
double segue_truncated_normal_location(double mean, double sd);

/** Draw from that distribution; `mean` in (0, 1), `location` as above. */
double segue_truncated_normal_draw(segue_rng *rng, double location, double sd);

#endif
