/* sweep.c - how the error of estimated models grows with their number and with arms.
 *
 * Theorem 2 bounds the error after j tasks by a multiple of K^2.5 m^2 / sqrt(j). Model sets that
 * were drawn at random, some of each size, give points (m, K, error); a plane through their
 * logarithms has the exponents as slopes. The sets are the independent draws, so that the intervals
 * cover how sets of one size differ, not only noise of runs.
 *
 * claims_estimators.c judges the exponents, section_sweep.c shows the sets.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/claims/sweep.h"

#include <math.h>
#include <string.h>

#include "segue/internal.h"
#include "segue/stats.h"

/* ---- the sets ---------------------------------------------------------------------------- */

/* Return the models of a named environment of an experiment; NULL: there is none. */
static json_t *find_models(const segue_results *results, const char *name)
{
    const json_t *all = json_object_get(results->experiment, "environment");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *one = json_array_get(all, i);
        const char *own = json_string_value(json_object_get(one, "name"));
        if (own && strcmp(own, name) == 0)
            return json_object_get(one, "models");
    }
    return NULL;
}

/* True if all weights are the first one; no weights are equal weights. */
static bool has_equal_weights(const json_t *models)
{
    const json_t *weights = json_object_get(models, "weights");
    const double first = json_number_value(json_array_get(weights, 0));
    for (size_t k = 1; k < json_array_size(weights); k++)
        if (fabs(json_number_value(json_array_get(weights, k)) - first) > 1e-9)
            return false;
    return true;
}

size_t segue_sweep_find(const segue_results *results, segue_sweep_set *sets)
{
    size_t n = 0;
    for (size_t i = 0; i < results->n_cells && n < SEGUE_MAX_SWEEP; i++) {
        const segue_cell *cell = &results->cell[i];
        json_t *models = find_models(results, cell->environment);
        const json_t *means = json_object_get(models, "means");
        if (json_array_size(means) == 0 || !cell->track[SEGUE_TRACK_ERROR] ||
            !cell->track[SEGUE_TRACK_DISTANCE])
            continue;
        sets[n++] = (segue_sweep_set){.cell = cell,
                                      .models = models,
                                      .n_models = json_array_size(means),
                                      .n_arms = json_array_size(json_array_get(means, 0)),
                                      .equal = has_equal_weights(models),
                                      .drawn = strcmp(cell->environment, "paper") != 0};
    }
    return n;
}

bool segue_sweep_is_repeat(const segue_sweep_set *a, const segue_sweep_set *b)
{
    return a->n_models == b->n_models && a->n_arms == b->n_arms && a->equal == b->equal &&
           a->drawn == b->drawn;
}

double segue_sweep_tasks_to(const segue_cell *cell, double error)
{
    size_t p = cell->n_points;
    while (p > 0 && segue_cell_median(cell, SEGUE_TRACK_ERROR, p - 1).middle <= error)
        p--;
    return p < cell->n_points ? (double)segue_cell_last_task(cell, p) : NAN;
}

double segue_sweep_distance(const segue_cell *cell)
{
    return segue_cell_median(cell, SEGUE_TRACK_DISTANCE, cell->n_points - 1).middle;
}

/* ---- the fit ----------------------------------------------------------------------------- */

/* Sums of products of two columns, around their means. */
static double product(const double (*points)[3], size_t n, size_t a, size_t b)
{
    double mean_a = 0.0, mean_b = 0.0, sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        mean_a += points[i][a] / (double)n;
        mean_b += points[i][b] / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        sum += (points[i][a] - mean_a) * (points[i][b] - mean_b);
    return sum;
}

/* The normal equations of y = c + e0 x0 + e1 x1, around the means. The residuals have n - 3 degrees
 * of freedom; segue_stats_student_95 takes one more than these. */
segue_sweep_growth segue_sweep_fit(const double (*points)[3], size_t n)
{
    const double aa = product(points, n, 0, 0), bb = product(points, n, 1, 1);
    const double ab = product(points, n, 0, 1);
    const double ay = product(points, n, 0, 2), by = product(points, n, 1, 2);
    const double determinant = aa * bb - ab * ab;
    if (n < 4 || !(determinant > 1e-9 * aa * bb))
        return (segue_sweep_growth){.n_sets = n, .exponent = {NAN, NAN}, .half_width = {NAN, NAN}};
    const double first = (bb * ay - ab * by) / determinant;
    const double second = (aa * by - ab * ay) / determinant;
    const double rest = fmax(product(points, n, 2, 2) - first * ay - second * by, 0.0);
    const double t = segue_stats_student_95(n - 2), variance = rest / ((double)n - 3.0);
    return (segue_sweep_growth){.n_sets = n,
                                .exponent = {first, second},
                                .half_width = {t * sqrt(variance * bb / determinant),
                                               t * sqrt(variance * aa / determinant)}};
}

segue_sweep_growth segue_sweep_fit_sets(const segue_sweep_set *sets, size_t n)
{
    double points[SEGUE_MAX_SWEEP][3];
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        const double distance = segue_sweep_distance(sets[i].cell);
        if (!sets[i].equal || !sets[i].drawn || !(distance > 0.0))
            continue;
        points[used][0] = segue_ln((double)sets[i].n_models);
        points[used][1] = segue_ln((double)sets[i].n_arms);
        points[used++][2] = segue_ln(distance);
    }
    return segue_sweep_fit((const double(*)[3])points, used);
}
