/* section_identify.c - the paper's second open question: should the first tasks identify the models?
 *
 * section_questions.c calls segue_section_identify.  Experiment `identify` pairs tUCB that
 * identifies in its first J0 tasks with tUCB that plays them as UCB; both estimate once, after J0
 * tasks, and keep the estimate, at the same C.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/claims/compare.h"
#include "report/html.h"
#include "report/report.h"

static const unsigned first_tasks[] = {100};
static const char *const constants[] = {"0.1", "0.2", "0.4"};
#define N_FIRST     (sizeof first_tasks / sizeof *first_tasks)
#define N_CONSTANTS (sizeof constants / sizeof *constants)

static const segue_cell *find(const segue_report *report, const char *environment, bool identifies,
                              unsigned first, const char *c)
{
    const segue_results *results = report->paper->results[SEGUE_STUDY_IDENTIFY];
    char identify[40] = "", policy[100];
    if (identifies)
        (void)snprintf(identify, sizeof identify, "identify=%u,", first);
    (void)snprintf(policy, sizeof policy, "tucb:%sfreeze=%u,C=%s,eps=theorem", identify, first, c);
    return segue_results_find_in(results, environment, policy, results->cell[0].steps,
                                 results->cell[0].tasks);
}

/* Add the regret per task over all tasks up to each point, averaged over runs. */
static void add_average(segue_figure *figure, const segue_cell *cell, size_t style,
                        const char *title)
{
    segue_figure_begin_series(figure, SEGUE_SERIES_LINE, style, "%s", title);
    for (size_t p = 0; p < cell->n_points; p++) {
        const segue_regret so_far = segue_compare_mean_over(cell, SEGUE_TRACK_REGRET, 0, p + 1);
        segue_figure_add_point(figure, (double)segue_cell_last_task(cell, p), so_far.mean,
                               segue_cell_half_width(cell, so_far));
    }
}

static segue_status draw_average(const segue_report *report, segue_error *err)
{
    static const size_t styles[2][N_CONSTANTS] = {{1, 3, 7}, {0, 4, 8}};
    const segue_paper *paper = report->paper;
    const segue_cell *first = &paper->results[SEGUE_STUDY_IDENTIFY]->cell[0];
    const segue_cell *plain = segue_results_find(paper->results[SEGUE_STUDY_TUCB_TASKS], "tucb",
                                                 first->steps, first->tasks);
    segue_figure figure = segue_figure_init("identify-average", "tasks", "regret per task so far");
    figure.log_x = figure.log_y = true;
    figure.y_min = 30.0;
    figure.y_max = 2000.0;
    segue_figure_add_level(&figure, 2, (double)first->every, (double)first->tasks,
                           paper->mucb->regret.mean, NAN, "mUCB");
    if (plain)
        add_average(&figure, plain, 5, "tUCB");
    for (int identifies = 0; identifies < 2; identifies++)
        for (size_t i = 0; i < N_CONSTANTS; i++) {
            char title[80];
            const segue_cell *cell =
                find(report, "paper", identifies, first_tasks[0], constants[i]);
            (void)snprintf(title, sizeof title, "%s, C = %s",
                           identifies ? "identify first" : "UCB first", constants[i]);
            if (cell)
                add_average(&figure, cell, styles[identifies][i], title);
        }
    return segue_report_figure(
        report, &figure,
        "Regret on average over all tasks so far, on logarithmic axes: where a line of "
        "identification crosses its partner's, the regret spent on it has come back.",
        err);
}

static void print_pair(FILE *out, segue_regret ucb, segue_regret identify)
{
    segue_html_cell(out, "%.0f ± %.0f / %.0f ± %.0f", ucb.mean, ucb.se, identify.mean, identify.se);
}

static segue_regret average(const segue_cell *cell, uint64_t tasks)
{
    const uint64_t points = tasks / cell->every;
    return segue_compare_mean_over(cell, SEGUE_TRACK_REGRET, 0,
                                   points < cell->n_points ? (size_t)points : cell->n_points);
}

static void print_table(const segue_report *report, const char *environment, const char *caption)
{
    static const char *const headings[] = {"J0",         "C",         "last tenth", "first tenth",
                                           "first half", "all tasks", NULL};
    const uint64_t tasks = report->paper->results[SEGUE_STUDY_IDENTIFY]->cell[0].tasks;
    FILE *out = report->out;
    segue_html_table_begin(out, caption, headings);
    for (size_t i = 0; i < N_FIRST; i++)
        for (size_t c = 0; c < N_CONSTANTS; c++) {
            const segue_cell *ucb = find(report, environment, false, first_tasks[i], constants[c]);
            const segue_cell *own = find(report, environment, true, first_tasks[i], constants[c]);
            if (!ucb || !own)
                continue;
            segue_html_row(out);
            segue_html_cell(out, "%u", first_tasks[i]);
            segue_html_cell(out, "%s", constants[c]);
            print_pair(out, segue_compare_final_regret(ucb), segue_compare_final_regret(own));
            print_pair(out, average(ucb, tasks / 10), average(own, tasks / 10));
            print_pair(out, average(ucb, tasks / 2), average(own, tasks / 2));
            print_pair(out, ucb->regret, own->regret);
        }
    segue_html_table_end(out);
}

segue_status segue_section_identify(const segue_report *report, segue_error *err)
{
    FILE *out = report->out;
    segue_html_heading(out, 3, "identify", "Identify the models first?");
    segue_html_p(
        out,
        "tUCB plays every task as well as it can, and learns from the rewards that this gives. The "
        "paper asks if it would be better, with many tasks to come, to spend the first ones on "
        "identifying the models, at a regret of up to a constant per step, and to be near mUCB "
        "soon after. Here tUCB estimates the models once, after its first J0 tasks, and keeps the "
        "estimate; it plays these tasks round robin, to identify, or as UCB. J0 and C are the same "
        "in each pair. The grid, the seed and the second model set (models/uniform.csv, four "
        "models of six arms with uniform means) were fixed before any of it was run; "
        "bench/identify plays the whole grid, J0 = 50, 100 and 200, on three seeds.");
    SEGUE_TRY(draw_average(report, err));
    print_table(
        report, "paper",
        "The paper's models: regret per task ± standard error, the first J0 tasks played as "
        "UCB / round robin.");
    print_table(report, "uniform", "The second model set: the same.");
    segue_report_claim(report, "identify-later");
    segue_report_claim(report, "identify-pays");
    segue_report_claim(report, "no-identifying");
    segue_report_repeat(report, SEGUE_STUDY_IDENTIFY);
    return SEGUE_OK;
}
