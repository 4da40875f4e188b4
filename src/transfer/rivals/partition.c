/* partition.c - a Dirichlet-process mixture of tasks, sampled by collapsed Gibbs.
 *
 * Tasks of a cluster have the same means. A mean has the base measure Beta(1, 1), the partition a
 * Chinese-restaurant prior of concentration alpha. With the means integrated out (Neal 2000,
 * algorithm 3), a task belongs to cluster c with a probability proportional to n_c times the
 * Beta-binomial probability of its rewards given those of the cluster's other tasks, and to a new
 * cluster in proportion to alpha times that given nothing. Sums are updated as tasks move, and
 * recounted now and then: a saved partition continues bit for bit.
 * Cost of a sweep: tasks x clusters x n_arms values of the log Beta function.
 * SPDX-License-Identifier: Apache-2.0 */
#include "transfer/rivals/partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/math/exp.h"
#include "core/math/ln.h"
#include "core/math/log_gamma.h"
#include "core/random/rng_sample.h"

enum { MAX = SEGUE_MAX_CLUSTERS };

static size_t n_arms_of(const segue_partition *p)
{
    return p->tasks.n_arms;
}

/* ---- create ------------------------------------------------------------------------------ */

void segue_partition_destroy(segue_partition *p)
{
    if (!p)
        return;
    segue_task_window_fini(&p->tasks);
    free(p->cluster);
    free(p->a);
    free(p);
}

segue_status segue_partition_create(segue_partition **out, size_t n_arms, size_t window,
                                    double alpha, segue_error *err)
{
    segue_partition *p = *out = calloc(1, sizeof *p);
    if (!p)
        return segue_fail_no_memory(err, "a partition of tasks");
    segue_task_window_init(&p->tasks, n_arms, window);
    p->alpha = alpha;
    p->cluster = calloc(window, sizeof *p->cluster);
    p->a = calloc((size_t)2 * MAX * n_arms, sizeof *p->a);
    if (!p->cluster || !p->a) {
        segue_partition_destroy(p);
        *out = NULL;
        return segue_fail_no_memory(err, "a partition of tasks");
    }
    p->b = p->a + MAX * n_arms;
    segue_partition_recount(p);
    return SEGUE_OK;
}

segue_status segue_partition_copy(segue_partition **out, const segue_partition *from, size_t n_arms,
                                  segue_error *err)
{
    SEGUE_TRY(segue_partition_create(out, n_arms, from->tasks.window, from->alpha, err));
    const segue_status status = segue_task_window_copy(&(*out)->tasks, &from->tasks, err);
    if (status != SEGUE_OK) {
        segue_partition_destroy(*out);
        *out = NULL;
        return status;
    }
    memcpy((*out)->cluster, from->cluster, from->tasks.count * sizeof *from->cluster);
    segue_partition_recount(*out);
    return SEGUE_OK;
}

size_t segue_partition_count(const segue_partition *p)
{
    size_t count = 0;
    for (size_t c = 0; c < MAX; c++)
        count += p->size[c] > 0.0;
    return count;
}

size_t segue_partition_bytes(const segue_partition *p)
{
    return sizeof *p + segue_task_window_bytes(&p->tasks) + p->tasks.window * sizeof *p->cluster +
           (size_t)2 * MAX * n_arms_of(p) * sizeof *p->a;
}

/* ---- sums -------------------------------------------------------------------------------- */

/* Set an empty cluster to the base measure: no rounding of earlier tasks stays. */
static void clear(segue_partition *p, size_t c)
{
    const size_t n_arms = n_arms_of(p);
    p->size[c] = 0.0;
    for (size_t i = c * n_arms; i < (c + 1) * n_arms; i++)
        p->a[i] = p->b[i] = 1.0;
}

/* Add task k `sign` times, 1 or -1, to a cluster. */
static void move(segue_partition *p, size_t k, size_t c, double sign)
{
    const double *sum = segue_task_window_sum(&p->tasks, k);
    const double *pulls = segue_task_window_pulls(&p->tasks, k);
    double *a = p->a + c * n_arms_of(p), *b = p->b + c * n_arms_of(p);
    p->size[c] += sign;
    for (size_t i = 0; i < n_arms_of(p); i++) {
        a[i] = fmax(1.0, a[i] + sign * sum[i]);
        b[i] = fmax(1.0, b[i] + sign * (pulls[i] - sum[i]));
    }
    if (p->size[c] < 0.5)
        clear(p, c);
}

void segue_partition_recount(segue_partition *p)
{
    for (size_t c = 0; c < MAX; c++)
        clear(p, c);
    for (size_t k = 0; k < p->tasks.count; k++)
        move(p, k, p->cluster[k], 1.0);
}

/* ---- Gibbs ------------------------------------------------------------------------------- */

static size_t first_unused(const segue_partition *p)
{
    size_t c = 0;
    while (c < MAX && p->size[c] > 0.0)
        c++;
    return c;
}

/* Draw a cluster for task k, which is in none, and put it there. */
static void draw(segue_partition *p, size_t k, segue_rng *rng)
{
    const size_t n_arms = n_arms_of(p), fresh = first_unused(p);
    const double *sum = segue_task_window_sum(&p->tasks, k);
    const double *pulls = segue_task_window_pulls(&p->tasks, k);
    double weight[MAX], largest = -INFINITY;
    for (size_t c = 0; c < MAX; c++) {
        weight[c] = -INFINITY;
        if (p->size[c] > 0.0 || c == fresh)
            weight[c] =
                segue_ln(c == fresh ? p->alpha : p->size[c]) +
                segue_log_beta_ratios(p->a + c * n_arms, p->b + c * n_arms, sum, pulls, n_arms);
        largest = fmax(largest, weight[c]);
    }
    for (size_t c = 0; c < MAX; c++)
        weight[c] = segue_exp(weight[c] - largest);
    p->cluster[k] = segue_rng_index(rng, weight, MAX);
    move(p, k, p->cluster[k], 1.0);
}

void segue_partition_sweep(segue_partition *p, segue_rng *rng)
{
    for (size_t k = 0; k < p->tasks.count; k++) {
        move(p, k, p->cluster[k], -1.0);
        draw(p, k, rng);
    }
    segue_partition_recount(p);
}

segue_status segue_partition_add(segue_partition *p, uint64_t number, const double *sum,
                                 const double *pulls, segue_rng *rng, segue_error *err)
{
    SEGUE_TRY(segue_task_window_reserve(&p->tasks, 1, err));
    if (p->tasks.count == p->tasks.window) {
        move(p, 0, p->cluster[0], -1.0);
        memmove(p->cluster, p->cluster + 1, (p->tasks.window - 1) * sizeof *p->cluster);
    }
    segue_task_window_add(&p->tasks, number, sum, pulls);
    draw(p, p->tasks.count - 1, rng);
    segue_partition_recount(p);
    return SEGUE_OK;
}

/* ---- saving ------------------------------------------------------------------------------ */

void segue_partition_serialize(const segue_partition *p, segue_bytes *b)
{
    segue_task_window_serialize(&p->tasks, b);
    for (size_t k = 0; k < p->tasks.count; k++)
        segue_bytes_append_u64(b, p->cluster[k]);
}

segue_status segue_partition_deserialize(segue_partition *p, segue_bytes_reader *r,
                                         segue_error *err)
{
    SEGUE_TRY(segue_task_window_deserialize(&p->tasks, r, err));
    for (size_t k = 0; k < p->tasks.count; k++) {
        const uint64_t cluster = segue_bytes_read_u64(r);
        if (cluster >= MAX)
            return segue_fail(err, SEGUE_EDOMAIN, "invalid cluster of task %zu in saved learner",
                              k + 1);
        p->cluster[k] = (size_t)cluster;
    }
    segue_partition_recount(p);
    return SEGUE_OK;
}
