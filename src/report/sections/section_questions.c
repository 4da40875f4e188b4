/* section_questions.c - the two questions that the paper leaves open, with measured answers.
 *
 * Is it useful to pull an arm for its information only? Should the first tasks identify the models?
 *
 * report.c calls segue_section_questions. Experiment `probes` plays known models in the
 * environments "paper" and "probes", and each again as "-without" the arms that are best for no
 * model; `probes-tasks` learns the models; `identify` spends first tasks on round robin.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/claims/compare.h"
#include "report/html.h"
#include "report/report.h"

/* ---- arms that are best for no model ----------------------------------------------------- */

/* A reading selects the number of a cell that a figure shows. */
typedef segue_regret (*reading)(const segue_cell *cell);

static segue_regret regret_of(const segue_cell *cell)
{
    return cell->regret;
}

static segue_regret pulls_of(const segue_cell *cell)
{
    return cell->never_best;
}

/* Add a policy in an environment, over n. */
static void add_environment(segue_figure *figure, const segue_results *results,
                            const char *environment, const char *policy, reading read, size_t style,
                            const char *title)
{
    segue_figure_begin_series(figure, SEGUE_SERIES_LINE_POINTS, style, "%s", title);
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        if (strcmp(cell->policy, policy) != 0 || strcmp(cell->environment, environment) != 0)
            continue;
        const segue_regret value = read(cell);
        segue_figure_add_point(figure, (double)cell->steps, value.mean,
                               segue_cell_half_width(cell, value));
    }
}

/* Draw one environment; look-ahead also plays it without the arms in question. */
static segue_status draw_probing(const segue_report *report, const char *name,
                                 const char *environment, const char *caption, segue_error *err)
{
    const segue_results *results = report->paper->results[SEGUE_STUDY_PROBES];
    char without[60];
    segue_figure figure = segue_figure_init(name, "steps per task, n", "regret per task");
    figure.log_x = figure.log_y = true;
    figure.y_min = 1.0;
    (void)snprintf(without, sizeof without, "%s-without", environment);
    add_environment(&figure, results, environment, "mucb", regret_of, 2, "mUCB");
    add_environment(&figure, results, environment, "mts", regret_of, 3, "mTS");
    add_environment(&figure, results, without, "mla", regret_of, 1, "mLA, without those arms");
    segue_figure_mark_ours(&figure);
    add_environment(&figure, results, environment, "mla", regret_of, 6, "mLA");
    segue_figure_mark_ours(&figure);
    return segue_report_figure(report, &figure, caption, err);
}

static segue_status draw_pulls(const segue_report *report, segue_error *err)
{
    const segue_results *results = report->paper->results[SEGUE_STUDY_PROBES];
    segue_figure figure =
        segue_figure_init("probing-pulls", "steps per task, n", "pulls of arms best for no model");
    figure.log_x = true;
    add_environment(&figure, results, "paper", "mucb", pulls_of, 2, "mUCB, the paper's models");
    add_environment(&figure, results, "paper", "mts", pulls_of, 3, "mTS, the paper's models");
    add_environment(&figure, results, "paper", "mla", pulls_of, 6, "mLA, the paper's models");
    segue_figure_mark_ours(&figure);
    add_environment(&figure, results, "probes", "mla", pulls_of, 4, "mLA, models with probes");
    segue_figure_mark_ours(&figure);
    return segue_report_figure(
        report, &figure,
        "Pulls per task of arms that are best for no model. mUCB and mTS pull "
        "the best arm of some model, and so none of them, but for steps at "
        "which no model is left.",
        err);
}

static void print_pulls_row(FILE *out, const segue_cell *cell)
{
    const double share = 100.0 * cell->never_best.mean / (double)cell->steps;
    segue_html_row(out);
    segue_html_cell(out, "%s", cell->environment);
    segue_html_cell(out, "%s", cell->policy);
    segue_html_cell(out, "%" PRIu64, cell->steps);
    segue_html_cell(out, "%.1f ± %.1f", cell->regret.mean, cell->regret.se);
    segue_html_cell(out, "%.1f ± %.1f", cell->never_best.mean, cell->never_best.se);
    segue_html_cell(out, "%.2f %%", share);
}

/* Environments without these arms have no such pulls, and no row. */
static void print_pulls(const segue_report *report, segue_study study, const char *caption)
{
    static const char *const headings[] = {"models",     "policy", "n", "regret",
                                           "such pulls", "share",  NULL};
    const segue_results *results = report->paper->results[study];
    segue_html_table_begin(report->out, caption, headings);
    for (size_t i = 0; i < results->n_cells; i++)
        if (!strstr(results->cell[i].environment, "-without"))
            print_pulls_row(report->out, &results->cell[i]);
    segue_html_table_end(report->out);
}

static segue_status show_probing(const segue_report *report, segue_error *err)
{
    FILE *out = report->out;
    segue_html_heading(out, 3, "probing", "Pull an arm for its information?");
    segue_html_p(out,
                 "mUCB only pulls arms that are best for some model. The paper wonders "
                 "whether this can be optimal: an arm that is best for none may differ so "
                 "much between models that a few pulls of it, expensive as they are, rule most "
                 "models out. Look-ahead (mLA, ours) compares just that: the value of the "
                 "information until the end of the task, and the cost of the pulls. On "
                 "the paper's models arms 6 and 7 are best for none. The second set, "
                 "models/probes.csv, is made for the question: eight models, each with a good "
                 "arm of its own (0.7 against 0.5), and three probes that are the worst arms "
                 "of all, and pay 0.1 or 0.45 by the binary digits of the model's number. "
                 "To measure the value of such arms, mLA also plays both sets without them.");
    SEGUE_TRY(
        draw_probing(report, "probing-paper", "paper",
                     "The paper's models, known: regret against n, on logarithmic axes. Thick "
                     "lines, marked (ours), are not the paper's.",
                     err));
    SEGUE_TRY(draw_probing(report, "probing-probes", "probes",
                           "Models with three probes, known: regret against n, on logarithmic "
                           "axes. Thick lines, marked (ours), are not the paper's.",
                           err));
    SEGUE_TRY(draw_pulls(report, err));
    print_pulls(
        report, SEGUE_STUDY_PROBES,
        "Models known: regret per task, and pulls per task of arms that are best for no model.");
    segue_report_claim(report, "probing");
    segue_report_repeat(report, SEGUE_STUDY_PROBES);
    print_pulls(report, SEGUE_STUDY_PROBES_TASKS,
                "Models learned: the same, averaged over the tasks of a run. A learner also pulls "
                "such arms because it does not know yet that they are best for no model.");
    segue_report_claim(report, "probing-learned");
    segue_report_repeat(report, SEGUE_STUDY_PROBES_TASKS);
    return SEGUE_OK;
}

segue_status segue_section_questions(const segue_report *report, segue_error *err)
{
    segue_html_heading(report->out, 2, "questions", "Two questions that the paper leaves open");
    SEGUE_TRY(show_probing(report, err));
    return segue_section_identify(report, err);
}
