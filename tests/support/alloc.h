/* alloc.h - make every allocation of a scenario fail in turn, for tests.
 *
 * Programs that use it are linked with segue_wrap_allocations (tests/CMakeLists.txt).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TESTS_ALLOC_H
#define SEGUE_TESTS_ALLOC_H

#include <stdbool.h>

#include "segue/status.h"

typedef segue_status alloc_scenario(segue_error *err);

/* Run a scenario with every `stride`-th of its allocations failing in turn.  It must fail with
 * SEGUE_ENOMEM or SEGUE_ETHREAD and leak nothing, and must make `min_calls` allocations. */
void alloc_fail_some(alloc_scenario *scenario, long min_calls, long stride);

/* Run a scenario with each of its allocations failing in turn. */
void alloc_fail_each(alloc_scenario *scenario, long min_calls);

/* An allocation of the running scenario has failed. */
bool alloc_has_failed(void);

/* Let all further allocations of the running scenario succeed. */
void alloc_stop_failing(void);

#endif
