/* plot.c - build figures from any results, by the code that draws the paper's.
 *
 * A series is a policy in an environment, with a number of tasks (and of steps, where these are not
 * the axis).  Its title names only what differs between the cells that are shown: with one
 * environment, its name is omitted.
 *
 * Bands and bars are 95 %: Student's t over the runs of results; 1.96 standard errors for a curve,
 * whose file does not say how many runs it is of.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/plot.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "segue/internal.h"

#define NORMAL_95 1.96
#define SHIFT     0.06 /* of the points of a model, so that their bars do not hide each other */

const char *segue_plot_kind_name(segue_plot_kind kind)
{
    static const char *const names[SEGUE_N_PLOT_KINDS] = {"steps", "tasks", "models"};
    return names[kind];
}

const char *segue_plot_track_label(segue_track track)
{
    static const char *const labels[SEGUE_N_TRACKS] = {
        [SEGUE_TRACK_REGRET] = "regret per task",
        [SEGUE_TRACK_ERROR] = "largest error of an estimated mean",
        [SEGUE_TRACK_RESOLVED] = "models with a single best arm",
        [SEGUE_TRACK_DISTANCE] = "largest distance of an estimated model",
        [SEGUE_TRACK_FRESH] = "largest error of a mean, from fresh rewards",
        [SEGUE_TRACK_TYPES] = "types found"};
    return labels[track] ? labels[track] : segue_cell_track_name(track);
}

const char *segue_plot_caption(segue_plot_kind kind)
{
    static const char *const captions[SEGUE_N_PLOT_KINDS] = {
        "Regret against the number of steps per task. Bands are 95 % over runs.",
        "From task to task. Bands are 95 % over runs.",
        "Regret of tasks by their true model. Bars are 95 % over runs."};
    return captions[kind];
}

/* ---- selection --------------------------------------------------------------------------- */

static bool is_shown(const segue_plot *plot, const char *policy)
{
    for (size_t i = 0; i < plot->n_policies; i++)
        if (strcmp(plot->policy[i], policy) == 0)
            return true;
    return plot->n_policies == 0;
}

/* Test whether a cell has data for a figure. */
static bool has_data(const segue_plot *plot, segue_plot_kind kind, const segue_cell *cell)
{
    if (!is_shown(plot, cell->policy))
        return false;
    if (kind == SEGUE_PLOT_TASKS)
        return cell->track[plot->track] != NULL;
    return kind == SEGUE_PLOT_MODELS ? cell->n_models > 0 : true;
}

typedef bool (*cell_function)(void *context, const segue_plot_file *file, const segue_cell *cell);

/* Call `visit` for each cell of a figure until it returns false. */
static void for_each_cell(const segue_plot *plot, segue_plot_kind kind, cell_function visit,
                          void *context)
{
    for (size_t f = 0; f < plot->n_files; f++) {
        const segue_results *results = plot->file[f].results;
        for (size_t i = 0; results && i < results->n_cells; i++)
            if (has_data(plot, kind, &results->cell[i]) &&
                !visit(context, &plot->file[f], &results->cell[i]))
                return;
    }
}

/* Properties in which the cells of a figure differ. */
typedef struct variety {
    const segue_cell *first;
    size_t n_cells;
    bool environments, steps, tasks;
} variety;

static bool compare_cell(void *context, const segue_plot_file *file, const segue_cell *cell)
{
    variety *v = context;
    (void)file;
    if (v->n_cells++ == 0)
        v->first = cell;
    v->environments |= strcmp(cell->environment, v->first->environment) != 0;
    v->steps |= cell->steps != v->first->steps;
    v->tasks |= cell->tasks != v->first->tasks;
    return true;
}

static variety find_variety(const segue_plot *plot, segue_plot_kind kind)
{
    variety v = {.first = NULL};
    for_each_cell(plot, kind, compare_cell, &v);
    return v;
}

static bool has_curve(const segue_plot *plot)
{
    for (size_t f = 0; f < plot->n_files; f++)
        for (size_t i = 0; plot->file[f].curve && i < plot->file[f].curve->n_policies; i++)
            if (is_shown(plot, plot->file[f].curve->policy[i]))
                return true;
    return false;
}

bool segue_plot_has(const segue_plot *plot, segue_plot_kind kind)
{
    const variety v = find_variety(plot, kind);
    if (kind == SEGUE_PLOT_TASKS && plot->track == SEGUE_TRACK_REGRET && has_curve(plot))
        return true;
    return kind == SEGUE_PLOT_STEPS ? v.steps : v.n_cells > 0;
}

bool segue_plot_has_policy(const segue_plot *plot, const char *policy)
{
    const segue_plot one = {.n_files = plot->n_files,
                            .file = plot->file,
                            .policy = (char *const *)&policy,
                            .n_policies = 1};
    return has_curve(&one) || find_variety(&one, SEGUE_PLOT_STEPS).n_cells > 0;
}

/* ---- series ------------------------------------------------------------------------------ */

typedef struct builder {
    const segue_plot *plot;
    segue_plot_kind kind;
    variety differs;
    segue_figure *figure;
} builder;

static void append(char *text, size_t size, const char *more)
{
    const size_t used = strlen(text);
    (void)snprintf(text + used, size - used, "%s", more);
}

/* Begin the series of a cell; its title has what differs. */
static void begin(builder *b, const segue_plot_file *file, const segue_cell *cell, segue_mark mark)
{
    char title[200], part[80];
    (void)snprintf(title, sizeof title, "%.120s", cell->policy);
    if (b->differs.steps && b->kind != SEGUE_PLOT_STEPS) {
        (void)snprintf(part, sizeof part, ", n = %" PRIu64, cell->steps);
        append(title, sizeof title, part);
    }
    if (b->differs.tasks && cell->tasks) {
        (void)snprintf(part, sizeof part, ", J = %" PRIu64, cell->tasks);
        append(title, sizeof title, part);
    }
    if (b->differs.environments) {
        (void)snprintf(part, sizeof part, ", %.60s", cell->environment);
        append(title, sizeof title, part);
    }
    if (b->plot->n_files > 1) {
        (void)snprintf(part, sizeof part, " (%.60s)", file->name);
        append(title, sizeof title, part);
    }
    segue_figure_begin_series(b->figure, mark, b->figure->n_series, "%s", title);
}

static bool add_tasks(void *context, const segue_plot_file *file, const segue_cell *cell)
{
    builder *b = context;
    const segue_track track = b->plot->track;
    begin(b, file, cell, cell->n_points > 1 ? SEGUE_SERIES_LINE : SEGUE_SERIES_BARS);
    for (size_t p = 0; p < cell->n_points; p++) {
        const segue_regret point = segue_cell_mean(cell, track, p);
        segue_figure_add_point(b->figure, (double)segue_cell_last_task(cell, p), point.mean,
                               segue_cell_half_width(cell, point));
    }
    return true;
}

static bool add_models(void *context, const segue_plot_file *file, const segue_cell *cell)
{
    builder *b = context;
    const double shift =
        SHIFT * ((double)b->figure->n_series - 0.5 * (double)(b->differs.n_cells - 1));
    const double limit = fmin(1.0, 0.35 / (SHIFT * 0.5 * (double)b->differs.n_cells));
    begin(b, file, cell, SEGUE_SERIES_BARS);
    for (size_t k = 0; k < cell->n_models; k++)
        segue_figure_add_point(b->figure, (double)(k + 1) + limit * shift, cell->by_model[k].mean,
                               segue_cell_half_width(cell, cell->by_model[k]));
    return true;
}

/* Test whether two cells of one file belong to one series over n. */
static bool is_same_series(const segue_cell *a, const segue_cell *b)
{
    return strcmp(a->policy, b->policy) == 0 && strcmp(a->environment, b->environment) == 0 &&
           a->tasks == b->tasks;
}

/* Find the cell of a series with the next larger n; NULL: none. */
static const segue_cell *next_steps(const segue_results *results, const segue_cell *series,
                                    uint64_t after)
{
    const segue_cell *next = NULL;
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        if (is_same_series(cell, series) && cell->steps > after &&
            (!next || cell->steps < next->steps))
            next = cell;
    }
    return next;
}

/* The first cell of a series adds all of its points, by n. */
static bool add_steps(void *context, const segue_plot_file *file, const segue_cell *cell)
{
    builder *b = context;
    const segue_results *results = file->results;
    for (const segue_cell *other = results->cell; other < cell; other++)
        if (is_same_series(other, cell))
            return true;
    const segue_cell *point = next_steps(results, cell, 0);
    const bool is_line = next_steps(results, cell, point->steps) != NULL;
    begin(b, file, cell, is_line ? SEGUE_SERIES_LINE_POINTS : SEGUE_SERIES_BARS);
    for (; point; point = next_steps(results, cell, point->steps))
        segue_figure_add_point(b->figure, (double)point->steps, point->regret.mean,
                               segue_cell_half_width(point, point->regret));
    return true;
}

static void add_curve(builder *b, const segue_plot_file *file)
{
    const segue_curve_file *curve = file->curve;
    for (size_t i = 0; i < curve->n_policies; i++) {
        if (!is_shown(b->plot, curve->policy[i]))
            continue;
        char source[80] = "";
        if (b->plot->n_files > 1)
            (void)snprintf(source, sizeof source, " (%.60s)", file->name);
        segue_figure_begin_series(b->figure, SEGUE_SERIES_LINE, b->figure->n_series, "%.120s%s",
                                  curve->policy[i], source);
        for (size_t r = 0; r < curve->n_rows; r++)
            if (curve->row[r].policy == i)
                segue_figure_add_point(b->figure, curve->row[r].task, curve->row[r].mean,
                                       NORMAL_95 * curve->row[r].se);
    }
}

/* ---- the figure -------------------------------------------------------------------------- */

static segue_figure start(const segue_plot *plot, segue_plot_kind kind, const char *name)
{
    static const char *const x_labels[SEGUE_N_PLOT_KINDS] = {"steps per task, n", "tasks", "model"};
    const bool is_track = kind == SEGUE_PLOT_TASKS;
    segue_figure figure = segue_figure_init(
        name, x_labels[kind], segue_plot_track_label(is_track ? plot->track : SEGUE_TRACK_REGRET));
    figure.log_x = plot->log_x && kind != SEGUE_PLOT_MODELS;
    figure.log_y = plot->log_y;
    if (kind == SEGUE_PLOT_MODELS)
        figure.more = "set xtics 1\nset autoscale xfix\nset offsets 0.4, 0.4, 0, 0";
    return figure;
}

/* A logarithmic axis begins below the smallest point, and cuts the bands there. */
static void fit_log_axis(segue_figure *figure)
{
    double min = INFINITY;
    for (size_t i = 0; i < figure->n_points; i++)
        if (figure->point[i].y > 0.0)
            min = fmin(min, figure->point[i].y);
    figure->y_min = isfinite(min) ? 0.5 * min : 0.0;
    for (size_t i = 0; i < figure->n_points; i++)
        figure->point[i].low = fmax(figure->point[i].low, figure->y_min);
}

segue_figure segue_plot_figure(const segue_plot *plot, segue_plot_kind kind, const char *name)
{
    static const cell_function adds[SEGUE_N_PLOT_KINDS] = {add_steps, add_tasks, add_models};
    segue_figure figure = start(plot, kind, name);
    builder b = {
        .plot = plot, .kind = kind, .differs = find_variety(plot, kind), .figure = &figure};
    for_each_cell(plot, kind, adds[kind], &b);
    for (size_t f = 0; f < plot->n_files && kind == SEGUE_PLOT_TASKS; f++)
        if (plot->file[f].curve && plot->track == SEGUE_TRACK_REGRET)
            add_curve(&b, &plot->file[f]);
    if (figure.log_y)
        fit_log_axis(&figure);
    return figure;
}
