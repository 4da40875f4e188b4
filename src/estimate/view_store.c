/* view_store.c - views in blocks of tasks, so that they never move and BLAS reads them as matrices.
 *
 * The third moment of n arms has n^3 numbers, and a task changes all of them; the views of a task
 * are 3 n numbers.  Above SEGUE_MAX_DENSE_ARMS arms the views are stored instead, and M3(U, U, U)
 * is computed from them on demand: O(tasks n m), bound by memory bandwidth.  Single precision
 * halves that, and its rounding is far below the noise of any view.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/view_store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/linalg/linalg.h"
#include "segue/rng.h"

#define PAIRS  3
#define PROBES 8 /* random vectors that tell the size of a matrix which is not written out */

/* The views whose products make the second moment. */
static const size_t pairs[PAIRS][2] = {{0, 1}, {0, 2}, {1, 2}};

segue_status segue_view_store_init(view_store *k, size_t n_arms, segue_views views,
                                   segue_error *err)
{
    segue_rng rng;
    *k = (view_store){.n_arms = n_arms, .n_pairs = views == SEGUE_VIEWS_PAPER ? 1 : PAIRS};
    k->second = calloc(n_arms * n_arms, sizeof *k->second);
    k->probe = calloc(n_arms * PROBES, sizeof *k->probe);
    k->odd = calloc(n_arms * PROBES, sizeof *k->odd);
    k->scratch = calloc(2 * VIEW_BLOCK * n_arms, sizeof *k->scratch);
    if (!k->second || !k->probe || !k->odd || !k->scratch)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the moments of %zu arms", n_arms);
    segue_rng_init(&rng, 0, 0, 0, SEGUE_STREAM_ESTIMATOR);
    for (size_t i = 0; i < n_arms * PROBES; i++)
        k->probe[i] = segue_rng_next(&rng) >> 63 ? 1.0 : -1.0;
    return SEGUE_OK;
}

size_t segue_view_store_bytes(const view_store *k)
{
    const size_t block = sizeof(view_block) + 3 * VIEW_BLOCK * k->n_arms * sizeof(float);
    const size_t doubles = k->n_arms * (k->n_arms + 2 * PROBES + 2 * VIEW_BLOCK);
    return doubles * sizeof(double) + k->n_blocks * (block + sizeof(view_block *));
}

void segue_view_store_fini(view_store *k)
{
    for (size_t i = 0; i < k->n_blocks; i++)
        free(k->block[i]);
    free(k->block);
    free(k->second);
    free(k->probe);
    free(k->odd);
    free(k->scratch);
}

static segue_status no_memory(uint64_t tasks, segue_error *err)
{
    return segue_fail(err, SEGUE_ENOMEM, "out of memory for the views of %llu tasks",
                      (unsigned long long)tasks);
}

static segue_status grow(view_store *k, segue_error *err)
{
    view_block *fresh = calloc(1, sizeof *fresh + 3 * VIEW_BLOCK * k->n_arms * sizeof *fresh->view);
    view_block **block = fresh ? realloc(k->block, (k->n_blocks + 1) * sizeof *block) : NULL;
    if (!block) {
        free(fresh);
        return no_memory(k->n_tasks, err);
    }
    k->block = block;
    k->block[k->n_blocks++] = fresh;
    return SEGUE_OK;
}

segue_status segue_view_store_reserve(view_store *k, uint64_t more, segue_error *err)
{
    while (k->n_blocks * VIEW_BLOCK < k->n_tasks + more)
        SEGUE_TRY(grow(k, err));
    return SEGUE_OK;
}

/* View 0, 1 or 2 of task t. */
static float *view_of(const view_store *k, uint64_t t, size_t view)
{
    return k->block[t / VIEW_BLOCK]->view + (view * VIEW_BLOCK + t % VIEW_BLOCK) * k->n_arms;
}

/* View 0, 1 or 2 of a block's tasks, VIEW_BLOCK x n_arms; weighted times their weights. */
static void get_view(const view_store *k, size_t block, size_t view, bool weighted, double *out)
{
    const view_block *b = k->block[block];
    const float *in = b->view + view * VIEW_BLOCK * k->n_arms;
    for (size_t t = 0; t < VIEW_BLOCK; t++) {
        const double factor = weighted ? b->weight[t] / (double)k->n_pairs : 1.0;
        for (size_t i = 0; i < k->n_arms; i++)
            out[t * k->n_arms + i] = factor * (double)in[t * k->n_arms + i];
    }
}

/* The products of a block's views, added to the upper triangle of `sum`. */
static void add_block(const view_store *k, size_t block, double *scratch, double *sum)
{
    double *left = scratch, *right = scratch + VIEW_BLOCK * k->n_arms;
    for (size_t p = 0; p < k->n_pairs && p < PAIRS; p++) {
        get_view(k, block, pairs[p][0], true, left);
        get_view(k, block, pairs[p][1], false, right);
        segue_linalg_add_symmetric(k->n_arms, VIEW_BLOCK, left, right, sum);
    }
}

/* odd += weight (x y' - y x') / 2 times the probes. */
static void add_antisymmetric(view_store *k, double weight, const double *x, const double *y)
{
    double along_x[PROBES] = {0}, along_y[PROBES] = {0};
    for (size_t i = 0; i < k->n_arms; i++)
        for (size_t p = 0; p < PROBES; p++) {
            along_x[p] += x[i] * k->probe[i * PROBES + p];
            along_y[p] += y[i] * k->probe[i * PROBES + p];
        }
    for (size_t i = 0; i < k->n_arms; i++)
        for (size_t p = 0; p < PROBES; p++)
            k->odd[i * PROBES + p] += 0.5 * weight * (x[i] * along_y[p] - y[i] * along_x[p]);
}

void segue_view_store_add(view_store *k, const double *views, double weight)
{
    const size_t n = k->n_arms;
    const uint64_t t = k->n_tasks++;
    k->block[t / VIEW_BLOCK]->weight[t % VIEW_BLOCK] = weight;
    for (size_t view = 0; view < 3; view++)
        for (size_t i = 0; i < n; i++)
            view_of(k, t, view)[i] = (float)views[view * n + i];
    for (size_t p = 0; p < k->n_pairs && p < PAIRS; p++)
        add_antisymmetric(k, weight / (double)k->n_pairs, views + pairs[p][0] * n,
                          views + pairs[p][1] * n);
    if (k->n_tasks % VIEW_BLOCK == 0)
        add_block(k, (size_t)(t / VIEW_BLOCK), k->scratch, k->second);
}

double segue_view_store_task(const view_store *k, uint64_t t, double *views)
{
    for (size_t view = 0; view < 3; view++)
        for (size_t i = 0; i < k->n_arms; i++)
            views[view * k->n_arms + i] = (double)view_of(k, t, view)[i];
    return k->block[t / VIEW_BLOCK]->weight[t % VIEW_BLOCK];
}

segue_status segue_view_store_copy(view_store *k, const view_store *from, segue_error *err)
{
    const size_t n = k->n_arms;
    const segue_status status = segue_view_store_reserve(k, from->n_tasks, err);
    if (status != SEGUE_OK)
        return status;
    for (size_t i = 0; i * VIEW_BLOCK < from->n_tasks; i++)
        memcpy(k->block[i], from->block[i],
               sizeof(view_block) + 3 * VIEW_BLOCK * n * sizeof *k->block[i]->view);
    memcpy(k->second, from->second, n * n * sizeof *k->second);
    memcpy(k->odd, from->odd, n * PROBES * sizeof *k->odd);
    k->n_tasks = from->n_tasks;
    return SEGUE_OK;
}

/* ---- the second moment ------------------------------------------------------------------- */

/* True if the last block is not full: `second` does not contain its tasks. */
static bool lacks_block(const view_store *k, size_t *block)
{
    *block = (size_t)(k->n_tasks / VIEW_BLOCK);
    return k->n_tasks % VIEW_BLOCK != 0;
}

segue_status segue_view_store_second(const view_store *k, double *sum, segue_error *err)
{
    const size_t n = k->n_arms;
    size_t block;
    double *scratch = calloc(2 * VIEW_BLOCK * n, sizeof *scratch);
    if (!scratch)
        return segue_fail_no_memory(err, "the second moment");
    memcpy(sum, k->second, n * n * sizeof *sum);
    if (lacks_block(k, &block))
        add_block(k, block, scratch, sum);
    free(scratch);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            sum[j * n + i] = sum[i * n + j];
    return SEGUE_OK;
}

/* y += P x, P being half the sum of a block's left' right and right' left. */
static void apply_block(const view_store *k, size_t block, const double *x, size_t m,
                        double *scratch, double *y)
{
    const size_t n = k->n_arms;
    double *left = scratch, *right = left + VIEW_BLOCK * n, *product = right + VIEW_BLOCK * n;
    for (size_t p = 0; p < k->n_pairs && p < PAIRS; p++) {
        get_view(k, block, pairs[p][0], true, left);
        get_view(k, block, pairs[p][1], false, right);
        for (size_t i = 0; i < VIEW_BLOCK * n; i++)
            right[i] *= 0.5;
        segue_linalg_multiply(VIEW_BLOCK, n, m, right, x, product);
        segue_linalg_multiply_left_add(VIEW_BLOCK, n, m, left, product, y);
        segue_linalg_multiply(VIEW_BLOCK, n, m, left, x, product);
        segue_linalg_multiply_left_add(VIEW_BLOCK, n, m, right, product, y);
    }
}

segue_status segue_view_store_apply(const view_store *k, const double *x, size_t m, double *y,
                                    segue_error *err)
{
    size_t block;
    double *scratch = calloc(VIEW_BLOCK * (2 * k->n_arms + m), sizeof *scratch);
    if (!scratch)
        return segue_fail_no_memory(err, "the second moment");
    segue_linalg_multiply_symmetric(k->n_arms, m, k->second, x, y);
    if (lacks_block(k, &block))
        apply_block(k, block, x, m, scratch, y);
    free(scratch);
    return SEGUE_OK;
}

/* |A g|^2 of a vector g of random signs is |A|^2 on average. */
double segue_view_store_antisymmetric_norm2(const view_store *k)
{
    double square = 0.0;
    for (size_t i = 0; i < k->n_arms * PROBES; i++)
        square += k->odd[i] * k->odd[i] / PROBES;
    return square;
}

/* ---- the third moment -------------------------------------------------------------------- */

/* Scratch of a contraction. */
typedef struct work {
    float *u;         /* n_arms x m */
    float *projected; /* 3 VIEW_BLOCK x m: U'v of all views of a block */
    double *products; /* VIEW_BLOCK x m^2: weight U'v1 (x) U'v2 of each task */
    double *last;     /* VIEW_BLOCK x m: U'v3 */
} work;

static segue_status work_init(work *w, size_t n, size_t m, segue_error *err)
{
    w->u = calloc(n * m, sizeof *w->u);
    w->projected = calloc(3 * VIEW_BLOCK * m, sizeof *w->projected);
    w->products = calloc(VIEW_BLOCK * m * m, sizeof *w->products);
    w->last = calloc(VIEW_BLOCK * m, sizeof *w->last);
    if (!w->u || !w->projected || !w->products || !w->last)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to contract the third moment");
    return SEGUE_OK;
}

static void work_fini(work *w)
{
    free(w->u);
    free(w->projected);
    free(w->products);
    free(w->last);
}

static void compute_products(work *w, const double *weight, size_t m)
{
    for (size_t t = 0; t < VIEW_BLOCK; t++) {
        const float *x = w->projected + t * m, *y = x + VIEW_BLOCK * m, *z = y + VIEW_BLOCK * m;
        for (size_t a = 0; a < m; a++) {
            const double left = weight[t] * (double)x[a];
            for (size_t b = 0; b < m; b++)
                w->products[(t * m + a) * m + b] = left * (double)y[b];
            w->last[t * m + a] = (double)z[a];
        }
    }
}

segue_status segue_view_store_third(const view_store *k, const double *u, size_t m, double *tensor,
                                    segue_error *err)
{
    work w = {.u = NULL};
    const segue_status status = work_init(&w, k->n_arms, m, err);
    memset(tensor, 0, m * m * m * sizeof *tensor);
    for (size_t i = 0; i < k->n_arms * m && status == SEGUE_OK; i++)
        w.u[i] = (float)u[i];
    const size_t used = (size_t)((k->n_tasks + VIEW_BLOCK - 1) / VIEW_BLOCK);
    for (size_t block = 0; block < used && status == SEGUE_OK; block++) {
        const view_block *b = k->block[block];
        segue_linalg_multiply_single(3 * VIEW_BLOCK, k->n_arms, m, b->view, w.u, w.projected);
        compute_products(&w, b->weight, m);
        segue_linalg_multiply_left_add(VIEW_BLOCK, m * m, m, w.products, w.last, tensor);
    }
    work_fini(&w);
    return status;
}

/* ---- serialize --------------------------------------------------------------------------- */

void segue_view_store_serialize(const view_store *k, segue_bytes *b)
{
    segue_bytes_append_f64(b, k->second, k->n_arms * k->n_arms);
    segue_bytes_append_f64(b, k->odd, k->n_arms * PROBES);
    for (uint64_t t = 0; t < k->n_tasks; t++) {
        segue_bytes_append_f64(b, &k->block[t / VIEW_BLOCK]->weight[t % VIEW_BLOCK], 1);
        for (size_t view = 0; view < 3; view++)
            segue_bytes_append_f32(b, view_of(k, t, view), k->n_arms);
    }
}

static bool deserialize_task(view_store *k, segue_bytes_reader *r)
{
    const uint64_t t = k->n_tasks++;
    double *weight = &k->block[t / VIEW_BLOCK]->weight[t % VIEW_BLOCK];
    segue_bytes_read_f64(r, weight, 1);
    bool finite = isfinite(*weight) && *weight >= 0.0;
    for (size_t view = 0; view < 3; view++) {
        float *out = view_of(k, t, view);
        segue_bytes_read_f32(r, out, k->n_arms);
        for (size_t i = 0; i < k->n_arms; i++)
            finite = finite && isfinite(out[i]);
    }
    return finite;
}

segue_status segue_view_store_deserialize(view_store *k, uint64_t n_tasks, segue_bytes_reader *r,
                                          segue_error *err)
{
    const size_t n = k->n_arms;
    if (!segue_bytes_read_finite(r, k->second, n * n) ||
        !segue_bytes_read_finite(r, k->odd, n * PROBES))
        return segue_fail(err, SEGUE_EDOMAIN, "invalid moment in saved learner");
    /* The bytes of all views must be there before memory is allocated for them. */
    if (n_tasks > (r->size - r->at) / (sizeof(double) + 3 * k->n_arms * sizeof(float)))
        return segue_fail(err, SEGUE_EDOMAIN, "missing views in saved learner");
    SEGUE_TRY(segue_view_store_reserve(k, n_tasks, err));
    while (k->n_tasks < n_tasks)
        if (!deserialize_task(k, r))
            return segue_fail(err, SEGUE_EDOMAIN, "invalid view in saved learner");
    return SEGUE_OK;
}
