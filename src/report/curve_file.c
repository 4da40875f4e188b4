/* curve_file.c - read the CSV file of 'segue simulate --curve'.
 *
 * Its columns are policy, task, mean and se, in this order.  A standard error is empty where there
 * is one run.  The curve of 'segue run' has other columns: the error names its JSON, which
 * 'segue plot' reads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/curve_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/text/csv.h"
#include "segue/internal.h"
#include "segue/number.h"

static const char *const columns[] = {"policy", "task", "mean", "se"};
enum { POLICY, TASK, MEAN, SE, N_COLUMNS };

typedef struct reader {
    segue_csv csv;
    segue_curve_file *curve;
    size_t policies_capacity, rows_capacity;
} reader;

void segue_curve_file_fini(segue_curve_file *curve)
{
    for (size_t i = 0; i < curve->n_policies; i++)
        free(curve->policy[i]);
    free(curve->policy);
    free(curve->row);
    *curve = (segue_curve_file){.n_rows = 0};
}

/* Grow a block for one more element; false: out of memory. */
static bool grow(void **block, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    const size_t more = *capacity ? 2 * *capacity : 64;
    void *larger = realloc(*block, more * size);
    if (!larger)
        return false;
    *block = larger;
    *capacity = more;
    return true;
}

/* Find a policy by its name, or add it; n_policies: out of memory. */
static size_t find_policy(reader *r, const char *name)
{
    segue_curve_file *curve = r->curve;
    for (size_t i = 0; i < curve->n_policies; i++)
        if (strcmp(curve->policy[i], name) == 0)
            return i;
    void *block = curve->policy;
    const bool grown = grow(&block, curve->n_policies, &r->policies_capacity, sizeof(char *));
    curve->policy = block;
    char *copy = grown ? strdup(name) : NULL;
    if (!copy)
        return curve->n_policies;
    curve->policy[curve->n_policies] = copy;
    return curve->n_policies++;
}

static segue_status read_number(reader *r, size_t column, double *out, segue_error *err)
{
    const char *text = segue_csv_field(&r->csv, column);
    *out = NAN;
    if (column == SE && *text == '\0')
        return SEGUE_OK;
    if (segue_number_parse_double(text, out, NULL) != SEGUE_OK)
        return segue_fail(err, SEGUE_EPARSE,
                          "%s:%" PRIu64 ": column '%s' is '%.40s'; need a number",
                          segue_csv_path(&r->csv), segue_csv_line(&r->csv), columns[column], text);
    return SEGUE_OK;
}

static segue_status read_row(void *context, segue_error *err)
{
    reader *r = context;
    segue_curve_file *curve = r->curve;
    segue_curve_row row = {.policy = 0};
    if (segue_csv_n_fields(&r->csv) != N_COLUMNS)
        return segue_fail(err, SEGUE_EPARSE, "%s:%" PRIu64 ": has %zu columns; need %d",
                          segue_csv_path(&r->csv), segue_csv_line(&r->csv),
                          segue_csv_n_fields(&r->csv), N_COLUMNS);
    SEGUE_TRY(read_number(r, SE, &row.se, err));
    SEGUE_TRY(read_number(r, MEAN, &row.mean, err));
    SEGUE_TRY(read_number(r, TASK, &row.task, err));
    row.policy = find_policy(r, segue_csv_field(&r->csv, POLICY));
    void *block = curve->row;
    const bool grown = grow(&block, curve->n_rows, &r->rows_capacity, sizeof row);
    curve->row = block;
    if (!grown || row.policy == curve->n_policies)
        return segue_fail_no_memory(err, "the curve");
    curve->row[curve->n_rows++] = row;
    return SEGUE_OK;
}

static bool has_columns(const segue_csv *csv)
{
    bool same = segue_csv_n_fields(csv) == N_COLUMNS;
    for (size_t i = 1; same && i <= N_COLUMNS; i++)
        same = strcmp(segue_csv_field(csv, N_COLUMNS - i), columns[N_COLUMNS - i]) == 0;
    return same;
}

static segue_status read_rows(reader *r, segue_error *err)
{
    bool more = false;
    uint64_t rows = 0;
    SEGUE_TRY(segue_csv_next(&r->csv, &more, err));
    if (!more || !has_columns(&r->csv))
        return segue_fail(err, SEGUE_EPARSE,
                          "%s: is neither JSON of 'segue run' nor CSV of 'segue simulate --curve', "
                          "with the columns policy, task, mean, se",
                          segue_csv_path(&r->csv));
    SEGUE_TRY(segue_csv_for_each(&r->csv, read_row, r, &rows, err));
    return rows ? SEGUE_OK
                : segue_fail(err, SEGUE_EDOMAIN, "%s: has no rows; need one or more",
                             segue_csv_path(&r->csv));
}

segue_status segue_curve_file_read(segue_curve_file *curve, const char *path, segue_error *err)
{
    reader r = {.curve = curve};
    *curve = (segue_curve_file){.n_rows = 0};
    SEGUE_TRY(segue_csv_open(&r.csv, path, err));
    const segue_status status = read_rows(&r, err);
    segue_csv_close(&r.csv);
    return status;
}
