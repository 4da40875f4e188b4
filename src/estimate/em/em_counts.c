/* em_counts.c - the likeliest point models of the task window, from several starts.
 *
 * EM climbs to the local maximum next to its start.  It starts from the answer of the moments, and
 * from the last fit or, at a first fit, from a few random tasks.  The best start after TRIAL
 * iterations continues to the end.  (With 500 tasks of 15 pulls per arm, the start of the moments
 * alone misses a model in a few logs of a hundred; with random starts beside it, in none.  Later
 * fits gain nothing from random starts.)
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/em/em_counts.h"

#include <math.h>
#include <string.h>

#include "core/stop.h"
#include "estimate/em/point_em.h"

#define RANDOM_STARTS  8
#define TRIAL          30 /* iterations from each start; then the best continues */
#define MAX_ITERATIONS 2000

segue_status segue_em_counts_add(em_counts *c, const double *sum, const double *pulls,
                                 segue_error *err)
{
    if (!segue_task_window_accepts(c->tasks.n_arms, sum, pulls))
        return segue_fail(err, SEGUE_EDOMAIN, "a task's sums are not in 0 to its pulls");
    const segue_status status = segue_task_window_reserve(&c->tasks, 1, err);
    if (status == SEGUE_OK)
        segue_task_window_add(&c->tasks, ++c->added, sum, pulls);
    return status;
}

/* Copy the models to the answer. */
static void store_answer(em_counts *c, const point_em *em, double *mean, double *weight)
{
    c->log_likelihood = em->log_likelihood;
    c->certainty = em->certainty;
    memcpy(mean, em->mean, em->m * em->n_arms * sizeof *mean);
    memcpy(weight, em->weight, em->m * sizeof *weight);
}

/* Iterate TRIAL times, and store the models if they are the likeliest so far. */
static void try_start(em_counts *c, point_em *em, double *mean, double *weight)
{
    segue_point_em_run(em, TRIAL);
    c->iterations += em->iterations;
    c->starts++;
    if (c->starts == 1 || em->log_likelihood > c->log_likelihood)
        store_answer(c, em, mean, weight);
}

segue_status segue_em_counts_fit(em_counts *c, size_t m, const em_start *starts, size_t n_starts,
                                 segue_rng *rng, double *mean, double *weight, segue_error *err)
{
    point_em em;
    const segue_status status = segue_point_em_init(&em, &c->tasks, m, err);
    if (status != SEGUE_OK)
        return status;
    em.stop = c->stop;
    c->iterations = c->starts = 0;
    for (size_t s = 0; s < n_starts && !segue_stop_requested(c->stop); s++) {
        segue_point_em_start(&em, starts[s].mean, starts[s].weight);
        try_start(c, &em, mean, weight);
    }
    for (size_t s = 0; rng && s < RANDOM_STARTS && !segue_stop_requested(c->stop); s++) {
        segue_point_em_draw(&em, rng);
        try_start(c, &em, mean, weight);
    }
    segue_point_em_resume(&em, mean, weight);
    segue_point_em_run(&em, MAX_ITERATIONS);
    c->iterations += em.iterations;
    store_answer(c, &em, mean, weight);
    segue_point_em_fini(&em);
    return segue_stop_check(c->stop, err);
}

/* ---- serialize --------------------------------------------------------------------------- */

void segue_em_counts_serialize(const em_counts *c, segue_bytes *b)
{
    const double numbers[] = {c->log_likelihood, c->certainty};
    segue_bytes_append_u64(b, c->added);
    segue_bytes_append_u64(b, c->iterations);
    segue_bytes_append_u64(b, c->starts);
    segue_bytes_append_f64(b, numbers, 2);
    segue_task_window_serialize(&c->tasks, b);
}

segue_status segue_em_counts_deserialize(em_counts *c, segue_bytes_reader *r, segue_error *err)
{
    double numbers[2];
    c->added = segue_bytes_read_count(r);
    c->iterations = segue_bytes_read_count(r);
    c->starts = segue_bytes_read_count(r);
    segue_bytes_read_f64(r, numbers, 2);
    c->log_likelihood = numbers[0];
    c->certainty = numbers[1];
    const segue_status status = segue_task_window_deserialize(&c->tasks, r, err);
    if (status != SEGUE_OK)
        return status;
    const size_t count = c->tasks.count;
    if (!isfinite(numbers[0]) || !isfinite(numbers[1]) ||
        (count > 0 && segue_task_window_number(&c->tasks, count - 1) != c->added))
        return segue_fail(err, SEGUE_EDOMAIN, "invalid counts in saved learner");
    return SEGUE_OK;
}
