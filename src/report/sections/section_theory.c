/* section_theory.c - the models, their complexities, and the bounds with the measured regret.
 *
 * report.c calls both sections. The numbers come from paper.c, which computes complexities, bounds
 * and the spectrum from the models of the experiments; here they are only printed and drawn.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html.h"
#include "report/report.h"

/* The second loop adds the best arms as squares without titles, on top of the lines. */
static segue_status draw_models(const segue_report *report, segue_error *err)
{
    const segue_models *models = report->paper->models;
    segue_figure figure = segue_figure_init("models", "arm", "mean reward");
    figure.y_max = 1.0;
    char range[60];
    (void)snprintf(range, sizeof range, "set xrange [0.5:%g]\nset xtics 1",
                   (double)models->n_arms + 0.5);
    figure.more = range;
    for (size_t k = 0; k < models->n_models; k++) {
        segue_figure_begin_series(&figure, SEGUE_SERIES_LINE_POINTS, k, "model %zu", k + 1);
        for (size_t i = 0; i < models->n_arms; i++)
            segue_figure_add_point(&figure, (double)i + 1.0, segue_models_row(models, k)[i], NAN);
    }
    for (size_t k = 0; k < models->n_models; k++) {
        segue_figure_begin_series(&figure, SEGUE_SERIES_SQUARES, k, "%s", "");
        segue_figure_add_point(&figure, (double)models->best_arm[k] + 1.0,
                               segue_models_best_value(models, k), NAN);
    }
    return segue_report_figure(
        report, &figure,
        "The set of models: the mean reward of each arm. A large square marks the best arm of its "
        "model. Models 1 and 2 differ in two arms only, and arm 3 has the same mean in all.",
        err);
}

/* At most ten arms are shown; the paper has seven. */
static void print_models(const segue_report *report)
{
    static const char *const headings[] = {"model", "1", "2", "3", "4",  "5",
                                           "6",     "7", "8", "9", "10", NULL};
    const segue_models *models = report->paper->models;
    const char *shown[12] = {NULL};
    const size_t arms = models->n_arms < 10 ? models->n_arms : 10;
    for (size_t i = 0; i <= arms; i++)
        shown[i] = headings[i];
    segue_html_table_begin(report->out, "Table 1: the mean reward of each arm, by model.", shown);
    for (size_t k = 0; k < models->n_models; k++) {
        segue_html_row(report->out);
        segue_html_cell(report->out, "%zu", k + 1);
        for (size_t i = 0; i < arms; i++)
            segue_html_cell(report->out, "%.4g", segue_models_row(models, k)[i]);
    }
    segue_html_table_end(report->out);
}

/* The last row is the average by the weights of the models. */
static void print_complexities(const segue_report *report)
{
    static const char *const headings[] = {"model", "UCB", "UCB+", "mUCB", NULL};
    const segue_paper *paper = report->paper;
    segue_html_table_begin(report->out, "Table 2: the complexity of each model for three policies.",
                           headings);
    for (size_t k = 0; k <= paper->models->n_models; k++) {
        const bool last = k == paper->models->n_models;
        const double *row = last ? paper->average : paper->complexity[k];
        segue_html_row(report->out);
        if (last)
            segue_html_cell(report->out, "average");
        else
            segue_html_cell(report->out, "%zu", k + 1);
        for (size_t c = 0; c < SEGUE_N_COLUMNS; c++)
            segue_html_cell(report->out, "%.3f", row[c]);
    }
    segue_html_table_end(report->out);
}

/* Draw measured regret and bound of a policy in one colour. */
static segue_status draw_bounds(const segue_report *report, segue_error *err)
{
    static const char *const policies[] = {"ucb", "ucb+", "mucb"};
    static const char *const titles[] = {"UCB", "UCB+", "mUCB"};
    const segue_results *lengths = report->paper->results[SEGUE_STUDY_LENGTHS];
    segue_figure figure = segue_figure_init("bounds", "steps per task, n", "regret per task");
    figure.log_y = true;
    figure.y_min = 1.0;
    for (size_t c = 0; c < SEGUE_N_COLUMNS; c++) {
        segue_report_add_lengths(&figure, lengths, policies[c], 0, c, titles[c]);
        segue_figure_begin_series(&figure, SEGUE_SERIES_LINE, c, "%s, bound", titles[c]);
        for (size_t i = 0; i < lengths->n_cells; i++)
            if (strcmp(lengths->cell[i].policy, policies[c]) == 0)
                segue_figure_add_point(&figure, (double)lengths->cell[i].steps,
                                       segue_paper_bound(report->paper, c, lengths->cell[i].steps),
                                       NAN);
    }
    return segue_report_figure(
        report, &figure,
        "Measured regret (with markers) and the bounds K + 2 L complexity (without), L being the "
        "logarithm of the confidence radius.",
        err);
}

/* Print averages over the tasks of a run, as Theorem 4 has them. */
static void print_tucb_bounds(const segue_report *report)
{
    static const char *const headings[] = {"tasks J", "runs", "measured", "s.e.", "bound", NULL};
    const segue_results *results = report->paper->results[SEGUE_STUDY_TUCB_TASKS];
    segue_html_table_begin(
        report->out,
        "tUCB: regret per task, averaged over J tasks, and the bound of Theorem 4: the expectation "
        "of its terms over the distribution of models, with the mean complexity of the estimates "
        "of "
        "each block of tasks, and not the bound for the tasks as they were drawn.",
        headings);
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        double bound = 0.0;
        for (size_t p = 0; p < cell->n_points; p++)
            bound += segue_paper_bound_tucb(report->paper,
                                            segue_cell_mean(cell, SEGUE_TRACK_COMPLEXITY, p).mean,
                                            cell->steps) /
                     (double)cell->n_points;
        segue_html_row(report->out);
        segue_html_cell(report->out, "%" PRIu64, cell->tasks);
        segue_html_cell(report->out, "%" PRIu64, cell->runs);
        segue_html_cell(report->out, "%.1f", cell->regret.mean);
        segue_html_cell(report->out, "%.1f", cell->regret.se);
        segue_html_cell(report->out, "%.0f", bound);
    }
    segue_html_table_end(report->out);
}

segue_status segue_section_theory_models(const segue_report *report, segue_error *err)
{
    FILE *out = report->out;
    segue_html_heading(out, 2, "models", "The models and what they cost");
    const segue_status status = draw_models(report, err);
    print_models(report);
    print_complexities(report);
    segue_html_p(out, "The complexity is the bound on the regret without the terms that depend on "
                      "n: for UCB the sum of 1/gap over arms. The paper cuts its numbers after the "
                      "second decimal, and does not round them.");
    segue_report_claim(report, "table");
    segue_report_claim(report, "spectrum");
    segue_html_command(out, "segue complexity --models models/paper.csv");
    return status;
}

segue_status segue_section_theory_bounds(const segue_report *report, segue_error *err)
{
    segue_html_heading(report->out, 2, "bounds", "The bounds and the measured regret");
    const segue_status status = draw_bounds(report, err);
    print_tucb_bounds(report);
    segue_report_claim(report, "bounds");
    segue_report_claim(report, "prediction");
    return status;
}
