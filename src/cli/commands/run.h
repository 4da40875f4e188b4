/* run.h - running experiments, for the commands that do.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_RUN_H
#define SEGUE_CLI_COMMANDS_RUN_H

#include "cli/output.h"
#include "experiment/experiment.h"

/** Find finished results in `folder`: with --resume they are *out, without it they are refused.
 * *out is NULL where something is left to play.  @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status cli_run_find_finished(segue_results **out,
                                                    const segue_experiment *experiment,
                                                    const char *folder,
                                                    const segue_run_options *run_options,
                                                    segue_error *err);

/** Run an experiment with its journal in `folder`, and write its results there, if there are any.
 * `run_options` needs threads, resume, fresh, shard, processes and, as context, a cli_progress. */
SEGUE_MUST_CHECK segue_status cli_run_experiment(segue_results **out,
                                                 const segue_experiment *experiment,
                                                 const char *folder, segue_run_options run_options,
                                                 segue_error *err);

/** Remove the journal, when nobody needs it any more. */
void cli_run_remove_checkpoint(const segue_experiment *experiment, const char *folder);

/** Print results to the standard output. */
SEGUE_MUST_CHECK segue_status cli_run_print_results(const segue_results *results, cli_format format,
                                                    segue_error *err);

#endif
