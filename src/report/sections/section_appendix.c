/* section_appendix.c - the paper's appendices B and C: UCB with a test, and from moments to means.
 *
 * report.c calls segue_section_appendix.  All numbers of appendix C are functions of the model set
 * (segue/perturbation.h); docs/math.md derives the corrected forms.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "report/html.h"
#include "report/report.h"
#include "segue/perturbation.h"

static void print_number(FILE *out, const char *name, double printed, double corrected)
{
    segue_html_row(out);
    segue_html_cell(out, "%s", name);
    segue_html_cell(out, "%.3g", printed);
    segue_html_cell(out, "%.3g", corrected);
}

static void print_constants(const segue_report *report)
{
    static const char *const headings[] = {"quantity", "as printed", "corrected", NULL};
    const segue_paper *paper = report->paper;
    const segue_cell *cell = paper->longest;
    const double delta = 1.0 / (double)cell->steps;
    const segue_perturbation bound = segue_perturbation_bound(paper->models, &paper->spectrum,
                                                              (double)cell->tasks, delta, 1.0, 1.0);
    const segue_perturbation_tasks needed =
        segue_perturbation_tasks_needed(paper->models, &paper->spectrum, delta, 1.0);
    FILE *out = report->out;
    segue_html_table_begin(out,
                           "Theorem 2 and its proof on these models, with 1 for the constants that "
                           "the paper does not specify.",
                           headings);
    print_number(out, "C(Θ)", bound.constant, bound.constant_corrected);
    print_number(out, "error of a model", bound.error, bound.error_corrected);
    print_number(out, "tasks for Lemmas 5 and 6", needed.moments, needed.moments);
    print_number(out, "tasks for Theorem 5", needed.tensor, needed.tensor_corrected);
    print_number(out, "error of M2 (Lemma 7)", bound.second_moment, bound.second_moment);
    print_number(out, "error of M3 (Lemma 7)", bound.third_moment, bound.third_moment);
    segue_html_table_end(out);
}

static void print_measured(const segue_report *report)
{
    const segue_cell *cell = report->paper->longest;
    const size_t last = cell->n_points - 1;
    segue_html_p(
        report->out,
        "After %" PRIu64 " tasks the Euclidean error of the worst model is %.2f (median "
        "over runs). The bound exceeds it by many orders of magnitude, which is why C is a "
        "parameter in practice. Lemma 5 bounds the change of D^1/2 by eps_2/sigma_max; "
        "eps_2/sqrt(sigma_min) is right, and the printed form is violated in nearly all "
        "perturbations of these models (test_perturbation counts them). docs/math.md lists "
        "this and the other slips of the paper, each with its evidence, and how often the "
        "events of Lemmas 2, 7 and 9 hold.",
        cell->tasks, segue_cell_median(cell, SEGUE_TRACK_DISTANCE, last).middle);
}

segue_status segue_section_appendix(const segue_report *report, segue_error *err)
{
    (void)err;
    segue_html_heading(report->out, 2, "appendix", "The paper's appendices");
    segue_html_heading(report->out, 3, "perturbation", "From moments to means");
    print_constants(report);
    print_measured(report);
    segue_html_command(report->out, "segue complexity --models models/paper.csv --format json");
    segue_html_heading(report->out, 3, "testing", "UCB with a hypothesis test");
    segue_report_claim(report, "testing");
    segue_report_repeat(report, SEGUE_STUDY_TESTING);
    return SEGUE_OK;
}
