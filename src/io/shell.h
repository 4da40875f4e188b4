/* shell.h - words of commands that people paste into a shell.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_SHELL_H
#define SEGUE_IO_SHELL_H

#include <stdbool.h>

/** A word as a shell takes it, quoted where it has to be; a file's name is no option, whatever it
 * begins with.  The caller frees it; NULL: out of memory. */
char *segue_shell_quote(const char *word, bool is_file);

#endif
