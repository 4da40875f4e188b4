/* token_file.c - reading a file of tokens.
 *
 * One token per line; empty lines and lines that begin with # are skipped.  Tokens are secrets: the
 * buffer is cleared, and no message contains one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/token_file.h"

#include <errno.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "segue/internal.h"

#define MIN_TOKEN_SIZE 16
#define CAPACITY                                                                                   \
    (SEGUE_MAX_TOKEN_SIZE + 2) /* a token that is too long is seen, with or without \r */

/* Read a line, and drop what exceeds the capacity: comments have any length.  False: end of file.
 */
static bool next_line(FILE *file, char text[CAPACITY + 1], size_t *size)
{
    int c = getc(file);
    const bool found = c != EOF;
    *size = 0;
    for (; c != EOF && c != '\n'; c = getc(file))
        if (*size < CAPACITY)
            text[(*size)++] = (char)c;
    if (*size > 0 && text[*size - 1] == '\r')
        --*size;
    text[*size] = '\0';
    return found;
}

static bool is_token(const char *text, size_t size)
{
    bool printable = true;
    for (size_t i = 0; i < size; i++)
        printable = printable && text[i] > ' ' && text[i] <= '~';
    return printable && size >= MIN_TOKEN_SIZE && size <= SEGUE_MAX_TOKEN_SIZE;
}

static segue_status read_lines(const char *path, FILE *file, segue_token_file_callback seen,
                               void *context, segue_error *err)
{
    char text[CAPACITY + 1];
    segue_status status = SEGUE_OK;
    size_t size = 0, count = 0;
    for (size_t line = 1; status == SEGUE_OK && next_line(file, text, &size); line++) {
        if (size == 0 || text[0] == '#')
            continue;
        status =
            is_token(text, size)
                ? seen(context, text, line, err)
                : segue_fail(err, SEGUE_EDOMAIN,
                             "%s: line %zu: a token has %d to %d printable characters, no "
                             "spaces",
                             segue_path_tail(path), line, MIN_TOKEN_SIZE, SEGUE_MAX_TOKEN_SIZE);
        count++;
    }
    sodium_memzero(text, sizeof text);
    if (status == SEGUE_OK && ferror(file))
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be read: %s", segue_path_tail(path),
                          strerror(errno));
    if (status == SEGUE_OK && count == 0)
        return segue_fail(err, SEGUE_EDOMAIN, "%s: has no token; write one per line",
                          segue_path_tail(path));
    return status;
}

segue_status segue_token_file_read(const char *path, segue_token_file_callback seen, void *context,
                                   segue_error *err)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_path_tail(path),
                          strerror(errno));
    const segue_status status = read_lines(path, file, seen, context, err);
    (void)fclose(file);
    return status;
}
