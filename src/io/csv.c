/* csv.c - strict reading of comma-separated lines, with the number of each for errors.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "io/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/text.h"

#define BUFFER_SIZE 65536

struct segue_csv {
    FILE *file;
    char *path;
    uint64_t line;
    char buffer[BUFFER_SIZE];
    size_t at, filled; /* of the buffer */
    char *text;        /* the current line; its fields end with NUL */
    size_t length, capacity;
    size_t *start; /* n_fields: where each field starts in the text */
    size_t n_fields, fields_capacity;
};

void segue_csv_close(segue_csv *csv)
{
    if (!csv)
        return;
    if (csv->file && csv->file != stdin)
        fclose(csv->file);
    free(csv->path);
    free(csv->text);
    free(csv->start);
    free(csv);
}

static char *copy_text(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static segue_status open_file(segue_csv *csv, const char *path, segue_error *err)
{
    struct stat about;
    if (*path == '\0')
        return segue_fail(err, SEGUE_EFILE, "the name of the file is empty");
    csv->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!csv->file)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", csv->path, strerror(errno));
    if (fstat(fileno(csv->file), &about) == 0 && S_ISDIR(about.st_mode))
        return segue_fail(err, SEGUE_EFILE, "%s: is a directory; need a file", csv->path);
    return SEGUE_OK;
}

segue_status segue_csv_open(segue_csv **out, const char *path, segue_error *err)
{
    *out = NULL;
    segue_csv *csv = calloc(1, sizeof *csv);
    if (csv)
        csv->path = copy_text(strcmp(path, "-") == 0 ? "(standard input)" : segue_text_tail(path));
    if (!csv || !csv->path) {
        segue_csv_close(csv);
        return segue_fail(err, SEGUE_ENOMEM, "%s: out of memory", segue_text_tail(path));
    }
    const segue_status status = open_file(csv, path, err);
    if (status != SEGUE_OK) {
        segue_csv_close(csv);
        return status;
    }
    *out = csv;
    return SEGUE_OK;
}

/* ---- lines ------------------------------------------------------------------------------- */

static segue_status fill_buffer(segue_csv *csv, segue_error *err)
{
    csv->at = 0;
    csv->filled = fread(csv->buffer, 1, sizeof csv->buffer, csv->file);
    if (csv->filled == 0 && ferror(csv->file))
        return segue_fail(err, errno == EISDIR ? SEGUE_EFILE : SEGUE_EIO,
                          "%s:%" PRIu64 ": reading failed: %s", csv->path, csv->line,
                          strerror(errno));
    return SEGUE_OK;
}

/* Make room for `more` bytes and a NUL. */
static segue_status grow_text(segue_csv *csv, size_t more, segue_error *err)
{
    if (csv->length + more > SEGUE_CSV_LONGEST_LINE)
        return segue_fail(err, SEGUE_EPARSE, "%s:%" PRIu64 ": the line is longer than %d bytes",
                          csv->path, csv->line, SEGUE_CSV_LONGEST_LINE);
    if (csv->length + more + 1 <= csv->capacity)
        return SEGUE_OK;
    const size_t capacity = 2 * (csv->length + more + 1);
    char *text = realloc(csv->text, capacity);
    if (!text)
        return segue_fail(err, SEGUE_ENOMEM, "%s:%" PRIu64 ": out of memory", csv->path, csv->line);
    csv->text = text;
    csv->capacity = capacity;
    return SEGUE_OK;
}

/* Move what the buffer has of the line to the text; *ended: the line is complete. */
static segue_status take_piece(segue_csv *csv, bool *ended, segue_error *err)
{
    const char *from = csv->buffer + csv->at;
    const size_t left = csv->filled - csv->at;
    const char *newline = memchr(from, '\n', left);
    const size_t size = newline ? (size_t)(newline - from) : left;
    const segue_status status = grow_text(csv, size, err);
    if (status != SEGUE_OK)
        return status;
    if (memchr(from, '\0', size))
        return segue_fail(err, SEGUE_EPARSE, "%s:%" PRIu64 ": the line contains a NUL byte",
                          csv->path, csv->line);
    memcpy(csv->text + csv->length, from, size);
    csv->length += size;
    csv->at += size + (newline != NULL);
    *ended = newline != NULL;
    return SEGUE_OK;
}

static void trim_line(segue_csv *csv)
{
    static const char mark[] = "\xef\xbb\xbf"; /* the byte-order mark of UTF-8 */
    if (csv->length > 0 && csv->text[csv->length - 1] == '\r')
        csv->length--;
    csv->text[csv->length] = '\0';
    if (csv->line == 1 && strncmp(csv->text, mark, 3) == 0) {
        memmove(csv->text, csv->text + 3, csv->length - 2);
        csv->length -= 3;
    }
}

/* Read one line into the text; *more is false at the end of the file. */
static segue_status read_line(segue_csv *csv, bool *more, segue_error *err)
{
    bool ended = false;
    csv->length = 0;
    csv->line++;
    segue_status status = grow_text(csv, 0, err);
    *more = false;
    while (status == SEGUE_OK && !ended) {
        if (csv->at == csv->filled)
            status = fill_buffer(csv, err);
        if (status != SEGUE_OK || csv->filled == 0)
            break;
        *more = true;
        status = take_piece(csv, &ended, err);
    }
    if (status == SEGUE_OK)
        trim_line(csv);
    return status;
}

/* ---- fields ------------------------------------------------------------------------------ */

static segue_status add_field(segue_csv *csv, size_t start, segue_error *err)
{
    if (csv->n_fields == csv->fields_capacity) {
        const size_t capacity = 2 * csv->fields_capacity + 16;
        size_t *grown = realloc(csv->start, capacity * sizeof *grown);
        if (!grown)
            return segue_fail(err, SEGUE_ENOMEM, "%s:%" PRIu64 ": out of memory", csv->path,
                              csv->line);
        csv->start = grown;
        csv->fields_capacity = capacity;
    }
    csv->start[csv->n_fields++] = start;
    return SEGUE_OK;
}

/* Take the quotes off a quoted field that starts at `*at`, in place; *at is then behind it. */
static segue_status unquote(segue_csv *csv, size_t *at, segue_error *err)
{
    size_t from = *at + 1, to = *at;
    while (from < csv->length) {
        if (csv->text[from] == '"' && csv->text[from + 1] != '"')
            break;
        from += csv->text[from] == '"';
        csv->text[to++] = csv->text[from++];
    }
    const bool closed = from < csv->length;
    if (!closed || (csv->text[from + 1] != ',' && csv->text[from + 1] != '\0'))
        return segue_fail(err, SEGUE_EPARSE,
                          "%s:%" PRIu64 ": field %zu: a quote is not closed before the next comma "
                          "or the end of the line",
                          csv->path, csv->line, csv->n_fields);
    csv->text[to] = '\0';
    *at = from + 1;
    return SEGUE_OK;
}

static segue_status split(segue_csv *csv, segue_error *err)
{
    size_t at = 0;
    csv->n_fields = 0;
    for (;;) {
        segue_status status = add_field(csv, at, err);
        if (status == SEGUE_OK && csv->text[at] == '"')
            status = unquote(csv, &at, err);
        else
            at += strcspn(csv->text + at, ",");
        if (status != SEGUE_OK)
            return status;
        if (at >= csv->length)
            return SEGUE_OK;
        csv->text[at++] = '\0';
    }
}

segue_status segue_csv_next(segue_csv *csv, bool *more, segue_error *err)
{
    segue_status status;
    do {
        status = read_line(csv, more, err);
    } while (status == SEGUE_OK && *more && csv->length == 0);
    return status == SEGUE_OK && *more ? split(csv, err) : status;
}

segue_status segue_csv_each(segue_csv *csv, row_function row, void *context, uint64_t *rows,
                            segue_error *err)
{
    bool more = true;
    segue_status status = SEGUE_OK;
    *rows = 0;
    while (status == SEGUE_OK) {
        status = segue_csv_next(csv, &more, err);
        if (status != SEGUE_OK || !more)
            break;
        status = row(context, err);
        *rows += status == SEGUE_OK;
    }
    return status;
}

size_t segue_csv_fields(const segue_csv *csv)
{
    return csv->n_fields;
}

const char *segue_csv_field(const segue_csv *csv, size_t index)
{
    return csv->text + csv->start[index];
}

const char *segue_csv_path(const segue_csv *csv)
{
    return csv->path;
}

uint64_t segue_csv_line(const segue_csv *csv)
{
    return csv->line;
}

/* How many continuation bytes follow a first byte, or -1. */
static int continuation(unsigned char byte)
{
    if (byte < 0x80)
        return 0;
    return byte >= 0xc2 && byte < 0xe0   ? 1
           : byte >= 0xe0 && byte < 0xf0 ? 2
           : byte >= 0xf0 && byte < 0xf5 ? 3
                                         : -1;
}

bool segue_is_utf8(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    while (*p) {
        const unsigned char first = *p;
        const int more = continuation(*p++);
        /* Forms that are longer than needed, surrogates, and what is behind the last character. */
        const bool odd = (first == 0xe0 && *p < 0xa0) || (first == 0xed && *p > 0x9f) ||
                         (first == 0xf0 && *p < 0x90) || (first == 0xf4 && *p > 0x8f);
        if (more < 0 || (more > 0 && odd))
            return false;
        for (int i = 0; i < more; i++, p++)
            if ((*p & 0xc0) != 0x80)
                return false;
    }
    return true;
}
