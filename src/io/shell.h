/* shell.h - quote arguments of commands that users paste into a shell.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_SHELL_H
#define SEGUE_IO_SHELL_H

#include <stdbool.h>

/** Quote an argument for a POSIX shell, if it needs quotes.  A file name that begins with '-' gets
 * "./" before it.  The caller frees it; NULL: out of memory. */
char *segue_shell_quote(const char *text, bool is_file);

#endif
