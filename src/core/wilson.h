/* wilson.h - Wilson's interval of a share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_WILSON_H
#define SEGUE_CORE_WILSON_H

/** Compute the 95 % interval of a share of which `won` of `count` are seen (Wilson 1927); both may
 * be fractions, 0 <= won <= count. */
void segue_wilson_interval(double won, double count, double *low, double *high);

#endif
