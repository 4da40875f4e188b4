/* report.h - the sections of the report.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_REPORT_H
#define SEGUE_REPORT_REPORT_H

#include "report/claims.h"
#include "report/figure.h"

/** A report that is being written. */
typedef struct segue_report {
    const segue_paper *paper;
    const segue_finding *findings;
    size_t n_findings;
    const char *figures; /* the folder of figures */
    FILE *out;
} segue_report;

/** What a section may use: a claim with its finding; how an experiment is run again; a figure,
 * drawn, shown and released. */
void segue_report_claim(const segue_report *report, const char *id);
void segue_report_repeat(const segue_report *report, segue_study study);
SEGUE_MUST_CHECK segue_status segue_report_figure(const segue_report *report, segue_figure *figure,
                                                  const char *caption, segue_error *err);

/** Cells over n, or a track of one over tasks, as a series; of tUCB whichever experiment has it. */
void segue_report_add_lengths(segue_figure *figure, const segue_results *results,
                              const char *policy, uint64_t tasks, size_t look, const char *title);
void segue_report_add_tucb(segue_figure *figure, const segue_paper *paper, uint64_t tasks,
                           size_t look, const char *title);
void segue_report_add_track(segue_figure *figure, const segue_cell *cell, segue_track track,
                            size_t look, const char *title);

/** The models and their complexities. */
SEGUE_MUST_CHECK segue_status segue_section_theory_models(const segue_report *report,
                                                          segue_error *err);
/** The paper's figures of regret and complexity. */
SEGUE_MUST_CHECK segue_status segue_section_figures(const segue_report *report, segue_error *err);
/** The bounds beside what was measured. */
SEGUE_MUST_CHECK segue_status segue_section_theory_bounds(const segue_report *report,
                                                          segue_error *err);
/** Our learners beside the paper's. */
SEGUE_MUST_CHECK segue_status segue_section_ours(const segue_report *report, segue_error *err);
/** The two questions that the paper leaves open. */
SEGUE_MUST_CHECK segue_status segue_section_questions(const segue_report *report, segue_error *err);
/** What the paper does not show. */
SEGUE_MUST_CHECK segue_status segue_section_beyond(const segue_report *report, segue_error *err);

#endif
