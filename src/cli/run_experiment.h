/* run_experiment.h - run an experiment and print its results, for the commands that do.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_RUN_EXPERIMENT_H
#define SEGUE_CLI_RUN_EXPERIMENT_H

#include "cli/output.h"
#include "experiment/experiment.h"

#define CLI_RUN_EXPERIMENT_NO_SEED UINT64_MAX /* --seed was not given */

/**
 * Find finished results in `folder`.  With --resume they are *out; without it they are an error.
 * *out is NULL if runs are missing.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status cli_run_experiment_find_finished(segue_results **out,
                                                               const segue_experiment *experiment,
                                                               const char *folder,
                                                               const segue_run_options *run_options,
                                                               segue_error *err);

/**
 * Run an experiment with its checkpoint file in `folder`, and write its results there.  The
 * `run_options` have threads, resume, fresh, shard, processes and, as context, a cli_progress.
 * *out is NULL after a shard, and in processes other than the coordinator.
 */
SEGUE_MUST_CHECK segue_status cli_run_experiment(segue_results **out,
                                                 const segue_experiment *experiment,
                                                 const char *folder, segue_run_options run_options,
                                                 segue_error *err);

/** Remove the checkpoint file, once the results are written. */
void cli_run_experiment_remove_checkpoint(const segue_experiment *experiment, const char *folder);

/** Print results to the standard output. */
SEGUE_MUST_CHECK segue_status cli_run_experiment_print(const segue_results *results,
                                                       cli_format format, segue_error *err);

#endif
