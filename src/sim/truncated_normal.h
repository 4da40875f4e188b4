/* truncated_normal.h - the normal law cut to [0, 1].
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_TRUNCATED_NORMAL_H
#define SEGUE_SIM_TRUNCATED_NORMAL_H

#include "segue/rng.h"

/** The location whose normal law of standard deviation `sd`, cut to [0, 1], has this mean. */
double segue_truncated_normal_location(double mean, double sd);

/** A draw from that law; `mean` in (0, 1), `location` as above. */
double segue_truncated_normal_draw(segue_rng *rng, double location, double sd);

#endif
