/* distributed_run.h - the runs of an experiment over several processes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_DISTRIBUTED_RUN_H
#define SEGUE_EXPERIMENT_DISTRIBUTED_RUN_H

#include "experiment/schedule.h"

/**
 * Play a plan together with the ranks of its conduct; `status` tells how making it went here.  On
 * success the first has all runs.
 *
 * @retval SEGUE_ESTOPPED, SEGUE_EFILE, SEGUE_EIO, SEGUE_ETHREAD, SEGUE_ENOMEM
 * @retval SEGUE_EUSAGE  the processes do not have the same experiment
 */
SEGUE_MUST_CHECK segue_status segue_distributed_run(plan *p, segue_status status, segue_error *err);

#endif
