/* shell.c - quote arguments for a POSIX shell.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/shell.h"

#include <stdlib.h>
#include <string.h>

#define QUOTE "'\\''" /* a ' within '...' */

char *segue_shell_quote(const char *text, bool is_file)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./-+,:@%=";
    const bool quoted = *text == '\0' || text[strspn(text, plain)] != '\0';
    char *const out = malloc(strlen(QUOTE) * strlen(text) + sizeof "'./'"), *at = out;
    if (!out)
        return NULL;
    at = stpcpy(at, quoted ? "'" : "");
    at = stpcpy(at, is_file && *text == '-' ? "./" : "");
    for (; *text; text++)
        if (*text == '\'')
            at = stpcpy(at, QUOTE);
        else
            *at++ = *text;
    (void)stpcpy(at, quoted ? "'" : "");
    return out;
}
