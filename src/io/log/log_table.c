/* log_table.c - the rows of a log that is in memory.
 *
 * A name is copied before it is interned, since the table of names reads a few bytes after its end.
 * A reward of 0.5 in a file and in memory gives the same bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/log/log_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/log/log_columns.h"
#include "io/utf8.h"
#include "segue/internal.h"

typedef struct reader {
    const log_table *table;
    const log_read_options *options;
    log_rows *out;
    size_t row;
    char *text; /* capacity: a copy of the current name */
    size_t capacity;
} reader;

/* Fail at a field of the current row. */
static segue_status fail_at(const reader *r, log_column column, segue_status status,
                            const char *problem, segue_error *err)
{
    return segue_fail(err, status, "%s, row %zu: field '%s': %s", r->table->name, r->row + 1,
                      segue_log_columns_default(column), problem);
}

/* ---- names ------------------------------------------------------------------------------- */

static segue_status copy_name(reader *r, const log_text *name, segue_error *err)
{
    const size_t size = name->length + SEGUE_STRING_TABLE_SLACK;
    if (!r->text || size > r->capacity) {
        char *grown = realloc(r->text, 2 * size);
        if (!grown)
            return segue_fail_no_memory(err, "a name");
        r->text = grown;
        r->capacity = 2 * size;
        memset(grown, 0, r->capacity);
    }
    memcpy(r->text, name->text, name->length);
    return SEGUE_OK;
}

/* Return why a text is no name, or NULL. */
static const char *problem_of(const log_text *name)
{
    if (name->length == 0)
        return "the name is empty";
    if (memchr(name->text, '\0', name->length))
        return "the name has a control character; remove it";
    return segue_utf8_is_valid(name->text, name->length) ? NULL : "the name is not UTF-8";
}

static segue_status check_new_name(const reader *r, log_column column, const names *list,
                                   segue_error *err)
{
    const size_t max = column == LOG_TASK ? SEGUE_MAX_LOG_TASKS : SEGUE_MAX_ARMS;
    if (list->count > max)
        return fail_at(r, column, SEGUE_EDOMAIN, "there are too many different names", err);
    return segue_utf8_has_control(list->name[list->count - 1])
               ? fail_at(r, column, SEGUE_EPARSE, "the name has a control character; remove it",
                         err)
               : SEGUE_OK;
}

static segue_status read_name(reader *r, log_column column, const log_text *name, names *list,
                              size_t *number, segue_error *err)
{
    const size_t before = list->count;
    const char *problem = problem_of(name);
    if (problem)
        return fail_at(r, column, SEGUE_EPARSE, problem, err);
    SEGUE_TRY(copy_name(r, name, err));
    SEGUE_TRY(segue_string_table_intern(list, r->text, name->length, number, err));
    return list->count > before ? check_new_name(r, column, list, err) : SEGUE_OK;
}

/* ---- numbers ----------------------------------------------------------------------------- */

static segue_status read_reward(const reader *r, double *out, segue_error *err)
{
    const double lowest = r->options->lowest, highest = r->options->highest;
    const double reward = r->table->reward[r->row] + 0.0; /* no -0 */
    if (!(reward >= lowest && reward <= highest))
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s, row %zu: field 'reward': %g is out of range; need %g to %g, or "
                          "another range",
                          r->table->name, r->row + 1, reward, lowest, highest);
    r->out->lowest = fmin(r->out->lowest, reward);
    r->out->highest = fmax(r->out->highest, reward);
    *out = lowest != 0.0 || highest != 1.0 ? fmin(1.0, (reward - lowest) / (highest - lowest))
                                           : reward;
    return SEGUE_OK;
}

static segue_status read_numbers(const reader *r, log_row *row, segue_error *err)
{
    SEGUE_TRY(read_reward(r, &row->reward, err));
    if (r->out->has_time)
        row->time = r->table->time[r->row];
    if (!r->out->has_probability)
        return SEGUE_OK;
    row->probability = r->table->probability[r->row];
    return row->probability > 0.0 && row->probability <= 1.0
               ? SEGUE_OK
               : fail_at(r, LOG_PROBABILITY, SEGUE_EDOMAIN,
                         "a probability is out of range; need more than 0, at most 1", err);
}

/* ---- rows -------------------------------------------------------------------------------- */

/* Return the first column without a value in the current row, or LOG_N_COLUMNS. */
static log_column find_missing(const reader *r)
{
    const log_table *t = r->table;
    if (!t->task[r->row].text)
        return LOG_TASK;
    if (!t->arm[r->row].text)
        return LOG_ARM;
    if (isnan(t->reward[r->row]))
        return LOG_REWARD;
    if (r->out->has_time && isnan(t->time[r->row]))
        return LOG_TIME;
    return r->out->has_probability && isnan(t->probability[r->row]) ? LOG_PROBABILITY
                                                                    : LOG_N_COLUMNS;
}

static segue_status read_row(reader *r, log_row_callback on_row, void *context, segue_error *err)
{
    log_row row = {.task = 0};
    const log_column missing = find_missing(r);
    if (missing < LOG_N_COLUMNS && !r->options->skip_missing)
        return fail_at(r, missing, SEGUE_EPARSE,
                       "the value is missing; skip such rows, or give the value", err);
    if (missing < LOG_N_COLUMNS) {
        r->out->skipped.missing[missing]++;
        return SEGUE_OK;
    }
    SEGUE_TRY(read_name(r, LOG_TASK, &r->table->task[r->row], &r->out->tasks, &row.task, err));
    SEGUE_TRY(read_name(r, LOG_ARM, &r->table->arm[r->row], &r->out->arms, &row.arm, err));
    SEGUE_TRY(read_numbers(r, &row, err));
    SEGUE_TRY(on_row(context, &row, err));
    r->out->n_rows++;
    return SEGUE_OK;
}

static segue_status check_rows(const reader *r, segue_error *err)
{
    if (r->out->n_rows == 0)
        return segue_fail(err, SEGUE_EPARSE, "%s: there is no row with a reward", r->table->name);
    if (r->out->arms.count < SEGUE_MIN_ARMS)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s: there is only one arm, '%.40s'; need at least %d", r->table->name,
                          r->out->arms.name[0], SEGUE_MIN_ARMS);
    return segue_log_rows_order_arms(r->out, err);
}

segue_status segue_log_table_read(log_rows *out, const log_read_options *options,
                                  log_row_callback on_row, void *context, segue_error *err)
{
    const log_table *table = options->table;
    reader r = {.table = table, .options = options, .out = out};
    segue_status status = SEGUE_OK;
    *out = (log_rows){.lowest = INFINITY,
                      .highest = -INFINITY,
                      .has_time = options->time && table->time,
                      .has_probability = options->probability && table->probability,
                      .has_dates = table->has_dates};
    for (; r.row < table->n_rows && status == SEGUE_OK; r.row++) {
        status = read_row(&r, on_row, context, err);
        if (status == SEGUE_OK && r.row % SEGUE_LOG_ROWS_PER_CHECK == 0)
            status = segue_stop_check(options->stop, err);
    }
    if (status == SEGUE_OK)
        status = check_rows(&r, err);
    free(r.text);
    if (status != SEGUE_OK)
        segue_log_rows_fini(out);
    return status;
}
