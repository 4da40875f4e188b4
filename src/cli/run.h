/* run.h - running experiments, for the commands that do.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_RUN_H
#define SEGUE_CLI_RUN_H

#include "experiment/experiment.h"

/** Run an experiment with its journal in `folder`, and write its results there.  `conduct` needs
 * threads, resume, fresh and, as context, a cli_progress. */
SEGUE_MUST_CHECK segue_status cli_run_experiment(segue_results **out,
                                                 const segue_experiment *experiment,
                                                 const char *folder, segue_conduct conduct,
                                                 segue_error *err);

/** Remove the journal, when nobody needs it any more. */
void cli_remove_journal(const segue_experiment *experiment, const char *folder);

#endif
