/* section_ours.c - our learners and the paper's: over tasks, and against n.
 *
 * report.c calls segue_section_ours. What is ours is drawn with a thick line and marked (ours) in
 * the legend. A policy that an experiment does not have is skipped in a figure and is a dash in a
 * table.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html.h"
#include "report/report.h"

/* The learners: as typed, as named in figures, and their line styles. */
static const struct {
    const char *policy, *title;
    size_t style;
} learners[] = {{"ts-prior", "TS, learned prior", 8}, {"tts", "tTS", 9}, {"tla", "tLA", 6}};
#define LEARNERS (sizeof learners / sizeof *learners)

/* Add the level of a policy without transfer, up to the last task of tUCB.  It does not start at 0,
 * since the axis is logarithmic. */
static void add_level(segue_figure *figure, const segue_paper *paper, segue_study study,
                      const char *policy, size_t style, const char *title)
{
    const segue_cell *longest = paper->longest;
    const segue_cell *cell = segue_results_find(paper->results[study], policy, longest->steps, 0);
    const double from = (double)paper->results[SEGUE_STUDY_OURS]->cell[0].every;
    if (cell)
        segue_figure_add_level(figure, style, from, (double)longest->tasks, cell->regret.mean,
                               segue_cell_half_width(cell, cell->regret), title);
}

static segue_status draw_tasks(const segue_report *report, segue_error *err)
{
    const segue_paper *paper = report->paper;
    const segue_results *results = paper->results[SEGUE_STUDY_OURS];
    const uint64_t steps = paper->longest->steps, tasks = results->cell[0].tasks;
    char caption[500];
    segue_figure figure = segue_figure_init("ours-tasks", "tasks", "regret per task");
    figure.log_x = figure.log_y = true;
    figure.y_min = 1.0;
    add_level(&figure, paper, SEGUE_STUDY_LENGTHS, "ucb", 0, "UCB");
    add_level(&figure, paper, SEGUE_STUDY_LENGTHS, "mucb", 2, "mUCB, models known");
    segue_report_add_track(&figure, paper->longest, SEGUE_TRACK_REGRET, 5, "tUCB");
    add_level(&figure, paper, SEGUE_STUDY_BASELINES, "ts", 3, "TS, no transfer");
    for (size_t i = 0; i < LEARNERS; i++) {
        const segue_cell *cell = segue_results_find(results, learners[i].policy, steps, tasks);
        if (!cell)
            continue;
        segue_report_add_track(&figure, cell, SEGUE_TRACK_REGRET, learners[i].style,
                               learners[i].title);
        segue_figure_mark_ours(&figure);
    }
    add_level(&figure, paper, SEGUE_STUDY_BASELINES, "mla", 1, "mLA, models known");
    segue_figure_mark_ours(&figure);
    (void)snprintf(caption, sizeof caption,
                   "Regret from task to task, n = %" PRIu64
                   ", on logarithmic axes. Thick lines, marked (ours), are not the paper's: over "
                   "%" PRIu64 " tasks and %" PRIu64 " runs, in averages of %" PRIu64
                   " tasks. tUCB is that of the figures above.",
                   steps, tasks, results->cell[0].runs, results->cell[0].every);
    return segue_report_figure(report, &figure, caption, err);
}

/* Draw regret against n: ours averaged over all tasks, tUCB at its largest J. */
static segue_status draw_lengths(const segue_report *report, segue_error *err)
{
    const segue_paper *paper = report->paper;
    const segue_results *results = paper->results[SEGUE_STUDY_OURS];
    const uint64_t tasks = results->cell[0].tasks;
    char title[60], caption[400];
    segue_figure figure = segue_figure_init("ours-lengths", "steps per task, n", "regret per task");
    figure.log_y = true;
    figure.y_min = 1.0;
    (void)snprintf(title, sizeof title, "tUCB, J = %" PRIu64, paper->longest->tasks);
    segue_report_add_lengths(&figure, paper->results[SEGUE_STUDY_LENGTHS], "ucb", 0, 0, "UCB");
    segue_report_add_lengths(&figure, paper->results[SEGUE_STUDY_LENGTHS], "mucb", 0, 2,
                             "mUCB, models known");
    segue_report_add_tucb(&figure, paper, paper->longest->tasks, 5, title);
    segue_report_add_lengths(&figure, paper->results[SEGUE_STUDY_BASELINES], "ts", 0, 3,
                             "TS, no transfer");
    segue_report_add_lengths(&figure, paper->results[SEGUE_STUDY_BASELINES], "la", 0, 4,
                             "LA, no transfer");
    segue_figure_mark_ours(&figure);
    for (size_t i = 0; i < LEARNERS; i++) {
        segue_report_add_lengths(&figure, results, learners[i].policy, tasks, learners[i].style,
                                 learners[i].title);
        segue_figure_mark_ours(&figure);
    }
    segue_report_add_lengths(&figure, paper->results[SEGUE_STUDY_BASELINES], "mla", 0, 1,
                             "mLA, models known");
    segue_figure_mark_ours(&figure);
    (void)snprintf(caption, sizeof caption,
                   "Regret per task against its length, on a logarithmic axis; of our learners the "
                   "average over their first %" PRIu64
                   " tasks. Thick lines, marked (ours), are not the paper's.",
                   tasks);
    return segue_report_figure(report, &figure, caption, err);
}

static void print_cell(FILE *out, const segue_cell *cell)
{
    if (cell)
        segue_html_cell(out, "%.1f ± %.1f", cell->regret.mean, cell->regret.se);
    else
        segue_html_cell(out, "-");
}

/* Print the regret of all policies at one n; `tasks` is the number of tasks of our learners. */
static void print_row(const segue_report *report, uint64_t steps, uint64_t tasks)
{
    static const char *const single[] = {"ts", "la"}, *const known[] = {"mts", "mla"};
    const segue_paper *paper = report->paper;
    const segue_results *ours = paper->results[SEGUE_STUDY_OURS];
    const segue_results *lengths = paper->results[SEGUE_STUDY_LENGTHS];
    const segue_results *baselines = paper->results[SEGUE_STUDY_BASELINES];
    FILE *out = report->out;
    segue_html_row(out);
    segue_html_cell(out, "%" PRIu64, steps);
    print_cell(out, segue_results_find(lengths, "ucb", steps, 0));
    print_cell(out, segue_results_find(lengths, "mucb", steps, 0));
    print_cell(out, segue_paper_tucb(paper, steps, paper->longest->tasks));
    for (size_t k = 0; k < 2; k++)
        print_cell(out, segue_results_find(baselines, single[k], steps, 0));
    for (size_t k = 0; k < LEARNERS; k++)
        print_cell(out, segue_results_find(ours, learners[k].policy, steps, tasks));
    for (size_t k = 0; k < 2; k++)
        print_cell(out, segue_results_find(baselines, known[k], steps, 0));
}

/* One row per n: the first policy of the experiment gives the list of n. */
static void print_table(const segue_report *report)
{
    /* in the order of print_row */
    static const char *const headings[] = {"n",
                                           "UCB",
                                           "mUCB*",
                                           "tUCB",
                                           "TS",
                                           "LA (ours)",
                                           "TS, learned prior (ours)",
                                           "tTS (ours)",
                                           "tLA (ours)",
                                           "mTS*",
                                           "mLA* (ours)",
                                           NULL};
    const segue_results *ours = report->paper->results[SEGUE_STUDY_OURS];
    segue_html_table_begin(
        report->out,
        "Regret per task, with standard errors; of tUCB over its largest J, of our "
        "learners over their first tasks. *: knows the models.",
        headings);
    for (size_t i = 0; i < ours->n_cells; i++)
        if (strcmp(ours->cell[i].policy, ours->cell[0].policy) == 0)
            print_row(report, ours->cell[i].steps, ours->cell[i].tasks);
    segue_html_table_end(report->out);
}

/* Draw the number of types that learners found, with the true number of models as a level. */
static segue_status draw_types(const segue_report *report, segue_error *err)
{
    const segue_results *results = report->paper->results[SEGUE_STUDY_OURS];
    segue_figure figure = segue_figure_init("ours-types", "tasks", "types found");
    segue_figure_add_level(&figure, 7, 0.0, (double)results->cell[0].tasks,
                           (double)report->paper->models->n_models, NAN, "models there are");
    for (size_t i = 0; i < results->n_cells; i++) {
        static const size_t styles[] = {9, 6, 3, 4, 1, 0};
        const segue_cell *cell = &results->cell[i];
        char title[60];
        if (!cell->track[SEGUE_TRACK_TYPES])
            continue;
        (void)snprintf(title, sizeof title, "%s, n = %" PRIu64, cell->policy, cell->steps);
        segue_report_add_track(&figure, cell, SEGUE_TRACK_TYPES, styles[figure.n_series % 6],
                               title);
        segue_figure_mark_ours(&figure);
    }
    return segue_report_figure(
        report, &figure,
        "The number of types that our learners have found, over tasks: mean over "
        "runs. They do not know that there are any.",
        err);
}

segue_status segue_section_ours(const segue_report *report, segue_error *err)
{
    FILE *out = report->out;
    segue_html_heading(out, 2, "ours", "Our learners and the paper's");
    segue_html_p(out, "None of what figures and tables mark as (ours) is the paper's. tTS and tLA "
                      "know neither the models nor their number: they fit a mixture of "
                      "types to the counts of finished tasks, by likelihood instead of "
                      "moments, and play by Thompson sampling or by look-ahead over it. LA and mLA "
                      "are look-ahead without models and over known ones; TS with a learned prior "
                      "is what one would build in an hour.");
    SEGUE_TRY(draw_tasks(report, err));
    segue_report_claim(report, "sooner");
    segue_report_claim(report, "learned");
    SEGUE_TRY(draw_lengths(report, err));
    print_table(report);
    segue_report_claim(report, "transfer");
    SEGUE_TRY(draw_types(report, err));
    segue_report_repeat(report, SEGUE_STUDY_OURS);
    return SEGUE_OK;
}
