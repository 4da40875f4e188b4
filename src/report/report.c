/* report.c - the report on the paper: its claims, their verdicts, and the figures.
 *
 * `segue paper` calls segue_report_write with the results that paper.c read. This file has the
 * introduction, the summary and the end of the page, and the functions that sections share; each
 * section_*.c is one part of the page.
 *
 * The page depends on the results and the build, and in one line on the times of playing. It
 * is printed to memory and written once, so that a failed figure leaves the former page.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/output.h"
#include "report/choices.h"
#include "report/html.h"
#include "report/provenance.h"
#include "report/report.h"

/* ---- for the sections -------------------------------------------------------------------- */

/* The claim exists: an id that claims.c does not know is a programming error. */
void segue_report_claim(const segue_report *report, const char *id)
{
    const segue_finding *finding = segue_claims_find(report->findings, report->n_findings, id);
    FILE *out = report->out;
    fprintf(out, "<div class=\"claim %s\" id=\"claim-%s\">\n<p class=\"says\">%s: ",
            segue_claims_verdict_class(finding->verdict), id,
            finding->ours ? "We say" : "The paper");
    segue_html_text(out, "%s", finding->says);
    fputs("</p>\n<p><span class=\"verdict\">", out);
    segue_html_text(out, "%s", segue_claims_verdict_text(finding->verdict));
    fputs("</span>. ", out);
    segue_html_text(out, "%s", finding->text);
    if (finding->n_comparisons)
        segue_html_text(out, " (%zu comparison%s.)", finding->n_comparisons,
                        finding->n_comparisons == 1 ? "" : "s, decided together");
    fputs("</p>\n</div>\n", out);
}

/* Print the command that repeats one experiment, for a reader who doubts a figure. */
void segue_report_repeat(const segue_report *report, segue_study study)
{
    const segue_results *results = report->paper->results[study];
    const bool variant = *results->variant;
    segue_html_command(report->out, "segue run experiments/%s.json%s%s --seed %" PRIu64,
                       segue_paper_study_name(study), variant ? " --variant " : "",
                       results->variant, results->seed);
}

segue_status segue_report_figure(const segue_report *report, segue_figure *figure,
                                 const char *caption, segue_error *err)
{
    return segue_html_figure(report->out, figure, report->figures, caption, err);
}

/* `tasks` is 0 for policies that play single tasks. */
void segue_report_add_lengths(segue_figure *figure, const segue_results *results,
                              const char *policy, uint64_t tasks, size_t style, const char *title)
{
    segue_figure_begin_series(figure, SEGUE_SERIES_LINE_POINTS, style, "%s", title);
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        if (strcmp(cell->policy, policy) == 0 && cell->tasks == tasks)
            segue_figure_add_point(figure, (double)cell->steps, cell->regret.mean,
                                   segue_cell_half_width(cell, cell->regret));
    }
}

void segue_report_add_tucb(segue_figure *figure, const segue_paper *paper, uint64_t tasks,
                           size_t style, const char *title)
{
    segue_figure_begin_series(figure, SEGUE_SERIES_LINE_POINTS, style, "%s", title);
    for (size_t i = 0; i < paper->n_tucb; i++) {
        const segue_cell *cell = paper->tucb[i];
        if (cell->tasks == tasks)
            segue_figure_add_point(figure, (double)cell->steps, cell->regret.mean,
                                   segue_cell_half_width(cell, cell->regret));
    }
}

/* A cell without this track gives an empty series, which is not drawn. */
void segue_report_add_track(segue_figure *figure, const segue_cell *cell, segue_track track,
                            size_t style, const char *title)
{
    segue_figure_begin_series(figure, SEGUE_SERIES_LINE, style, "%s", title);
    for (size_t p = 0; cell->track[track] && p < cell->n_points; p++) {
        const segue_regret point = segue_cell_mean(cell, track, p);
        segue_figure_add_point(figure, (double)segue_cell_last_task(cell, p), point.mean,
                               segue_cell_half_width(cell, point));
    }
}

segue_figure segue_report_error_figure(const char *name, double y_min)
{
    segue_figure figure = segue_figure_init(name, "tasks", "largest error of an estimated mean");
    figure.log_x = figure.log_y = true;
    figure.y_min = y_min;
    figure.y_max = 2.0;
    return figure;
}

/* Medians, since errors have outliers where an estimated eigenvalue is almost 0. */
void segue_report_add_medians(segue_figure *figure, const segue_cell *cell, segue_track track,
                              size_t style, const char *title)
{
    segue_figure_begin_series(figure, SEGUE_SERIES_LINE, style, "%s", title);
    for (size_t p = 0; cell->track[track] && p < cell->n_points; p++) {
        const segue_median median = segue_cell_median(cell, track, p);
        segue_figure_add_range(figure, (double)segue_cell_last_task(cell, p), median.middle,
                               median.low, median.high);
    }
}

/* ---- own sections ------------------------------------------------------------------------- */

/* Return the reward law of an experiment with one environment, in words. */
static const char *law_of(const segue_results *results)
{
    const json_t *environment = json_object_get(results->experiment, "environment");
    const char *law = json_string_value(json_object_get(environment, "rewards"));
    return !law || strcmp(law, "bernoulli") == 0
               ? "0 or 1 (Bernoulli), with the mean of the arm as the probability of 1"
               : law;
}

static void print_intro(const segue_report *report)
{
    const segue_results *first = report->paper->results[0];
    segue_html_p(
        report->out,
        "M. Gheshlaghi Azar, A. Lazaric and E. Brunskill (NIPS 2013, arXiv:1307.6887) let a "
        "learner meet one "
        "bandit task after another, each of one of a few unknown types, and show how it "
        "can learn the types from rewards alone. This report repeats their simulations, "
        "checks their claims against the results, and shows what they do not: among it "
        "our own learners, which figures mark as (ours) and draw with thick lines.");
    segue_html_p(report->out,
                 "Made by segue %s with seed %" PRIu64
                 ". The regret of a task is how much more its best arm "
                 "would have paid, in mean. Rewards are %s; the paper names no reward law, and the "
                 "table of choices shows how much it matters. Unless a caption says otherwise, the "
                 "bands of figures "
                 "are 95 %% over runs, by "
                 "Student's t; tables and findings give standard errors (s.e., or after ±).",
                 first->version, first->seed, law_of(first));
}

/* Holm's method bounds the errors within a claim, not over all claims: say how many are to be
 * expected. */
static void print_level(const segue_report *report)
{
    size_t claims = 0, comparisons = 0;
    for (size_t i = 0; i < report->n_findings; i++) {
        claims += report->findings[i].n_comparisons > 0;
        comparisons += report->findings[i].n_comparisons;
    }
    segue_html_p(report->out,
                 "%zu of the %zu claims rest on %zu comparisons of regrets by Student's t. Those "
                 "of one claim are decided together by Holm's method (1979): with N of them, the "
                 "smallest p-value counts if it is below 0.05/N, the next if below 0.05/(N - 1), "
                 "and so on. For each claim the probability that any of its comparisons is "
                 "decided wrongly is so at most 5 %%, and of all these claims at most %.1f are "
                 "expected to have a wrong one. The other claims compare numbers with a "
                 "tolerance, which their text gives.",
                 claims, report->n_findings, comparisons, 0.05 * (double)claims);
}

/* List the paper's claims first, then ours, each with a link to its section. */
static void print_summary(const segue_report *report)
{
    FILE *out = report->out;
    segue_html_heading(out, 2, "summary", "What holds");
    for (int ours = 0; ours < 2; ours++) {
        fprintf(out, "<h3>%s</h3>\n<ul class=\"summary\">\n",
                ours ? "What we add" : "What the paper says");
        for (size_t i = 0; i < report->n_findings; i++) {
            const segue_finding *finding = &report->findings[i];
            if (finding->ours != (ours == 1))
                continue;
            fprintf(out, "<li class=\"%s\"><span class=\"verdict\">%s:</span> ",
                    segue_claims_verdict_class(finding->verdict),
                    segue_claims_verdict_text(finding->verdict));
            fprintf(out, "<a href=\"#claim-%s\">", finding->id);
            segue_html_text(out, "%s", finding->says);
            fputs("</a></li>\n", out);
        }
        fputs("</ul>\n", out);
    }
    print_level(report);
}

/* Print the first and the last element of a field of an experiment. */
static void print_range(FILE *out, const json_t *value)
{
    const size_t count = json_array_size(value);
    const json_t *first = count ? json_array_get(value, 0) : value;
    const json_t *last = count ? json_array_get(value, count - 1) : value;
    if (!value)
        segue_html_cell(out, "single");
    else if (count > 1)
        segue_html_cell(out, "%" JSON_INTEGER_FORMAT " .. %" JSON_INTEGER_FORMAT,
                        json_integer_value(first), json_integer_value(last));
    else
        segue_html_cell(out, "%" JSON_INTEGER_FORMAT, json_integer_value(first));
}

static void print_runs(const segue_report *report)
{
    static const char *const headings[] = {"experiment", "steps", "tasks", "runs", NULL};
    FILE *out = report->out;
    segue_html_heading(out, 2, "run", "What was run");
    segue_html_table_begin(
        out,
        "Each experiment is a file in experiments/. Runs of single tasks are of each "
        "model.",
        headings);
    for (size_t i = 0; i < SEGUE_N_STUDIES; i++) {
        const segue_results *results = report->paper->results[i];
        segue_html_row(out);
        segue_html_cell(out, "%s", results->name);
        print_range(out, json_object_get(results->experiment, "steps"));
        print_range(out, json_object_get(results->experiment, "tasks"));
        segue_html_cell(out, "%" PRIu64, results->cell[0].runs);
    }
    segue_html_table_end(out);
    segue_html_p(out,
                 "Experiments of one seed meet the same tasks and rewards: what two of them have "
                 "in common, such as tUCB with C = 2, is the same runs and no second proof.");
    const char *variant = report->paper->results[0]->variant;
    if (*variant)
        segue_html_p(
            out,
            "These are the experiments in their variant '%s', with fewer runs and tasks than "
            "the whole of them, which 'segue paper' plays.",
            variant);
    segue_html_p(out, "This command writes the same bytes again, but for the line with times:");
    segue_html_command(out, "segue paper%s%s --seed %" PRIu64, *variant ? " --" : "", variant,
                       report->paper->results[0]->seed);
    segue_html_p(out,
                 "The numbers behind every figure are in figures/NAME.csv, and gnuplot draws it "
                 "again from figures/NAME.gp; data/ holds all results as CSV and JSON.");
}

/* ---- the page ---------------------------------------------------------------------------- */

static segue_status print_report(const segue_report *report, segue_error *err)
{
    segue_html_begin(report->out, "Sequential transfer in bandits, reproduced");
    print_intro(report);
    print_summary(report);
    SEGUE_TRY(segue_section_theory_models(report, err));
    SEGUE_TRY(segue_section_models(report, err));
    SEGUE_TRY(segue_section_figures(report, err));
    SEGUE_TRY(segue_section_cumulative(report, err));
    SEGUE_TRY(segue_section_theory_bounds(report, err));
    SEGUE_TRY(segue_section_appendix(report, err));
    SEGUE_TRY(segue_section_beyond(report, err));
    SEGUE_TRY(segue_section_moments(report, err));
    SEGUE_TRY(segue_section_estimators(report, err));
    SEGUE_TRY(segue_section_ours(report, err));
    SEGUE_TRY(segue_section_questions(report, err));
    segue_choices_print(report->paper, report->out);
    print_runs(report);
    segue_provenance_print_runs(report->paper, report->out);
    SEGUE_TRY(segue_provenance_print_tools(report->out, report->data, err));
    segue_provenance_print_references(report->out);
    segue_html_end(report->out);
    return SEGUE_OK;
}

segue_status segue_report_write(const segue_paper *paper, const char *folder, segue_error *err)
{
    char figures[4096], data[4096], path[4096];
    segue_finding findings[SEGUE_MAX_CLAIMS];
    segue_output output;
    if (snprintf(figures, sizeof figures, "%s/figures", folder) >= (int)sizeof figures ||
        snprintf(data, sizeof data, "%s/data", folder) >= (int)sizeof data ||
        snprintf(path, sizeof path, "%s/report.html", folder) >= (int)sizeof path)
        return segue_fail(err, SEGUE_EFILE,
                          "the path of the folder %.60s... is too long; need less than 4096 bytes",
                          folder);
    SEGUE_TRY(segue_output_init(&output, err));
    segue_report report = {.paper = paper,
                           .findings = findings,
                           .figures = figures,
                           .data = data,
                           .out = output.stream};
    segue_claims_check(paper, findings, &report.n_findings);
    segue_status status = print_report(&report, err);
    if (status == SEGUE_OK)
        status = segue_output_write(&output, path, err);
    segue_output_fini(&output);
    return status;
}
