/* sampler_serialize.c - a sampler as bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "core/fail.h"
#include "estimate/sampler/sampler_internal.h"

#define MAX_COUNT     1e12 /* pulls that count: 131073 x 65536, and a + b of a Beta */
#define MIN_TOTAL     1e-6 /* a + b of a Beta */
#define MIN_ALPHA     1e-6 /* of the process ... */
#define MAX_ALPHA     1e6  /* ... wider than any that is drawn */
#define MAX_SUM_ERROR 1e-9 /* of the sum of the weights from 1 */

/* ---- numbers ----------------------------------------------------------------------------- */

void segue_sampler_serialize(const segue_sampler *s, segue_bytes *b)
{
    const type_table *t = &s->types;
    segue_bytes_append_u64(b, s->finished);
    segue_bytes_append_u64(b, s->fitted);
    segue_bytes_append_u64(b, s->next_id);
    const double numbers[] = {s->alpha, s->unlike, s->judged, s->pulls};
    segue_bytes_append_f64(b, numbers, sizeof numbers / sizeof *numbers);
    segue_bytes_append_f64(b, s->memory, N_HALF_LIVES);
    segue_bytes_append_u64(b, s->kappas.count);
    segue_bytes_append_f64(b, s->kappas.log_share, s->kappas.count);
    segue_bytes_append_u64(b, t->n_types);
    for (size_t c = 0; c < t->n_types; c++)
        segue_bytes_append_u64(b, t->id[c]);
    for (size_t at = 0; at < t->n_types * t->n_arms; at++) {
        const double arm[] = {t->won[at], t->pulls[at], t->play_a[at], t->play_b[at]};
        segue_bytes_append_f64(b, arm, sizeof arm / sizeof *arm);
        segue_bytes_append_u64(b, t->kappa[at]);
    }
    segue_task_window_serialize(&s->tasks, b);
    for (size_t l = 0; l < s->tasks.count; l++)
        segue_bytes_append_u64(b, s->type_of[l]);
}

void segue_sampler_serialize_features(const segue_sampler *s, segue_bytes *b)
{
    segue_feature_table_serialize(&s->features, s->tasks.count, b);
}

segue_status segue_sampler_deserialize_features(segue_sampler *s, segue_bytes_reader *r,
                                                segue_error *err)
{
    return segue_feature_table_deserialize(&s->features, s->tasks.count, s->capacity, r, err);
}

static bool deserialize_numbers(segue_sampler *s, segue_bytes_reader *r)
{
    double numbers[4], total = 0.0;
    bool is_right = true;
    s->finished = segue_bytes_read_count(r);
    s->fitted = segue_bytes_read_count(r);
    s->next_id = segue_bytes_read_count(r);
    is_right = segue_bytes_read_finite(r, numbers, 4);
    is_right = segue_bytes_read_finite(r, s->memory, N_HALF_LIVES) && is_right;
    s->alpha = numbers[0];
    s->unlike = numbers[1];
    s->judged = numbers[2];
    s->pulls = numbers[3];
    for (size_t h = 0; h < N_HALF_LIVES; h++) {
        is_right = is_right && s->memory[h] > 0.0;
        total += s->memory[h];
    }
    return is_right && !r->failed && s->fitted <= s->finished && s->alpha >= MIN_ALPHA &&
           s->alpha <= MAX_ALPHA && s->unlike >= 1.0 && s->judged >= s->unlike && s->pulls >= 0.0 &&
           fabs(total - 1.0) < MAX_SUM_ERROR;
}

static bool deserialize_kappas(kappas *k, segue_bytes_reader *r)
{
    const uint64_t count = segue_bytes_read_u64(r);
    if (count < 1 || count > N_KAPPAS)
        return false;
    k->count = (size_t)count;
    for (size_t g = 0; g < N_KAPPAS; g++)
        k->log_share[g] = -INFINITY;
    bool is_right = segue_bytes_read_finite(r, k->log_share, k->count);
    for (size_t g = 0; g < k->count; g++)
        is_right = is_right && k->log_share[g] <= 0.0;
    return is_right;
}

/* ---- types ------------------------------------------------------------------------------- */

static bool deserialize_arm(type_table *t, size_t type, size_t arm, segue_bytes_reader *r)
{
    double known[4];
    const size_t at = type * t->n_arms + arm;
    bool is_right = segue_bytes_read_finite(r, known, 4);
    const uint64_t kappa = segue_bytes_read_u64(r);
    for (size_t k = 0; k < 4; k++)
        is_right = is_right && known[k] >= 0.0 && known[k] <= MAX_COUNT;
    const double total = known[2] + known[3], mean = known[2] / total;
    if (!is_right || known[0] > known[1] || !(total >= MIN_TOTAL) || !(mean > 0.0) ||
        !(mean < 1.0) || kappa >= N_KAPPAS)
        return false;
    segue_type_table_set(t, type, arm, known[0], known[1], (size_t)kappa);
    t->play_a[at] = known[2];
    t->play_b[at] = known[3];
    return true;
}

static bool deserialize_types(segue_sampler *s, segue_bytes_reader *r)
{
    type_table *t = &s->types;
    const uint64_t n_types = segue_bytes_read_u64(r);
    if (n_types > MAX_SAMPLED_TYPES)
        return false;
    t->n_types = (size_t)n_types;
    bool is_right = true;
    for (size_t c = 0; c < t->n_types; c++) {
        t->id[c] = segue_bytes_read_count(r);
        t->size[c] = 0.0;
        is_right = is_right && t->id[c] > 0 && t->id[c] < s->next_id;
        for (size_t d = 0; d < c; d++)
            is_right = is_right && t->id[d] != t->id[c];
    }
    for (size_t at = 0; at < t->n_types * t->n_arms && is_right; at++)
        is_right = deserialize_arm(t, at / t->n_arms, at % t->n_arms, r);
    return is_right;
}

/* Every task has a type, every type a task, and no task is newer than the last one. */
static bool deserialize_partition(segue_sampler *s, segue_bytes_reader *r)
{
    bool is_right = s->tasks.count == 0 ||
                    segue_task_window_number(&s->tasks, s->tasks.count - 1) <= s->finished;
    for (size_t l = 0; l < s->tasks.count && is_right; l++) {
        const uint64_t type = segue_bytes_read_u64(r);
        is_right = type < s->types.n_types;
        s->type_of[l] = is_right ? (uint32_t)type : 0;
        s->types.size[s->type_of[l]] += 1.0;
    }
    for (size_t c = 0; c < s->types.n_types; c++)
        is_right = is_right && s->types.size[c] > 0.0;
    return is_right && !r->failed;
}

segue_status segue_sampler_deserialize(segue_sampler *s, segue_bytes_reader *r, segue_error *err)
{
    if (!deserialize_numbers(s, r) || !deserialize_kappas(&s->kappas, r) ||
        !deserialize_types(s, r))
        return segue_fail(err, SEGUE_EDOMAIN, "invalid types in saved learner");
    SEGUE_TRY(segue_task_window_deserialize(&s->tasks, r, err));
    SEGUE_TRY(segue_sampler_reserve(s, 0, err));
    if (!deserialize_partition(s, r))
        return segue_fail(err, SEGUE_EDOMAIN, "invalid type of a task in saved learner");
    segue_sampler_recent_update(s);
    return SEGUE_OK;
}
