/* ieee.h - is arithmetic what IEEE 754 says?
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_IEEE_H
#define SEGUE_CORE_IEEE_H

#include "segue/status.h"

/** Doubles round to nearest, and subnormal numbers are not flushed to 0.
 * @retval SEGUE_EDOMAIN  something in this process has set another mode */
SEGUE_MUST_CHECK segue_status segue_ieee_check(segue_error *err);

#endif
