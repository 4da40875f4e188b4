/* paper.h - what the files of `segue paper` share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_PAPER_PAPER_H
#define SEGUE_CLI_COMMANDS_PAPER_PAPER_H

#include "cli/installed_files.h"
#include "experiment/experiment.h"
#include "report/paper.h"

/** How to play the experiments of a folder. */
typedef struct cli_paper_play {
    segue_experiment *const *experiment; /* SEGUE_N_STUDIES */
    const char *data;                    /* folder of the results */
    size_t threads;
    bool resume, fresh, quiet;
} cli_paper_play;

/**
 * Play all experiments whose results are not in the folder already, and write their results.
 *
 * @retval SEGUE_ESTOPPED, SEGUE_EFILE, SEGUE_EIO, SEGUE_ETHREAD, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status cli_paper_play_all(const cli_paper_play *play, segue_error *err);

#endif
