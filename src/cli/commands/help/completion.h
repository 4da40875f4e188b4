/* completion.h - candidates for the shells, which complete what a user types.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_HELP_COMPLETION_H
#define SEGUE_CLI_COMMANDS_HELP_COMPLETION_H

#include <stdio.h>

/** Print the candidates for the last of the words after `segue`, one per line: the candidate, and after
 * a tab its description, if it has one.  The line "FILE" alone stands for the names of files. */
void cli_completion_print(FILE *out, int n_args, char *const *args);

#endif
