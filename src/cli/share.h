/* share.h - the files that come with the program.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_SHARE_H
#define SEGUE_CLI_SHARE_H

#include <stdbool.h>

#include "segue/status.h"

#define CLI_PATH_SIZE 4096

/**
 * The path of `name`, such as "models/paper.csv": in share/segue where the program is installed, or
 * in its source.
 *
 * @retval SEGUE_EFILE  it is in neither; `option` is what to give instead
 */
SEGUE_MUST_CHECK segue_status cli_share_find(char path[CLI_PATH_SIZE], const char *name,
                                             const char *option, segue_error *err);

/** The folder of the documentation, such as PREFIX/share/doc/segue/docs; false if there is none. */
bool cli_share_find_docs(char path[CLI_PATH_SIZE]);

/**
 * Find an experiment or model set of ours that has the file name of an argument that does not
 * exist: for 'experiments/lengths.json', typed away from the source,
 * PREFIX/share/segue/experiments/lengths.json.
 */
bool cli_share_suggest(char path[CLI_PATH_SIZE], int argc, char **argv);

#endif
