/* em.c - the likeliest models of the tasks' counts, by EM from rtp's answer.
 *
 * rtp solves the moments; segue_em_counts_fit (em_counts.c) then maximises the likelihood of the
 * pulls and reward sums of the last tasks, from that answer and from the last estimate.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/estimator_method.h"

const estimator_method segue_estimator_em = {
    .info = {.name = "em",
             .summary = "the likeliest models of the tasks' counts, by EM from rtp's answer",
             .uses_counts = true,
             .uses_starts = true,
             .uses_weights = true},
    .solve = segue_rtp_solve,
};
