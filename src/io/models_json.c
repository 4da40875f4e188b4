/* models_json.c - model sets in JSON: {"means": [[...], ...], "weights": [...]}.
 *
 * Numbers are written with all their bits, so that a set that is read back gives the same results.
 * Experiments contain model sets in this form, and so do results, which can then be repeated
 * without the CSV file.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/models_json.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_build.h"
#include "segue/internal.h"

/* Means and weights in one allocation; weight is NULL if there are none. */
typedef struct numbers {
    size_t n_models, n_arms;
    double *mean, *weight;
} numbers;

static segue_status read_row(const segue_json_location *at, const char *field, const json_t *row,
                             double *out, size_t count, segue_error *err)
{
    if (json_array_size(row) != count)
        return segue_json_fail(at, field, err, "a list has %zu numbers; need %zu",
                               json_array_size(row), count);
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(row, i);
        if (!json_is_number(value))
            return segue_json_fail(at, field, err, "holds %s; need numbers",
                                   segue_json_kind(value));
        out[i] = json_number_value(value);
    }
    return SEGUE_OK;
}

static segue_status read_numbers(const segue_json_location *at, const char *field,
                                 const json_t *means, const json_t *weights, numbers *n,
                                 segue_error *err)
{
    n->n_models = json_array_size(means);
    n->n_arms = json_array_size(json_array_get(means, 0));
    if (n->n_models == 0 || n->n_models > SEGUE_MAX_MODELS || n->n_arms > SEGUE_MAX_ARMS)
        return segue_json_fail(at, field, err, "need 1 to %d lists of %d to %d means",
                               SEGUE_MAX_MODELS, SEGUE_MIN_ARMS, SEGUE_MAX_ARMS);
    n->mean = calloc(n->n_models * (n->n_arms + 1) + 1, sizeof *n->mean);
    if (!n->mean)
        return segue_fail_no_memory(err, "a model set");
    for (size_t k = 0; k < n->n_models; k++)
        SEGUE_TRY(
            read_row(at, field, json_array_get(means, k), n->mean + k * n->n_arms, n->n_arms, err));
    if (!weights)
        return SEGUE_OK;
    n->weight = n->mean + n->n_models * n->n_arms;
    return read_row(at, field, weights, n->weight, n->n_models, err);
}

/* Restore weights that sum to 1 up to rounding: segue_models_create has normalized them again. */
static void restore_weights(segue_models *models, const double *weight)
{
    double sum = 0.0;
    for (size_t k = 0; weight && k < models->n_models; k++)
        sum += weight[k];
    if (weight && fabs(sum - 1.0) <= (double)models->n_models * DBL_EPSILON)
        memcpy(models->weight, weight, models->n_models * sizeof *weight);
}

segue_status segue_models_json_parse(segue_models **out, const segue_json_location *at,
                                     const char *field, json_t *value, segue_error *err)
{
    static const char *const fields[] = {"means", "weights"};
    numbers n = {.mean = NULL};
    segue_error why = {.status = SEGUE_OK};
    *out = NULL;
    if (!json_is_object(value))
        return segue_json_fail(at, field, err,
                               "is %s; need the name of a CSV file, or {\"means\": [[...], ...]}",
                               segue_json_kind(value));
    segue_status status = segue_json_check_keys(at, value, fields, 2, err);
    if (status == SEGUE_OK)
        status = read_numbers(at, field, json_object_get(value, "means"),
                              json_object_get(value, "weights"), &n, err);
    if (status == SEGUE_OK) {
        status = segue_models_create(out, SEGUE_MODELS_KNOWN, n.n_arms, n.n_models, n.mean,
                                     n.weight, &why);
        if (status != SEGUE_OK)
            status = segue_json_fail_cause(at, field, &why, err);
        else
            restore_weights(*out, n.weight);
    }
    free(n.mean);
    return status;
}

json_t *segue_models_json_build(const segue_models *models)
{
    json_t *means = json_array();
    for (size_t k = 0; k < models->n_models; k++)
        means =
            segue_json_append(means, segue_json_exact(segue_models_row(models, k), models->n_arms));
    return json_pack("{s:o, s:o}", "means", means, "weights",
                     segue_json_exact(models->weight, models->n_models));
}
