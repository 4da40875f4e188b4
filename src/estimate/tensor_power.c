/* tensor_power.c - v <- T(I, v, v) / |T(I, v, v)|, from many starts at once.
 *
 * The robust tensor power method (Anandkumar, Ge, Hsu, Kakade and Telgarsky 2014, algorithm 1).
 * T(I, v, v)_x = sum over y <= z of P(x; y, z) v_y v_z on the packed tensor; the inner loops run
 * over LANES starts, so that the compiler makes vector instructions of them.
 * Cost O(m^3 / 2) per step and start.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/tensor_power.h"
#include "core/fail.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A polished vector that moves less than this is exact, since convergence is quadratic. */
#define STILL 1e-9
/* Once vectors move less than this, the best one stays the best. */
#define CONVERGED 1e-3

void segue_tensor_power_fini(power *p)
{
    free(p->packed);
    free(p->lanes);
    free(p->image);
    free(p->products);
    free(p->columns);
}

void segue_tensor_power_clear(power *p)
{
    p->n_lanes = 0;
}

static double *group_of(power *p, size_t lane)
{
    return p->lanes + lane / LANES * p->m * LANES;
}

static void set_lane(power *p, size_t lane, const double *v, double scale)
{
    double *group = group_of(p, lane);
    for (size_t x = 0; x < p->m; x++)
        group[x * LANES + lane % LANES] = scale * v[x];
}

void segue_tensor_power_start(power *p, const double *v)
{
    assert(p->n_lanes < p->max_lanes);
    double square = 0.0;
    for (size_t x = 0; x < p->m; x++)
        square += v[x] * v[x];
    const bool usable = square > 0.0 && isfinite(square);
    set_lane(p, p->n_lanes, v, usable ? 1.0 / sqrt(square) : 0.0);
    if (!usable)
        group_of(p, p->n_lanes)[p->n_lanes % LANES] = 1.0;
    p->n_lanes++;
}

static void pack(power *p, const double *tensor)
{
    const size_t m = p->m, pairs = m * (m + 1) / 2;
    double *to = p->packed;
    for (size_t x = 0; x < m; x++)
        for (size_t y = 0; y < m; y++)
            for (size_t z = y; z < m; z++)
                *to++ = (y == z ? 1.0 : 2.0) * tensor[(x * m + y) * m + z];
    for (size_t x = 0; x < m && m <= LANES; x++)
        for (size_t pair = 0; pair < pairs; pair++)
            p->columns[pair * LANES + x] = p->packed[x * pairs + pair];
}

/* Four lanes, the width of common processors; two of them make a group. */
typedef double quad __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double))));

/* Rows x and x + 1 of the image: two at a time, since an addition waits for the one before it in
 * the same sum. */
static inline void sum_two_rows(const power *p, size_t x)
{
    const size_t pairs = p->m * (p->m + 1) / 2;
    const quad *products = (const quad *)p->products;
    const double *this = p->packed + x * pairs, *next = this + pairs;
    quad *image = (quad *)p->image + 2 * x;
    quad a = {0.0}, b = {0.0}, c = {0.0}, d = {0.0};
    for (size_t pair = 0; pair < pairs; pair++) {
        const quad low = products[2 * pair], high = products[2 * pair + 1];
        a += this[pair] * low;
        b += this[pair] * high;
        c += next[pair] * low;
        d += next[pair] * high;
    }
    image[0] = a;
    image[1] = b;
    image[2] = c;
    image[3] = d;
}

/* image = T(I, v, v), for one group of lanes: first the products v_y v_z, then their sums. */
static inline void apply(const power *p, const double *group)
{
    const size_t m = p->m;
    const quad *v = (const quad *)group;
    quad *products = (quad *)p->products;
    for (size_t y = 0, pair = 0; y < m; y++)
        for (size_t z = y; z < m; z++, pair++) {
            products[2 * pair] = v[2 * y] * v[2 * z];
            products[2 * pair + 1] = v[2 * y + 1] * v[2 * z + 1];
        }
    for (size_t x = 0; x < m; x += 2)
        sum_two_rows(p, x);
}

/* 1 / |image| of each lane; where that is not finite, the image becomes v, so that v stays. */
static inline void compute_scales(const power *p, const double *group, double *scale)
{
    const size_t m = p->m;
    double square[LANES] = {0};
    for (size_t x = 0; x < m; x++)
        for (size_t l = 0; l < LANES; l++)
            square[l] += p->image[x * LANES + l] * p->image[x * LANES + l];
    for (size_t l = 0; l < LANES; l++)
        scale[l] = 1.0 / sqrt(square[l]);
    for (size_t l = 0; l < LANES; l++) {
        if (square[l] > 0.0 && square[l] <= DBL_MAX)
            continue;
        scale[l] = 1.0;
        for (size_t x = 0; x < m; x++)
            p->image[x * LANES + l] = group[x * LANES + l];
    }
}

/* Each v <- image / |image|; returns the most that an entry of the first `used` lanes moved. */
static inline double normalise(const power *p, double *group, size_t used)
{
    double scale[LANES], moved[LANES] = {0}, max = 0.0;
    compute_scales(p, group, scale);
    for (size_t x = 0; x < p->m; x++)
        for (size_t l = 0; l < LANES; l++) {
            const double next = scale[l] * p->image[x * LANES + l];
            const double by = fabs(next - group[x * LANES + l]);
            moved[l] = by > moved[l] ? by : moved[l];
            group[x * LANES + l] = next;
        }
    for (size_t l = 0; l < used; l++)
        max = moved[l] > max ? moved[l] : max;
    return max;
}

/* Iterate the first `used` lanes of a group up to `steps` times, or until none of them moves much;
 * then compute the image.  Returns the number of iterations. */
static inline size_t iterate(const power *p, double *group, size_t used, size_t steps)
{
    double moved = INFINITY;
    size_t step = 0;
    for (; step < steps && moved > CONVERGED; step++) {
        apply(p, group);
        moved = normalise(p, group, used);
    }
    apply(p, group);
    return step;
}

static size_t iterate_portable(const power *p, double *group, size_t used, size_t steps)
{
    return iterate(p, group, used, steps);
}

#if defined(__x86_64__) && defined(__GNUC__)
/* AVX2 does the portable operations on wider registers: equal bits. */
__attribute__((target("avx2"))) static size_t iterate_avx2(const power *p, double *group,
                                                           size_t used, size_t steps)
{
    return iterate(p, group, used, steps);
}
#endif

static iterate_function choose_iterate(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2"))
        return iterate_avx2;
#endif
    return iterate_portable;
}

segue_status segue_tensor_power_init(power *p, size_t m, size_t max_lanes, segue_error *err)
{
    const size_t groups = (max_lanes + LANES - 1) / LANES;
    *p = (power){.m = m, .max_lanes = groups * LANES, .iterate = choose_iterate()};
    const size_t rows = m + m % 2; /* they are summed two at a time */
    p->packed = calloc(rows * m * (m + 1) / 2, sizeof *p->packed);
    p->lanes = calloc(groups * m * LANES, sizeof *p->lanes);
    p->image = calloc(rows * LANES, sizeof *p->image);
    p->products = calloc(m * (m + 1) / 2 * LANES, sizeof *p->products);
    p->columns = calloc(m * (m + 1) / 2 * LANES, sizeof *p->columns);
    if (!p->packed || !p->lanes || !p->image || !p->products || !p->columns)
        return segue_fail_no_memory(err, "the power method");
    return SEGUE_OK;
}

/* Two numbers: every processor has registers for them. */
typedef double duo __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double))));

/* apply_one for up to LANES models: the sums stay in registers, each in the order of the pairs. */
static void apply_one_small(const power *p, const double *v, double *image)
{
    const size_t m = p->m;
    const duo *column = (const duo *)p->columns;
    duo a = {0.0}, b = {0.0}, c = {0.0}, d = {0.0};
    for (size_t y = 0; y < m; y++)
        for (size_t z = y; z < m; z++, column += LANES / 2) {
            const double product = v[y] * v[z];
            a += column[0] * product;
            b += column[1] * product;
            c += column[2] * product;
            d += column[3] * product;
        }
    duo *out = (duo *)image;
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}

/* T(I, v, v) for one vector, into `image` (m, and space for LANES). */
static void apply_one(const power *p, const double *v, double *image)
{
    const size_t m = p->m, pairs = m * (m + 1) / 2;
    if (m <= LANES) {
        apply_one_small(p, v, image);
        return;
    }
    memset(image, 0, m * sizeof *image);
    size_t pair = 0;
    for (size_t y = 0; y < m; y++)
        for (size_t z = y; z < m; z++, pair++) {
            const double product = v[y] * v[z];
            for (size_t x = 0; x < m; x++)
                image[x] += p->packed[x * pairs + pair] * product;
        }
}

/* v <- image / |image| for one vector, unless the image is zero; returns how far it moved. */
static double normalise_one(const double *image, double *v, size_t m)
{
    double square = 0.0, moved = 0.0;
    for (size_t x = 0; x < m; x++)
        square += image[x] * image[x];
    if (!(square > 0.0 && isfinite(square)))
        return 0.0;
    const double scale = 1.0 / sqrt(square);
    for (size_t x = 0; x < m; x++) {
        const double next = scale * image[x];
        moved += fabs(next - v[x]);
        v[x] = next;
    }
    return moved;
}

/* T(v, v, v) of one lane, from the image of its group. */
static double value_of(const power *p, const double *group, size_t lane)
{
    double sum = 0.0;
    for (size_t x = 0; x < p->m; x++)
        sum += group[x * LANES + lane] * p->image[x * LANES + lane];
    return sum;
}

/* Iterate every lane up to `steps` times; returns the lane with the largest T(v, v, v). */
static size_t race(power *p, size_t steps)
{
    size_t best = 0;
    double max = -INFINITY;
    for (size_t first = 0; first < p->n_lanes; first += LANES) {
        const size_t left = p->n_lanes - first, used = left < LANES ? left : LANES;
        double *group = group_of(p, first);
        p->iterations += used * p->iterate(p, group, used, steps);
        for (size_t lane = 0; lane < used; lane++) {
            const double value = value_of(p, group, lane);
            if (value > max) {
                max = value;
                best = first + lane;
            }
        }
    }
    return best;
}

double segue_tensor_power_best(power *p, const double *tensor, size_t steps, size_t max, double *v)
{
    pack(p, tensor);
    const size_t best = race(p, steps);
    const double *winner = group_of(p, best);
    for (size_t x = 0; x < p->m; x++)
        v[x] = winner[x * LANES + best % LANES];

    for (size_t step = 0; step < max; step++) {
        apply_one(p, v, p->image);
        p->iterations++;
        if (normalise_one(p->image, v, p->m) < STILL)
            break;
    }
    apply_one(p, v, p->image);
    double value = 0.0;
    for (size_t x = 0; x < p->m; x++)
        value += v[x] * p->image[x];
    return value;
}

void segue_tensor_power_deflate(double *tensor, size_t m, double lambda, const double *v)
{
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++)
            for (size_t c = 0; c < m; c++)
                tensor[(a * m + b) * m + c] -= lambda * v[a] * v[b] * v[c];
}

double segue_tensor_power_norm(const double *tensor, size_t m)
{
    double sum = 0.0;
    for (size_t i = 0; i < m * m * m; i++)
        sum += tensor[i] * tensor[i];
    return sqrt(sum);
}
