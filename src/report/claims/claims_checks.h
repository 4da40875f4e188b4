/* claims_checks.h - the checks of the claims, one function each.
 *
 * A check reads the results, sets the verdict of its finding, and appends the numbers to its text.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_CLAIMS_CHECKS_H
#define SEGUE_REPORT_CLAIMS_CHECKS_H

#include "report/claims/claims.h"

typedef void segue_claims_check_function(const segue_paper *paper, segue_finding *finding);

/** claims_models.c */
segue_claims_check_function segue_claims_check_table;
segue_claims_check_function segue_claims_check_spectrum;
segue_claims_check_function segue_claims_check_order;
segue_claims_check_function segue_claims_check_mucb_never_worse;
segue_claims_check_function segue_claims_check_prediction;
segue_claims_check_function segue_claims_check_stuck;
segue_claims_check_function segue_claims_check_challenging;

/** claims_paper.c */
segue_claims_check_function segue_claims_check_start;
segue_claims_check_function segue_claims_check_never_worse;
segue_claims_check_function segue_claims_check_approach;
segue_claims_check_function segue_claims_check_lengths;
segue_claims_check_function segue_claims_check_complexity;
segue_claims_check_function segue_claims_check_bounds;
segue_claims_check_function segue_claims_check_remark;
segue_claims_check_function segue_claims_check_known_model;
segue_claims_check_function segue_claims_check_nonstationary;

/** claims_beyond.c */
segue_claims_check_function segue_claims_check_baselines;
segue_claims_check_function segue_claims_check_single_runs;
segue_claims_check_function segue_claims_check_error;
segue_claims_check_function segue_claims_check_choices;
segue_claims_check_function segue_claims_check_carried;

/** claims_ours.c: our learners, and the questions that the paper leaves open */
segue_claims_check_function segue_claims_check_transfer;
segue_claims_check_function segue_claims_check_sooner;
segue_claims_check_function segue_claims_check_learned;
segue_claims_check_function segue_claims_check_probing;
segue_claims_check_function segue_claims_check_probing_learned;
segue_claims_check_function segue_claims_check_no_identifying;

/** claims_identify.c */
segue_claims_check_function segue_claims_check_identify_later;
segue_claims_check_function segue_claims_check_identify_pays;

/** claims_moments.c */
segue_claims_check_function segue_claims_check_three_pulls;
segue_claims_check_function segue_claims_check_cause;
segue_claims_check_function segue_claims_check_weights;
segue_claims_check_function segue_claims_check_freeze;

/** claims_premise.c */
segue_claims_check_function segue_claims_check_prediction_models;
segue_claims_check_function segue_claims_check_premise;

/** claims_testing.c */
segue_claims_check_function segue_claims_check_testing;

/** claims_estimators.c */
segue_claims_check_function segue_claims_check_estimators;
segue_claims_check_function segue_claims_check_growth;

/** Append to the text of a finding, as printf. */
void segue_claims_append(segue_finding *finding, const char *format, ...) SEGUE_PRINTF(2, 3);

#endif
