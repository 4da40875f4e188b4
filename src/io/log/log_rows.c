/* log_rows.c - the rows of a log, read strictly, one by one.
 *
 * The first character of a file decides between CSV and JSON Lines.  Both readers return the fields
 * of a row as texts in the buffer of lines, without copies; from there on the formats share all
 * code: log_values.c turns texts into numbers.  log_header.c finds the columns of CSV.
 *
 * Every error names file and line.  A log is rejected at its first error: guessing would change
 * results silently.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/log/log_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/log/log_columns.h"
#include "io/log/log_reader.h"
#include "io/log/log_table.h"
#include "segue/internal.h"
#include "segue/models.h"
#include "segue/number.h"

static const char *path_of(const log_reader *r)
{
    return segue_csv_path(&r->csv);
}

/* ---- fields of a row --------------------------------------------------------------------- */

/* A row with too many fields often has the delimiter in a name. */
static segue_status fail_fields(const log_reader *r, segue_error *err)
{
    const size_t count = segue_csv_n_fields(&r->csv);
    return LOG_WRONG(r, SEGUE_EPARSE, err,
                     "the row has %zu field%s; the header has %zu (the delimiter is %s); %s", count,
                     count == 1 ? "" : "s", r->n_fields, segue_csv_delimiter_name(r->csv.delimiter),
                     count > r->n_fields ? "put quotes around a value that contains it"
                                         : "an empty value needs its delimiter too");
}

/* CSV has no kinds of values: each text is what its column needs, a string or a number. */
static segue_status next_csv(log_reader *r, bool *more, segue_error *err)
{
    SEGUE_TRY(segue_csv_next(&r->csv, more, err));
    if (!*more)
        return SEGUE_OK;
    if (segue_csv_n_fields(&r->csv) != r->n_fields)
        return fail_fields(r, err);
    for (size_t i = 0; i < r->n_used; i++) {
        const size_t c = r->used[i];
        segue_csv_trim(&r->csv, r->field[c]);
        r->value[c].text = segue_csv_text(&r->csv, r->field[c]);
        r->value[c].length = r->csv.field[r->field[c]].length;
    }
    return SEGUE_OK;
}

/* The first row decides which optional fields all have. */
static segue_status check_optional(log_reader *r, log_column c, segue_error *err)
{
    const bool there = r->value[c].kind != SEGUE_JSON_LINES_NONE;
    if (r->out->n_rows == 0)
        r->has[c] = there && r->is_wanted[c];
    else if (r->has[c] && !there && !r->options->skip_missing)
        return LOG_WRONG(r, SEGUE_EPARSE, err,
                         "there is no '%.40s'; the rows before have one; give --missing skip to "
                         "skip such rows",
                         r->name[c]);
    else if (!r->has[c] && there && r->is_wanted[c])
        return LOG_WRONG(r, SEGUE_EPARSE, err,
                         "there is a '%.40s'; the rows before have none; need it in all or in none",
                         r->name[c]);
    return SEGUE_OK;
}

/* The first line that has no such key may have it by another name. */
static segue_status fail_key(const log_reader *r, log_column c, segue_error *err)
{
    segue_log_keys_text keys;
    if (r->out->n_rows)
        return LOG_WRONG(r, SEGUE_EPARSE, err,
                         "there is no '%.40s', or it is null; give --missing skip to skip such "
                         "rows",
                         r->name[c]);
    if (r->is_dsjson)
        return segue_log_dsjson_fail_key(r, c, err);
    segue_log_keys_suggest(r, "", LOG_N_COLUMNS, &keys);
    return LOG_WRONG(r, SEGUE_EPARSE, err,
                     "there is no '%.40s', or it is null; this line has %s; name the columns, such "
                     "as with %s",
                     r->name[c], keys.found, keys.options);
}

/* In quotes a number is a string; a missing value may be written in quotes. */
static segue_status check_kind(const log_reader *r, log_column c, segue_error *err)
{
    const bool number = c == LOG_REWARD || c == LOG_PROBABILITY;
    const segue_json_lines_kind kind = r->value[c].kind;
    const bool wrong =
        kind == SEGUE_JSON_LINES_OTHER ||
        (number && kind == SEGUE_JSON_LINES_STRING && !segue_log_values_is_missing(&r->value[c])) ||
        (c != LOG_ARM && c != LOG_REWARD && kind == SEGUE_JSON_LINES_BOOLEAN);
    if (kind == SEGUE_JSON_LINES_NONE && segue_log_reader_requires(r, c) && r->is_wanted[c] &&
        !r->options->skip_missing)
        return fail_key(r, c, err);
    return wrong && r->is_wanted[c]
               ? LOG_WRONG(r, SEGUE_EPARSE, err, "field '%.40s': need a %snumber%s", r->name[c],
                           number ? "" : "string or a ",
                           c == LOG_REWARD ? ", true or false, without quotes" : "")
               : SEGUE_OK;
}

static segue_status next_json(log_reader *r, bool *more, segue_error *err)
{
    SEGUE_TRY(r->is_dsjson ? segue_log_dsjson_next(r, more, err)
                           : segue_json_lines_next(&r->json, more, err));
    for (size_t c = 0; c < LOG_N_COLUMNS && *more; c++) {
        SEGUE_TRY(check_kind(r, (log_column)c, err));
        if (c >= LOG_N_REQUIRED && !r->options->column[c])
            SEGUE_TRY(check_optional(r, (log_column)c, err));
    }
    return SEGUE_OK;
}

/* Read the next row; the callback of the first row already sees which columns there are. */
static segue_status next_row(log_reader *r, bool *more, segue_error *err)
{
    const segue_status status = r->is_json ? next_json(r, more, err) : next_csv(r, more, err);
    if (r->out->n_rows == 0) {
        r->out->has_time = r->has[LOG_TIME];
        r->out->has_probability = r->has[LOG_PROBABILITY];
    }
    return status;
}

/* ---- rows -------------------------------------------------------------------------------- */

/* Every row that could be counted was, or the log is useless. */
static segue_status check_rows(const log_reader *r, segue_error *err)
{
    char skipped[200];
    const log_rows *out = r->out;
    segue_log_rows_print_skipped(&out->skipped, skipped, sizeof skipped);
    if (out->n_rows == 0 && *skipped)
        return segue_fail(err, SEGUE_EPARSE,
                          "%s: every row was skipped: %s; check the names of the columns",
                          path_of(r), skipped);
    if (out->n_rows == 0)
        return segue_fail(err, SEGUE_EPARSE, "%s: there is no reward below the header", path_of(r));
    if (out->arms.count < SEGUE_MIN_ARMS && !r->options->one_arm)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s: there is only one arm, '%.40s'%s%s%s; need at least %d: is '%.40s' "
                          "the column of arms?",
                          path_of(r), out->arms.name[0],
                          *skipped ? ", in the rows that were not "
                                     "skipped ("
                                   : "",
                          skipped, *skipped ? ")" : "", SEGUE_MIN_ARMS, r->name[LOG_ARM]);
    return SEGUE_OK;
}

static segue_status read_rows(log_reader *r, log_row_callback on_row, void *context,
                              segue_error *err)
{
    for (bool more = true, skip = false;;) {
        log_row row = {.task = 0};
        SEGUE_TRY(next_row(r, &more, err));
        if (!more)
            return check_rows(r, err);
        SEGUE_TRY(segue_log_values_read(r, &row, &skip, err));
        if (skip)
            continue;
        SEGUE_TRY(on_row(context, &row, err));
        if (r->out->n_rows++ % SEGUE_LOG_ROWS_PER_CHECK == 0)
            SEGUE_TRY(segue_stop_check(r->options->stop, err));
    }
}

/* ---- the order of the arms --------------------------------------------------------------- */

typedef struct numbered_arm {
    double value;
    size_t arm;
} numbered_arm;

static int by_value(const void *a, const void *b)
{
    const double x = ((const numbered_arm *)a)->value, y = ((const numbered_arm *)b)->value;
    return (x > y) - (x < y);
}

/* Sort arms by their numbers if all are numbers; else they stay in the order of their first rows.
 */
segue_status segue_log_rows_order_arms(log_rows *out, segue_error *err)
{
    const names *arms = &out->arms;
    numbered_arm *list = calloc(arms->count, sizeof *list);
    size_t *order = out->arm_order = calloc(arms->count, sizeof *order);
    bool numbers = true;
    if (!list || !order) {
        free(list);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", arms->count);
    }
    for (size_t i = 0; i < arms->count; i++) {
        list[i].arm = order[i] = i;
        numbers =
            numbers && segue_number_parse_double(arms->name[i], &list[i].value, NULL) == SEGUE_OK;
    }
    if (numbers)
        qsort(list, arms->count, sizeof *list, by_value);
    for (size_t i = 0; i < arms->count && numbers; i++)
        order[i] = list[i].arm;
    free(list);
    return SEGUE_OK;
}

/* ---- the log ----------------------------------------------------------------------------- */

/* Tell the format by the first character. */
static segue_status find_format(log_reader *r, segue_error *err)
{
    const segue_lines *lines = &r->csv.lines;
    size_t at = lines->at;
    while (at < lines->limit && strchr(" \t\r\n", lines->buffer[at]) && lines->buffer[at])
        at++;
    if (at == lines->limit)
        return segue_fail(err, SEGUE_EPARSE, "%s: the file is empty; need a header and rewards",
                          path_of(r));
    if (lines->buffer[at] == '[')
        return LOG_WRONG(r, SEGUE_EPARSE, err,
                         "this is a JSON array; need one object per line (JSON Lines): convert it, "
                         "such as with jq -c '.[]'");
    r->is_json = lines->buffer[at] == '{';
    return SEGUE_OK;
}

/* Keep a copy of the first line: it is parsed in place, and a message may need its keys. */
static segue_status copy_first_line(log_reader *r, segue_error *err)
{
    const segue_lines *lines = &r->csv.lines;
    const char *line = lines->buffer + lines->at;
    line += strspn(line, " \t\r\n");
    r->first_line = strndup(line, strcspn(line, "\n"));
    return r->first_line ? SEGUE_OK : segue_fail_no_memory(err, "the log");
}

static segue_status start_json(log_reader *r, segue_error *err)
{
    if (r->options->delimiter)
        return LOG_WRONG(r, SEGUE_EPARSE, err,
                         "this is JSON Lines, which has no delimiter, and %s is given; remove it",
                         segue_csv_delimiter_name(r->options->delimiter));
    SEGUE_TRY(copy_first_line(r, err));
    if (segue_log_dsjson_detect(r->first_line))
        SEGUE_TRY(segue_log_dsjson_init(r, err));
    segue_json_lines_init(&r->json, &r->csv.lines, r->name, r->n_names, r->value);
    return SEGUE_OK;
}

static segue_status read_log(log_reader *r, log_row_callback on_row, void *context,
                             segue_error *err)
{
    SEGUE_TRY(find_format(r, err));
    SEGUE_TRY(r->is_json ? start_json(r, err) : segue_log_header_read(r, err));
    SEGUE_TRY(read_rows(r, on_row, context, err));
    return segue_log_rows_order_arms(r->out, err);
}

/* `r` borrows the names of `options`. */
static void init(log_reader *r, const log_read_options *options, log_rows *out)
{
    *r = (log_reader){.options = options,
                      .scale = options->highest - options->lowest,
                      .out = out,
                      .n_names = LOG_N_COLUMNS,
                      .is_wanted = {true, true, true, options->time, options->probability}};
    for (size_t c = 0; c < LOG_N_COLUMNS; c++) {
        r->name[c] =
            options->column[c] ? options->column[c] : segue_log_columns_default((log_column)c);
        r->has[c] = r->is_wanted[c] && segue_log_reader_requires(r, (log_column)c);
    }
    *out = (log_rows){.lowest = INFINITY, .highest = -INFINITY};
}

log_read_options segue_log_rows_defaults(void)
{
    return (log_read_options){.highest = 1.0};
}

segue_status segue_log_rows_read(log_rows *out, const char *path, const log_read_options *options,
                                 log_row_callback on_row, void *context, segue_error *err)
{
    log_reader r;
    init(&r, options, out);
    if (!(r.scale > 0.0))
        return segue_fail(err, SEGUE_EDOMAIN,
                          "rewards from %g to %g: the highest must be above the lowest",
                          options->lowest, options->highest);
    if (options->table)
        return segue_log_table_read(out, options, on_row, context, err);
    segue_status status = segue_csv_open(&r.csv, path, err);
    if (status == SEGUE_OK)
        status = read_log(&r, on_row, context, err);
    segue_csv_close(&r.csv);
    segue_json_lines_fini(&r.json);
    free(r.first_line);
    if (status != SEGUE_OK)
        segue_log_rows_fini(out);
    return status;
}

void segue_log_rows_fini(log_rows *rows)
{
    segue_string_table_fini(&rows->tasks);
    segue_string_table_fini(&rows->arms);
    free(rows->arm_order);
    *rows = (log_rows){.n_rows = 0};
}

/* ---- skipped rows ------------------------------------------------------------------------ */

uint64_t segue_log_rows_count_skipped(const log_skipped *skipped)
{
    uint64_t sum = skipped->dangling + skipped->inactive;
    for (size_t c = 0; c < LOG_N_COLUMNS; c++)
        sum += skipped->missing[c];
    return sum;
}

/* Append "3 WHAT" if there are any. */
static void append_count(uint64_t count, const char *what, char *text, size_t size)
{
    const size_t used = strlen(text);
    if (count)
        (void)snprintf(text + used, size - used, "%s%" PRIu64 " %s", used ? ", " : "", count, what);
}

void segue_log_rows_print_skipped(const log_skipped *skipped, char *text, size_t size)
{
    *text = '\0';
    for (size_t c = 0; c < LOG_N_COLUMNS; c++) {
        char what[40];
        (void)snprintf(what, sizeof what, "without %s %s", c == LOG_ARM ? "an" : "a",
                       segue_log_columns_default((log_column)c));
        append_count(skipped->missing[c], what, text, size);
    }
    append_count(skipped->dangling, "rewards without a decision", text, size);
    append_count(skipped->inactive, "with _skipLearn", text, size);
}
