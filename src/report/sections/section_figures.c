/* section_figures.c - the paper's figures: regret against n, regret and complexity over tasks.
 *
 * report.c calls segue_section_figures. The first figure joins two experiments, tucb-lengths and
 * tucb-tasks, which paper.c has merged into the list `tucb`, by n and then J.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html.h"
#include "report/report.h"

/* ---- regret against n -------------------------------------------------------------------- */

/* List the J of tUCB, which are those of its first n. */
static size_t tasks_of(const segue_paper *paper, uint64_t *tasks, size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < paper->n_tucb && count < capacity; i++)
        if (paper->tucb[i]->steps == paper->tucb[0]->steps)
            tasks[count++] = paper->tucb[i]->tasks;
    return count;
}

static segue_status draw_lengths(const segue_report *report, segue_error *err)
{
    const segue_results *lengths = report->paper->results[SEGUE_STUDY_LENGTHS];
    uint64_t tasks[SEGUE_MAX_TABLE_TASKS];
    const size_t n_tasks = tasks_of(report->paper, tasks, SEGUE_MAX_TABLE_TASKS);
    segue_figure figure = segue_figure_init("lengths", "steps per task, n", "regret per task");
    segue_report_add_lengths(&figure, lengths, "ucb", 0, 0, "UCB");
    segue_report_add_lengths(&figure, lengths, "ucb+", 0, 1, "UCB+");
    segue_report_add_lengths(&figure, lengths, "mucb", 0, 2, "mUCB");
    for (size_t i = 0; i < n_tasks; i++) {
        char title[60];
        (void)snprintf(title, sizeof title, "tUCB, J = %" PRIu64, tasks[i]);
        segue_report_add_tucb(&figure, report->paper, tasks[i], 3 + i, title);
    }
    return segue_report_figure(
        report, &figure,
        "Regret per task against its length n, with 95 % bands over runs; of tUCB the average over "
        "J tasks, each J in runs of its own.",
        err);
}

/* Print a regret that is not broken at its sign; a small one has a digit more. */
static void print_regret(FILE *out, segue_regret regret)
{
    const int digits = regret.mean < 20.0 ? 2 : 1;
    segue_html_cell(out, "%.*f\u00a0±\u00a0%.*f", digits, regret.mean, digits, regret.se);
}

/* Print one row per n of the policies that know the models; tUCB is played at some of them. */
static void print_lengths(const segue_report *report)
{
    static const char *const policies[] = {"ucb", "ucb+", "mucb"};
    const segue_paper *paper = report->paper;
    const segue_results *lengths = paper->results[SEGUE_STUDY_LENGTHS];
    uint64_t tasks[SEGUE_MAX_TABLE_TASKS];
    const size_t n_tasks = tasks_of(paper, tasks, SEGUE_MAX_TABLE_TASKS);
    char titles[SEGUE_MAX_TABLE_TASKS][32];
    const char *shown[SEGUE_MAX_TABLE_TASKS + 5] = {"n", "UCB", "UCB+", "mUCB"};
    for (size_t i = 0; i < n_tasks; i++) {
        (void)snprintf(titles[i], sizeof titles[i], "tUCB, J = %" PRIu64, tasks[i]);
        shown[4 + i] = titles[i];
    }
    segue_html_table_begin(report->out, "Regret per task, with standard errors.", shown);
    for (size_t i = 0; i < lengths->n_cells; i++) {
        const uint64_t steps = lengths->cell[i].steps;
        if (strcmp(lengths->cell[i].policy, "ucb") != 0)
            continue;
        segue_html_row(report->out);
        segue_html_cell(report->out, "%" PRIu64, steps);
        for (size_t c = 0; c < 3 + n_tasks; c++) {
            const segue_cell *cell = c < 3 ? segue_results_find(lengths, policies[c], steps, 0)
                                           : segue_paper_tucb(paper, steps, tasks[c - 3]);
            if (cell)
                print_regret(report->out, cell->regret);
            else
                segue_html_cell(report->out, "-");
        }
    }
    segue_html_table_end(report->out);
}

/* ---- from task to task ------------------------------------------------------------------- */

/* Add the policies that do not learn across tasks as horizontal lines. */
static void add_levels(const segue_paper *paper, segue_figure *figure, double to)
{
    const segue_cell *cells[] = {paper->ucb, paper->ucb_plus, paper->mucb};
    static const char *const titles[] = {"UCB", "UCB+", "mUCB"};
    for (size_t i = 0; i < 3; i++)
        segue_figure_add_level(figure, i, 0.0, to, cells[i]->regret.mean,
                               segue_cell_half_width(cells[i], cells[i]->regret), titles[i]);
}

static segue_status draw_regret(const segue_report *report, const segue_cell *cell,
                                segue_error *err)
{
    char name[60], caption[300];
    (void)snprintf(name, sizeof name, "regret-%" PRIu64, cell->tasks);
    (void)snprintf(caption, sizeof caption,
                   "Regret of tUCB from task to task, J = %" PRIu64 ", n = %" PRIu64
                   ": averages of %" PRIu64 " tasks over %" PRIu64
                   " runs with a 95 %% band, and the regret of UCB, UCB+ and mUCB.",
                   cell->tasks, cell->steps, cell->every, cell->runs);
    segue_figure figure = segue_figure_init(name, "tasks", "regret per task");
    add_levels(report->paper, &figure, (double)cell->tasks);
    segue_report_add_track(&figure, cell, SEGUE_TRACK_REGRET, 5, "tUCB");
    return segue_report_figure(report, &figure, caption, err);
}

/* Add the three levels of the paper's figure, as Table 2 prints them, if these are its models. */
static void add_published_levels(const segue_paper *paper, segue_figure *figure, double to)
{
    static const double published[SEGUE_N_COLUMNS] = {26.57, 15.11, 3.27};
    if (paper->models->n_models != 5)
        return;
    for (size_t c = 0; c < SEGUE_N_COLUMNS; c++) {
        segue_figure_begin_series(figure, SEGUE_SERIES_THIN, 5, "%s",
                                  c ? "" : "paper: 26.57, 15.11, 3.27");
        segue_figure_add_point(figure, 0.0, published[c], NAN);
        segue_figure_add_point(figure, to, published[c], NAN);
    }
}

static segue_status draw_complexity(const segue_report *report, const segue_cell *cell,
                                    segue_error *err)
{
    static const char *const titles[] = {"UCB", "UCB+", "mUCB"};
    char name[60], caption[400];
    (void)snprintf(name, sizeof name, "complexity-%" PRIu64, cell->tasks);
    (void)snprintf(
        caption, sizeof caption,
        "Complexity of tUCB from task to task, J = %" PRIu64
        ", by the weights of the models: mean of %" PRIu64
        " runs with a 95 %% band, and those of UCB, UCB+ and mUCB. Thin lines: the levels "
        "that the paper prints, to 0.01.",
        cell->tasks, cell->runs);
    segue_figure figure = segue_figure_init(name, "tasks", "complexity");
    for (size_t c = 0; c < SEGUE_N_COLUMNS; c++) {
        char title[40];
        (void)snprintf(title, sizeof title, "%s: %.2f", titles[c],
                       segue_paper_truncate(report->paper->average[c]));
        segue_figure_add_level(&figure, c, 0.0, (double)cell->tasks, report->paper->average[c], NAN,
                               title);
    }
    add_published_levels(report->paper, &figure, (double)cell->tasks);
    segue_report_add_track(&figure, cell, SEGUE_TRACK_COMPLEXITY, 5, "tUCB");
    return segue_report_figure(report, &figure, caption, err);
}

typedef segue_status (*draw_function)(const segue_report *report, const segue_cell *cell,
                                      segue_error *err);

/* True for the two largest J; the paper draws two. */
static bool is_drawn(const segue_results *results, const segue_cell *cell)
{
    size_t larger = 0;
    for (size_t i = 0; i < results->n_cells; i++)
        larger += results->cell[i].tasks > cell->tasks;
    return larger < 2;
}

/* Draw one figure per J, for the J that the report shows. */
static segue_status draw_each(const segue_report *report, draw_function draw, segue_error *err)
{
    const segue_results *results = report->paper->results[SEGUE_STUDY_TUCB_TASKS];
    for (size_t i = 0; i < results->n_cells; i++)
        if (is_drawn(results, &results->cell[i]))
            SEGUE_TRY(draw(report, &results->cell[i], err));
    return SEGUE_OK;
}

segue_status segue_section_figures(const segue_report *report, segue_error *err)
{
    FILE *out = report->out;
    segue_html_heading(out, 2, "lengths", "Regret against the length of a task");
    SEGUE_TRY(draw_lengths(report, err));
    print_lengths(report);
    segue_report_claim(report, "order");
    segue_report_claim(report, "mucb-never-worse");
    segue_report_claim(report, "stuck");
    segue_report_claim(report, "challenging");
    segue_report_claim(report, "lengths");
    segue_report_repeat(report, SEGUE_STUDY_LENGTHS);
    segue_report_repeat(report, SEGUE_STUDY_TUCB_LENGTHS);

    segue_html_heading(out, 2, "tasks", "Regret from task to task");
    SEGUE_TRY(draw_each(report, draw_regret, err));
    segue_report_claim(report, "start");
    segue_report_claim(report, "never-worse");
    segue_report_claim(report, "approach");
    segue_report_repeat(report, SEGUE_STUDY_TUCB_TASKS);

    segue_html_heading(out, 2, "complexity", "Complexity from task to task");
    SEGUE_TRY(draw_each(report, draw_complexity, err));
    segue_report_claim(report, "complexity");
    segue_html_p(out, "The runs are those of the figures before.");
    segue_html_heading(out, 3, "published", "What the paper's figures give as numbers");
    segue_html_p(
        out, "The source of the paper has its figures as pictures only, and its text gives few "
             "of their numbers. Laid under ours are those that it does give: the means of the "
             "models (Table 1, exact to the digits printed: the first figure draws them), and "
             "the three levels of the complexity figure (Table 2, cut after the second decimal, "
             "so that a level lies up to 0.01 above the printed one). Section 5 says of the "
             "others only an order: mUCB below UCB+ and UCB, tUCB between UCB and mUCB. Not "
             "available are the regrets of UCB, UCB+, mUCB and tUCB against n, the n and J of that "
             "figure, the curve of tUCB's regret and of its complexity from task to task, and "
             "the number of its runs.");
    return SEGUE_OK;
}
