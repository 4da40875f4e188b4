/* installed_files.h - the files that are installed with the program.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_INSTALLED_FILES_H
#define SEGUE_CLI_INSTALLED_FILES_H

#include <stdbool.h>

#include "segue/status.h"

#define CLI_PATH_SIZE 4096

/**
 * Find the path of `name`, such as "models/paper.csv": in PREFIX/share/segue, or in the source.
 *
 * @retval SEGUE_EFILE  it is in neither; the error names `option` as the alternative
 */
SEGUE_MUST_CHECK segue_status cli_installed_files_find(char path[CLI_PATH_SIZE], const char *name,
                                                       const char *option, segue_error *err);

/** Find the folder of the documentation, PREFIX/share/doc/segue/docs; false: there is none. */
bool cli_installed_files_find_docs(char path[CLI_PATH_SIZE]);

/**
 * Find an installed experiment, model set or log with the file name of an argument that names no file:
 * for 'experiments/lengths.json' it is PREFIX/share/segue/experiments/lengths.json.
 */
bool cli_installed_files_suggest(char path[CLI_PATH_SIZE], int argc, char **argv);

#endif
