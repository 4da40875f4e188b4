/* estimator_fit.h - a fit that ends early.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_ESTIMATOR_FIT_H
#define SEGUE_ESTIMATE_ESTIMATOR_FIT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "segue/estimator.h"

/** As segue_estimator_fit, but *stop ends it, unless stop is NULL: the last estimate then stays.
 * @retval SEGUE_ESTOPPED  or as segue_estimator_fit */
SEGUE_MUST_CHECK segue_status segue_estimator_fit_until(segue_estimator *estimator,
                                                        const segue_moments *moments,
                                                        const atomic_bool *stop, segue_error *err);

#endif
