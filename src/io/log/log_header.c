/* log_header.c - find columns in the header of a CSV log.
 *
 * Most logs that are rejected fail here: the columns have other names, the separator is no comma,
 * or lines end with CR.  The message says which, and how to convert the file.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/log/log_header.h"

#include <stdio.h>
#include <string.h>

#include "io/utf8.h"

/* Return the first field from `first` on with this name, or the number of fields. */
static size_t find_column(const segue_csv *csv, const char *column, size_t first)
{
    const size_t n_fields = segue_csv_n_fields(csv);
    size_t i = first;
    while (i < n_fields && strcmp(segue_csv_field(csv, i), column) != 0)
        i++;
    return i;
}

/* List the names of the header in quotes: at most five, each cut after 24 bytes. */
static void list_columns(const segue_csv *csv, char *text, size_t size)
{
    enum { SHOWN = 5, LONGEST = 24 };
    const size_t n_fields = segue_csv_n_fields(csv);
    size_t used = 0;
    for (size_t i = 0; i < n_fields && i < SHOWN && used < size; i++) {
        const char *name = segue_csv_field(csv, i);
        const char *before = i == 0 ? "" : i + 1 == n_fields ? " and " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s'%.*s'", before,
                                 (int)segue_utf8_prefix_length(name, LONGEST), name);
    }
    if (n_fields > SHOWN && used < size)
        (void)snprintf(text + used, size - used, ", ...");
    segue_utf8_sanitize(text);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
}

/* Name the separator of a header without commas, and a command that replaces it; NULL: unknown. */
static const char *find_separator(const segue_csv *csv, const char **convert)
{
    static const struct {
        char mark;
        const char *name, *convert;
    } marks[] = {{'\t', "tabs", "tr '\\t' ',' < FILE"},
                 {';', "semicolons", "tr ';' ',' < FILE"},
                 {'|', "vertical bars", "tr '|' ',' < FILE"}};
    const char *header = segue_csv_field(csv, 0);
    for (size_t i = 0; i < sizeof marks / sizeof *marks && segue_csv_n_fields(csv) == 1; i++)
        if (strchr(header, marks[i].mark)) {
            *convert = marks[i].convert;
            return marks[i].name;
        }
    return NULL;
}

/* A file whose lines end with CR alone is one long header. */
static segue_status fail_missing(const segue_csv *csv, const char *column, segue_error *err)
{
    for (size_t i = 0; i < segue_csv_n_fields(csv); i++)
        if (strchr(segue_csv_field(csv, i), '\r'))
            return segue_lines_fail(
                &csv->lines, SEGUE_EPARSE, err,
                "the header has a carriage return in it; lines must end with LF or CRLF");
    const char *convert = NULL, *separator = find_separator(csv, &convert);
    if (separator)
        return segue_lines_fail(
            &csv->lines, SEGUE_EPARSE, err,
            "the header has no column '%s'; it seems to be separated by %s; need commas: "
            "convert it, such as with %s",
            column, separator, convert);
    char found[240] = "";
    list_columns(csv, found, sizeof found);
    return segue_lines_fail(
        &csv->lines, SEGUE_EPARSE, err,
        "the header has no column '%s'; need task, arm and reward; it has %s: rename its columns",
        column, found);
}

segue_status segue_log_header_find(const segue_csv *csv, const char *column, bool is_required,
                                   size_t *field, segue_error *err)
{
    const size_t n_fields = segue_csv_n_fields(csv);
    *field = find_column(csv, column, 0);
    if (*field == n_fields)
        return is_required ? fail_missing(csv, column, err) : SEGUE_OK;
    if (find_column(csv, column, *field + 1) < n_fields)
        return segue_lines_fail(&csv->lines, SEGUE_EPARSE, err, "two columns are named '%s'",
                                column);
    return SEGUE_OK;
}
