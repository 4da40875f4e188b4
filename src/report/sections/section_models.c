/* section_models.c - regret per model beside the rows of Table 2.
 *
 * The paper averages regrets over its models and says that the complexities predict them. Here each
 * model stands for itself: its three complexities, the regret of UCB, UCB+ and mUCB on it, and the
 * bound K + 2 L complexity. The regrets are those of experiment `lengths`, at the n of `tucb-tasks`.
 *
 * report.c calls segue_section_models after the section of the complexities.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include "report/html.h"
#include "report/report.h"
#include "segue/internal.h"

static const char *const titles[SEGUE_N_COLUMNS] = {"UCB", "UCB+", "mUCB"};

/* Return the cell of single tasks of a column. */
static const segue_cell *cell_of(const segue_paper *paper, size_t column)
{
    const segue_cell *cells[SEGUE_N_COLUMNS] = {paper->ucb, paper->ucb_plus, paper->mucb};
    return cells[column];
}

/* Return the next model by complexity after (`above`, `after`), or n_models: models of equal
 * complexity come in the order of their numbers. */
static size_t next_model(const segue_paper *paper, size_t column, double above, size_t after)
{
    size_t next = paper->models->n_models;
    for (size_t k = 0; k < paper->models->n_models; k++) {
        const double c = paper->complexity[k][column];
        const bool later = c > above || (c == above && k > after);
        if (later && (next == paper->models->n_models || c < paper->complexity[next][column]))
            next = k;
    }
    return next;
}

/* Add a policy's regret on each model, over the model's complexity; a logarithmic axis cannot show
 * a complexity of 0, which mUCB has where no model is more optimistic. */
static void add_policy(const segue_paper *paper, segue_figure *figure, size_t column)
{
    const size_t n_models = paper->models->n_models;
    const segue_cell *cell = cell_of(paper, column);
    double above = 0.0;
    segue_figure_begin_series(figure, SEGUE_SERIES_LINE_POINTS, column, "%s", titles[column]);
    for (size_t k = next_model(paper, column, above, n_models); k < n_models;
         k = next_model(paper, column, above, k)) {
        const segue_regret regret = segue_paper_model_regret(cell, k);
        above = paper->complexity[k][column];
        segue_figure_add_point(figure, above, regret.mean, segue_cell_half_width(cell, regret));
    }
}

/* The bound is one line for all policies: they have the same L. */
static void add_bound(const segue_paper *paper, segue_figure *figure)
{
    double low = INFINITY, high = 0.0;
    enum { N_POINTS = 25 };
    for (size_t k = 0; k < paper->models->n_models; k++)
        for (size_t c = 0; c < SEGUE_N_COLUMNS; c++) {
            if (paper->complexity[k][c] > 0.0)
                low = fmin(low, paper->complexity[k][c]);
            high = fmax(high, paper->complexity[k][c]);
        }
    segue_figure_begin_series(figure, SEGUE_SERIES_LINE, 7, "bound, K + 2 L complexity");
    for (size_t i = 0; i < N_POINTS; i++) {
        const double x = low * segue_pow(high / low, (double)i / (N_POINTS - 1));
        segue_figure_add_point(figure, x, segue_paper_bound_of(paper, x, paper->ucb->steps), NAN);
    }
}

static segue_status draw_models(const segue_report *report, segue_error *err)
{
    segue_figure figure = segue_figure_init(
        "model-regret", "complexity of the model for the policy", "regret per task");
    figure.log_x = figure.log_y = true;
    figure.y_min = 5.0;
    for (size_t c = 0; c < SEGUE_N_COLUMNS; c++)
        add_policy(report->paper, &figure, c);
    add_bound(report->paper, &figure);
    return segue_report_figure(
        report, &figure,
        "Regret on each model against its complexity in Table 2, on logarithmic axes, with 95 % "
        "bands over runs; a marker is a model. Complexities that predict regrets would put all "
        "markers on one line parallel to the bound. A model with complexity 0 is in the table "
        "only.",
        err);
}

/* Print a ratio, or a dash for one with a complexity of 0 in it. */
static void print_ratio(FILE *out, double ratio)
{
    if (isfinite(ratio))
        segue_html_cell(out, "%.2f", ratio);
    else
        segue_html_cell(out, "-");
}

static void print_row(FILE *out, const segue_paper *paper, size_t k, size_t column)
{
    const segue_cell *cell = cell_of(paper, column);
    const segue_regret regret = segue_paper_model_regret(cell, k);
    const double c = paper->complexity[k][column];
    const double bound = segue_paper_bound_of(paper, c, cell->steps);
    segue_html_row(out);
    segue_html_cell(out, "%zu", k + 1);
    segue_html_cell(out, "%s", titles[column]);
    segue_html_cell(out, "%.2f", segue_paper_truncate(c));
    segue_html_cell(out, "%.1f ± %.1f", regret.mean, regret.se);
    print_ratio(out, regret.mean / c);
    segue_html_cell(out, "%.0f", bound);
    print_ratio(out, bound / regret.mean);
}

static void print_regrets(const segue_report *report)
{
    static const char *const headings[] = {
        "model", "policy",         "complexity", "regret", "regret / complexity",
        "bound", "bound / regret", NULL};
    segue_html_table_begin(
        report->out,
        "The rows of Table 2 with the regret measured on each model, with standard errors.",
        headings);
    for (size_t k = 0; k < report->paper->models->n_models; k++)
        for (size_t c = 0; c < SEGUE_N_COLUMNS; c++)
            print_row(report->out, report->paper, k, c);
    segue_html_table_end(report->out);
}

/* Print how many times as much UCB costs on a model: predicted, then measured. */
static void print_factors(FILE *out, const segue_paper *paper, size_t k, size_t column)
{
    const double *c = paper->complexity[k];
    const double ucb = segue_paper_model_regret(paper->ucb, k).mean;
    const double other = segue_paper_model_regret(cell_of(paper, column), k).mean;
    print_ratio(out, c[SEGUE_COLUMN_UCB] / c[column]);
    print_ratio(out, ucb / other);
}

static void print_improvements(const segue_report *report)
{
    static const char *const headings[] = {
        "model", "UCB / UCB+, predicted", "measured", "UCB / mUCB, predicted", "measured", NULL};
    segue_html_table_begin(report->out,
                           "How many times as much regret UCB has on each model, as the ratio of "
                           "complexities predicts and as measured.",
                           headings);
    for (size_t k = 0; k < report->paper->models->n_models; k++) {
        segue_html_row(report->out);
        segue_html_cell(report->out, "%zu", k + 1);
        print_factors(report->out, report->paper, k, SEGUE_COLUMN_UCB_PLUS);
        print_factors(report->out, report->paper, k, SEGUE_COLUMN_MUCB);
    }
    segue_html_table_end(report->out);
}

segue_status segue_section_models(const segue_report *report, segue_error *err)
{
    FILE *out = report->out;
    segue_html_heading(out, 2, "model-regret", "Regret on each model");
    segue_html_p(out,
                 "Table 2 has one row per model; the paper's figures have averages over models. "
                 "Here each row meets the regret that was measured on its model, in single tasks "
                 "of n = %" PRIu64 " steps, %" PRIu64 " runs per model. A complexity of 0 predicts "
                 "no factor: mUCB has it where no other model promises more than the true one.",
                 report->paper->ucb->steps, report->paper->ucb->runs);
    SEGUE_TRY(draw_models(report, err));
    print_regrets(report);
    print_improvements(report);
    segue_report_claim(report, "prediction-models");
    segue_report_repeat(report, SEGUE_STUDY_LENGTHS);
    return SEGUE_OK;
}
