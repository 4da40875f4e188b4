/* log_rows.c - the rows of a log, read strictly, one by one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/log/log_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/log/csv.h"
#include "io/log/json_lines.h"
#include "io/log/timestamp.h"
#include "io/utf8.h"
#include "segue/models.h"
#include "segue/number.h"

#define MAX_TASKS 100000000

enum { TASK, ARM, REWARD, TIME, PROBABILITY, N_COLUMNS };
enum { N_NEEDED = REWARD + 1 };

static const char *const column_name[N_COLUMNS] = {"task", "arm", "reward", "time", "probability"};

typedef struct reading {
    segue_csv csv;
    segue_json_lines json;
    bool is_json;
    bool looked_for[N_COLUMNS];
    size_t place[N_COLUMNS];        /* CSV: which field of a row it is; ... */
    size_t n_used, used[N_COLUMNS]; /* ... those columns that are there */
    bool has[N_COLUMNS]; /* whether the log has it, which CSV tells in its header and JSON in
                            its first object */
    size_t n_fields;
    segue_json_lines_value value[N_COLUMNS]; /* of the current row */
    const log_read_options *wanted;
    double scale; /* of rewards */
    log_rows *out;
    log_row_callback take;
    void *context;
} reading;

/* Refuse the current line. */
#define WRONG(r, status, err, ...) segue_lines_fail(&(r)->csv.lines, status, err, __VA_ARGS__)

static const char *path_of(const reading *r)
{
    return segue_csv_path(&r->csv);
}

/* What else a reward may be written as. */
#define HOW_TO_WRITE "; write true as 1 and false as 0, without quotes"

/* ---- CSV: the header --------------------------------------------------------------------- */

/* Where a column is from `first` on, or n_fields. */
static size_t find_column(const reading *r, size_t column, size_t first)
{
    size_t i = first;
    while (i < r->n_fields && strcmp(segue_csv_field(&r->csv, i), column_name[column]) != 0)
        i++;
    return i;
}

/* The names that a header has, quoted, for a person: at most five, each cut after 24 bytes. */
static void list_columns(const reading *r, char *text, size_t size)
{
    enum { SHOWN = 5, LONGEST = 24 };
    size_t used = 0;
    for (size_t i = 0; i < r->n_fields && i < SHOWN && used < size; i++) {
        const char *name = segue_csv_field(&r->csv, i);
        const char *before = i == 0 ? "" : i + 1 == r->n_fields ? " and " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s'%.*s'", before,
                                 (int)segue_utf8_prefix_length(name, LONGEST), name);
    }
    if (r->n_fields > SHOWN && used < size)
        (void)snprintf(text + used, size - used, ", ...");
    segue_utf8_sanitize(text);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
}

/* What separates the fields of a header that has no comma; NULL: nothing that is known. */
static const char *find_separator(const reading *r, const char **convert)
{
    static const struct {
        char mark;
        const char *name, *convert;
    } marks[] = {{'\t', "tabs", "tr '\\t' ',' < FILE"},
                 {';', "semicolons", "tr ';' ',' < FILE"},
                 {'|', "vertical bars", "tr '|' ',' < FILE"}};
    const char *header = segue_csv_field(&r->csv, 0);
    for (size_t i = 0; i < sizeof marks / sizeof *marks && r->n_fields == 1; i++)
        if (strchr(header, marks[i].mark)) {
            *convert = marks[i].convert;
            return marks[i].name;
        }
    return NULL;
}

/* Files of old have lines that end with CR alone, and would be one long header. */
static segue_status no_column(const reading *r, size_t column, segue_error *err)
{
    for (size_t i = 0; i < r->n_fields; i++)
        if (strchr(segue_csv_field(&r->csv, i), '\r'))
            return WRONG(r, SEGUE_EPARSE, err,
                         "the header has a carriage return in it; lines must end with LF or CRLF");
    const char *convert = NULL, *separator = find_separator(r, &convert);
    if (separator)
        return WRONG(r, SEGUE_EPARSE, err,
                     "the header has no column '%s'; it seems to be separated by %s; need commas: "
                     "convert it, such as with %s",
                     column_name[column], separator, convert);
    char found[240] = "";
    list_columns(r, found, sizeof found);
    return WRONG(r, SEGUE_EPARSE, err,
                 "the header has no column '%s'; need task, arm and reward; it has %s: rename its "
                 "columns",
                 column_name[column], found);
}

static segue_status read_header(reading *r, segue_error *err)
{
    bool more = false;
    const segue_status status = segue_csv_next(&r->csv, &more, err);
    if (status != SEGUE_OK)
        return status;
    r->n_fields = segue_csv_n_fields(&r->csv);
    for (size_t c = 0; c < N_COLUMNS; c++) {
        if (!r->looked_for[c])
            continue;
        r->place[c] = find_column(r, c, 0);
        r->has[c] = r->place[c] < r->n_fields;
        if (!r->has[c] && c < N_NEEDED)
            return no_column(r, c, err);
        if (r->has[c] && find_column(r, c, r->place[c] + 1) < r->n_fields)
            return WRONG(r, SEGUE_EPARSE, err, "two columns are named '%s'", column_name[c]);
        if (r->has[c])
            r->used[r->n_used++] = c;
    }
    return SEGUE_OK;
}

/* ---- the fields of a row ----------------------------------------------------------------- */

/* A text of CSV is what its column needs, a string or a number: it has no kind. */
static segue_status next_csv(reading *r, bool *more, segue_error *err)
{
    const segue_status status = segue_csv_next(&r->csv, more, err);
    if (status != SEGUE_OK || !*more)
        return status;
    if (segue_csv_n_fields(&r->csv) != r->n_fields)
        return WRONG(r, SEGUE_EPARSE, err, "the row has %zu fields; the header has %zu",
                     segue_csv_n_fields(&r->csv), r->n_fields);
    for (size_t i = 0; i < r->n_used; i++) {
        const size_t c = r->used[i];
        r->value[c].text = segue_csv_text(&r->csv, r->place[c]);
        r->value[c].length = r->csv.field[r->place[c]].length;
    }
    return SEGUE_OK;
}

/* What the first object has, each has. */
static segue_status check_optional(reading *r, size_t c, segue_error *err)
{
    const bool there = r->value[c].kind != SEGUE_JSON_LINES_NONE;
    if (r->out->n_rows == 0)
        r->has[c] = there && r->looked_for[c];
    else if (r->has[c] && !there)
        return WRONG(r, SEGUE_EPARSE, err, "there is no '%s'; the rows before have one",
                     column_name[c]);
    else if (!r->has[c] && there && r->looked_for[c])
        return WRONG(r, SEGUE_EPARSE, err, "there is a '%s'; the rows before have none",
                     column_name[c]);
    return SEGUE_OK;
}

static segue_status check_kind(reading *r, size_t c, segue_error *err)
{
    const bool number = c == REWARD || c == PROBABILITY;
    const segue_json_lines_kind kind = r->value[c].kind;
    if (kind == SEGUE_JSON_LINES_NONE && c < N_NEEDED)
        return WRONG(r, SEGUE_EPARSE, err, "there is no '%s'; need task, arm and reward",
                     column_name[c]);
    if (r->looked_for[c] &&
        (kind == SEGUE_JSON_LINES_OTHER || (number && kind == SEGUE_JSON_LINES_STRING)))
        return WRONG(r, SEGUE_EPARSE, err, "field '%s': need a %snumber%s", column_name[c],
                     number ? "" : "string or a ", c == REWARD ? HOW_TO_WRITE : "");
    return SEGUE_OK;
}

static segue_status next_json(reading *r, bool *more, segue_error *err)
{
    segue_status status = segue_json_lines_next(&r->json, more, err);
    for (size_t c = 0; c < N_COLUMNS && status == SEGUE_OK && *more; c++) {
        status = check_kind(r, c, err);
        if (status == SEGUE_OK && c >= N_NEEDED)
            status = check_optional(r, c, err);
    }
    return status;
}

/* With a NUL behind it. */
static const char *text_of(const segue_json_lines_value *value)
{
    value->text[value->length] = '\0';
    return value->text;
}

/* The taker of the first row knows what rows have. */
static segue_status next_row(reading *r, bool *more, segue_error *err)
{
    const segue_status status = r->is_json ? next_json(r, more, err) : next_csv(r, more, err);
    if (r->out->n_rows == 0) {
        r->out->has_time = r->has[TIME];
        r->out->has_probability = r->has[PROBABILITY];
    }
    return status;
}

/* ---- what they mean ---------------------------------------------------------------------- */

/* Names are looked at when they are new. */
static segue_status check_name(const reading *r, size_t c, const char *name, size_t length,
                               segue_error *err)
{
    const char *problem = length == 0                          ? "there is no name"
                          : segue_utf8_has_control(name)       ? "the name has a control character"
                          : !segue_utf8_is_valid(name, length) ? "the name is not UTF-8"
                                                               : NULL;
    return problem ? WRONG(r, SEGUE_EPARSE, err, "field '%s': %s", column_name[c], problem)
                   : SEGUE_OK;
}

static segue_status read_name(reading *r, size_t c, names *list, size_t most, size_t *number,
                              segue_error *err)
{
    const segue_json_lines_value *value = &r->value[c];
    const size_t before = list->count;
    const segue_status status =
        segue_string_table_intern(list, value->text, value->length, number, err);
    if (status != SEGUE_OK || list->count == before)
        return status;
    if (list->count > most)
        return WRONG(r, SEGUE_EDOMAIN, err, "field '%s': more than %zu of them", column_name[c],
                     most);
    return check_name(r, c, list->name[*number], value->length, err);
}

static segue_status read_number(const reading *r, size_t c, double *out, segue_error *err)
{
    const segue_json_lines_value *value = &r->value[c];
    if (value->length == 1 && value->text[0] >= '0' && value->text[0] <= '9') {
        *out = value->text[0] - '0'; /* most rewards are 0 or 1 */
        return SEGUE_OK;
    }
    segue_error why;
    const segue_status status = segue_number_parse_double(text_of(value), out, &why);
    return status == SEGUE_OK
               ? status
               : WRONG(r, status, err, "field '%s': %s", column_name[c], why.message);
}

/* Rewards that people write in other ways. */
static segue_status check_reward(const reading *r, segue_error *err)
{
    static const char *const words[] = {"true", "false", "yes", "no"};
    const segue_json_lines_value *value = &r->value[REWARD];
    if (value->length == 0)
        return WRONG(
            r, SEGUE_EPARSE, err,
            "field 'reward': '' is not a number: it is missing; leave such rows out, or write "
            "what they stand for, such as 0");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text_of(value), words[i]) == 0)
            return WRONG(r, SEGUE_EPARSE, err, "field 'reward': '%s' is not a number" HOW_TO_WRITE,
                         value->text);
    return SEGUE_OK;
}

static segue_status read_reward(const reading *r, double *out, segue_error *err)
{
    const segue_status status = read_number(r, REWARD, out, err);
    const double lowest = r->wanted->lowest, highest = r->wanted->highest;
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

static segue_status read_time(reading *r, double *out, segue_error *err)
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

static segue_status read_probability(const reading *r, double *out, segue_error *err)
{
    const segue_status status = read_number(r, PROBABILITY, out, err);
    if (status == SEGUE_OK && !(*out > 0.0 && *out <= 1.0))
        return WRONG(r, SEGUE_EDOMAIN, err,
                     "field 'probability': %g is out of range; need more than 0, at most 1", *out);
    return status;
}

static segue_status read_row(reading *r, segue_error *err)
{
    log_row row = {.task = 0};
    segue_status status = read_name(r, TASK, &r->out->tasks, MAX_TASKS, &row.task, err);
    if (status == SEGUE_OK)
        status = read_name(r, ARM, &r->out->arms, SEGUE_MAX_ARMS, &row.arm, err);
    if (status == SEGUE_OK)
        status = read_reward(r, &row.reward, err);
    if (status == SEGUE_OK && r->has[TIME])
        status = read_time(r, &row.time, err);
    if (status == SEGUE_OK && r->has[PROBABILITY])
        status = read_probability(r, &row.probability, err);
    return status == SEGUE_OK ? r->take(r->context, &row, err) : status;
}

static segue_status read_rows(reading *r, segue_error *err)
{
    bool more = true;
    segue_status status = SEGUE_OK;
    while (status == SEGUE_OK) {
        status = next_row(r, &more, err);
        if (status != SEGUE_OK || !more)
            break;
        status = read_row(r, err);
        r->out->n_rows += status == SEGUE_OK;
    }
    if (status == SEGUE_OK && r->out->n_rows == 0)
        status =
            segue_fail(err, SEGUE_EPARSE, "%s: there is no reward below the header", path_of(r));
    if (status == SEGUE_OK && r->out->arms.count < SEGUE_MIN_ARMS)
        status = segue_fail(err, SEGUE_EDOMAIN, "%s: there is only one arm; need at least %d",
                            path_of(r), SEGUE_MIN_ARMS);
    return status;
}

/* ---- the order of the arms --------------------------------------------------------------- */

typedef struct numbered {
    double value;
    size_t place;
} numbered;

static int by_value(const void *a, const void *b)
{
    const double x = ((const numbered *)a)->value, y = ((const numbered *)b)->value;
    return (x > y) - (x < y);
}

/* Arms that are all numbers go by their numbers, else by their first rows. */
static segue_status order_arms(log_rows *out, segue_error *err)
{
    const names *arms = &out->arms;
    numbered *list = calloc(arms->count, sizeof *list);
    size_t *place = out->arm_order = calloc(arms->count, sizeof *place);
    bool numbers = true;
    if (!list || !place) {
        free(list);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", arms->count);
    }
    for (size_t i = 0; i < arms->count; i++) {
        list[i].place = place[i] = i;
        numbers =
            numbers && segue_number_parse_double(arms->name[i], &list[i].value, NULL) == SEGUE_OK;
    }
    if (numbers)
        qsort(list, arms->count, sizeof *list, by_value);
    for (size_t i = 0; i < arms->count && numbers; i++)
        place[i] = list[i].place;
    free(list);
    return SEGUE_OK;
}

/* ---- the whole --------------------------------------------------------------------------- */

/* The first character tells the format. */
static segue_status find_format(reading *r, segue_error *err)
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
                     "this is a JSON array; need one object a line (JSON Lines)");
    r->is_json = lines->buffer[at] == '{';
    return SEGUE_OK;
}

static segue_status read_log(reading *r, segue_error *err)
{
    segue_status status = find_format(r, err);
    if (status == SEGUE_OK && !r->is_json)
        status = read_header(r, err);
    if (status == SEGUE_OK)
        status = read_rows(r, err);
    return status == SEGUE_OK ? order_arms(r->out, err) : status;
}

segue_status segue_log_rows_read(log_rows *out, const char *path, const log_read_options *wanted,
                                 log_row_callback take, void *context, segue_error *err)
{
    reading r = {.wanted = wanted,
                 .scale = wanted->highest - wanted->lowest,
                 .out = out,
                 .take = take,
                 .context = context,
                 .looked_for = {true, true, true, wanted->time, wanted->probability},
                 .has = {true, true, true},
                 .json = {.next_line = 1, .wanted = column_name, .n_wanted = N_COLUMNS}};
    r.json.lines = &r.csv.lines;
    r.json.value = r.value;
    *out = (log_rows){.n_rows = 0};
    if (!(r.scale > 0.0))
        return segue_fail(err, SEGUE_EDOMAIN, "rewards from %g to %g: need a growing range",
                          wanted->lowest, wanted->highest);
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
