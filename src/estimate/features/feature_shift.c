/* feature_shift.c - how features shift the weights of types (docs/math.md, "Features").
 *
 * A feature has cells: its categories, or 16 quantile bins of its numbers.  With n_cv the tasks of type
 * c in cell v and m_v the share of cell v among all tasks, a feature that depends on the type has
 *
 *     P(v | type c) = (n_cv + a m_v) / (n_c + a)          a Dirichlet prior a m on every type
 *
 * and one that does not has P(v) = m_v.  The concentrations a, and for a number the widths of the bins,
 * are weighed by the marginal likelihood of all tasks, against that of no dependence.  The factor of a
 * type is the posterior mean of P(v | c) / m_v.  It goes to 1 where the feature says nothing.
 *
 * Cost: tasks + types x cells x concentrations, per feature.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/features/feature_shift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/math/exp.h"
#include "core/math/ln.h"
#include "core/math/log_gamma.h"

static const double concentrations[] = {1.0, 4.0, 16.0, 64.0};
enum { N_CONCENTRATIONS = sizeof concentrations / sizeof *concentrations, MAX_LEVELS = 4 };

#define P_RELEVANT 0.5 /* before any task */

/* Tasks per type and cell, of one feature. */
typedef struct cell_counts {
    size_t n_types, n_cells;
    double *of;    /* n_types x n_cells */
    double *type;  /* n_types: their sums */
    double *share; /* n_cells: m */
} cell_counts;

/* ---- cells --------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Quantiles of the numbers of a column; `sorted` is scratch. */
static void find_edges(const feature_column *c, size_t n_tasks, double *sorted, double *edge)
{
    size_t n = 0;
    for (size_t l = 0; l < n_tasks; l++)
        if (!isnan(c->value[l]))
            sorted[n++] = c->value[l];
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t k = 0; k < NUMBER_CELLS; k++)
        edge[k] = sorted[k * n / NUMBER_CELLS];
    edge[NUMBER_CELLS] = sorted[n - 1];
}

/* The bin of a number; those beyond the ends are in the bins of the ends. */
static size_t bin_of(const double *edge, double x)
{
    const double inside = fmin(fmax(x, edge[0]), edge[NUMBER_CELLS]);
    size_t bin = 0;
    for (size_t k = 1; k < NUMBER_CELLS; k++)
        bin += edge[k] <= inside;
    return bin;
}

static size_t cells_of(const feature_column *c)
{
    size_t n = 0;
    for (size_t v = 0; v < SEGUE_MAX_CATEGORIES; v++)
        n = c->count[v] > 0 ? v + 1 : n;
    return c->is_number ? NUMBER_CELLS : n;
}

static void count_cells(const feature_column *c, typed_tasks tasks, const double *edge,
                        cell_counts *n)
{
    memset(n->of, 0, n->n_types * n->n_cells * sizeof *n->of);
    memset(n->type, 0, n->n_types * sizeof *n->type);
    memset(n->share, 0, n->n_cells * sizeof *n->share);
    for (size_t l = 0; l < tasks.n_tasks; l++) {
        if (isnan(c->value[l]))
            continue;
        const size_t v = c->is_number ? bin_of(edge, c->value[l]) : (size_t)c->value[l];
        n->of[tasks.type_of[l] * n->n_cells + v] += 1.0;
        n->type[tasks.type_of[l]] += 1.0;
        n->share[v] += 1.0 / (double)c->n_tasks;
    }
}

/* Merge cells in pairs. */
static void merge_cells(cell_counts *n)
{
    const size_t half = n->n_cells / 2;
    for (size_t at = 0; at < n->n_types * half; at++)
        n->of[at] = n->of[2 * at] + n->of[2 * at + 1];
    for (size_t v = 0; v < half; v++)
        n->share[v] = n->share[2 * v] + n->share[2 * v + 1];
    n->n_cells = half;
}

/* ---- relevance ----------------------------------------------------------------------------- */

/* Log marginal likelihood of all tasks with concentration a, minus that of no dependence. */
static double log_evidence(const cell_counts *n, double a)
{
    const segue_log_gamma_ratio all = segue_log_gamma_ratio_init(a);
    double sum = 0.0;
    for (size_t c = 0; c < n->n_types; c++)
        sum -= segue_log_gamma_ratio_at(&all, n->type[c]);
    for (size_t v = 0; v < n->n_cells; v++) {
        if (!(n->share[v] > 0.0))
            continue;
        const segue_log_gamma_ratio rise = segue_log_gamma_ratio_init(a * n->share[v]);
        const double log_share = segue_ln(n->share[v]);
        for (size_t c = 0; c < n->n_types; c++) {
            const double count = n->of[c * n->n_cells + v];
            if (count > 0.0)
                sum += segue_log_gamma_ratio_at(&rise, count) - count * log_share;
        }
    }
    return sum;
}

/* Add the factors of one concentration, by its weight, at the finest cells. */
static void add_factors(const cell_counts *n, double a, double weight, size_t n_shown,
                        feature_factors *out)
{
    const size_t width = out->n_cells / n->n_cells;
    for (size_t c = 0; c < n_shown; c++)
        for (size_t v = 0; v < out->n_cells; v++) {
            const double share = n->share[v / width], count = n->of[c * n->n_cells + v / width];
            const double factor =
                share > 0.0 ? (count + a * share) / ((n->type[c] + a) * share) : 1.0;
            out->factor[c * out->n_cells + v] += weight * factor;
        }
}

/* Weights of no dependence (the last) and of each level and concentration, from log evidences. */
static void weigh(double *weight, size_t n)
{
    double max = 0.0, total = 0.0;
    for (size_t k = 0; k < n; k++)
        max = fmax(max, weight[k]);
    for (size_t k = 0; k < n; k++)
        weight[k] = P_RELEVANT / (double)n * segue_exp(weight[k] - max);
    weight[n] = (1.0 - P_RELEVANT) * segue_exp(-max);
    for (size_t k = 0; k <= n; k++)
        total += weight[k];
    for (size_t k = 0; k <= n; k++)
        weight[k] /= total;
}

/* Levels of a number have 16, 8, 4 and 2 bins; categories have one level. */
static void find_factors(const feature_column *c, typed_tasks tasks, cell_counts *n,
                         feature_factors *out)
{
    double weight[MAX_LEVELS * N_CONCENTRATIONS + 1];
    const size_t levels = c->is_number ? MAX_LEVELS : 1, count = levels * N_CONCENTRATIONS;
    for (size_t pass = 0; pass < 2; pass++) {
        n->n_cells = out->n_cells;
        count_cells(c, tasks, out->edge, n);
        for (size_t k = 0; k < count; k++) {
            if (k > 0 && k % N_CONCENTRATIONS == 0)
                merge_cells(n);
            const double a = concentrations[k % N_CONCENTRATIONS];
            if (pass == 0)
                weight[k] = log_evidence(n, a);
            else
                add_factors(n, a, weight[k], tasks.n_shown, out);
        }
        if (pass == 0)
            weigh(weight, count);
    }
    for (size_t at = 0; at < tasks.n_shown * out->n_cells; at++)
        out->factor[at] += weight[count];
    out->relevance = 1.0 - weight[count];
}

/* ---- build --------------------------------------------------------------------------------- */

/* One block: the factors of all features, then scratch. */
static segue_status allocate(feature_shift *out, const feature_table *t, typed_tasks tasks,
                             cell_counts *n, double **sorted, segue_error *err)
{
    size_t total = 0;
    for (size_t f = 0; f < t->n_columns; f++)
        total += tasks.n_shown * cells_of(t->column[f]);
    const size_t of = tasks.n_types * SEGUE_MAX_CATEGORIES;
    const size_t scratch = of + tasks.n_types + SEGUE_MAX_CATEGORIES + tasks.n_tasks;
    out->memory = calloc(total + scratch, sizeof *out->memory);
    if (!out->memory)
        return segue_fail_no_memory(err, "features");
    double *at = out->memory;
    for (size_t f = 0; f < t->n_columns; f++) {
        out->feature[f].n_cells = cells_of(t->column[f]);
        out->feature[f].factor = at;
        at += tasks.n_shown * out->feature[f].n_cells;
    }
    n->of = at;
    n->type = n->of + of;
    n->share = n->type + tasks.n_types;
    *sorted = n->share + SEGUE_MAX_CATEGORIES;
    return SEGUE_OK;
}

segue_status segue_feature_shift_build(feature_shift *out, const feature_table *t,
                                       typed_tasks tasks, segue_error *err)
{
    cell_counts n = {.n_types = tasks.n_types};
    double *sorted = NULL;
    *out = (feature_shift){.n_types = tasks.n_shown};
    if (t->n_columns == 0 || tasks.n_shown == 0)
        return SEGUE_OK;
    SEGUE_TRY(allocate(out, t, tasks, &n, &sorted, err));
    out->n_features = t->n_columns;
    for (size_t f = 0; f < t->n_columns; f++) {
        if (t->column[f]->is_number)
            find_edges(t->column[f], tasks.n_tasks, sorted, out->feature[f].edge);
        find_factors(t->column[f], tasks, &n, &out->feature[f]);
    }
    return SEGUE_OK;
}

void segue_feature_shift_fini(feature_shift *shift)
{
    free(shift->memory);
    *shift = (feature_shift){.n_features = 0};
}

size_t segue_feature_shift_bytes(const feature_shift *shift)
{
    size_t bytes = 0;
    for (size_t f = 0; f < shift->n_features; f++)
        bytes += shift->n_types * shift->feature[f].n_cells * sizeof(double);
    return bytes;
}

/* ---- a value ------------------------------------------------------------------------------- */

size_t segue_feature_shift_cell(const feature_shift *shift, const feature_table *t, size_t column,
                                const segue_feature *feature)
{
    return feature->text ? segue_feature_table_category(t->column[column], feature->text)
                         : bin_of(shift->feature[column].edge, feature->number);
}

double segue_feature_shift_factor(const feature_shift *shift, const feature_table *t, size_t type,
                                  const segue_feature *feature)
{
    const size_t f = segue_feature_table_find(t, feature);
    if (f == NO_INDEX || f >= shift->n_features || type >= shift->n_types)
        return 1.0;
    const size_t cell = segue_feature_shift_cell(shift, t, f, feature);
    return cell == NO_INDEX ? 1.0
                            : shift->feature[f].factor[type * shift->feature[f].n_cells + cell];
}
