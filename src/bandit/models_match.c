/* models_match.c - the assignment of one model set to another with the least squared error.
 *
 * The Hungarian method in its shortest-augmenting-path form (Kuhn 1955; Jonker and Volgenant
 * 1987): rows enter one by one; each takes the shortest path, in reduced costs, to a free column.
 * The prices keep every reduced cost >= 0, which is what makes the result optimal.
 * Cost O(n^3) for n models, and O(n^2 n_arms) for the distances.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "segue/models.h"

#define NONE SIZE_MAX

typedef struct matching {
    size_t n;
    double *cost;      /* n x n */
    double *row_price; /* n */
    double *col_price; /* n */
    double *reach;     /* n: length of the shortest path to each column */
    size_t *row_of;    /* n: the row assigned to a column, or NONE */
    size_t *col_of;    /* n: the column of a row, once it has entered */
    size_t *came_from; /* n: the row before a column on that path */
    bool *done;        /* n: columns whose path is final */
} matching;

static double squared_distance(const double *x, const double *y, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum;
}

static void matching_fini(matching *mt)
{
    free(mt->cost);
    free(mt->row_price);
    free(mt->row_of);
    free(mt->done);
}

static bool matching_init(matching *mt, size_t n)
{
    *mt = (matching){.n = n};
    mt->cost = calloc(n * n, sizeof *mt->cost);
    mt->row_price = calloc(3 * n, sizeof *mt->row_price);
    mt->row_of = calloc(3 * n, sizeof *mt->row_of);
    mt->done = calloc(n, sizeof *mt->done);
    if (!mt->cost || !mt->row_price || !mt->row_of || !mt->done)
        return false;
    mt->col_price = mt->row_price + n;
    mt->reach = mt->col_price + n;
    mt->col_of = mt->row_of + n;
    mt->came_from = mt->col_of + n;
    for (size_t col = 0; col < n; col++)
        mt->row_of[col] = NONE;
    return true;
}

/* Try all columns not done yet from `row`, whose own distance from the start is `base`; return
 * the nearest of them. */
static size_t relax(matching *mt, size_t row, double base)
{
    size_t nearest = NONE;
    for (size_t col = 0; col < mt->n; col++) {
        if (mt->done[col])
            continue;
        const double reduced =
            mt->cost[row * mt->n + col] - mt->row_price[row] - mt->col_price[col];
        if (base + reduced < mt->reach[col]) {
            mt->reach[col] = base + reduced;
            mt->came_from[col] = row;
        }
        if (nearest == NONE || mt->reach[col] < mt->reach[nearest])
            nearest = col;
    }
    return nearest;
}

/* Update prices: reduced costs stay >= 0, and are 0 on the path. */
static void update_prices(matching *mt, size_t start, double length)
{
    mt->row_price[start] += length;
    for (size_t col = 0; col < mt->n; col++) {
        if (!mt->done[col])
            continue;
        mt->row_price[mt->row_of[col]] += length - mt->reach[col];
        mt->col_price[col] -= length - mt->reach[col];
    }
}

/* Assign a column to `start`; other rows move along the shortest path to a free column. */
static void enter(matching *mt, size_t start)
{
    for (size_t col = 0; col < mt->n; col++) {
        mt->reach[col] = INFINITY;
        mt->done[col] = false;
    }
    size_t row = start;
    double base = 0.0;
    size_t col = relax(mt, row, base);
    while (mt->row_of[col] != NONE) {
        mt->done[col] = true;
        row = mt->row_of[col];
        base = mt->reach[col];
        col = relax(mt, row, base);
    }
    update_prices(mt, start, mt->reach[col]);

    do { /* back along the path: each row moves to the column that it reached */
        row = mt->came_from[col];
        const size_t left = mt->col_of[row];
        mt->row_of[col] = row;
        mt->col_of[row] = col;
        col = left;
    } while (row != start);
}

segue_status segue_models_match(const segue_models *a, const segue_models *b, size_t *match,
                                segue_error *err)
{
    if (a->n_arms != b->n_arms || a->n_models != b->n_models)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%zu models of %zu arms cannot be matched with %zu models of %zu arms",
                          a->n_models, a->n_arms, b->n_models, b->n_arms);
    matching mt;
    if (!matching_init(&mt, a->n_models)) {
        matching_fini(&mt);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for matching %zu models", a->n_models);
    }
    for (size_t i = 0; i < mt.n; i++)
        for (size_t j = 0; j < mt.n; j++)
            mt.cost[i * mt.n + j] =
                squared_distance(segue_models_row(a, i), segue_models_row(b, j), a->n_arms);
    for (size_t row = 0; row < mt.n; row++)
        enter(&mt, row);
    for (size_t row = 0; row < mt.n; row++)
        match[row] = mt.col_of[row];
    matching_fini(&mt);
    return SEGUE_OK;
}
