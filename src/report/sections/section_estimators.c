/* section_estimators.c - other estimators inside tUCB, and what an estimate costs as models, arms
 * and weights change.
 *
 * report.c calls segue_section_estimators. Experiment `estimators` plays the paper's models with
 * four estimators; experiment `sweep` plays random model sets round robin, so that only the
 * estimate matters (sweep.h).
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/models_json.h"
#include "report/claims/compare.h"
#include "report/claims/sweep.h"
#include "report/html.h"
#include "report/report.h"

#define TARGET 0.1 /* the error that the table asks for */

/* ---- other estimators -------------------------------------------------------------------- */

/* Colours and names of estimators, the paper's first. */
static const struct {
    const char *policy, *title;
    size_t style;
} estimators[] = {{"tucb", "RTP", 5},
                  {"tucb:estimator=algorithm-b", "Algorithm B", 3},
                  {"tucb:estimator=eca", "ECA", 4},
                  {"tucb:estimator=em", "EM", 6}};

#define N_ESTIMATORS (sizeof estimators / sizeof *estimators)

/* Return the cell of an estimator; NULL: it was not played. */
static const segue_cell *cell_of(const segue_report *report, size_t which)
{
    const segue_results *results = report->paper->results[SEGUE_STUDY_ESTIMATORS];
    for (size_t i = 0; i < results->n_cells; i++)
        if (strcmp(results->cell[i].policy, estimators[which].policy) == 0)
            return &results->cell[i];
    return NULL;
}

static segue_status draw_regret(const segue_report *report, segue_error *err)
{
    const segue_paper *paper = report->paper;
    const double to = (double)paper->results[SEGUE_STUDY_ESTIMATORS]->cell[0].tasks;
    segue_figure figure = segue_figure_init("estimators", "tasks", "regret per task");
    segue_figure_add_level(&figure, 0, 0.0, to, paper->ucb->regret.mean, NAN, "UCB");
    segue_figure_add_level(&figure, 2, 0.0, to, paper->mucb->regret.mean, NAN, "mUCB");
    for (size_t i = 0; i < N_ESTIMATORS; i++) {
        char title[40];
        (void)snprintf(title, sizeof title, "tUCB, %s", estimators[i].title);
        if (cell_of(report, i))
            segue_report_add_track(&figure, cell_of(report, i), SEGUE_TRACK_REGRET,
                                   estimators[i].style, title);
    }
    return segue_report_figure(report, &figure,
                               "Regret of tUCB from task to task with four estimators, with 95 % "
                               "bands over runs.",
                               err);
}

static segue_status draw_errors(const segue_report *report, segue_error *err)
{
    segue_figure figure = segue_report_error_figure("estimators-errors", 0.005);
    for (size_t i = 0; i < N_ESTIMATORS; i++)
        if (cell_of(report, i))
            segue_report_add_medians(&figure, cell_of(report, i), SEGUE_TRACK_ERROR,
                                     estimators[i].style, estimators[i].title);
    if (cell_of(report, 0))
        segue_report_add_track(&figure, cell_of(report, 0), SEGUE_TRACK_EPS, 0, "eps_j");
    return segue_report_figure(report, &figure,
                               "The error of the models in the same runs: medians over runs, with "
                               "bands that hold the median with 95 %, and eps_j, which tUCB "
                               "assumes whatever the estimator.",
                               err);
}

static void print_estimators(const segue_report *report)
{
    static const char *const headings[] = {
        "estimator",        "regret, all tasks",     "regret, last tenth",
        "error at the end", "steps without a model", NULL};
    segue_html_table_begin(report->out,
                           "tUCB with four estimators: regret per task with standard errors, the "
                           "largest error of a mean after the last task (median over runs), and "
                           "steps per task at which no model agreed with the rewards.",
                           headings);
    for (size_t i = 0; i < N_ESTIMATORS; i++) {
        const segue_cell *cell = cell_of(report, i);
        if (!cell)
            continue;
        const segue_regret end = segue_compare_final_regret(cell);
        segue_html_row(report->out);
        segue_html_cell(report->out, "%s", estimators[i].title);
        segue_html_cell(report->out, "%.1f ± %.1f", cell->regret.mean, cell->regret.se);
        segue_html_cell(report->out, "%.1f ± %.1f", end.mean, end.se);
        segue_html_cell(report->out, "%.3f",
                        segue_cell_median(cell, SEGUE_TRACK_ERROR, cell->n_points - 1).middle);
        segue_html_cell(report->out, "%.3g", cell->no_model_left);
    }
    segue_html_table_end(report->out);
}

static segue_status show_estimators(const segue_report *report, segue_error *err)
{
    FILE *out = report->out;
    segue_html_heading(out, 2, "estimators", "Other estimators inside tUCB");
    segue_html_p(out, "Appendix E names two more methods of moments, Algorithm B and excess "
                      "correlation analysis (ECA). EM, the likelihood of counts, is not in the "
                      "paper. All four get the same tasks; the rest of tUCB is unchanged.");
    SEGUE_TRY(draw_regret(report, err));
    SEGUE_TRY(draw_errors(report, err));
    print_estimators(report);
    segue_report_claim(report, "estimators");
    segue_report_repeat(report, SEGUE_STUDY_ESTIMATORS);
    return SEGUE_OK;
}

/* ---- models, arms and weights ------------------------------------------------------------ */

/* The sets of the sweep; `head[i]` is true for the first set of a setting. */
typedef struct sweep {
    size_t n;
    segue_sweep_set sets[SEGUE_MAX_SWEEP];
    bool head[SEGUE_MAX_SWEEP];
} sweep;

static void find_sets(sweep *s, const segue_report *report)
{
    s->n = segue_sweep_find(report->paper->results[SEGUE_STUDY_SWEEP], s->sets);
    for (size_t i = 0; i < s->n; i++) {
        s->head[i] = true;
        for (size_t k = 0; k < i; k++)
            s->head[i] = s->head[i] && !segue_sweep_is_repeat(&s->sets[i], &s->sets[k]);
    }
}

/* A reading takes one number from a set. */
typedef double (*reading)(const segue_sweep_set *set, size_t point);

static double read_error(const segue_sweep_set *set, size_t point)
{
    return segue_cell_median(set->cell, SEGUE_TRACK_ERROR, point).middle;
}

static double read_distance(const segue_sweep_set *set, size_t point)
{
    (void)point;
    return segue_sweep_distance(set->cell);
}

/* A set that never gets there counts as infinity, so that it is the largest. */
static double read_tasks(const segue_sweep_set *set, size_t point)
{
    (void)point;
    const double tasks = segue_sweep_tasks_to(set->cell, TARGET);
    return isnan(tasks) ? INFINITY : tasks;
}

/* Return the middle over the sets of a setting, with the smallest and the largest; the middle of an
 * even number is the upper one. Sets without an estimate are skipped. */
static segue_median over_sets(const sweep *s, size_t head, reading read, size_t point)
{
    double values[SEGUE_MAX_SWEEP];
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const double value = read(&s->sets[i], point);
        if (!segue_sweep_is_repeat(&s->sets[i], &s->sets[head]) || isnan(value))
            continue;
        size_t at = n++;
        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
    if (n == 0)
        return (segue_median){.middle = NAN, .low = NAN, .high = NAN};
    return (segue_median){.middle = values[n / 2], .low = values[0], .high = values[n - 1]};
}

/* Add a setting over tasks; `banded`: from its best set to its worst. */
static void add_setting(segue_figure *figure, const sweep *s, size_t head, size_t style,
                        bool banded, const char *title)
{
    const segue_cell *cell = s->sets[head].cell;
    segue_figure_begin_series(figure, SEGUE_SERIES_LINE, style, "%s", title);
    for (size_t p = 0; p < cell->n_points; p++) {
        const segue_median median = over_sets(s, head, read_error, p);
        segue_figure_add_range(figure, (double)segue_cell_last_task(cell, p), median.middle,
                               banded ? median.low : NAN, banded ? median.high : NAN);
    }
}

static const size_t sweep_styles[] = {2, 5, 3, 4, 6, 1, 7};

/* The settings with the K of the first drawn set differ in m. */
static segue_status draw_models(const segue_report *report, const sweep *s, size_t first,
                                segue_error *err)
{
    segue_figure figure = segue_report_error_figure("sweep-models", 0.005);
    for (size_t i = 0, drawn = 0; i < s->n; i++) {
        const segue_sweep_set *set = &s->sets[i];
        char title[40];
        if (!s->head[i] || !set->drawn || !set->equal || set->n_arms != s->sets[first].n_arms)
            continue;
        (void)snprintf(title, sizeof title, "m = %zu", set->n_models);
        add_setting(&figure, s, i, sweep_styles[drawn++ % 7], true, title);
    }
    return segue_report_figure(
        report, &figure,
        "More models: the error over tasks, median over runs, then the "
        "middle of the model sets of a size (of four the third); bands from the best set to the "
        "worst. Arms are pulled in turn.",
        err);
}

/* The settings with the m of the last set, which has unequal weights, differ in K and weights. */
static segue_status draw_arms(const segue_report *report, const sweep *s, segue_error *err)
{
    segue_figure figure = segue_report_error_figure("sweep-arms", 0.005);
    for (size_t i = 0, drawn = 0; i < s->n; i++) {
        const segue_sweep_set *set = &s->sets[i];
        char title[40];
        if (!s->head[i] || !set->drawn || set->n_models != s->sets[s->n - 1].n_models)
            continue;
        (void)snprintf(title, sizeof title, "K = %zu%s", set->n_arms,
                       set->equal ? "" : ", unequal weights");
        add_setting(&figure, s, i, sweep_styles[drawn++ % 7], false, title);
    }
    return segue_report_figure(report, &figure,
                               "More arms, and models of unequal weights: as the figure before, "
                               "with four models and without bands. Tasks have the same steps, "
                               "so that more arms have fewer pulls each.",
                               err);
}

/* Find the smallest and the largest sigma_min of a setting. */
static segue_status find_sigmas(const sweep *s, size_t head, double *low, double *high,
                                segue_error *err)
{
    const segue_json_location at = {.path = "sweep", .within = "environment."};
    *low = INFINITY;
    *high = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        segue_models *models = NULL;
        segue_spectrum spectrum;
        if (!segue_sweep_is_repeat(&s->sets[i], &s->sets[head]))
            continue;
        SEGUE_TRY(segue_models_json_parse(&models, &at, "models", s->sets[i].models, err));
        const segue_status status = segue_spectrum_compute(&spectrum, models, err);
        segue_models_destroy(models);
        SEGUE_TRY(status);
        *low = fmin(*low, spectrum.sigma_min);
        *high = fmax(*high, spectrum.sigma_min);
    }
    return SEGUE_OK;
}

/* Print tasks, or that a set needs more than were played. */
static void print_tasks(FILE *out, double tasks, uint64_t played)
{
    if (isfinite(tasks))
        segue_html_cell(out, "%.0f", tasks);
    else
        segue_html_cell(out, "over %" PRIu64, played);
}

static segue_status print_setting(FILE *out, const sweep *s, size_t head, segue_error *err)
{
    const segue_sweep_set *set = &s->sets[head];
    const segue_median tasks = over_sets(s, head, read_tasks, 0);
    const segue_median error = over_sets(s, head, read_error, set->cell->n_points - 1);
    double low, high;
    SEGUE_TRY(find_sigmas(s, head, &low, &high, err));
    segue_html_row(out);
    segue_html_cell(out, "%zu", set->n_models);
    segue_html_cell(out, "%zu", set->n_arms);
    segue_html_cell(out, "%s", !set->drawn ? "the paper's" : set->equal ? "equal" : "unequal");
    segue_html_cell(out, "%.4f .. %.4f", low, high);
    print_tasks(out, tasks.middle, set->cell->tasks);
    print_tasks(out, tasks.high, set->cell->tasks);
    segue_html_cell(out, "%.3f", error.middle);
    segue_html_cell(out, "%.3f", error.high);
    segue_html_cell(out, "%.3f", over_sets(s, head, read_distance, 0).middle);
    return SEGUE_OK;
}

static segue_status print_sweep(const segue_report *report, const sweep *s, segue_error *err)
{
    static const char *const headings[] = {"m",
                                           "K",
                                           "weights",
                                           "smallest singular values",
                                           "tasks to error 0.1",
                                           "worst set",
                                           "error at the end",
                                           "worst set",
                                           "Euclidean error of a model",
                                           NULL};
    segue_html_table_begin(
        report->out,
        "What an estimate costs: tasks until the largest error of a mean stays "
        "at 0.1 or below, and errors after the last task; medians over runs, and "
        "of the model sets of a setting the middle and the worst.",
        headings);
    for (size_t i = 0; i < s->n; i++)
        if (s->head[i])
            SEGUE_TRY(print_setting(report->out, s, i, err));
    segue_html_table_end(report->out);
    return SEGUE_OK;
}

static segue_status show_sweep(const segue_report *report, segue_error *err)
{
    FILE *out = report->out;
    sweep s;
    size_t first = 0;
    find_sets(&s, report);
    while (first + 1 < s.n && !s.sets[first].drawn)
        first++;
    segue_html_heading(out, 2, "sweep", "More models, more arms, unequal weights");
    segue_html_p(out,
                 "RTP needs tasks to learn m models of K arms. Here all tasks are played round "
                 "robin, %" PRIu64 " steps each, so that only the estimate matters. The model sets "
                 "were drawn at random by one rule before any was played (scripts/draw-sweep); "
                 "unequal weights are 0.55, 0.25, 0.15 and 0.05.",
                 s.n ? s.sets[0].cell->steps : 0);
    if (s.n) {
        SEGUE_TRY(draw_models(report, &s, first, err));
        SEGUE_TRY(draw_arms(report, &s, err));
        SEGUE_TRY(print_sweep(report, &s, err));
    }
    segue_report_claim(report, "growth");
    segue_report_repeat(report, SEGUE_STUDY_SWEEP);
    return SEGUE_OK;
}

segue_status segue_section_estimators(const segue_report *report, segue_error *err)
{
    SEGUE_TRY(show_estimators(report, err));
    return show_sweep(report, err);
}
