/* models_file.c - read a model set from CSV.
 *
 * weight,left,right     the header; 'weight' is optional and comes first
 * 1,0.9,0.4             one model per row: a weight and a mean per arm
 * 1,0.2,0.8
 *
 * The header names the arms and is validated first: names are unique, printable UTF-8. Each row is
 * validated as it is read, so that errors name file, line and field; segue_models_create checks
 * what concerns the whole set. Known models have means in [0, 1]; estimated ones may exceed it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/models_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/text/csv.h"
#include "io/utf8.h"
#include "segue/internal.h"
#include "segue/number.h"

typedef struct reader {
    segue_csv csv;
    segue_models_kind kind;
    bool has_weights;
    size_t n_arms, n_models;
    size_t capacity; /* of models */
    double *mean;
    double *weight;
    char **arm_name;
} reader;

#define AT(r) segue_csv_path(&(r)->csv), segue_csv_line(&(r)->csv)

/* ---- header ------------------------------------------------------------------------------ */

static bool is_number(const char *text)
{
    double ignored;
    return segue_number_parse_double(text, &ignored, NULL) == SEGUE_OK;
}

/* A file without a header would lose its first model: a first line of numbers is an error. */
static segue_status check_header(reader *r, segue_error *err)
{
    const size_t n_fields = segue_csv_n_fields(&r->csv);
    bool all_numbers = true;
    for (size_t i = 0; i < n_fields; i++)
        all_numbers = all_numbers && is_number(segue_csv_field(&r->csv, i));
    if (all_numbers)
        return segue_fail(err, SEGUE_EPARSE,
                          "%s:%" PRIu64 ": the header is missing; the first line must name the "
                          "arms, as in 'weight,left,right'",
                          AT(r));
    r->has_weights = strcmp(segue_csv_field(&r->csv, 0), "weight") == 0;
    r->n_arms = n_fields - r->has_weights;
    if (r->n_arms < SEGUE_MIN_ARMS || r->n_arms > SEGUE_MAX_ARMS)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s:%" PRIu64 ": the header names %zu arm%s; need %d to %d", AT(r),
                          r->n_arms, r->n_arms == 1 ? "" : "s", SEGUE_MIN_ARMS, SEGUE_MAX_ARMS);
    return SEGUE_OK;
}

/* `segue estimate` calls it too, for the names that it is about to write. */
const char *segue_models_file_arm_problem(const char *name)
{
    if (*name == '\0')
        return "an arm has no name";
    if (strcmp(name, "weight") == 0)
        return "'weight' must be the first column, and cannot name an arm";
    if (strcasecmp(name, "weight") == 0)
        return "is it the 'weight' column? write that in small letters";
    if (*name == ' ' || name[strlen(name) - 1] == ' ')
        return "the name begins or ends with a blank";
    if (segue_utf8_has_control(name))
        return "the name has a control character";
    return segue_utf8_is_valid(name, strlen(name)) ? NULL : "the name is not UTF-8";
}

static segue_status check_name(const reader *r, size_t field, const char *name, segue_error *err)
{
    const char *wrong = segue_models_file_arm_problem(name);
    if (wrong)
        return segue_fail(err, SEGUE_EPARSE, "%s:%" PRIu64 ": field %zu: %s", AT(r), field + 1,
                          wrong);
    return SEGUE_OK;
}

static segue_status no_memory(const reader *r, segue_error *err)
{
    return segue_fail(err, SEGUE_ENOMEM, "%s: out of memory for %zu arms", segue_csv_path(&r->csv),
                      r->n_arms);
}

static segue_status copy_names(reader *r, segue_error *err)
{
    r->arm_name = calloc(r->n_arms, sizeof *r->arm_name);
    if (!r->arm_name)
        return no_memory(r, err);
    for (size_t arm = 0; arm < r->n_arms; arm++) {
        const size_t field = arm + r->has_weights;
        const char *name = segue_csv_field(&r->csv, field);
        SEGUE_TRY(check_name(r, field, name, err));
        r->arm_name[arm] = strdup(name);
        if (!r->arm_name[arm])
            return no_memory(r, err);
    }
    return SEGUE_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sort to compare neighbours: K log K instead of K^2, for thousands of arms. */
static segue_status check_duplicates(const reader *r, segue_error *err)
{
    const char **sorted = calloc(r->n_arms, sizeof *sorted);
    if (!sorted)
        return no_memory(r, err);
    for (size_t arm = 0; arm < r->n_arms; arm++)
        sorted[arm] = r->arm_name[arm];
    qsort(sorted, r->n_arms, sizeof *sorted, by_name);
    segue_status status = SEGUE_OK;
    for (size_t i = 1; i < r->n_arms && status == SEGUE_OK; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            status = segue_fail(err, SEGUE_EPARSE,
                                "%s:%" PRIu64 ": two arms are named '%.60s'; need different names",
                                AT(r), sorted[i]);
    free(sorted);
    return status;
}

static segue_status read_header(reader *r, segue_error *err)
{
    bool more = false;
    SEGUE_TRY(segue_csv_next(&r->csv, &more, err));
    if (!more)
        return segue_fail(err, SEGUE_EPARSE, "%s: the file is empty; need a header and a model",
                          segue_csv_path(&r->csv));
    SEGUE_TRY(check_header(r, err));
    SEGUE_TRY(copy_names(r, err));
    return check_duplicates(r, err);
}

/* ---- rows -------------------------------------------------------------------------------- */

/* Grow by doubling. Both arrays stay valid if the second allocation fails. */
static segue_status reserve_row(reader *r, segue_error *err)
{
    if (r->n_models == SEGUE_MAX_MODELS)
        return segue_fail(err, SEGUE_EDOMAIN, "%s:%" PRIu64 ": more than %d models", AT(r),
                          SEGUE_MAX_MODELS);
    if (r->n_models < r->capacity)
        return SEGUE_OK;
    const size_t capacity = 2 * r->capacity + 8;
    double *mean = realloc(r->mean, capacity * r->n_arms * sizeof *mean);
    if (mean)
        r->mean = mean;
    double *weight = realloc(r->weight, capacity * sizeof *weight);
    if (weight)
        r->weight = weight;
    if (!mean || !weight)
        return segue_fail(err, SEGUE_ENOMEM, "%s:%" PRIu64 ": out of memory", AT(r));
    r->capacity = capacity;
    return SEGUE_OK;
}

static segue_status read_field(reader *r, size_t field, const char *name, double *out,
                               segue_error *err)
{
    segue_error inner;
    const segue_status status =
        segue_number_parse_double(segue_csv_field(&r->csv, field), out, &inner);
    if (status != SEGUE_OK)
        return segue_fail(err, status, "%s:%" PRIu64 ": field '%.60s': %s", AT(r), name,
                          inner.message);
    return SEGUE_OK;
}

static segue_status read_weight(reader *r, segue_error *err)
{
    double *weight = &r->weight[r->n_models];
    *weight = 1.0;
    if (!r->has_weights)
        return SEGUE_OK;
    SEGUE_TRY(read_field(r, 0, "weight", weight, err));
    if (!(*weight >= 0.0))
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s:%" PRIu64 ": field 'weight': %g is negative; need a number >= 0",
                          AT(r), *weight);
    return SEGUE_OK;
}

/* The negated test also rejects NaN. */
static segue_status read_mean(reader *r, size_t arm, segue_error *err)
{
    double *mean = &r->mean[r->n_models * r->n_arms + arm];
    SEGUE_TRY(read_field(r, arm + r->has_weights, r->arm_name[arm], mean, err));
    if (r->kind == SEGUE_MODELS_KNOWN && !(*mean >= 0.0 && *mean <= 1.0))
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s:%" PRIu64 ": field '%.60s': the mean %g is out of range; need 0 to 1",
                          AT(r), r->arm_name[arm], *mean);
    return SEGUE_OK;
}

static segue_status read_row(void *context, segue_error *err)
{
    reader *r = context;
    const size_t n_fields = segue_csv_n_fields(&r->csv), expected = r->n_arms + r->has_weights;
    if (n_fields != expected)
        return segue_fail(err, SEGUE_EPARSE,
                          "%s:%" PRIu64 ": the row has %zu field%s; the header has %zu", AT(r),
                          n_fields, n_fields == 1 ? "" : "s", expected);
    SEGUE_TRY(reserve_row(r, err));
    SEGUE_TRY(read_weight(r, err));
    for (size_t arm = 0; arm < r->n_arms; arm++)
        SEGUE_TRY(read_mean(r, arm, err));
    r->n_models++;
    return SEGUE_OK;
}

static segue_status read_rows(reader *r, segue_error *err)
{
    uint64_t rows = 0;
    SEGUE_TRY(segue_csv_for_each(&r->csv, read_row, r, &rows, err));
    if (r->n_models == 0)
        return segue_fail(err, SEGUE_EPARSE,
                          "%s: there is no model below the header; need one row per model",
                          segue_csv_path(&r->csv));
    return SEGUE_OK;
}

/* ---- model set --------------------------------------------------------------------------- */

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
}

/* The names move from the reader to `out`. */
static segue_status create_models(reader *r, segue_models_file *out, segue_error *err)
{
    segue_error inner;
    const segue_status status = segue_models_create(&out->models, r->kind, r->n_arms, r->n_models,
                                                    r->mean, r->weight, &inner);
    if (status != SEGUE_OK)
        return segue_fail(err, status, "%s: %s", segue_csv_path(&r->csv), inner.message);
    out->arm_name = r->arm_name;
    out->n_arms = r->n_arms;
    r->arm_name = NULL;
    return SEGUE_OK;
}

static segue_status read_all(reader *r, const char *path, segue_models_file *out, segue_error *err)
{
    SEGUE_TRY(segue_csv_open(&r->csv, path, err));
    SEGUE_TRY(read_header(r, err));
    SEGUE_TRY(read_rows(r, err));
    return create_models(r, out, err);
}

segue_status segue_models_file_read(segue_models_file *out, const char *path,
                                    segue_models_kind kind, segue_error *err)
{
    reader r = {.kind = kind};
    *out = (segue_models_file){.models = NULL};
    const segue_status status = read_all(&r, path, out, err);
    segue_csv_close(&r.csv);
    free(r.mean);
    free(r.weight);
    free_names(r.arm_name, r.n_arms);
    return status;
}

void segue_models_file_fini(segue_models_file *file)
{
    segue_models_destroy(file->models);
    free_names(file->arm_name, file->n_arms);
    *file = (segue_models_file){.models = NULL};
}
