/* estimator_serialize.c - an estimator as bytes, and copies of it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "estimate/estimator_state.h"

void segue_estimator_serialize(const segue_estimator *est, segue_bytes *b)
{
    const fit *f = &est->fit;
    const segue_estimate_info *info = &est->info;
    const double numbers[] = {info->noise, info->residual, info->weight_sum};
    segue_bytes_append_u64(b, est->models != NULL);
    segue_bytes_append_u64(b, est->outcome);
    segue_bytes_append_u64(b, est->used);
    segue_bytes_append_u64(b, est->cold_at);
    segue_bytes_append_u64(b, info->n_tasks);
    segue_bytes_append_u64(b, info->iterations);
    segue_bytes_append_u64(b, info->starts);
    segue_bytes_append_u64(b, info->warm);
    segue_bytes_append_f64(b, numbers, 3);
    segue_spectral_serialize(&f->s, b);
    segue_bytes_append_f64(b, f->lambda, f->m);
    if (est->models) {
        segue_bytes_append_f64(b, est->models->mean, f->m * f->n_arms);
        segue_bytes_append_f64(b, est->models->weight, f->m);
    }
    if (est->method->info.uses_counts)
        segue_em_counts_serialize(&est->counts, b);
}

static void deserialize_info(segue_estimator *est, segue_bytes_reader *r)
{
    const fit *f = &est->fit;
    double numbers[3];
    est->info =
        (segue_estimate_info){.n_arms = f->n_arms, .n_models = f->m, .eigenvalue = f->s.eigenvalue};
    est->info.n_tasks = segue_bytes_read_count(r);
    est->info.iterations = segue_bytes_read_count(r);
    est->info.starts = segue_bytes_read_count(r);
    est->info.warm = segue_bytes_read_u64(r) != 0;
    segue_bytes_read_f64(r, numbers, 3);
    est->info.noise = numbers[0];
    est->info.residual = numbers[1];
    est->info.weight_sum = numbers[2];
    segue_spectral_deserialize(&est->fit.s, r);
    est->info.n_eigenvalues = f->s.n_values;
    segue_bytes_read_f64(r, f->lambda, f->m);
}

static segue_status deserialize_models(segue_estimator *est, segue_bytes_reader *r,
                                       segue_error *err)
{
    const fit *f = &est->fit;
    segue_bytes_read_f64(r, f->mean, f->m * f->n_arms);
    segue_bytes_read_f64(r, est->weight, f->m);
    const segue_status status = segue_models_create(&est->models, SEGUE_MODELS_ESTIMATED, f->n_arms,
                                                    f->m, f->mean, est->weight, err);
    if (status == SEGUE_OK) /* normalised already: use the bits of the file */
        memcpy(est->models->weight, est->weight, f->m * sizeof *est->weight);
    return status;
}

static segue_status deserialize_counts(segue_estimator *est, segue_bytes_reader *r,
                                       segue_error *err)
{
    const segue_status status = segue_em_counts_deserialize(&est->counts, r, err);
    if (status == SEGUE_OK && est->info.found)
        segue_estimator_set_em_info(est);
    return status;
}

segue_status segue_estimator_deserialize(segue_estimator *est, segue_bytes_reader *r,
                                         segue_error *err)
{
    const bool found = segue_bytes_read_u64(r) != 0;
    const uint64_t outcome = segue_bytes_read_u64(r);
    est->used = segue_bytes_read_count(r);
    est->cold_at = segue_bytes_read_count(r);
    deserialize_info(est, r);
    est->info.found = found;
    if (outcome > FOUND || found != (outcome == FOUND))
        return segue_fail(err, SEGUE_EDOMAIN, "invalid outcome in saved learner");
    est->outcome = (outcome_kind)outcome;
    segue_models_destroy(est->models);
    est->models = NULL;
    const segue_status status = found ? deserialize_models(est, r, err) : SEGUE_OK;
    return status == SEGUE_OK && est->method->info.uses_counts ? deserialize_counts(est, r, err)
                                                               : status;
}

/* ---- copy, swap -------------------------------------------------------------------------- */

static segue_status copy_bytes(segue_estimator *est, const segue_bytes *b, segue_error *err)
{
    segue_bytes_reader r = {.data = b->data, .size = b->size};
    return b->failed ? segue_fail(err, SEGUE_ENOMEM, "out of memory to copy an estimator")
                     : segue_estimator_deserialize(est, &r, err);
}

segue_status segue_estimator_copy(segue_estimator **out, const segue_estimator *from,
                                  segue_error *err)
{
    segue_bytes b = {.data = NULL};
    segue_status status = segue_estimator_create(out, &from->config, err);
    if (status != SEGUE_OK)
        return status;
    segue_estimator_serialize(from, &b);
    status = copy_bytes(*out, &b, err);
    segue_bytes_fini(&b);
    if (status == SEGUE_OK)
        return SEGUE_OK;
    segue_estimator_destroy(*out);
    *out = NULL;
    return status;
}

static void swap_tasks(em_counts *a, em_counts *b)
{
    const task_window tasks = a->tasks;
    const uint64_t added = a->added;
    a->tasks = b->tasks;
    a->added = b->added;
    b->tasks = tasks;
    b->added = added;
}

void segue_estimator_swap(segue_estimator *a, segue_estimator *b)
{
    const segue_estimator one = *a;
    *a = *b;
    *b = one;
    a->fit.config = &a->config;
    b->fit.config = &b->config;
    swap_tasks(&a->counts, &b->counts);
}
