/* internal.h - the private headers of the library that the program may use.
 *
 * The program sees the public headers and this one: the include directories of the library's
 * folders are not on its path.  A header that is listed here includes others of the library by
 * relative paths only.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_INTERNAL_H
#define SEGUE_INTERNAL_H

#include "../../bandit/dispersion.h"
#include "../../bandit/task/task.h"
#include "../../bandit/task/task_limits.h"
#include "../../core/atomic_file.h"
#include "../../core/bytes.h"
#include "../../core/confseq/confseq.h"
#include "../../core/confseq/off_policy.h"
#include "../../core/confseq/trial.h"
#include "../../core/fail.h"
#include "../../core/ieee.h"
#include "../../core/linalg/linalg.h"
#include "../../core/math/decade.h"
#include "../../core/math/erf.h"
#include "../../core/math/exp.h"
#include "../../core/math/ln.h"
#include "../../core/math/log_gamma.h"
#include "../../core/path.h"
#include "../../core/random/rng_sample.h"
#include "../../core/stop.h"
#include "../../core/store_file.h"
#include "../../core/text.h"
#include "../../core/wilson.h"
#include "../../estimate/estimator_fit.h"
#include "../../estimate/types/count_table.h"
#include "../../estimate/types/task_window.h"
#include "../../estimate/types/types.h"
#include "../../estimate/types/types_read.h"
#include "../../sim/kernels/kernel.h"
#include "../../sim/parallel.h"
#include "../../sim/runner.h"
#include "../../sim/simulated_task.h"
#include "../../sim/simulation_config.h"
#include "../../sim/summary.h"
#include "../../sim/task_order.h"
#include "../../sim/watch.h"
#include "../../transfer/learner_internal.h"

#endif
