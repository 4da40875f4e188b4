/* section_moments.c - what the moments of tUCB are fed with, and what better ones give.
 *
 * report.c calls segue_section_moments.  Three experiments: three-pulls (consistency with three
 * pulls per arm and task), fresh-rewards (the control that separates bias from noise), and weights
 * (tUCB with weights by pulls, with em, with a frozen estimate).
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/claims/compare.h"
#include "report/html.h"
#include "report/report.h"

/* ---- three pulls ------------------------------------------------------------------------- */

static segue_status show_three_pulls(const segue_report *report, segue_error *err)
{
    const segue_results *results = report->paper->results[SEGUE_STUDY_THREE_PULLS];
    segue_figure figure = segue_report_error_figure("three-pulls", 0.01);
    segue_html_heading(report->out, 3, "three-pulls", "Three pulls of every arm per task");
    segue_html_p(report->out,
                 "The paper proves that RTP is consistent as long as every arm is pulled three "
                 "times per task. A view of an arm is then a single reward. Here every arm is "
                 "pulled exactly three times, round robin, and only the number of tasks grows.");
    for (size_t i = 0; i < results->n_cells; i++) {
        const bool symmetric = strstr(results->cell[i].policy, "symmetric") != NULL;
        segue_report_add_medians(&figure, &results->cell[i], SEGUE_TRACK_ERROR, symmetric ? 3 : 5,
                                 symmetric ? "symmetric views" : "the paper's views");
    }
    SEGUE_TRY(segue_report_figure(
        report, &figure,
        "Error of RTP with three independent pulls of every arm per task: medians over runs, on "
        "logarithmic axes; with fewer than six runs the band is from the least to the largest.",
        err));
    segue_report_claim(report, "three-pulls");
    segue_report_repeat(report, SEGUE_STUDY_THREE_PULLS);
    return SEGUE_OK;
}

/* ---- fresh rewards ----------------------------------------------------------------------- */

static segue_status show_cause(const segue_report *report, segue_error *err)
{
    const segue_results *results = report->paper->results[SEGUE_STUDY_FRESH_REWARDS];
    const segue_cell *cell = &results->cell[0];
    segue_figure figure = segue_report_error_figure("fresh-rewards", 0.01);
    segue_html_heading(report->out, 3, "cause", "Why the estimates get worse");
    segue_html_p(report->out,
                 "The error of tUCB's estimate rises when tUCB begins to use it. Two causes are "
                 "possible. Pulls depend on rewards, so that rewards are no independent sample. "
                 "And arms that the models exclude get three pulls only, so that a view is one "
                 "reward. The control draws as many fresh independent rewards of every arm and "
                 "task as tUCB pulled: it has the second cause, and not the first.");
    segue_report_add_medians(&figure, cell, SEGUE_TRACK_ERROR, 5, "tUCB, its own rewards");
    segue_report_add_medians(&figure, cell, SEGUE_TRACK_FRESH, 4,
                             "fresh rewards at the same pulls");
    segue_report_add_track(&figure, cell, SEGUE_TRACK_EPS, 0, "eps_j, C = 2");
    SEGUE_TRY(segue_report_figure(report, &figure,
                                  "The largest error of a mean that is estimated from tUCB's "
                                  "rewards, and from fresh ones at the same pulls: medians over "
                                  "runs, with 95 % bands.",
                                  err));
    segue_report_claim(report, "cause");
    segue_report_repeat(report, SEGUE_STUDY_FRESH_REWARDS);
    return SEGUE_OK;
}

/* ---- weights ----------------------------------------------------------------------------- */

/* Titles of the policies of the experiment, and the styles of their lines. */
static const struct {
    const char *policy, *title;
    size_t style;
    bool ours;
} shown[] = {
    {"tucb", "tUCB", 5, false},
    {"tucb:weights=pulls", "weights=pulls", 6, true},
    {"tucb:weights=pulls,hold=0", "weights=pulls, hold=0", 9, true},
    {"tucb:weights=pulls,views=symmetric", "weights=pulls, symmetric", 3, true},
    {"tucb:estimator=em", "em", 1, true},
    {"tucb:C=0.5,estimator=em", "em, C = 0.5", 8, true},
    {"tucb:C=0.2,freeze=100", "freeze=100, C = 0.2", 4, true},
    {"tucb:C=0.2", "tUCB, C = 0.2", 7, false},
};

static const segue_cell *find(const segue_report *report, size_t i)
{
    const segue_results *results = report->paper->results[SEGUE_STUDY_WEIGHTS];
    return segue_results_find(results, shown[i].policy, results->cell[0].steps,
                              results->cell[0].tasks);
}

static segue_status draw_weights(const segue_report *report, segue_error *err)
{
    const segue_cell *first = &report->paper->results[SEGUE_STUDY_WEIGHTS]->cell[0];
    const double from = (double)first->every, to = (double)first->tasks;
    segue_figure figure = segue_figure_init("weights", "tasks", "regret per task");
    figure.log_x = true;
    segue_figure_add_level(&figure, 0, from, to, report->paper->ucb->regret.mean, NAN, "UCB");
    segue_figure_add_level(&figure, 2, from, to, report->paper->mucb->regret.mean, NAN, "mUCB");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const segue_cell *cell = find(report, i);
        if (!cell)
            continue;
        segue_report_add_track(&figure, cell, SEGUE_TRACK_REGRET, shown[i].style, shown[i].title);
        if (shown[i].ours)
            segue_figure_mark_ours(&figure);
    }
    return segue_report_figure(
        report, &figure,
        "tUCB as published (C = 2), with tasks weighted by their pulls (hold=0: "
        "models used at once), with the likelihood (em), and with an "
        "estimate that is frozen after 100 tasks. Thick lines, marked "
        "(ours), are not the paper's.",
        err);
}

/* Return the largest regret of a run over its last tenth. */
static double worst_end(const segue_cell *cell)
{
    double worst = 0.0;
    for (uint64_t run = 0; run < cell->runs; run++)
        worst = fmax(worst, segue_compare_run_end(cell, run));
    return worst;
}

static void print_weights(const segue_report *report)
{
    static const char *const headings[] = {"tUCB",      "all tasks", "last tenth",
                                           "worst run", "error",     NULL};
    FILE *out = report->out;
    segue_html_table_begin(out,
                           "Regret per task (± standard error): over all tasks, over the last "
                           "tenth, and over the last tenth of the worst run; the largest error of "
                           "a mean at the end (median over runs).",
                           headings);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const segue_cell *cell = find(report, i);
        if (!cell)
            continue;
        const segue_regret end = segue_compare_final_regret(cell);
        segue_html_row(out);
        segue_html_cell(out, "%s", shown[i].title);
        segue_html_cell(out, "%.1f ± %.1f", cell->regret.mean, cell->regret.se);
        segue_html_cell(out, "%.1f ± %.1f", end.mean, end.se);
        segue_html_cell(out, "%.1f", worst_end(cell));
        segue_html_cell(out, "%.3f",
                        segue_cell_median(cell, SEGUE_TRACK_ERROR, cell->n_points - 1).middle);
    }
    segue_html_table_end(out);
}

static segue_status show_weights(const segue_report *report, segue_error *err)
{
    segue_html_heading(report->out, 3, "weights", "Moments that are fed well");
    segue_html_p(
        report->out,
        "In tasks that are played as UCB every arm has a hundred pulls and more; in tasks that go "
        "by the models some have three. With weights=pulls the weight of a task is the number of "
        "rewards per view, the harmonic mean over arms, in the moments and in eps_j, which then "
        "counts rewards instead of tasks. If the weight depends on the type alone, the moments are "
        "those of the same models with other shares, so the means stay consistent. The models are "
        "used from eps_j = 0.1 on (hold): used sooner, they save little and starve the arms.");
    SEGUE_TRY(draw_weights(report, err));
    print_weights(report);
    segue_report_claim(report, "weights");
    segue_report_claim(report, "freeze");
    segue_report_repeat(report, SEGUE_STUDY_WEIGHTS);
    return SEGUE_OK;
}

segue_status segue_section_moments(const segue_report *report, segue_error *err)
{
    segue_html_heading(report->out, 2, "moments", "What the moments are fed with");
    SEGUE_TRY(show_three_pulls(report, err));
    SEGUE_TRY(show_cause(report, err));
    return show_weights(report, err);
}
