/* section_beyond.c - results that the paper does not show: baselines, single runs, errors of the
 * models, other choices of C, and related work.
 *
 * report.c calls segue_section_beyond. Each draw_ function is one figure; numbers passed as styles
 * are indices of the table in figure.c, mostly the same number for the same policy.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html.h"
#include "report/report.h"

#define SMOOTH 5 /* points that a single run is averaged over, to be readable */

/* Draw the baselines over n, with tUCB at its largest J. */
static segue_status draw_baselines(const segue_report *report, segue_error *err)
{
    const segue_results *lengths = report->paper->results[SEGUE_STUDY_LENGTHS];
    const segue_results *baselines = report->paper->results[SEGUE_STUDY_BASELINES];
    const uint64_t tasks = report->paper->longest->tasks;
    char title[60];
    segue_figure figure = segue_figure_init("baselines", "steps per task, n", "regret per task");
    (void)snprintf(title, sizeof title, "tUCB, J = %" PRIu64, tasks);
    segue_report_add_lengths(&figure, lengths, "ucb", 0, 0, "UCB");
    segue_report_add_lengths(&figure, lengths, "mucb", 0, 2, "mUCB, models known");
    segue_report_add_tucb(&figure, report->paper, tasks, 5, title);
    segue_report_add_lengths(&figure, baselines, "ts", 0, 3, "TS (Thompson)");
    segue_report_add_lengths(&figure, baselines, "kl-ucb", 0, 4, "KL-UCB");
    segue_report_add_lengths(&figure, baselines, "ucb1", 0, 7, "UCB1");
    segue_report_add_lengths(&figure, baselines, "mts", 0, 8, "TS, models known");
    return segue_report_figure(report, &figure,
                               "Policies without transfer and the paper's policies, "
                               "and Thompson sampling that knows the models.",
                               err);
}

/* Add one run as a moving average. */
static void add_run(segue_figure *figure, const segue_cell *cell, uint64_t run)
{
    const double *points = cell->track[SEGUE_TRACK_REGRET] + run * cell->n_points;
    for (size_t p = 0; p + SMOOTH <= cell->n_points; p++) {
        double sum = 0.0;
        for (size_t i = 0; i < SMOOTH; i++)
            sum += points[p + i];
        segue_figure_add_point(figure, (double)segue_cell_last_task(cell, p + SMOOTH / 2),
                               sum / SMOOTH, NAN);
    }
}

/* Only the first run has a title: the legend shows one line for all. */
static segue_status draw_single_runs(const segue_report *report, segue_error *err)
{
    const segue_cell *cell = report->paper->longest;
    char caption[200];
    segue_figure figure = segue_figure_init("single-runs", "tasks", "regret per task");
    (void)snprintf(caption, sizeof caption,
                   "Each of the %" PRIu64 " runs of tUCB with J = %" PRIu64
                   ", in moving averages over %" PRIu64 " tasks.",
                   cell->runs, cell->tasks, SMOOTH * cell->every);
    for (uint64_t run = 0; run < cell->runs; run++) {
        segue_figure_begin_series(&figure, SEGUE_SERIES_THIN, 2, "%s",
                                  run ? "" : "tUCB, single runs");
        add_run(&figure, cell, run);
    }
    segue_report_add_track(&figure, cell, SEGUE_TRACK_REGRET, 5, "tUCB, mean");
    segue_figure_add_level(&figure, 0, 0.0, (double)cell->tasks, report->paper->ucb->regret.mean,
                           NAN, "UCB");
    return segue_report_figure(report, &figure, caption, err);
}

static segue_status draw_errors(const segue_report *report, segue_error *err)
{
    const segue_results *choices = report->paper->results[SEGUE_STUDY_TUCB_CHOICES];
    const segue_cell *cell = report->paper->longest;
    segue_figure figure = segue_report_error_figure("errors", 0.01);
    segue_report_add_medians(&figure, cell, SEGUE_TRACK_ERROR, 5, "tUCB, the paper's views");
    for (size_t i = 0; i < choices->n_cells; i++)
        if (strstr(choices->cell[i].policy, "views=symmetric"))
            segue_report_add_medians(&figure, &choices->cell[i], SEGUE_TRACK_ERROR, 3,
                                     "tUCB, symmetric views");
    segue_report_add_track(&figure, cell, SEGUE_TRACK_EPS, 0, "eps_j, C = 2");
    return segue_report_figure(
        report, &figure,
        "How well the models are known over tasks: the largest error of a mean, after "
        "matching models, and the error eps_j that tUCB assumes. Medians over runs, with bands "
        "between two "
        "runs that hold the median with 95 % (of fewer than six runs, the least and the largest).",
        err);
}

static segue_status draw_choices(const segue_report *report, segue_error *err)
{
    const segue_results *choices = report->paper->results[SEGUE_STUDY_TUCB_CHOICES];
    const double to = (double)choices->cell[0].tasks;
    segue_figure figure = segue_figure_init("choices", "tasks", "regret per task");
    segue_figure_add_level(&figure, 0, 0.0, to, report->paper->ucb->regret.mean, NAN, "UCB");
    segue_figure_add_level(&figure, 2, 0.0, to, report->paper->mucb->regret.mean, NAN, "mUCB");
    for (size_t i = 0; i < choices->n_cells; i++) {
        const segue_cell *cell = &choices->cell[i];
        static const size_t styles[] = {1, 3, 5, 4, 6, 8};
        const bool doubling = strcmp(cell->policy, "tucb:C=0") == 0;
        segue_report_add_track(&figure, cell, SEGUE_TRACK_REGRET, styles[i % 6],
                               doubling ? "tUCB, C doubling" : cell->policy);
    }
    return segue_report_figure(report, &figure,
                               "tUCB with other C, with C found by doubling from 0.25, and with "
                               "symmetric views.",
                               err);
}

static segue_status draw_related(const segue_report *report, segue_error *err)
{
    const segue_results *related = report->paper->results[SEGUE_STUDY_RELATED];
    const double to = (double)related->cell[0].tasks;
    segue_figure figure = segue_figure_init("related", "tasks", "regret per task");
    figure.log_y = true;
    figure.y_min = 0.01;
    segue_figure_add_level(&figure, 0, 0.0, to, report->paper->ucb->regret.mean, NAN, "UCB");
    segue_figure_add_level(&figure, 2, 0.0, to, report->paper->mucb->regret.mean, NAN, "mUCB");
    for (size_t i = 0; i < related->n_cells; i++) {
        static const size_t styles[] = {3, 4, 1, 7, 5};
        segue_report_add_track(&figure, &related->cell[i], SEGUE_TRACK_REGRET, styles[i % 5],
                               related->cell[i].policy);
    }
    return segue_report_figure(
        report, &figure,
        "Related work: sliding-window and discounted UCB over the whole stream of steps, UCB that "
        "carries its means over, UCB with a hypothesis test (which lies on UCB), and UCB that "
        "knows each task's model.",
        err);
}

/* Compare the number of tasks by our eps_j with the number by the formula that the paper prints. */
static void print_remark(const segue_report *report)
{
    static const char *const headings[] = {"C", "tasks needed", "by the printed formula", NULL};
    const segue_cell *cell = report->paper->longest;
    const double gap = report->paper->smallest_gap;
    segue_html_table_begin(report->out,
                           "Tasks after which eps_j is so small that every model has a single best "
                           "arm.",
                           headings);
    static const double choices[] = {0.5, 1.0, 2.0, 4.0};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const double c = choices[i];
        segue_html_row(report->out);
        segue_html_cell(report->out, "%g", c);
        segue_html_cell(report->out, "%.0f",
                        segue_paper_resolved_after(report->paper, c, cell->tasks, cell->steps));
        segue_html_cell(report->out, "%.0f", ceil(2.0 * c / (gap * gap) + 1.0));
    }
    segue_html_table_end(report->out);
    segue_html_p(report->out,
                 "The smallest gap of an arm to the best one is %.3g; 4 eps_j must be below "
                 "it, as estimates within eps_j shrink a gap by up to 2 eps_j. The formula in the "
                 "paper, 2 C / gap² + 1, omits the logarithm and a factor 8 C, and gives too small "
                 "a number.",
                 gap);
}

segue_status segue_section_beyond(const segue_report *report, segue_error *err)
{
    FILE *out = report->out;
    segue_html_heading(out, 2, "beyond", "What the paper does not show");
    segue_html_heading(out, 3, "baselines", "Policies that need no models");
    SEGUE_TRY(draw_baselines(report, err));
    segue_report_claim(report, "baselines");
    segue_report_repeat(report, SEGUE_STUDY_BASELINES);

    segue_html_heading(out, 3, "single-runs", "Single runs");
    SEGUE_TRY(draw_single_runs(report, err));
    segue_report_claim(report, "single-runs");

    segue_html_heading(out, 3, "errors", "How well the models are known");
    SEGUE_TRY(draw_errors(report, err));
    segue_report_claim(report, "error");

    segue_html_heading(out, 3, "choices", "Other choices of C, and symmetric views");
    SEGUE_TRY(draw_choices(report, err));
    segue_report_claim(report, "choices");
    segue_report_repeat(report, SEGUE_STUDY_TUCB_CHOICES);

    segue_html_heading(out, 3, "remark", "Tasks until every model has a single best arm");
    print_remark(report);
    segue_report_claim(report, "remark");

    segue_html_heading(out, 3, "related", "Related work");
    SEGUE_TRY(draw_related(report, err));
    segue_report_claim(report, "related");
    segue_report_claim(report, "carried");
    segue_report_claim(report, "known-model");
    segue_html_p(out, "The hypothesis test of the paper's appendix needs a smallest gap between "
                      "models; arm 3 has the same mean in all of the paper's, the gap is 0, and "
                      "ucb-test never tests: it is UCB.");
    segue_report_repeat(report, SEGUE_STUDY_RELATED);
    return SEGUE_OK;
}
