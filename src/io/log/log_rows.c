/* log_rows.c - the rows of a log, read strictly, one by one.
 *
 * The first character of a file decides between CSV and JSON Lines.  Both readers return the fields
 * of a row as texts in the buffer of lines, without copies; from there on the formats share all
 * code.  Names of tasks and arms become numbers (string_table.h).  The loop runs ten million times
 * for a large log: it does not allocate, and single digits bypass the parser of numbers.
 *
 * Every error names file and line.  A log is rejected at its first error: guessing would change
 * results silently.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/log/log_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/log/csv.h"
#include "io/log/json_lines.h"
#include "io/log/log_header.h"
#include "io/log/timestamp.h"
#include "io/utf8.h"
#include "segue/internal.h"
#include "segue/models.h"
#include "segue/number.h"

#define MAX_TASKS 100000000

enum { TASK, ARM, REWARD, TIME, PROBABILITY, N_COLUMNS };
enum { N_REQUIRED = REWARD + 1 };

static const char *const column_name[N_COLUMNS] = {"task", "arm", "reward", "time", "probability"};

typedef struct reader {
    segue_csv csv;
    segue_json_lines json;
    bool is_json;
    bool is_wanted[N_COLUMNS];      /* the caller reads it */
    bool has[N_COLUMNS];            /* the header of CSV, or the first object of JSON, has it */
    size_t field[N_COLUMNS];        /* CSV: its field in a row */
    size_t n_used, used[N_COLUMNS]; /* CSV: the columns that are wanted and present */
    size_t n_fields;                /* CSV: per row */
    segue_json_lines_value value[N_COLUMNS]; /* of the current row */
    const log_read_options *options;
    double scale; /* width of the range of rewards */
    log_rows *out;
    log_row_callback on_row;
    void *context;
} reader;

/* Fail at the current line. */
#define WRONG(r, status, err, ...) segue_lines_fail(&(r)->csv.lines, status, err, __VA_ARGS__)

static const char *path_of(const reader *r)
{
    return segue_csv_path(&r->csv);
}

#define BOOLEAN_HINT "; write true as 1 and false as 0, without quotes"

/* ---- fields of a row --------------------------------------------------------------------- */

static segue_status read_header(reader *r, segue_error *err)
{
    bool more = false;
    SEGUE_TRY(segue_csv_next(&r->csv, &more, err));
    r->n_fields = segue_csv_n_fields(&r->csv);
    for (size_t c = 0; c < N_COLUMNS; c++) {
        if (!r->is_wanted[c])
            continue;
        SEGUE_TRY(
            segue_log_header_find(&r->csv, column_name[c], c < N_REQUIRED, &r->field[c], err));
        r->has[c] = r->field[c] < r->n_fields;
        if (r->has[c])
            r->used[r->n_used++] = c;
    }
    return SEGUE_OK;
}

/* CSV has no kinds of values: each text is what its column needs, a string or a number. */
static segue_status next_csv(reader *r, bool *more, segue_error *err)
{
    SEGUE_TRY(segue_csv_next(&r->csv, more, err));
    if (!*more)
        return SEGUE_OK;
    if (segue_csv_n_fields(&r->csv) != r->n_fields)
        return WRONG(r, SEGUE_EPARSE, err, "the row has %zu fields; the header has %zu",
                     segue_csv_n_fields(&r->csv), r->n_fields);
    for (size_t i = 0; i < r->n_used; i++) {
        const size_t c = r->used[i];
        r->value[c].text = segue_csv_text(&r->csv, r->field[c]);
        r->value[c].length = r->csv.field[r->field[c]].length;
    }
    return SEGUE_OK;
}

/* The first object decides which optional fields all have. */
static segue_status check_optional(reader *r, size_t c, segue_error *err)
{
    const bool there = r->value[c].kind != SEGUE_JSON_LINES_NONE;
    if (r->out->n_rows == 0)
        r->has[c] = there && r->is_wanted[c];
    else if (r->has[c] && !there)
        return WRONG(r, SEGUE_EPARSE, err, "there is no '%s'; the rows before have one",
                     column_name[c]);
    else if (!r->has[c] && there && r->is_wanted[c])
        return WRONG(r, SEGUE_EPARSE, err, "there is a '%s'; the rows before have none",
                     column_name[c]);
    return SEGUE_OK;
}

static segue_status check_kind(reader *r, size_t c, segue_error *err)
{
    const bool number = c == REWARD || c == PROBABILITY;
    const segue_json_lines_kind kind = r->value[c].kind;
    if (kind == SEGUE_JSON_LINES_NONE && c < N_REQUIRED)
        return WRONG(r, SEGUE_EPARSE, err, "there is no '%s'; need task, arm and reward",
                     column_name[c]);
    if (r->is_wanted[c] &&
        (kind == SEGUE_JSON_LINES_OTHER || (number && kind == SEGUE_JSON_LINES_STRING)))
        return WRONG(r, SEGUE_EPARSE, err, "field '%s': need a %snumber%s", column_name[c],
                     number ? "" : "string or a ", c == REWARD ? BOOLEAN_HINT : "");
    return SEGUE_OK;
}

static segue_status next_json(reader *r, bool *more, segue_error *err)
{
    SEGUE_TRY(segue_json_lines_next(&r->json, more, err));
    for (size_t c = 0; c < N_COLUMNS && *more; c++) {
        SEGUE_TRY(check_kind(r, c, err));
        if (c >= N_REQUIRED)
            SEGUE_TRY(check_optional(r, c, err));
    }
    return SEGUE_OK;
}

/* Return a value with a NUL after it, which overwrites the separator. */
static const char *text_of(const segue_json_lines_value *value)
{
    value->text[value->length] = '\0';
    return value->text;
}

/* Read the next row; the callback of the first row already sees which columns there are. */
static segue_status next_row(reader *r, bool *more, segue_error *err)
{
    const segue_status status = r->is_json ? next_json(r, more, err) : next_csv(r, more, err);
    if (r->out->n_rows == 0) {
        r->out->has_time = r->has[TIME];
        r->out->has_probability = r->has[PROBABILITY];
    }
    return status;
}

/* ---- values of a row --------------------------------------------------------------------- */

/* Validate a name at its first occurrence. */
static segue_status check_name(const reader *r, size_t c, const char *name, size_t length,
                               segue_error *err)
{
    const char *problem = length == 0                          ? "the name is empty"
                          : segue_utf8_has_control(name)       ? "the name has a control character"
                          : !segue_utf8_is_valid(name, length) ? "the name is not UTF-8"
                                                               : NULL;
    return problem ? WRONG(r, SEGUE_EPARSE, err, "field '%s': %s", column_name[c], problem)
                   : SEGUE_OK;
}

static segue_status read_name(reader *r, size_t c, names *list, size_t max, size_t *number,
                              segue_error *err)
{
    const segue_json_lines_value *value = &r->value[c];
    const size_t before = list->count;
    const segue_status status =
        segue_string_table_intern(list, value->text, value->length, number, err);
    if (status != SEGUE_OK || list->count == before)
        return status;
    if (list->count > max)
        return WRONG(r, SEGUE_EDOMAIN, err, "field '%s': more than %zu different names",
                     column_name[c], max);
    return check_name(r, c, list->name[*number], value->length, err);
}

static segue_status read_number(const reader *r, size_t c, double *out, segue_error *err)
{
    const segue_json_lines_value *value = &r->value[c];
    if (value->length == 1 && value->text[0] >= '0' && value->text[0] <= '9') {
        *out = value->text[0] - '0'; /* fast path: most rewards are 0 or 1 */
        return SEGUE_OK;
    }
    segue_error why;
    const segue_status status = segue_number_parse_double(text_of(value), out, &why);
    return status == SEGUE_OK
               ? status
               : WRONG(r, status, err, "field '%s': %s", column_name[c], why.message);
}

/* Explain rewards that are missing or written as words. */
static segue_status check_reward(const reader *r, segue_error *err)
{
    static const char *const booleans[] = {"true", "false", "yes", "no"};
    const segue_json_lines_value *value = &r->value[REWARD];
    if (value->length == 0)
        return WRONG(
            r, SEGUE_EPARSE, err,
            "field 'reward': is empty; remove such rows, or write what they stand for, such as 0");
    for (size_t i = 0; i < sizeof booleans / sizeof *booleans; i++)
        if (strcasecmp(text_of(value), booleans[i]) == 0)
            return WRONG(r, SEGUE_EPARSE, err, "field 'reward': '%s' is not a number" BOOLEAN_HINT,
                         value->text);
    return SEGUE_OK;
}

static segue_status read_reward(const reader *r, double *out, segue_error *err)
{
    const segue_status status = read_number(r, REWARD, out, err);
    const double lowest = r->options->lowest, highest = r->options->highest;
    if (status == SEGUE_EPARSE && check_reward(r, err) != SEGUE_OK)
        return SEGUE_EPARSE;
    if (status != SEGUE_OK)
        return status;
    if (!(*out >= lowest && *out <= highest))
        return WRONG(r, SEGUE_EDOMAIN, err,
                     "field 'reward': %g is out of range; need %g to %g, or another range by "
                     "--lowest and --highest (in an experiment: lowest and highest)",
                     *out, lowest, highest);
    if (lowest != 0.0 || r->scale != 1.0)
        *out = fmin(1.0, (*out - lowest) / r->scale);
    return SEGUE_OK;
}

static segue_status read_time(reader *r, double *out, segue_error *err)
{
    bool is_date = false;
    segue_error why;
    const segue_status status =
        segue_timestamp_parse(text_of(&r->value[TIME]), out, &is_date, &why);
    if (status != SEGUE_OK)
        return WRONG(r, status, err, "field 'time': %s", why.message);
    if (r->out->n_rows == 0)
        r->out->has_dates = is_date;
    if (is_date != r->out->has_dates)
        return WRONG(r, SEGUE_EPARSE, err, "field 'time': '%.40s' is a %s; those before are %s",
                     r->value[TIME].text, is_date ? "date" : "number",
                     is_date ? "numbers" : "dates");
    return SEGUE_OK;
}

static segue_status read_probability(const reader *r, double *out, segue_error *err)
{
    const segue_status status = read_number(r, PROBABILITY, out, err);
    if (status == SEGUE_OK && !(*out > 0.0 && *out <= 1.0))
        return WRONG(r, SEGUE_EDOMAIN, err,
                     "field 'probability': %g is out of range; need more than 0, at most 1", *out);
    return status;
}

static segue_status read_row(reader *r, segue_error *err)
{
    log_row row = {.task = 0};
    SEGUE_TRY(read_name(r, TASK, &r->out->tasks, MAX_TASKS, &row.task, err));
    SEGUE_TRY(read_name(r, ARM, &r->out->arms, SEGUE_MAX_ARMS, &row.arm, err));
    SEGUE_TRY(read_reward(r, &row.reward, err));
    if (r->has[TIME])
        SEGUE_TRY(read_time(r, &row.time, err));
    if (r->has[PROBABILITY])
        SEGUE_TRY(read_probability(r, &row.probability, err));
    return r->on_row(r->context, &row, err);
}

static segue_status read_rows(reader *r, segue_error *err)
{
    for (bool more = true;; r->out->n_rows++) {
        SEGUE_TRY(next_row(r, &more, err));
        if (!more)
            break;
        SEGUE_TRY(read_row(r, err));
    }
    if (r->out->n_rows == 0)
        return segue_fail(err, SEGUE_EPARSE, "%s: there is no reward below the header", path_of(r));
    if (r->out->arms.count < SEGUE_MIN_ARMS)
        return segue_fail(err, SEGUE_EDOMAIN, "%s: there is only one arm; need at least %d",
                          path_of(r), SEGUE_MIN_ARMS);
    return SEGUE_OK;
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
static segue_status order_arms(log_rows *out, segue_error *err)
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
static segue_status find_format(reader *r, segue_error *err)
{
    const segue_lines *lines = &r->csv.lines;
    size_t at = lines->at;
    while (at < lines->limit && strchr(" \t\r\n", lines->buffer[at]) && lines->buffer[at])
        at++;
    if (at == lines->limit)
        return segue_fail(err, SEGUE_EPARSE, "%s: the file is empty; need a header and rewards",
                          path_of(r));
    if (lines->buffer[at] == '[')
        return WRONG(r, SEGUE_EPARSE, err,
                     "this is a JSON array; need one object per line (JSON Lines)");
    r->is_json = lines->buffer[at] == '{';
    return SEGUE_OK;
}

static segue_status read_log(reader *r, segue_error *err)
{
    SEGUE_TRY(find_format(r, err));
    if (!r->is_json)
        SEGUE_TRY(read_header(r, err));
    SEGUE_TRY(read_rows(r, err));
    return order_arms(r->out, err);
}

segue_status segue_log_rows_read(log_rows *out, const char *path, const log_read_options *options,
                                 log_row_callback on_row, void *context, segue_error *err)
{
    reader r = {.options = options,
                .scale = options->highest - options->lowest,
                .out = out,
                .on_row = on_row,
                .context = context,
                .is_wanted = {true, true, true, options->time, options->probability},
                .has = {true, true, true},
                .json = {.next_line = 1, .wanted = column_name, .n_wanted = N_COLUMNS}};
    r.json.lines = &r.csv.lines;
    r.json.value = r.value;
    *out = (log_rows){.n_rows = 0};
    if (!(r.scale > 0.0))
        return segue_fail(err, SEGUE_EDOMAIN,
                          "rewards from %g to %g: the highest must be above the lowest",
                          options->lowest, options->highest);
    segue_status status = segue_csv_open(&r.csv, path, err);
    if (status == SEGUE_OK)
        status = read_log(&r, err);
    segue_csv_close(&r.csv);
    segue_json_lines_fini(&r.json);
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
