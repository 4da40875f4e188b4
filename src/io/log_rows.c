/* log_rows.c - the rows of a log, `task,arm,reward`, read strictly, one by one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/log_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/csv.h"
#include "segue/models.h"
#include "segue/number.h"

#define MOST_TASKS 100000000

enum { TASK, ARM, REWARD, N_COLUMNS };

typedef struct reading {
    segue_csv *csv;
    size_t column[N_COLUMNS];
    size_t n_fields;
    double lowest, highest;
    log_rows *out;
    reward_function take;
    void *context;
} reading;

#define AT(r) segue_csv_path((r)->csv), segue_csv_line((r)->csv)

static segue_status read_header(reading *r, segue_error *err)
{
    static const char *const wanted[N_COLUMNS] = {"task", "arm", "reward"};
    bool more = false;
    const segue_status status = segue_csv_next(r->csv, &more, err);
    if (status != SEGUE_OK)
        return status;
    if (!more)
        return segue_fail(err, SEGUE_EPARSE, "%s: the file is empty; need a header and rewards",
                          segue_csv_path(r->csv));
    r->n_fields = segue_csv_fields(r->csv);
    for (size_t c = 0; c < N_COLUMNS; c++) {
        size_t i = 0;
        while (i < r->n_fields && strcmp(segue_csv_field(r->csv, i), wanted[c]) != 0)
            i++;
        if (i == r->n_fields)
            return segue_fail(err, SEGUE_EPARSE,
                              "%s:%" PRIu64 ": the header has no column '%s'; need task, arm and "
                              "reward",
                              AT(r), wanted[c]);
        for (size_t k = i + 1; k < r->n_fields; k++)
            if (strcmp(segue_csv_field(r->csv, k), wanted[c]) == 0)
                return segue_fail(err, SEGUE_EPARSE, "%s:%" PRIu64 ": two columns are named '%s'",
                                  AT(r), wanted[c]);
        r->column[c] = i;
    }
    return SEGUE_OK;
}

static segue_status read_name(reading *r, size_t column, const char *what, names *list, size_t most,
                              size_t *number, segue_error *err)
{
    const char *name = segue_csv_field(r->csv, r->column[column]);
    if (*name == '\0' || !segue_is_utf8(name))
        return segue_fail(err, SEGUE_EPARSE, "%s:%" PRIu64 ": field '%s': %s", AT(r), what,
                          *name ? "the name is not UTF-8" : "there is no name");
    const segue_status status = segue_names_find(list, name, number, err);
    if (status == SEGUE_OK && list->count > most)
        return segue_fail(err, SEGUE_EDOMAIN, "%s:%" PRIu64 ": field '%s': more than %zu of them",
                          AT(r), what, most);
    return status;
}

static segue_status read_reward(const reading *r, double *out, segue_error *err)
{
    segue_error inner;
    const segue_status status =
        segue_parse_double(segue_csv_field(r->csv, r->column[REWARD]), out, &inner);
    if (status != SEGUE_OK)
        return segue_fail(err, status, "%s:%" PRIu64 ": field 'reward': %s", AT(r), inner.message);
    if (!(*out >= r->lowest && *out <= r->highest))
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s:%" PRIu64 ": field 'reward': %g is out of range; need %g to %g",
                          AT(r), *out, r->lowest, r->highest);
    *out = fmin(1.0, (*out - r->lowest) / (r->highest - r->lowest));
    return SEGUE_OK;
}

static segue_status read_row(void *context, segue_error *err)
{
    reading *r = context;
    size_t task = 0, arm = 0;
    double reward = 0.0;
    if (segue_csv_fields(r->csv) != r->n_fields)
        return segue_fail(err, SEGUE_EPARSE,
                          "%s:%" PRIu64 ": the row has %zu fields; the header has %zu", AT(r),
                          segue_csv_fields(r->csv), r->n_fields);
    segue_status status = read_name(r, TASK, "task", &r->out->tasks, MOST_TASKS, &task, err);
    if (status == SEGUE_OK)
        status = read_name(r, ARM, "arm", &r->out->arms, SEGUE_MAX_ARMS, &arm, err);
    if (status == SEGUE_OK)
        status = read_reward(r, &reward, err);
    return status == SEGUE_OK ? r->take(r->context, task, arm, reward, err) : status;
}

static segue_status read_rows(reading *r, segue_error *err)
{
    segue_status status = segue_csv_each(r->csv, read_row, r, &r->out->n_rows, err);
    if (status == SEGUE_OK && r->out->n_rows == 0)
        status = segue_fail(err, SEGUE_EPARSE, "%s: there is no reward below the header",
                            segue_csv_path(r->csv));
    if (status == SEGUE_OK && r->out->arms.count < SEGUE_MIN_ARMS)
        status = segue_fail(err, SEGUE_EDOMAIN, "%s: there is only one arm; need at least %d",
                            segue_csv_path(r->csv), SEGUE_MIN_ARMS);
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
    size_t *place = out->arm_place = calloc(arms->count, sizeof *place);
    bool numbers = true;
    if (!list || !place) {
        free(list);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", arms->count);
    }
    for (size_t i = 0; i < arms->count; i++) {
        list[i].place = place[i] = i;
        numbers = numbers && segue_parse_double(arms->name[i], &list[i].value, NULL) == SEGUE_OK;
    }
    if (numbers)
        qsort(list, arms->count, sizeof *list, by_value);
    for (size_t i = 0; i < arms->count && numbers; i++)
        place[i] = list[i].place;
    free(list);
    return SEGUE_OK;
}

/* ---- the whole --------------------------------------------------------------------------- */

segue_status segue_log_rows_read(log_rows *out, const char *path, double lowest, double highest,
                                 reward_function take, void *context, segue_error *err)
{
    reading r = {
        .lowest = lowest, .highest = highest, .out = out, .take = take, .context = context};
    *out = (log_rows){.n_rows = 0};
    if (!(highest > lowest))
        return segue_fail(err, SEGUE_EDOMAIN, "rewards from %g to %g: need a growing range", lowest,
                          highest);
    segue_status status = segue_csv_open(&r.csv, path, err);
    if (status == SEGUE_OK)
        status = read_header(&r, err);
    if (status == SEGUE_OK)
        status = read_rows(&r, err);
    if (status == SEGUE_OK)
        status = order_arms(out, err);
    segue_csv_close(r.csv);
    if (status != SEGUE_OK)
        segue_log_rows_fini(out);
    return status;
}

void segue_log_rows_fini(log_rows *rows)
{
    segue_names_fini(&rows->tasks);
    segue_names_fini(&rows->arms);
    free(rows->arm_place);
    *rows = (log_rows){.n_rows = 0};
}
