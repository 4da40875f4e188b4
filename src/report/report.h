/* report.h - the report on the paper, and what its sections use.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_REPORT_H
#define SEGUE_REPORT_REPORT_H

#include "report/claims/claims.h"
#include "report/figure.h"

/**
 * Draw all figures into FOLDER/figures and write FOLDER/report.html.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_report_write(const segue_paper *paper, const char *folder,
                                                 segue_error *err);

/** A report that is being written. */
typedef struct segue_report {
    const segue_paper *paper;
    const segue_finding *findings;
    size_t n_findings;
    const char *figures, *data; /* the folders of figures and results */
    FILE *out;
} segue_report;

/** Print a claim with its finding; print the command that repeats an experiment; draw, embed and
 * release a figure. */
void segue_report_claim(const segue_report *report, const char *id);
void segue_report_repeat(const segue_report *report, segue_study study);
SEGUE_MUST_CHECK segue_status segue_report_figure(const segue_report *report, segue_figure *figure,
                                                  const char *caption, segue_error *err);

/** Add a series: a policy over n; tUCB over n, from both of its experiments; a track of one cell
 * over tasks. */
void segue_report_add_lengths(segue_figure *figure, const segue_results *results,
                              const char *policy, uint64_t tasks, size_t style, const char *title);
void segue_report_add_tucb(segue_figure *figure, const segue_paper *paper, uint64_t tasks,
                           size_t style, const char *title);
void segue_report_add_track(segue_figure *figure, const segue_cell *cell, segue_track track,
                            size_t style, const char *title);

/** Add the medians over runs of a track, with their 95 % bands. */
void segue_report_add_medians(segue_figure *figure, const segue_cell *cell, segue_track track,
                              size_t style, const char *title);

/** Begin a figure of errors over tasks, on logarithmic axes. */
segue_figure segue_report_error_figure(const char *name, double y_min);

/* Sections, in the order of the report. */

/** The models and their complexities. */
SEGUE_MUST_CHECK segue_status segue_section_theory_models(const segue_report *report,
                                                          segue_error *err);
/** Regret per model beside Table 2's rows. */
SEGUE_MUST_CHECK segue_status segue_section_models(const segue_report *report, segue_error *err);
/** The paper's figures of regret and complexity. */
SEGUE_MUST_CHECK segue_status segue_section_figures(const segue_report *report, segue_error *err);
/** R_J, and the premise of Theorems 3 and 4. */
SEGUE_MUST_CHECK segue_status segue_section_cumulative(const segue_report *report,
                                                       segue_error *err);
/** The bounds and the measured regret. */
SEGUE_MUST_CHECK segue_status segue_section_theory_bounds(const segue_report *report,
                                                          segue_error *err);
/** Other estimators inside tUCB, and what an estimate costs. */
SEGUE_MUST_CHECK segue_status segue_section_estimators(const segue_report *report,
                                                       segue_error *err);
/** Our learners and the paper's. */
SEGUE_MUST_CHECK segue_status segue_section_ours(const segue_report *report, segue_error *err);
/** The two questions that the paper leaves open. */
SEGUE_MUST_CHECK segue_status segue_section_questions(const segue_report *report, segue_error *err);
/** The second of them: should the first tasks identify the models? */
SEGUE_MUST_CHECK segue_status segue_section_identify(const segue_report *report, segue_error *err);
/** The moments of tUCB: three pulls, fresh rewards, weights. */
SEGUE_MUST_CHECK segue_status segue_section_moments(const segue_report *report, segue_error *err);
/** Appendices B and C: UCB with a test, and from moments to means. */
SEGUE_MUST_CHECK segue_status segue_section_appendix(const segue_report *report, segue_error *err);
/** Results that the paper does not show. */
SEGUE_MUST_CHECK segue_status segue_section_beyond(const segue_report *report, segue_error *err);

#endif
