/* log_reader.h - the state of a log that is being read; shared by the files log_*.c.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_LOG_READER_H
#define SEGUE_IO_LOG_LOG_READER_H

#include "io/log/log_columns.h"
#include "io/log/log_rows.h"
#include "io/text/csv.h"
#include "io/text/json_lines.h"

#define LOG_N_REQUIRED (LOG_REWARD + 1) /* task, arm and reward come first */

typedef struct log_reader {
    segue_csv csv; /* its lines are those of JSON too */
    segue_json_lines json;
    bool is_json;
    const char *name[SEGUE_MAX_JSON_WANTED]; /* of the columns, or keys */
    bool is_wanted[LOG_N_COLUMNS];           /* the caller reads it */
    bool has[LOG_N_COLUMNS];            /* the header of CSV, or the first row of JSON, has it */
    size_t field[LOG_N_COLUMNS];        /* CSV: its field in a row */
    size_t n_used, used[LOG_N_COLUMNS]; /* CSV: the columns that are wanted and present */
    size_t n_fields;                    /* CSV: per row */
    char guess;                         /* CSV: the delimiter that the header looks to have */
    segue_json_lines_value value[SEGUE_MAX_JSON_WANTED]; /* of the current row */
    const log_read_options *options;
    double scale; /* width of the range of rewards */
    log_rows *out;
    char *first_line;                           /* JSON: a copy, for messages */
    size_t n_names;                             /* LOG_N_COLUMNS; of dsjson more */
    bool is_dsjson, is_cost;                    /* the reward is minus the value of its column */
    bool has_tags;                              /* dsjson: actions have names */
    char action[24 + SEGUE_STRING_TABLE_SLACK]; /* dsjson: the number of an action, as text */
} log_reader;

/* Fail at the current line. */
#define LOG_WRONG(r, status, err, ...) segue_lines_fail(&(r)->csv.lines, status, err, __VA_ARGS__)

/** Return true if the log must have the column. */
static inline bool segue_log_reader_requires(const log_reader *r, log_column c)
{
    return r->options->column[c] || c < LOG_N_REQUIRED;
}

/** Choose the delimiter and find the columns in the header of CSV, the next row.
 * @retval SEGUE_EPARSE  and those of segue_csv_next */
SEGUE_MUST_CHECK segue_status segue_log_header_read(log_reader *r, segue_error *err);

/* The keys of the first line, and options that name the likely ones. */
typedef struct segue_log_keys_text {
    char found[160], options[160];
} segue_log_keys_text;

/** List the keys of the first line that begin with `prefix`, and name the first `n_columns`. */
void segue_log_keys_suggest(const log_reader *r, const char *prefix, size_t n_columns,
                            segue_log_keys_text *out);

/** Return true if the first line of a JSON log is dsjson. */
bool segue_log_dsjson_detect(const char *line);

/** Name the values that dsjson needs.  @retval SEGUE_EPARSE  no option names the task */
SEGUE_MUST_CHECK segue_status segue_log_dsjson_init(log_reader *r, segue_error *err);

/** Fail at the first line for a key that it lacks: dsjson has all columns but the task by itself. */
SEGUE_MUST_CHECK segue_status segue_log_dsjson_fail_key(const log_reader *r, log_column c,
                                                        segue_error *err);

/** Read the next decision; the columns get its values.
 * @retval SEGUE_EPARSE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_log_dsjson_next(log_reader *r, bool *more, segue_error *err);

/** Return true if a text stands for no value: empty, NA, null and the like. */
bool segue_log_values_is_missing(const segue_json_lines_value *value);

/** Validate the values of the current row; *skip: one is missing, and such rows are skipped.
 * @retval SEGUE_EPARSE, SEGUE_EDOMAIN, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_log_values_read(log_reader *r, log_row *row, bool *skip,
                                                    segue_error *err);

#endif
