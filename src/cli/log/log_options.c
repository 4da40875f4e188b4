/* log_options.c - the options of every command that reads a log.
 *
 * The columns are names as they stand in the header of the log (or keys of JSON); the reader checks
 * that they exist.  This file checks what can be checked without the log: the delimiter, how missing
 * values are treated, and the range of rewards.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/log/log_options.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "io/log/log_format.h"
#include "io/shell.h"
#include "segue/internal.h"
#include "segue/number.h"

#define MAX_BOUND 1e15
#define MIN_USED  0.1 /* share of the range: below, a note suggests a narrower one */

enum { N_OPTIONS = 8 };

typedef struct given_option {
    const char *name, *value; /* value: NULL if it is not given */
} given_option;

static void list_options(const cli_log_settings *set, given_option list[N_OPTIONS])
{
    const given_option options[N_OPTIONS] = {{"task", set->task},
                                             {"arm", set->arm},
                                             {"reward", set->reward},
                                             {"time", set->time},
                                             {"probability", set->probability},
                                             {"delimiter", set->delimiter},
                                             {"missing", set->missing},
                                             {"range", set->range}};
    memcpy(list, options, sizeof options);
}

/* ---- columns ----------------------------------------------------------------------------- */

/* A column may have one role only. */
static segue_status parse_columns(const cli_log_settings *set, log_read_options *out,
                                  segue_error *err)
{
    given_option list[N_OPTIONS];
    list_options(set, list);
    for (size_t c = 0; c < LOG_N_COLUMNS; c++) {
        out->column[c] = list[c].value;
        if (list[c].value && !*list[c].value)
            return segue_fail(err, SEGUE_EPARSE,
                              "--%s: the name is empty; need the name of a column of the log",
                              list[c].name);
        for (size_t before = 0; before < c && list[c].value; before++)
            if (list[before].value && strcmp(list[before].value, list[c].value) == 0)
                return segue_fail(err, SEGUE_EPARSE,
                                  "--%s and --%s both name the column '%.60s'; need two columns",
                                  list[before].name, list[c].name, list[c].value);
    }
    return SEGUE_OK;
}

/* ---- format ------------------------------------------------------------------------------ */

static segue_status parse_delimiter(const char *text, char *out, segue_error *err)
{
    segue_error why = {.status = SEGUE_OK};
    if (!text || segue_log_format_parse_delimiter(text, out, &why) == SEGUE_OK)
        return SEGUE_OK;
    return segue_fail(err, why.status, "--delimiter: %s", why.message);
}

static segue_status parse_missing(const char *text, bool *skip, segue_error *err)
{
    segue_error why = {.status = SEGUE_OK};
    if (!text || segue_log_format_parse_missing(text, skip, &why) == SEGUE_OK)
        return SEGUE_OK;
    return segue_fail(err, why.status, "--missing: %s", why.message);
}

/* ---- range ------------------------------------------------------------------------------- */

/* Read one bound; `length` bytes of `text`. */
static segue_status parse_bound(const char *text, size_t length, double *out, segue_error *err)
{
    char number[64];
    (void)snprintf(number, sizeof number, "%.*s", (int)length, text);
    if (length < sizeof number && segue_number_parse_double(number, out, NULL) == SEGUE_OK &&
        *out >= -MAX_BOUND && *out <= MAX_BOUND)
        return SEGUE_OK;
    return segue_fail(
        err, SEGUE_EPARSE,
        "--range: '%.40s' is no number from -1e15 to 1e15; need LOW,HIGH, such as 0,5", number);
}

static segue_status parse_range(const char *text, log_read_options *out, segue_error *err)
{
    const char *comma = text ? strchr(text, ',') : NULL;
    if (!text)
        return SEGUE_OK;
    if (!comma)
        return segue_fail(err, SEGUE_EPARSE,
                          "--range: '%.40s' is one number; need LOW,HIGH, such as 0,5", text);
    SEGUE_TRY(parse_bound(text, (size_t)(comma - text), &out->lowest, err));
    SEGUE_TRY(parse_bound(comma + 1, strlen(comma + 1), &out->highest, err));
    if (out->lowest < out->highest)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EDOMAIN,
                      "--range: %.40s is empty; need LOW,HIGH with HIGH above LOW, such as 0,5",
                      text);
}

/* ---- all --------------------------------------------------------------------------------- */

segue_status cli_log_options_parse(const cli_log_settings *set, log_read_options *out,
                                   segue_error *err)
{
    *out = segue_log_rows_defaults();
    SEGUE_TRY(parse_columns(set, out, err));
    SEGUE_TRY(parse_delimiter(set->delimiter, &out->delimiter, err));
    SEGUE_TRY(parse_missing(set->missing, &out->skip_missing, err));
    return parse_range(set->range, out, err);
}

static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? SEGUE_STANDARD_INPUT : path;
}

void cli_log_options_report(const char *path, const log_skipped *skipped)
{
    char reasons[200];
    const uint64_t count = segue_log_rows_count_skipped(skipped);
    segue_log_rows_print_skipped(skipped, reasons, sizeof reasons);
    if (count)
        (void)fprintf(stderr, "segue: %s: %" PRIu64 " row%s skipped: %s\n", name_of(path), count,
                      count == 1 ? "" : "s", reasons);
}

/* Write a number so that it reads back. */
static void write_number(double x, char text[32])
{
    (void)snprintf(text, 32, "%.15g", x);
    if (strtod(text, NULL) != x)
        (void)snprintf(text, 32, "%.17g", x);
}

void cli_log_options_report_range(const char *path, const log_rows *rows,
                                  const log_read_options *reading)
{
    char low[32], high[32];
    const double used = rows->highest - rows->lowest;
    if (!(used > 0.0 && used < MIN_USED * (reading->highest - reading->lowest)))
        return;
    write_number(rows->lowest, low);
    write_number(rows->highest, high);
    (void)fprintf(stderr,
                  "segue: %s: the rewards are from %s to %s, and the range is %g to %g; give "
                  "--range %s,%s if none can be lower or higher\n",
                  name_of(path), low, high, reading->lowest, reading->highest, low, high);
}

const char *cli_log_options_given(const cli_log_settings *set)
{
    given_option list[N_OPTIONS];
    list_options(set, list);
    size_t i = 0;
    while (i < N_OPTIONS && !list[i].value)
        i++;
    return i < N_OPTIONS ? list[i].name : NULL;
}

void cli_log_options_write(const cli_log_settings *set, char *text, size_t size)
{
    given_option list[N_OPTIONS];
    list_options(set, list);
    *text = '\0';
    for (size_t i = 0; i < N_OPTIONS; i++) {
        char *word = list[i].value ? segue_shell_quote(list[i].value, false) : NULL;
        const size_t used = strlen(text);
        if (list[i].value)
            (void)snprintf(text + used, size - used, " --%s %s", list[i].name,
                           word ? word : "VALUE");
        free(word);
    }
}
