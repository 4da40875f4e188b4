/* distributed_run.h - run an experiment on several processes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_DISTRIBUTED_RUN_H
#define SEGUE_EXPERIMENT_DISTRIBUTED_RUN_H

#include "experiment/schedule.h"

/**
 * Play a schedule together with the processes of its options; `status` is how its creation went in
 * this process.  On success the schedule of the coordinator has all runs.
 *
 * @retval SEGUE_ESTOPPED, SEGUE_EFILE, SEGUE_EIO, SEGUE_ETHREAD, SEGUE_ENOMEM
 * @retval SEGUE_EUSAGE  the processes do not have the same experiment
 */
SEGUE_MUST_CHECK segue_status segue_distributed_run(segue_schedule *schedule, segue_status status,
                                                    segue_error *err);

#endif
