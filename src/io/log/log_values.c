/* log_values.c - the values of a row: names become numbers, texts become rewards and times.
 *
 * Both formats give texts in the buffer of lines.  CSV has no kinds of values: each text is what its
 * column needs.  JSON has kinds, and a number in quotes is refused.
 *
 * A value is missing if its text is empty, NA, N/A, NaN, null, NULL or \N, or if JSON has null or no
 * such key.  Names of tasks and arms are names whatever they say, unless rows without a value are
 * skipped: then these texts count as missing there too.
 *
 * The loop runs ten million times for a large log: it does not allocate, and single digits bypass
 * the parser of numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/log/log_reader.h"
#include "io/log/timestamp.h"
#include "io/utf8.h"
#include "segue/internal.h"
#include "segue/models.h"
#include "segue/number.h"

/* Return a value with a NUL after it, which overwrites the delimiter. */
static const char *text_of(const segue_json_lines_value *value)
{
    value->text[value->length] = '\0';
    return value->text;
}

/* ---- missing values ---------------------------------------------------------------------- */

bool segue_log_values_is_missing(const segue_json_lines_value *value)
{
    static const char *const texts[] = {"NA", "N/A", "NaN", "nan", "null", "NULL", "\\N"};
    if (value->length == 0)
        return true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && value->length <= 4; i++)
        if (strlen(texts[i]) == value->length && memcmp(texts[i], value->text, value->length) == 0)
            return true;
    return false;
}

/* Return the first column without a value, or LOG_N_COLUMNS. */
static size_t find_missing(const log_reader *r)
{
    size_t c = 0;
    while (c < LOG_N_COLUMNS && !(r->has[c] && segue_log_values_is_missing(&r->value[c])))
        c++;
    return c;
}

static segue_status fail_missing(const log_reader *r, log_column c, segue_error *err)
{
    return LOG_WRONG(r, SEGUE_EPARSE, err,
                     "field '%.40s': is %s; give --missing skip to skip such rows, or write the "
                     "value that they stand for",
                     r->name[c], r->value[c].length ? text_of(&r->value[c]) : "empty");
}

/* ---- names ------------------------------------------------------------------------------- */

/* Validate a name at its first occurrence. */
static segue_status check_name(const log_reader *r, log_column c, const char *name, size_t length,
                               segue_error *err)
{
    if (length == 0)
        return LOG_WRONG(r, SEGUE_EPARSE, err,
                         "field '%.40s': the name is empty; give --missing skip to skip such rows",
                         r->name[c]);
    const char *problem =
        segue_utf8_has_control(name)         ? "the name has a control character; remove it"
        : !segue_utf8_is_valid(name, length) ? "the name is not UTF-8; convert the file, such as "
                                               "with 'iconv -f LATIN1 -t UTF-8'"
                                             : NULL;
    return problem ? LOG_WRONG(r, SEGUE_EPARSE, err, "field '%.40s': %s", r->name[c], problem)
                   : SEGUE_OK;
}

static segue_status read_name(log_reader *r, log_column c, names *list, size_t max, size_t *number,
                              segue_error *err)
{
    const segue_json_lines_value *value = &r->value[c];
    const size_t before = list->count;
    const segue_status status =
        segue_string_table_intern(list, value->text, value->length, number, err);
    if (status != SEGUE_OK || list->count == before)
        return status;
    if (list->count > max)
        return LOG_WRONG(r, SEGUE_EDOMAIN, err,
                         "field '%.40s': more than %zu different names; is this the column of %ss?",
                         r->name[c], max, segue_log_columns_default(c));
    return check_name(r, c, list->name[*number], value->length, err);
}

/* ---- numbers ----------------------------------------------------------------------------- */

static segue_status fail_number(const log_reader *r, log_column c, const segue_error *why,
                                segue_error *err)
{
    const char *text = text_of(&r->value[c]), *comma = strchr(text, ',');
    if (segue_log_values_is_missing(&r->value[c]))
        return fail_missing(r, c, err);
    if (comma && comma == strrchr(text, ',') && strspn(text, "+-0123456789,") == strlen(text))
        return LOG_WRONG(r, SEGUE_EPARSE, err,
                         "field '%.40s': '%.40s' has a decimal comma; need a point: replace it, "
                         "such as with \"sed 's/,/./g'\" where the delimiter is another",
                         r->name[c], text);
    return LOG_WRONG(r, why->status, err, "field '%.40s': %s; need a number%s", r->name[c],
                     why->message, c == LOG_REWARD ? ", or true or false" : "");
}

/* Read a single digit: most rewards are 0 or 1. */
static inline bool read_digit(const segue_json_lines_value *value, double *out)
{
    const bool is_digit = value->length == 1 && value->text[0] >= '0' && value->text[0] <= '9';
    if (is_digit)
        *out = value->text[0] - '0';
    return is_digit;
}

static segue_status read_number(const log_reader *r, log_column c, double *out, segue_error *err)
{
    segue_error why;
    return segue_number_parse_double(text_of(&r->value[c]), out, &why) == SEGUE_OK
               ? SEGUE_OK
               : fail_number(r, c, &why, err);
}

/* Return true if a reward is a word for yes or no; *out is then 1 or 0. */
static bool read_boolean(const segue_json_lines_value *value, double *out)
{
    static const char *const booleans[] = {"false", "true", "f", "t", "no", "yes", "n", "y"};
    if (value->length == 0 || value->length > 5 || value->text[0] <= '9')
        return false; /* nearly all rewards are numbers */
    for (size_t i = 0; i < sizeof booleans / sizeof *booleans; i++)
        if (strlen(booleans[i]) == value->length &&
            strncasecmp(booleans[i], value->text, value->length) == 0) {
            *out = (double)(i % 2);
            return true;
        }
    return false;
}

/* A scale on which a reward could be: "0,5". */
static void guess_range(double reward, char *text, size_t size)
{
    static const double scales[] = {1, 5, 10, 100};
    size_t i = 0;
    while (i < 4 && fabs(reward) > scales[i])
        i++;
    if (i == 4)
        (void)snprintf(text, size, "LOW,HIGH");
    else
        (void)snprintf(text, size, "%g,%g", reward < 0.0 ? -scales[i] : 0.0, scales[i]);
}

static segue_status fail_range(const log_reader *r, double reward, segue_error *err)
{
    char range[32];
    guess_range(reward, range, sizeof range);
    return LOG_WRONG(r, SEGUE_EDOMAIN, err,
                     "field '%.40s': %g is out of range; need %g to %g; give --range %s if that is "
                     "the scale (in an experiment: lowest and highest)",
                     r->name[LOG_REWARD], reward, r->options->lowest, r->options->highest, range);
}

static segue_status read_reward(const log_reader *r, double *out, segue_error *err)
{
    const segue_json_lines_value *value = &r->value[LOG_REWARD];
    if (!read_digit(value, out) && !read_boolean(value, out))
        SEGUE_TRY(read_number(r, LOG_REWARD, out, err));
    if (r->is_cost)
        *out = 0.0 - *out; /* no -0 */
    const double lowest = r->options->lowest, highest = r->options->highest;
    if (!(*out >= lowest && *out <= highest))
        return fail_range(r, *out, err);
    r->out->lowest = *out < r->out->lowest ? *out : r->out->lowest;
    r->out->highest = *out > r->out->highest ? *out : r->out->highest;
    if (lowest != 0.0 || r->scale != 1.0)
        *out = fmin(1.0, (*out - lowest) / r->scale);
    return SEGUE_OK;
}

static segue_status read_time(log_reader *r, double *out, segue_error *err)
{
    bool is_date = false;
    segue_error why;
    const char *text = text_of(&r->value[LOG_TIME]);
    const segue_status status = segue_timestamp_parse(text, out, &is_date, &why);
    if (status != SEGUE_OK)
        return segue_log_values_is_missing(&r->value[LOG_TIME])
                   ? fail_missing(r, LOG_TIME, err)
                   : LOG_WRONG(r, status, err, "field '%.40s': %s", r->name[LOG_TIME], why.message);
    if (r->out->n_rows == 0)
        r->out->has_dates = is_date;
    if (is_date != r->out->has_dates)
        return LOG_WRONG(r, SEGUE_EPARSE, err,
                         "field '%.40s': '%.40s' is a %s; those before are %s; need one kind",
                         r->name[LOG_TIME], text, is_date ? "date" : "number",
                         is_date ? "numbers" : "dates");
    return SEGUE_OK;
}

static segue_status read_probability(const log_reader *r, double *out, segue_error *err)
{
    SEGUE_TRY(read_number(r, LOG_PROBABILITY, out, err));
    if (*out > 0.0 && *out <= 1.0)
        return SEGUE_OK;
    return LOG_WRONG(r, SEGUE_EDOMAIN, err,
                     "field '%.40s': %g is out of range; need more than 0, at most 1%s",
                     r->name[LOG_PROBABILITY], *out,
                     *out > 1.0 && *out <= 100.0 ? "; divide percentages by 100" : "");
}

/* ---- a row ------------------------------------------------------------------------------- */

segue_status segue_log_values_read(log_reader *r, log_row *row, bool *skip, segue_error *err)
{
    const size_t missing = r->options->skip_missing ? find_missing(r) : LOG_N_COLUMNS;
    *skip = missing < LOG_N_COLUMNS;
    if (*skip) {
        r->out->skipped.missing[missing]++;
        return SEGUE_OK;
    }
    SEGUE_TRY(read_name(r, LOG_TASK, &r->out->tasks, SEGUE_MAX_LOG_TASKS, &row->task, err));
    SEGUE_TRY(read_name(r, LOG_ARM, &r->out->arms, SEGUE_MAX_ARMS, &row->arm, err));
    SEGUE_TRY(read_reward(r, &row->reward, err));
    if (r->has[LOG_TIME])
        SEGUE_TRY(read_time(r, &row->time, err));
    return r->has[LOG_PROBABILITY] ? read_probability(r, &row->probability, err) : SEGUE_OK;
}
