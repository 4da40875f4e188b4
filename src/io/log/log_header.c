/* log_header.c - the header of a CSV log: its delimiter, and the columns.
 *
 * Most logs that are rejected fail here: the columns have other names, or lines end with CR.  The
 * message lists the names that were found, and the options that name the likely columns.
 *
 * The delimiter is the first of comma, tab, semicolon and pipe by which the header has all columns
 * that are needed; failing that, the one that occurs most often outside of quotes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "io/log/log_columns.h"
#include "io/log/log_reader.h"
#include "segue/internal.h"
#include "segue/number.h"

static const char delimiters[] = {',', '\t', ';', '|'};
enum { N_DELIMITERS = sizeof delimiters };

/* ---- delimiter --------------------------------------------------------------------------- */

/* Return the end of the field at `at`; a field in quotes may contain delimiters. */
static const char *end_of(const char *at, char delimiter)
{
    for (bool quoted = false; *at != '\n' && *at && (quoted || *at != delimiter); at++)
        quoted = quoted != (*at == '"');
    return at;
}

/* True if the field from `at` to `end` is this name, with or without quotes. */
static bool is_field(const char *at, const char *end, const char *name)
{
    if (end > at && end[-1] == '\r')
        end--;
    while (end > at && end[-1] == ' ')
        end--;
    while (at < end && *at == ' ')
        at++;
    if (end - at >= 2 && *at == '"') {
        at++;
        end--;
    }
    return strlen(name) == (size_t)(end - at) && memcmp(at, name, strlen(name)) == 0;
}

static bool has_field(const char *line, char delimiter, const char *name)
{
    for (const char *at = line, *end;; at = end + 1) {
        end = end_of(at, delimiter);
        if (is_field(at, end, name))
            return true;
        if (*end != delimiter)
            return false;
    }
}

static bool has_columns(const log_reader *r, const char *line, char delimiter)
{
    size_t c = 0;
    while (c < LOG_N_COLUMNS &&
           (!segue_log_reader_requires(r, (log_column)c) || has_field(line, delimiter, r->name[c])))
        c++;
    return c == LOG_N_COLUMNS;
}

static size_t count_delimiters(const char *line, char delimiter)
{
    size_t count = 0;
    for (const char *at = end_of(line, delimiter); *at == delimiter; at = end_of(at + 1, delimiter))
        count++;
    return count;
}

/* Look at the first line that is not blank. */
static char guess_delimiter(const log_reader *r)
{
    const segue_lines *lines = &r->csv.lines;
    const char *line = lines->buffer + lines->at;
    line += strspn(line, "\r\n");
    size_t best = 0;
    for (size_t i = 0; i < N_DELIMITERS; i++)
        if (has_columns(r, line, delimiters[i]))
            return delimiters[i];
    for (size_t i = 1; i < N_DELIMITERS; i++)
        if (count_delimiters(line, delimiters[i]) > count_delimiters(line, delimiters[best]))
            best = i;
    return delimiters[best];
}

/* ---- columns ----------------------------------------------------------------------------- */

/* Return the first field from `first` on with this name, or the number of fields. */
static size_t find_column(const segue_csv *csv, const char *column, size_t first)
{
    const size_t n_fields = segue_csv_n_fields(csv);
    size_t i = first;
    while (i < n_fields && strcmp(segue_csv_field(csv, i), column) != 0)
        i++;
    return i;
}

/* Find the columns that options name and the header lacks, as bits. */
static unsigned find_wrong(const log_reader *r)
{
    unsigned wrong = 0;
    for (size_t c = 0; c < LOG_N_COLUMNS; c++)
        if (r->options->column[c] && find_column(&r->csv, r->name[c], 0) == r->n_fields)
            wrong |= 1U << c;
    return wrong;
}

/* List the columns that were found, and suggest options. */
static segue_status suggest(const log_reader *r, log_column c, const char *const *name,
                            segue_error *err)
{
    char found[200], options[160];
    segue_log_columns_list(name, r->n_fields, found, sizeof found);
    for (size_t i = 0; i < r->n_fields; i++)
        if (segue_number_parse_double(name[i], &(double){0.0}, NULL) == SEGUE_OK)
            return LOG_WRONG(r, SEGUE_EPARSE, err,
                             "the header has no column '%.40s'; it has %s, which looks like data: "
                             "put a line with the names of the columns before it",
                             r->name[c], found);
    segue_log_columns_suggest(name, r->n_fields, r->options, find_wrong(r), LOG_N_COLUMNS, options,
                              sizeof options);
    return LOG_WRONG(r, SEGUE_EPARSE, err,
                     "the header has no column '%.40s'; it has %s; name the columns, such as with "
                     "%s",
                     r->name[c], found, options);
}

/* With a wrong --delimiter the header is one field, which contains the right one. */
static bool has_wrong_delimiter(const log_reader *r)
{
    return r->options->delimiter && r->n_fields == 1 &&
           strchr(segue_csv_field(&r->csv, 0), r->guess);
}

static segue_status fail_delimiter(const log_reader *r, segue_error *err)
{
    const char *guess = segue_csv_delimiter_name(r->guess);
    return LOG_WRONG(r, SEGUE_EPARSE, err,
                     "the header has no %s; its columns look separated by '%s': give --delimiter "
                     "%s, or leave it out",
                     segue_csv_delimiter_name(r->csv.delimiter),
                     r->guess == '\t' ? "\\t" : (const char[]){r->guess, '\0'}, guess);
}

/* A file whose lines end with CR alone is one long header. */
static segue_status fail_missing(const log_reader *r, log_column c, segue_error *err)
{
    if (has_wrong_delimiter(r))
        return fail_delimiter(r, err);
    for (size_t i = 0; i < r->n_fields; i++)
        if (strchr(segue_csv_field(&r->csv, i), '\r'))
            return LOG_WRONG(r, SEGUE_EPARSE, err,
                             "the header has a carriage return in it; lines must end with LF or "
                             "CRLF: convert it, such as with tr '\\r' '\\n' < FILE");
    const char **name = calloc(r->n_fields, sizeof *name);
    if (!name)
        return segue_fail_no_memory(err, "the header");
    for (size_t i = 0; i < r->n_fields; i++)
        name[i] = segue_csv_field(&r->csv, i);
    const segue_status status = suggest(r, c, name, err);
    free(name);
    return status;
}

/* A column that is named must exist, also if it is not read. */
static segue_status find(log_reader *r, log_column c, segue_error *err)
{
    r->field[c] = find_column(&r->csv, r->name[c], 0);
    r->has[c] = r->field[c] < r->n_fields && r->is_wanted[c];
    if (r->field[c] == r->n_fields)
        return segue_log_reader_requires(r, c) ? fail_missing(r, c, err) : SEGUE_OK;
    if (r->has[c] && find_column(&r->csv, r->name[c], r->field[c] + 1) < r->n_fields)
        return LOG_WRONG(r, SEGUE_EPARSE, err,
                         "two columns are named '%.40s'; rename one, or name another with --%s",
                         r->name[c], segue_log_columns_default(c));
    if (r->has[c])
        r->used[r->n_used++] = c;
    return SEGUE_OK;
}

segue_status segue_log_header_read(log_reader *r, segue_error *err)
{
    bool more = false;
    r->guess = guess_delimiter(r);
    r->csv.delimiter = r->options->delimiter;
    if (!r->csv.delimiter)
        r->csv.delimiter = r->guess;
    SEGUE_TRY(segue_csv_next(&r->csv, &more, err));
    r->n_fields = segue_csv_n_fields(&r->csv);
    for (size_t i = 0; i < r->n_fields; i++)
        segue_csv_trim(&r->csv, i);
    for (size_t c = 0; c < LOG_N_COLUMNS; c++)
        SEGUE_TRY(find(r, (log_column)c, err));
    return SEGUE_OK;
}
