/* shell.c - words of a shell.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/shell.h"

#include <stdlib.h>
#include <string.h>

#define QUOTE "'\\''" /* a ' within '...' */

char *segue_shell_quote(const char *word, bool is_file)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./-+,:@%=";
    const bool quoted = *word == '\0' || word[strspn(word, plain)] != '\0';
    char *const out = malloc(strlen(QUOTE) * strlen(word) + sizeof "'./'"), *at = out;
    if (!out)
        return NULL;
    at = stpcpy(at, quoted ? "'" : "");
    at = stpcpy(at, is_file && *word == '-' ? "./" : "");
    for (; *word; word++)
        if (*word == '\'')
            at = stpcpy(at, QUOTE);
        else
            *at++ = *word;
    (void)stpcpy(at, quoted ? "'" : "");
    return out;
}
