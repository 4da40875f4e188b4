/* clipped_lognormal.h - the lognormal distribution, with values above 1 set to 1: a heavy tail.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_CLIPPED_LOGNORMAL_H
#define SEGUE_SIM_CLIPPED_LOGNORMAL_H

/** Return the mean of ln x, before clipping, for which min(1, x) has this mean in (0, 1); `sigma` is
 * the standard deviation of ln x. */
double segue_clipped_lognormal_location(double mean, double sigma);

#endif
