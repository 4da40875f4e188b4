/* log.c - read a log of rewards into three batches for each task and arm.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/log.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/csv.h"
#include "io/names.h"
#include "segue/models.h"
#include "segue/number.h"

#define MOST_TASKS 100000000

enum { TASK, ARM, REWARD, N_COLUMNS };

typedef struct reading {
    segue_csv *csv;
    size_t column[N_COLUMNS];
    size_t n_fields;
    double lowest, highest;
    names tasks, arms;
    log_task *cells; /* capacity of tasks */
    size_t capacity;
    uint64_t n_rows;
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

/* A list of `size`-byte entries grown from `count` to `wanted`, the new ones zero; NULL: no memory,
 * and the old list stays. */
static void *grow(void *list, size_t count, size_t wanted, size_t size)
{
    char *grown = realloc(list, wanted * size);
    if (grown)
        memset(grown + count * size, 0, (wanted - count) * size);
    return grown;
}

/* The cell of a task and arm. */
static segue_status find_cell(reading *r, size_t task, size_t arm, log_cell **out, segue_error *err)
{
    if (task >= r->capacity) {
        const size_t capacity = 2 * task + 64;
        log_task *grown = grow(r->cells, r->capacity, capacity, sizeof *grown);
        if (!grown)
            return segue_fail(err, SEGUE_ENOMEM, "%s:%" PRIu64 ": out of memory", AT(r));
        r->cells = grown;
        r->capacity = capacity;
    }
    log_task *entry = &r->cells[task];
    if (arm >= entry->n_cells) {
        const size_t wanted = arm + 1 > r->arms.count ? arm + 1 : r->arms.count;
        log_cell *grown = grow(entry->cells, entry->n_cells, wanted, sizeof *grown);
        if (!grown)
            return segue_fail(err, SEGUE_ENOMEM, "%s:%" PRIu64 ": out of memory", AT(r));
        entry->cells = grown;
        entry->n_cells = wanted;
    }
    *out = &entry->cells[arm];
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
    log_cell *cell = NULL;
    if (segue_csv_fields(r->csv) != r->n_fields)
        return segue_fail(err, SEGUE_EPARSE,
                          "%s:%" PRIu64 ": the row has %zu fields; the header has %zu", AT(r),
                          segue_csv_fields(r->csv), r->n_fields);
    segue_status status = read_name(r, TASK, "task", &r->tasks, MOST_TASKS, &task, err);
    if (status == SEGUE_OK)
        status = read_name(r, ARM, "arm", &r->arms, SEGUE_MAX_ARMS, &arm, err);
    if (status == SEGUE_OK)
        status = read_reward(r, &reward, err);
    if (status == SEGUE_OK)
        status = find_cell(r, task, arm, &cell, err);
    if (status != SEGUE_OK)
        return status;
    const uint64_t before = (uint64_t)cell->count[0] + cell->count[1] + cell->count[2];
    cell->sum[before % 3] += reward;
    cell->count[before % 3]++;
    return SEGUE_OK;
}

static segue_status read_rows(reading *r, segue_error *err)
{
    segue_status status = segue_csv_each(r->csv, read_row, r, &r->n_rows, err);
    if (status == SEGUE_OK && r->n_rows == 0)
        status = segue_fail(err, SEGUE_EPARSE, "%s: there is no reward below the header",
                            segue_csv_path(r->csv));
    if (status == SEGUE_OK && r->arms.count < SEGUE_MIN_ARMS)
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
static bool order_arms(const names *arms, size_t *place)
{
    numbered *list = calloc(arms->count, sizeof *list);
    bool numbers = true;
    if (!list)
        return false;
    for (size_t i = 0; i < arms->count; i++) {
        list[i].place = place[i] = i;
        numbers = numbers && segue_parse_double(arms->name[i], &list[i].value, NULL) == SEGUE_OK;
    }
    if (numbers)
        qsort(list, arms->count, sizeof *list, by_value);
    for (size_t i = 0; i < arms->count && numbers; i++)
        place[i] = list[i].place;
    free(list);
    return true;
}

/* ---- the whole --------------------------------------------------------------------------- */

static void free_cells(log_task *tasks, size_t count)
{
    for (size_t i = 0; tasks && i < count; i++)
        free(tasks[i].cells);
    free(tasks);
}

static segue_status make(reading *r, segue_log *out, segue_error *err)
{
    const size_t n_arms = r->arms.count;
    names *index = calloc(2, sizeof *index);
    out->arm_name = calloc(n_arms, sizeof *out->arm_name);
    out->arm_place = calloc(n_arms, sizeof *out->arm_place);
    if (!index || !out->arm_name || !out->arm_place || !order_arms(&r->arms, out->arm_place)) {
        free(index);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", n_arms);
    }
    for (size_t i = 0; i < n_arms; i++)
        out->arm_name[i] = r->arms.name[out->arm_place[i]];
    for (size_t i = 0; i < r->tasks.count; i++)
        r->cells[i].name = r->tasks.name[i];
    index[0] = r->tasks;
    index[1] = r->arms;
    out->index = index;
    out->n_arms = n_arms;
    out->n_tasks = r->tasks.count;
    out->n_rows = r->n_rows;
    out->tasks = r->cells;
    r->tasks = r->arms = (names){.count = 0};
    r->cells = NULL;
    return SEGUE_OK;
}

segue_status segue_log_read(segue_log *out, const char *path, double lowest, double highest,
                            segue_error *err)
{
    reading r = {.lowest = lowest, .highest = highest};
    *out = (segue_log){.n_arms = 0};
    if (!(highest > lowest))
        return segue_fail(err, SEGUE_EDOMAIN, "rewards from %g to %g: need a growing range", lowest,
                          highest);
    segue_status status = segue_csv_open(&r.csv, path, err);
    if (status == SEGUE_OK)
        status = read_header(&r, err);
    if (status == SEGUE_OK)
        status = read_rows(&r, err);
    if (status == SEGUE_OK)
        status = make(&r, out, err);
    segue_csv_close(r.csv);
    free_cells(r.cells, r.capacity);
    segue_names_fini(&r.tasks);
    segue_names_fini(&r.arms);
    if (status != SEGUE_OK)
        segue_log_fini(out);
    return status;
}

void segue_log_fini(segue_log *log)
{
    names *index = log->index;
    free_cells(log->tasks, log->n_tasks);
    free(log->arm_name);
    free(log->arm_place);
    if (index) {
        segue_names_fini(&index[0]);
        segue_names_fini(&index[1]);
    }
    free(index);
    *log = (segue_log){.n_arms = 0};
}

bool segue_log_views(const segue_log *log, size_t task, double *views)
{
    const log_task *entry = &log->tasks[task];
    for (size_t arm = 0; arm < log->n_arms; arm++) {
        const size_t place = log->arm_place[arm];
        for (size_t batch = 0; batch < 3; batch++) {
            if (place >= entry->n_cells || entry->cells[place].count[batch] == 0)
                return false;
            views[batch * log->n_arms + arm] =
                entry->cells[place].sum[batch] / entry->cells[place].count[batch];
        }
    }
    return true;
}

void segue_log_counts(const segue_log *log, size_t task, double *sum, double *pulls)
{
    const log_task *entry = &log->tasks[task];
    const log_cell none = {.sum = {0.0}};
    for (size_t arm = 0; arm < log->n_arms; arm++) {
        const size_t place = log->arm_place[arm];
        const log_cell *cell = place < entry->n_cells ? &entry->cells[place] : &none;
        sum[arm] = cell->sum[0] + cell->sum[1] + cell->sum[2];
        pulls[arm] = (double)cell->count[0] + (double)cell->count[1] + (double)cell->count[2];
    }
}
