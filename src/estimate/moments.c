/* moments.c - running sums of the products of views.
 *
 * M2 = 1/j sum v1 (x) v2 and M3 = 1/j sum v1 (x) v2 (x) v3 (Azar, Lazaric and Brunskill 2013,
 * equation 4); `symmetric` takes all pairs of views for M2.  (M3 is symmetrised after whitening in
 * either case, which is the same as taking all triples.)  A task costs O(n_arms^3) up to
 * SEGUE_MOMENTS_STORED arms; above, its views are kept, O(n_arms), and contracted when asked for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/moments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/linalg.h"
#include "estimate/state.h"

#define MOST_WEIGHT 1e12 /* of one task: sums of many stay finite */

#define BLOCK                                                                                      \
    256 /* tasks contracted at a time: a block of three views and its products fit a cache */

struct segue_moments {
    size_t n_arms;
    segue_views views;
    uint64_t n_tasks;
    double weight;   /* sum of the weights */
    double *first;   /* n_arms */
    double *second;  /* n_arms x n_arms, not symmetric */
    double *third;   /* n_arms^3, or NULL: the views are kept instead */
    double *kept;    /* n_tasks x 3 x n_arms, each task's first view times its weight */
    size_t capacity; /* tasks that fit into `kept` */
};

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
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for moments");
    const bool stored = n_arms <= SEGUE_MOMENTS_STORED;
    moments->n_arms = n_arms;
    moments->views = views;
    moments->first = calloc(n_arms, sizeof *moments->first);
    moments->second = calloc(n_arms * n_arms, sizeof *moments->second);
    moments->third = stored ? calloc(n_arms * n_arms * n_arms, sizeof *moments->third) : NULL;
    if (!moments->first || !moments->second || (stored && !moments->third)) {
        segue_moments_destroy(moments);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the moments of %zu arms", n_arms);
    }
    *out = moments;
    return SEGUE_OK;
}

void segue_moments_destroy(segue_moments *moments)
{
    if (!moments)
        return;
    free(moments->first);
    free(moments->second);
    free(moments->third);
    free(moments->kept);
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

/* ---- adding ------------------------------------------------------------------------------ */

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

/* Make room for `more` tasks among the kept views. */
static segue_status reserve(segue_moments *moments, uint64_t more, segue_error *err)
{
    const size_t wanted = (size_t)(moments->n_tasks + more);
    if (moments->third || wanted <= moments->capacity)
        return SEGUE_OK;
    const size_t capacity = wanted + wanted / 4 + 16;
    double *kept = realloc(moments->kept, capacity * 3 * moments->n_arms * sizeof *kept);
    if (!kept)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the views of %zu tasks", wanted);
    moments->kept = kept;
    moments->capacity = capacity;
    return SEGUE_OK;
}

static void keep_views(segue_moments *moments, const double *views, double weight)
{
    const size_t n = moments->n_arms;
    double *place = moments->kept + moments->n_tasks * 3 * n;
    memcpy(place, views, 3 * n * sizeof *views);
    for (size_t i = 0; i < n; i++)
        place[i] *= weight;
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

segue_status segue_moments_add(segue_moments *moments, const double *views, double weight,
                               segue_error *err)
{
    const size_t n = moments->n_arms;
    if (!(weight >= 0.0 && weight <= MOST_WEIGHT))
        return segue_fail(err, SEGUE_EDOMAIN, "the weight of a task is %g; need a number >= 0",
                          weight);
    for (size_t i = 0; i < 3 * n; i++)
        if (!(fabs(views[i]) <= SEGUE_MAX_STRAY)) /* also catches NaN */
            return segue_fail(err, SEGUE_EDOMAIN, "view %zu of arm %zu is %g; need a mean",
                              i / n + 1, i % n + 1, views[i]);
    const segue_status status = reserve(moments, 1, err);
    if (status != SEGUE_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        moments->first[i] += weight * (views[i] + views[n + i] + views[2 * n + i]) / 3.0;
    add_second(moments, views, weight);
    if (moments->third)
        add_third(moments->third, n, weight, views);
    else
        keep_views(moments, views, weight);
    moments->weight += weight;
    moments->n_tasks++;
    return SEGUE_OK;
}

static void add_all(double *sum, const double *more, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum[i] += more[i];
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
    const segue_status status = reserve(moments, other->n_tasks, err);
    if (status != SEGUE_OK)
        return status;
    add_all(moments->first, other->first, n);
    add_all(moments->second, other->second, n * n);
    if (moments->third)
        add_all(moments->third, other->third, n * n * n);
    else
        memcpy(moments->kept + moments->n_tasks * 3 * n, other->kept,
               other->n_tasks * 3 * n * sizeof *other->kept);
    moments->weight += other->weight;
    moments->n_tasks += other->n_tasks;
    return SEGUE_OK;
}

/* ---- reading ----------------------------------------------------------------------------- */

void segue_moments_first(const segue_moments *moments, double *m1)
{
    for (size_t i = 0; i < moments->n_arms; i++)
        m1[i] = moments->first[i] / moments->weight;
}

void segue_moments_second(const segue_moments *moments, double *m2)
{
    const size_t n = moments->n_arms;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            m2[i * n + k] =
                0.5 * (moments->second[i * n + k] + moments->second[k * n + i]) / moments->weight;
}

double segue_moments_noise(const segue_moments *moments)
{
    const size_t n = moments->n_arms;
    double squares = 0.0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            const double odd = 0.5 * (moments->second[i * n + k] - moments->second[k * n + i]);
            squares += odd * odd;
        }
    return fmin(1.0, 2.0 / sqrt((double)n)) * sqrt(squares) / moments->weight;
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
    segue_la_multiply(n * n, n, m, moments->third, u, last);
    for (size_t i = 0; i < n; i++)
        segue_la_multiply_left(n, m, m, u, last + i * n * m, middle + i * m * m);
    segue_la_multiply_left(n, m, m * m, u, middle, tensor);
    free(last);
    return SEGUE_OK;
}

/* For one block of tasks: add sum (U'v1) (x) (U'v2) (x) (U'v3) to the tensor. */
static void contract_block(const double *views, size_t count, size_t n, const double *u, size_t m,
                           double *projected, double *products, double *tensor)
{
    segue_la_multiply(3 * count, n, m, views, u, projected);
    for (size_t task = 0; task < count; task++) {
        const double *x = projected + task * 3 * m, *y = x + m;
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b < m; b++)
                products[task * m * m + a * m + b] = x[a] * y[b];
    }
    for (size_t task = 0; task < count; task++) { /* the third views, one below the other */
        const double *z = projected + task * 3 * m + 2 * m;
        memmove(projected + task * m, z, m * sizeof *z);
    }
    segue_la_multiply_left_add(count, m * m, m, products, projected, tensor);
}

static segue_status contract_kept(const segue_moments *moments, const double *u, size_t m,
                                  double *tensor, segue_error *err)
{
    const size_t n = moments->n_arms;
    double *projected = calloc(BLOCK * (3 * m + m * m), sizeof *projected);
    if (!projected)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to contract the third moment");
    memset(tensor, 0, m * m * m * sizeof *tensor);
    for (uint64_t task = 0; task < moments->n_tasks; task += BLOCK) {
        const uint64_t left = moments->n_tasks - task;
        contract_block(moments->kept + task * 3 * n, left < BLOCK ? (size_t)left : BLOCK, n, u, m,
                       projected, projected + BLOCK * 3 * m, tensor);
    }
    free(projected);
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
    const segue_status status = moments->third ? contract_stored(moments, u, m, tensor, err)
                                               : contract_kept(moments, u, m, tensor, err);
    if (status == SEGUE_OK)
        symmetrise(tensor, m, 1.0 / moments->weight);
    return status;
}

/* ---- saving ------------------------------------------------------------------------------ */

/* The third moment, or the views that stand for it. */
static size_t tail_size(const segue_moments *moments)
{
    const size_t n = moments->n_arms;
    return moments->third ? n * n * n : (size_t)moments->n_tasks * 3 * n;
}

void segue_moments_put(const segue_moments *moments, bytes *b)
{
    const size_t n = moments->n_arms;
    segue_bytes_put_u64(b, moments->n_tasks);
    segue_bytes_put_f64(b, &moments->weight, 1);
    segue_bytes_put_f64(b, moments->first, n);
    segue_bytes_put_f64(b, moments->second, n * n);
    segue_bytes_put_f64(b, moments->third ? moments->third : moments->kept, tail_size(moments));
}

static bool all_finite(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

segue_status segue_moments_get(segue_moments *moments, reader *r, segue_error *err)
{
    const size_t n = moments->n_arms;
    const uint64_t n_tasks = segue_reader_u64(r);
    segue_reader_f64(r, &moments->weight, 1);
    segue_reader_f64(r, moments->first, n);
    segue_reader_f64(r, moments->second, n * n);
    /* The views of so many tasks must be there before memory is taken for them. */
    if (!moments->third && n_tasks > (r->size - r->at) / (3 * n * sizeof(double)))
        return segue_fail(err, SEGUE_EDOMAIN, "the views of its tasks are missing");
    const segue_status status = reserve(moments, n_tasks, err);
    if (status != SEGUE_OK)
        return status;
    moments->n_tasks = n_tasks;
    double *tail = moments->third ? moments->third : moments->kept;
    segue_reader_f64(r, tail, tail_size(moments));
    if (!(moments->weight >= 0.0) || !all_finite(&moments->weight, 1) ||
        !all_finite(moments->first, n) || !all_finite(moments->second, n * n) ||
        !all_finite(tail, tail_size(moments)))
        return segue_fail(err, SEGUE_EDOMAIN, "a moment is not finite");
    return SEGUE_OK;
}
