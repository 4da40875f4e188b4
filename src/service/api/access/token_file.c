/* token_file.c - reading a file of tokens.
 *
 * A line is NAME RIGHT TOKEN, or a token alone; empty lines and lines that begin with # are
 * skipped.  Tokens are secrets: the buffer is cleared, and no message repeats a part of a line,
 * because its fields may be in the wrong order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/access/token_file.h"

#include <errno.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "segue/internal.h"

#define MIN_TOKEN_SIZE 16
#define MAX_FIELDS     4   /* one more than a line may have */
#define CAPACITY       512 /* bytes of a line; the rest is dropped */

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

/* A line, divided in place into fields that end with NUL. */
typedef struct fields {
    char text[CAPACITY + 1];
    size_t size;
    char *field[MAX_FIELDS];
    size_t count;
} fields;

typedef struct reader {
    const char *path;
    FILE *file;
    size_t line;
} reader;

/* Read a line, and drop what exceeds the capacity: comments have any length.  False: end of file.
 */
static bool next_line(reader *from, fields *out)
{
    int c = getc(from->file);
    const bool found = c != EOF;
    from->line++;
    out->size = 0;
    for (; c != EOF && c != '\n'; c = getc(from->file))
        if (out->size < CAPACITY)
            out->text[out->size++] = (char)c;
    if (out->size > 0 && out->text[out->size - 1] == '\r')
        out->size--;
    out->text[out->size] = '\0';
    return found;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Divide a line at its blanks. */
static void split(fields *line)
{
    bool inside = false;
    line->count = 0;
    for (size_t i = 0; i < line->size; i++) {
        const bool blank = is_blank(line->text[i]);
        if (!blank && !inside && line->count < MAX_FIELDS)
            line->field[line->count++] = line->text + i;
        inside = !blank;
        if (blank)
            line->text[i] = '\0';
    }
}

static bool is_token(const char *text)
{
    bool printable = true;
    const size_t size = strlen(text);
    for (size_t i = 0; i < size; i++)
        printable = printable && text[i] > ' ' && text[i] <= '~';
    return printable && size >= MIN_TOKEN_SIZE && size <= SEGUE_MAX_TOKEN_SIZE;
}

static bool is_name(const char *text)
{
    const size_t size = strlen(text);
    return size <= SEGUE_MAX_TOKEN_NAME_SIZE && strspn(text, NAME_CHARACTERS) == size;
}

static segue_status fail_line(const reader *from, const char *what, segue_error *err)
{
    return segue_fail(err, SEGUE_EDOMAIN, "%s: line %zu: %s", segue_path_tail(from->path),
                      from->line, what);
}

static segue_status parse_token(const reader *from, const char *text, segue_token_line *out,
                                segue_error *err)
{
    out->token = text;
    return is_token(text) ? SEGUE_OK
                          : segue_fail(err, SEGUE_EDOMAIN,
                                       "%s: line %zu: a token has %d to %d printable characters, "
                                       "no spaces",
                                       segue_path_tail(from->path), from->line, MIN_TOKEN_SIZE,
                                       SEGUE_MAX_TOKEN_SIZE);
}

static segue_status parse_named(const reader *from, const fields *line, segue_token_line *out,
                                segue_error *err)
{
    if (!is_name(line->field[0]))
        return fail_line(from,
                         "the first field is not a name; need 1 to 64 letters, digits, '.', '_' or "
                         "'-'",
                         err);
    (void)snprintf(out->name, sizeof out->name, "%s", line->field[0]);
    if (!segue_right_parse(line->field[1], &out->right))
        return fail_line(from, "the second field is not a right; need read, decide or admin", err);
    return parse_token(from, line->field[2], out, err);
}

static segue_status parse(const reader *from, fields *line, segue_token_line *out, segue_error *err)
{
    *out = (segue_token_line){.right = RIGHT_ADMIN, .number = from->line};
    if (memchr(line->text, '\0', line->size) || line->size == CAPACITY)
        return parse_token(from, "", out, err);
    split(line);
    (void)snprintf(out->name, sizeof out->name, "line %zu", from->line);
    if (line->count == 1)
        return parse_token(from, line->field[0], out, err);
    if (line->count == 3)
        return parse_named(from, line, out, err);
    return fail_line(from,
                     line->count == 2 ? "has two fields; need TOKEN, or NAME RIGHT TOKEN"
                                      : "has more than three fields; need NAME RIGHT TOKEN",
                     err);
}

/* Lines of blanks alone are empty. */
static bool is_skipped(const fields *line)
{
    size_t i = 0;
    while (is_blank(line->text[i]))
        i++;
    return i == line->size || line->text[0] == '#';
}

static segue_status read_lines(reader *from, segue_token_file_callback seen, void *context,
                               segue_error *err)
{
    fields line;
    segue_token_line parsed;
    segue_status status = SEGUE_OK;
    size_t count = 0;
    while (status == SEGUE_OK && next_line(from, &line)) {
        if (is_skipped(&line))
            continue;
        status = parse(from, &line, &parsed, err);
        if (status == SEGUE_OK)
            status = seen(context, &parsed, err);
        count++;
    }
    sodium_memzero(line.text, sizeof line.text);
    if (status == SEGUE_OK && ferror(from->file))
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be read: %s", segue_path_tail(from->path),
                          strerror(errno));
    if (status == SEGUE_OK && count == 0)
        return segue_fail(err, SEGUE_EDOMAIN, "%s: has no token; write one per line",
                          segue_path_tail(from->path));
    return status;
}

segue_status segue_token_file_read(const char *path, segue_token_file_callback seen, void *context,
                                   segue_error *err)
{
    reader from = {.path = path, .file = fopen(path, "r")};
    if (!from.file)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_path_tail(path),
                          strerror(errno));
    const segue_status status = read_lines(&from, seen, context, err);
    (void)fclose(from.file);
    return status;
}
