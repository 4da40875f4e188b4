/* types_serialize.c - types as bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "estimate/types/types_internal.h"
#include "estimate/types/types_read.h"

#define MAX_COUNT     1e300 /* pulls that count: finite, and their sums too */
#define MAX_SUM_ERROR 1e-9  /* of the sum of the weights from 1 */

/* ---- the mixture ------------------------------------------------------------------------- */

static void serialize_mixture(const mixture *mix, segue_bytes *b)
{
    segue_bytes_append_u64(b, mix->n_types);
    segue_bytes_append_f64(b, mix->weight, mix->n_types + 1);
    for (size_t q = 1; q <= mix->n_types; q++)
        segue_bytes_append_u64(b, mix->last[q]);
    for (size_t n = 1; n <= mix->n_types; n++)
        segue_bytes_append_u64(b, mix->numbered[n]);
    for (size_t at = mix->n_arms; at < (mix->n_types + 1) * mix->n_arms; at++) {
        segue_bytes_append_f64(b, &mix->won[at], 1);
        segue_bytes_append_f64(b, &mix->pulls[at], 1);
        segue_bytes_append_u64(b, mix->spread[at]);
    }
}

static bool deserialize_weights(mixture *mix, segue_bytes_reader *r)
{
    double sum = 0.0;
    bool is_right = segue_bytes_read_finite(r, mix->weight, mix->n_types + 1);
    for (size_t q = 0; q <= mix->n_types; q++) {
        is_right = is_right && mix->weight[q] > 0.0;
        sum += mix->weight[q];
    }
    return is_right && fabs(sum - 1.0) < MAX_SUM_ERROR &&
           (mix->n_types == 0 || mix->weight[0] < 1.0);
}

/* Each type has one number. */
static bool deserialize_numbers(mixture *mix, segue_bytes_reader *r)
{
    bool is_numbered[SEGUE_MAX_FITTED_TYPES + 1] = {true}, is_right = true;
    for (size_t n = 1; n <= mix->n_types; n++) {
        const uint64_t type = segue_bytes_read_u64(r);
        is_right = is_right && type <= mix->n_types && !is_numbered[type];
        mix->numbered[n] = is_right ? (size_t)type : 0;
        is_numbered[mix->numbered[n]] = true;
    }
    return is_right;
}

static bool deserialize_arm(mixture *mix, size_t type, size_t arm, segue_bytes_reader *r)
{
    double known[2];
    segue_bytes_read_f64(r, known, 2);
    const uint64_t spread = segue_bytes_read_u64(r);
    if (!(known[0] >= 0.0 && known[0] <= MAX_COUNT && known[1] >= 0.0 && known[1] <= MAX_COUNT &&
          spread < N_SPREADS))
        return false;
    segue_mixture_set(mix, type, arm, known[0], known[1], (size_t)spread);
    return true;
}

static bool deserialize_mixture(mixture *mix, segue_bytes_reader *r, uint64_t finished)
{
    const uint64_t n_types = segue_bytes_read_u64(r);
    if (n_types > mix->cap)
        return false;
    mix->n_types = (size_t)n_types;
    bool is_right = deserialize_weights(mix, r);
    for (size_t q = 1; q <= mix->n_types; q++) {
        mix->last[q] = segue_bytes_read_count(r);
        is_right = is_right && mix->last[q] <= finished;
    }
    is_right = deserialize_numbers(mix, r) && is_right;
    for (size_t k = 0; k < mix->n_types * mix->n_arms && is_right; k++)
        is_right = deserialize_arm(mix, 1 + k / mix->n_arms, k % mix->n_arms, r);
    return is_right;
}

/* ---- all --------------------------------------------------------------------------------- */

void segue_types_serialize(const segue_types *types, segue_bytes *b)
{
    segue_bytes_append_u64(b, types->finished);
    segue_bytes_append_u64(b, types->fit_at);
    segue_bytes_append_u64(b, types->fitted);
    segue_bytes_append_u64(b, types->is_due);
    segue_bytes_append_f64(b, &types->no_type, 1);
    segue_bytes_append_f64(b, &types->alarm, 1);
    serialize_mixture(&types->mix, b);
    segue_task_window_serialize(&types->tasks, b);
}

static bool deserialize_schedule(segue_types *types, segue_bytes_reader *r)
{
    types->finished = segue_bytes_read_count(r);
    types->fit_at = segue_bytes_read_count(r);
    types->fitted = segue_bytes_read_count(r);
    types->is_due = segue_bytes_read_u64(r) != 0;
    segue_bytes_read_f64(r, &types->no_type, 1);
    segue_bytes_read_f64(r, &types->alarm, 1);
    return !r->failed && types->fitted <= types->finished && types->no_type >= 0.0 &&
           types->no_type <= 1.0 && types->alarm >= 0.0 && isfinite(types->alarm);
}

/* No task is newer than the last one. */
static bool are_numbered(const segue_types *types)
{
    const task_window *tasks = &types->tasks;
    return tasks->count == 0 ||
           segue_task_window_number(tasks, tasks->count - 1) <= types->finished;
}

segue_status segue_types_deserialize(segue_types *types, segue_bytes_reader *r, segue_error *err)
{
    if (!deserialize_schedule(types, r) || !deserialize_mixture(&types->mix, r, types->finished))
        return segue_fail(err, SEGUE_EDOMAIN, "invalid types in saved learner");
    const segue_status status = segue_task_window_deserialize(&types->tasks, r, err);
    if (status == SEGUE_OK && (!are_numbered(types) || r->failed))
        return segue_fail(err, SEGUE_EDOMAIN, "invalid finished task in saved learner");
    return status;
}
