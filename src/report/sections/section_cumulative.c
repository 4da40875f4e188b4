/* section_cumulative.c - the regret of tUCB over all tasks so far, and the premise of its theorems.
 *
 * R_J of the paper is the sum of regrets over J tasks. The runs are those of experiment
 * `tucb-tasks`; UCB and mUCB do not learn across tasks, so that their R_J is J times the regret of
 * a task, which experiment `lengths` has.
 *
 * report.c calls segue_section_cumulative after the figures of the paper.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include "report/html.h"
#include "report/report.h"
#include "segue/stats.h"

/* ---- R_J --------------------------------------------------------------------------------- */

/* Return the sum of a run's regrets up to the end of a point. */
static double sum_until(const segue_cell *cell, uint64_t run, size_t point)
{
    const double *regret = cell->track[SEGUE_TRACK_REGRET] + (size_t)run * cell->n_points;
    double sum = 0.0;
    for (size_t p = 0; p <= point; p++) {
        const uint64_t before = p ? segue_cell_last_task(cell, p - 1) : 0;
        sum += regret[p] * (double)(segue_cell_last_task(cell, p) - before);
    }
    return sum;
}

static segue_regret cumulative(const segue_cell *cell, size_t point)
{
    segue_stats stats = {.count = 0};
    for (uint64_t run = 0; run < cell->runs; run++)
        segue_stats_add(&stats, sum_until(cell, run, point));
    return (segue_regret){.mean = stats.mean, .se = segue_stats_standard_error(&stats)};
}

static void add_tucb(segue_figure *figure, const segue_cell *cell)
{
    segue_figure_begin_series(figure, SEGUE_SERIES_LINE, 5, "tUCB");
    segue_figure_add_point(figure, 0.0, 0.0, 0.0);
    for (size_t p = 0; p < cell->n_points; p++) {
        const segue_regret sum = cumulative(cell, p);
        segue_figure_add_point(figure, (double)segue_cell_last_task(cell, p), sum.mean,
                               segue_cell_half_width(cell, sum));
    }
}

/* Add a policy that does not learn across tasks: a line through 0. */
static void add_constant(segue_figure *figure, const segue_cell *cell, double tasks, size_t style,
                         const char *title)
{
    segue_figure_begin_series(figure, SEGUE_SERIES_LINE, style, "%s", title);
    segue_figure_add_point(figure, 0.0, 0.0, 0.0);
    segue_figure_add_point(figure, tasks, tasks * cell->regret.mean,
                           tasks * segue_cell_half_width(cell, cell->regret));
}

static segue_status draw_cumulative(const segue_report *report, segue_error *err)
{
    const segue_paper *paper = report->paper;
    const double tasks = (double)paper->longest->tasks;
    segue_figure figure = segue_figure_init("cumulative", "tasks, J", "regret so far, R_J");
    add_constant(&figure, paper->ucb, tasks, 0, "UCB");
    add_tucb(&figure, paper->longest);
    add_constant(&figure, paper->mucb, tasks, 2, "mUCB");
    char caption[300];
    (void)snprintf(caption, sizeof caption,
                   "Regret over all tasks so far, n = %" PRIu64 ": tUCB played with J = %" PRIu64
                   ", the mean of %" PRIu64 " runs with a 95 %% band; UCB and mUCB by their regret "
                   "in single tasks.",
                   paper->longest->steps, paper->longest->tasks, paper->longest->runs);
    return segue_report_figure(report, &figure, caption, err);
}

static void print_cumulative(const segue_report *report)
{
    static const char *const headings[] = {"tasks J",    "UCB",        "tUCB", "mUCB",
                                           "tUCB / UCB", "gap closed", NULL};
    const segue_paper *paper = report->paper;
    const segue_results *results = paper->results[SEGUE_STUDY_TUCB_TASKS];
    segue_html_table_begin(report->out,
                           "R_J in thousands, with the standard error of tUCB's, each J in runs of "
                           "its own. Gap closed: how far tUCB gets from UCB's R_J to mUCB's.",
                           headings);
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        const double thousands = (double)cell->tasks / 1000.0;
        const double ucb = paper->ucb->regret.mean, mucb = paper->mucb->regret.mean;
        segue_html_row(report->out);
        segue_html_cell(report->out, "%" PRIu64, cell->tasks);
        segue_html_cell(report->out, "%.1f", thousands * ucb);
        segue_html_cell(report->out, "%.1f ± %.1f", thousands * cell->regret.mean,
                        thousands * cell->regret.se);
        segue_html_cell(report->out, "%.1f", thousands * mucb);
        segue_html_cell(report->out, "%.2f", cell->regret.mean / ucb);
        segue_html_cell(report->out, "%.0f %%", 100.0 * (ucb - cell->regret.mean) / (ucb - mucb));
    }
    segue_html_table_end(report->out);
}

/* ---- the premise ------------------------------------------------------------------------- */

static void print_premise_row(FILE *out, const segue_cell *cell)
{
    const segue_premise premise = segue_claims_premise(cell);
    const size_t last = cell->n_points - 1;
    segue_html_row(out);
    segue_html_cell(out, "%" PRIu64, cell->tasks);
    segue_html_cell(out, "%.3g", cell->no_model_left);
    segue_html_cell(out, "%.1f", cell->violations);
    segue_html_cell(out, "%.3f", segue_cell_median(cell, SEGUE_TRACK_ERROR, last).middle);
    segue_html_cell(out, "%.3f", segue_cell_median(cell, SEGUE_TRACK_EPS, last).middle);
    segue_html_cell(out, "%" PRIu64 " of %" PRIu64, premise.runs_above_at_end, premise.runs);
    segue_html_cell(out, "%" PRIu64 " of %" PRIu64, premise.runs_above, premise.runs);
    segue_html_cell(out, "%.1f %%", 100.0 * (double)premise.points_above / (double)premise.points);
}

static void print_premise(const segue_report *report)
{
    static const char *const headings[] = {"tasks J",
                                           "steps without a model, per task",
                                           "tasks near no model, per run",
                                           "error at the end",
                                           "eps_j at the end",
                                           "runs above it at the end",
                                           "runs above it at some point",
                                           "share of points above it",
                                           NULL};
    const segue_results *results = report->paper->results[SEGUE_STUDY_TUCB_TASKS];
    segue_html_table_begin(report->out,
                           "tUCB: steps at which no estimated model agreed with the rewards, tasks "
                           "whose averages were near no estimated model, and the largest error of "
                           "an estimated mean (median over runs) beside eps_j.",
                           headings);
    for (size_t i = 0; i < results->n_cells; i++)
        print_premise_row(report->out, &results->cell[i]);
    segue_html_table_end(report->out);
}

segue_status segue_section_cumulative(const segue_report *report, segue_error *err)
{
    FILE *out = report->out;
    segue_html_heading(out, 2, "cumulative", "Regret over all tasks");
    segue_html_p(out,
                 "The paper's objective is R_J, the sum of regrets over J tasks. tUCB does not "
                 "know the models when it starts; R_J has what learning them costs.");
    SEGUE_TRY(draw_cumulative(report, err));
    print_cumulative(report);
    segue_report_repeat(report, SEGUE_STUDY_TUCB_TASKS);

    segue_html_heading(out, 2, "premise", "The premise of Theorems 3 and 4");
    segue_html_p(out,
                 "The theorems on umUCB and tUCB suppose that no estimated mean is off by more "
                 "than eps_j. With C as a parameter nothing ensures this. A step at which no "
                 "model is left shows that it is false for some model, or that a mean left its "
                 "confidence interval; but it can be false without such a step.");
    print_premise(report);
    segue_report_claim(report, "premise");
    segue_html_p(out, "The runs are those of the figures before; points without an estimate do not "
                      "count.");
    return SEGUE_OK;
}
