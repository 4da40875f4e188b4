/* moments.c - running sums of the products of views.
 *
 * M2 = 1/j sum v1 (x) v2 and M3 = 1/j sum v1 (x) v2 (x) v3 (Azar, Lazaric and Brunskill 2013,
 * equation 4); `symmetric` takes all pairs of views for M2.  (M3 is symmetrised after whitening in
 * either case, which is the same as taking all triples.)  A task costs O(n_arms^3) up to
 * SEGUE_MAX_DENSE_ARMS arms; above, its views are stored
 * (view_store.c).
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/moments.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/linalg/linalg.h"
#include "estimate/estimator_internal.h"
#include "estimate/view_store.h"

#define MAX_WEIGHT 1e12 /* of one task: sums of many stay finite */

struct segue_moments {
    size_t n_arms;
    segue_views views;
    uint64_t n_tasks;
    double weight; /* sum of the weights */
    double *first; /* n_arms */
    /* up to SEGUE_MAX_DENSE_ARMS arms: */
    double *second; /* n_arms x n_arms, not symmetric */
    double *third;  /* n_arms^3 */
    /* above: */
    view_store store;
};

static bool is_dense(const segue_moments *moments)
{
    return moments->n_arms <= SEGUE_MAX_DENSE_ARMS;
}

static segue_status make_sums(segue_moments *moments, segue_error *err)
{
    const size_t n = moments->n_arms;
    moments->first = calloc(n, sizeof *moments->first);
    if (moments->first && is_dense(moments)) {
        moments->second = calloc(n * n, sizeof *moments->second);
        moments->third = calloc(n * n * n, sizeof *moments->third);
    }
    if (moments->first && !is_dense(moments))
        return segue_view_store_init(&moments->store, n, moments->views, err);
    if (!moments->first || !moments->second || !moments->third)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the moments of %zu arms", n);
    return SEGUE_OK;
}

segue_status segue_moments_create(segue_moments **out, size_t n_arms, segue_views views,
                                  segue_error *err)
{
    *out = NULL;
    if (n_arms < SEGUE_MIN_ARMS || n_arms > SEGUE_MAX_ARMS)
        return segue_fail(err, SEGUE_EDOMAIN, "n_arms is %zu; need %d to %d", n_arms,
                          SEGUE_MIN_ARMS, SEGUE_MAX_ARMS);
    if (views != SEGUE_VIEWS_PAPER && views != SEGUE_VIEWS_SYMMETRIC)
        return segue_fail(err, SEGUE_EDOMAIN, "there are no views %d", (int)views);
    segue_moments *moments = calloc(1, sizeof *moments);
    if (!moments)
        return segue_fail_no_memory(err, "moments");
    moments->n_arms = n_arms;
    moments->views = views;
    const segue_status status = make_sums(moments, err);
    if (status != SEGUE_OK) {
        segue_moments_destroy(moments);
        return status;
    }
    *out = moments;
    return SEGUE_OK;
}

size_t segue_moments_bytes(const segue_moments *moments)
{
    const size_t n = moments->n_arms;
    return sizeof *moments + n * sizeof(double) +
           (is_dense(moments) ? (n * n + n * n * n) * sizeof(double)
                              : segue_view_store_bytes(&moments->store));
}

void segue_moments_destroy(segue_moments *moments)
{
    if (!moments)
        return;
    free(moments->first);
    free(moments->second);
    free(moments->third);
    segue_view_store_fini(&moments->store);
    free(moments);
}

uint64_t segue_moments_tasks(const segue_moments *moments)
{
    return moments->n_tasks;
}

double segue_moments_weight(const segue_moments *moments)
{
    return moments->weight;
}

size_t segue_moments_arms(const segue_moments *moments)
{
    return moments->n_arms;
}

/* ---- add --------------------------------------------------------------------------------- */

static void add_outer(double *sum, size_t n, double scale, const double *x, const double *y)
{
    for (size_t i = 0; i < n; i++) {
        const double left = scale * x[i];
        for (size_t k = 0; k < n; k++)
            sum[i * n + k] += left * y[k];
    }
}

static void add_third(double *sum, size_t n, double weight, const double *views)
{
    const double *x = views, *y = views + n, *z = views + 2 * n;
    for (size_t i = 0; i < n; i++)
        add_outer(sum + i * n * n, n, weight * x[i], y, z);
}

static void add_second(segue_moments *moments, const double *views, double weight)
{
    const size_t n = moments->n_arms;
    const double *x = views, *y = views + n, *z = views + 2 * n;
    if (moments->views == SEGUE_VIEWS_PAPER) {
        add_outer(moments->second, n, weight, x, y);
        return;
    }
    add_outer(moments->second, n, weight / 3.0, x, y);
    add_outer(moments->second, n, weight / 3.0, x, z);
    add_outer(moments->second, n, weight / 3.0, y, z);
}

/* Add to the first moment, the weight and the count. */
static void add_first(segue_moments *moments, const double *views, double weight)
{
    const size_t n = moments->n_arms;
    for (size_t i = 0; i < n; i++)
        moments->first[i] += weight * (views[i] + views[n + i] + views[2 * n + i]) / 3.0;
    moments->weight += weight;
    moments->n_tasks++;
}

segue_status segue_moments_add(segue_moments *moments, const double *views, double weight,
                               segue_error *err)
{
    const size_t n = moments->n_arms;
    if (!(weight >= 0.0 && weight <= MAX_WEIGHT))
        return segue_fail(err, SEGUE_EDOMAIN, "the weight of a task is %g; need a number >= 0",
                          weight);
    for (size_t i = 0; i < 3 * n; i++)
        if (!(fabs(views[i]) <= SEGUE_MAX_ABS_MEAN)) /* also catches NaN */
            return segue_fail(err, SEGUE_EDOMAIN, "view %zu of arm %zu is %g; need a mean",
                              i / n + 1, i % n + 1, views[i]);
    const segue_status status =
        is_dense(moments) ? SEGUE_OK : segue_view_store_reserve(&moments->store, 1, err);
    if (status != SEGUE_OK)
        return status;
    add_first(moments, views, weight);
    if (!is_dense(moments)) {
        segue_view_store_add(&moments->store, views, weight);
        return SEGUE_OK;
    }
    add_second(moments, views, weight);
    add_third(moments->third, n, weight, views);
    return SEGUE_OK;
}

double segue_moments_task_weight(const uint64_t *pulls, size_t n_arms)
{
    double sum = 0.0;
    for (size_t i = 0; i < n_arms; i++)
        sum += 3.0 / (double)pulls[i];
    return (double)n_arms / sum;
}

static void add_all(double *sum, const double *more, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum[i] += more[i];
}

/* Add the tasks of a view store, one by one. */
static segue_status merge_stored_views(segue_moments *moments, const view_store *other,
                                       segue_error *err)
{
    double *views = calloc(3 * moments->n_arms, sizeof *views);
    if (!views)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to merge moments");
    const uint64_t count = other->n_tasks; /* `other` may be these moments themselves */
    const segue_status status = segue_view_store_reserve(&moments->store, count, err);
    for (uint64_t t = 0; t < count && status == SEGUE_OK; t++) {
        const double weight = segue_view_store_task(other, t, views);
        add_first(moments, views, weight);
        segue_view_store_add(&moments->store, views, weight);
    }
    free(views);
    return status;
}

segue_status segue_moments_merge(segue_moments *moments, const segue_moments *other,
                                 segue_error *err)
{
    const size_t n = moments->n_arms;
    if (other->n_arms != n || other->views != moments->views)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "moments of %zu and of %zu arms, or of other views, "
                          "do not add up",
                          n, other->n_arms);
    if (!is_dense(moments) && moments->n_tasks > 0)
        return merge_stored_views(moments, &other->store, err);
    const segue_status status =
        is_dense(moments) ? SEGUE_OK : segue_view_store_copy(&moments->store, &other->store, err);
    if (status != SEGUE_OK)
        return status;
    add_all(moments->first, other->first, n);
    moments->weight += other->weight;
    moments->n_tasks += other->n_tasks;
    if (is_dense(moments)) {
        add_all(moments->second, other->second, n * n);
        add_all(moments->third, other->third, n * n * n);
    }
    return SEGUE_OK;
}

/* ---- read -------------------------------------------------------------------------------- */

void segue_moments_first(const segue_moments *moments, double *m1)
{
    for (size_t i = 0; i < moments->n_arms; i++)
        m1[i] = moments->first[i] / moments->weight;
}

static void scale_all(double *x, size_t count, double weight)
{
    for (size_t i = 0; i < count; i++)
        x[i] /= weight;
}

segue_status segue_moments_second(const segue_moments *moments, double *m2, segue_error *err)
{
    const size_t n = moments->n_arms;
    segue_status status = SEGUE_OK;
    if (!is_dense(moments))
        status = segue_view_store_second(&moments->store, m2, err);
    for (size_t i = 0; i < n && is_dense(moments); i++)
        for (size_t k = 0; k < n; k++)
            m2[i * n + k] = 0.5 * (moments->second[i * n + k] + moments->second[k * n + i]);
    scale_all(m2, n * n, moments->weight);
    return status;
}

segue_status segue_moments_apply(const segue_moments *moments, const double *x, size_t m, double *y,
                                 segue_error *err)
{
    assert(!is_dense(moments));
    const segue_status status = segue_view_store_apply(&moments->store, x, m, y, err);
    scale_all(y, moments->n_arms * m, moments->weight);
    return status;
}

/* The squared Frobenius norm of the antisymmetric part of the sum. */
static double antisymmetric_norm2(const segue_moments *moments)
{
    const size_t n = moments->n_arms;
    double squares = 0.0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            const double odd = 0.5 * (moments->second[i * n + k] - moments->second[k * n + i]);
            squares += odd * odd;
        }
    return squares;
}

double segue_moments_noise(const segue_moments *moments)
{
    const double square = is_dense(moments) ? antisymmetric_norm2(moments)
                                            : segue_view_store_antisymmetric_norm2(&moments->store);
    return fmin(1.0, 2.0 / sqrt((double)moments->n_arms)) * sqrt(square) / moments->weight;
}

/* M3(U, U, U) by three products: the last index, then the middle one, then the first. */
static segue_status contract_stored(const segue_moments *moments, const double *u, size_t m,
                                    double *tensor, segue_error *err)
{
    const size_t n = moments->n_arms;
    double *last = calloc(n * n * m + n * m * m, sizeof *last);
    if (!last)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to contract the third moment");
    double *middle = last + n * n * m;
    segue_linalg_multiply(n * n, n, m, moments->third, u, last);
    for (size_t i = 0; i < n; i++)
        segue_linalg_multiply_left(n, m, m, u, last + i * n * m, middle + i * m * m);
    segue_linalg_multiply_left(n, m, m * m, u, middle, tensor);
    free(last);
    return SEGUE_OK;
}

static void symmetrise(double *t, size_t m, double scale)
{
    for (size_t a = 0; a < m; a++)
        for (size_t b = a; b < m; b++)
            for (size_t c = b; c < m; c++) {
                const size_t at[6] = {(a * m + b) * m + c, (a * m + c) * m + b,
                                      (b * m + a) * m + c, (b * m + c) * m + a,
                                      (c * m + a) * m + b, (c * m + b) * m + a};
                double sum = 0.0;
                for (size_t i = 0; i < 6; i++)
                    sum += t[at[i]];
                for (size_t i = 0; i < 6; i++)
                    t[at[i]] = scale * sum / 6.0;
            }
}

segue_status segue_moments_third(const segue_moments *moments, const double *u, size_t m,
                                 double *tensor, segue_error *err)
{
    const segue_status status = is_dense(moments)
                                    ? contract_stored(moments, u, m, tensor, err)
                                    : segue_view_store_third(&moments->store, u, m, tensor, err);
    if (status == SEGUE_OK)
        symmetrise(tensor, m, 1.0 / moments->weight);
    return status;
}

/* ---- serialize --------------------------------------------------------------------------- */

void segue_moments_serialize(const segue_moments *moments, segue_bytes *b)
{
    const size_t n = moments->n_arms;
    segue_bytes_append_u64(b, moments->n_tasks);
    segue_bytes_append_f64(b, &moments->weight, 1);
    segue_bytes_append_f64(b, moments->first, n);
    if (is_dense(moments)) {
        segue_bytes_append_f64(b, moments->second, n * n);
        segue_bytes_append_f64(b, moments->third, n * n * n);
    } else {
        segue_view_store_serialize(&moments->store, b);
    }
}

static segue_status deserialize_stored(segue_moments *moments, segue_bytes_reader *r,
                                       segue_error *err)
{
    const size_t n = moments->n_arms;
    if (!segue_bytes_read_finite(r, moments->second, n * n) ||
        !segue_bytes_read_finite(r, moments->third, n * n * n))
        return segue_fail(err, SEGUE_EDOMAIN, "invalid moment in saved learner");
    return SEGUE_OK;
}

segue_status segue_moments_deserialize(segue_moments *moments, segue_bytes_reader *r,
                                       segue_error *err)
{
    moments->n_tasks = segue_bytes_read_count(r);
    if (!segue_bytes_read_finite(r, &moments->weight, 1) || moments->weight < 0.0 ||
        !segue_bytes_read_finite(r, moments->first, moments->n_arms))
        return segue_fail(err, SEGUE_EDOMAIN, "invalid moment in saved learner");
    if (is_dense(moments))
        return deserialize_stored(moments, r, err);
    return segue_view_store_deserialize(&moments->store, moments->n_tasks, r, err);
}
