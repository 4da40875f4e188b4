/* claims_premise.c - claims of the paper, judged per model and per run.
 *
 * The paper judges averages: over the models of Table 2, and over runs of tUCB. These checks ask for
 * each model whether its complexities predict its regrets, and for each run of tUCB whether the
 * premise of Theorems 3 and 4 is true. claims.c calls them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include "report/claims/claims_checks.h"

/* ---- Table 2, per model ------------------------------------------------------------------ */

/* Ratios of regrets that complexities predict. */
typedef struct ratio_counts {
    size_t all, close, ordered; /* of all: within a quarter; on the same side of 1 */
} ratio_counts;

/* A ratio that is predicted to be 1 has no order that could be wrong. */
static void count_ratio(ratio_counts *counts, double predicted, double measured)
{
    if (!isfinite(predicted) || !isfinite(measured))
        return;
    counts->all++;
    counts->close += fabs(measured / predicted - 1.0) < 0.25;
    counts->ordered += predicted == 1.0 || (predicted > 1.0) == (measured > 1.0);
}

/* It holds if every ratio is within a quarter, as 'prediction' has it for averages, and fails if
 * none is. */
void segue_claims_check_prediction_models(const segue_paper *paper, segue_finding *finding)
{
    const segue_cell *others[] = {paper->ucb_plus, paper->mucb};
    static const size_t columns[] = {SEGUE_COLUMN_UCB_PLUS, SEGUE_COLUMN_MUCB};
    ratio_counts counts = {.all = 0};
    for (size_t k = 0; k < paper->models->n_models; k++)
        for (size_t i = 0; i < 2; i++)
            count_ratio(&counts,
                        paper->complexity[k][SEGUE_COLUMN_UCB] / paper->complexity[k][columns[i]],
                        segue_paper_model_regret(paper->ucb, k).mean /
                            segue_paper_model_regret(others[i], k).mean);
    finding->verdict = counts.all == 0              ? SEGUE_VERDICT_UNCLEAR
                       : counts.close == counts.all ? SEGUE_VERDICT_HOLDS
                       : counts.close == 0          ? SEGUE_VERDICT_FAILS
                                                    : SEGUE_VERDICT_PARTLY;
    segue_claims_append(finding,
                        "At n = %" PRIu64 ", of %zu ratios (UCB to UCB+ and UCB to mUCB, on each "
                        "model) %zu are within a quarter of the predicted ones, and %zu are on the "
                        "predicted side of 1.",
                        paper->ucb->steps, counts.all, counts.close, counts.ordered);
}

/* ---- the premise of Theorems 3 and 4 ----------------------------------------------------- */

segue_premise segue_claims_premise(const segue_cell *cell)
{
    segue_premise premise = {.runs = 0};
    for (uint64_t run = 0; run < cell->runs; run++) {
        bool estimated = false, above = false, last = false;
        for (size_t p = 0; p < cell->n_points; p++) {
            const size_t at = (size_t)run * cell->n_points + p;
            const double error = cell->track[SEGUE_TRACK_ERROR][at];
            if (!isfinite(error)) /* no estimate yet */
                continue;
            last = error > cell->track[SEGUE_TRACK_EPS][at];
            estimated = true;
            above = above || last;
            premise.points++;
            premise.points_above += last;
        }
        premise.runs += estimated;
        premise.runs_above += above;
        premise.runs_above_at_end += last;
    }
    return premise;
}

/* delta = 1/n allows the premise to be false in one run of n; the report has fewer runs than n. It
 * holds if it is true at every point of every run, and fails if it is false in most runs. */
void segue_claims_check_premise(const segue_paper *paper, segue_finding *finding)
{
    const segue_results *results = paper->results[SEGUE_STUDY_TUCB_TASKS];
    uint64_t runs = 0, above = 0;
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_premise premise = segue_claims_premise(&results->cell[i]);
        runs += premise.runs;
        above += premise.runs_above;
        segue_claims_append(finding,
                            "J = %" PRIu64 ": the error exceeds eps_j at some point in %" PRIu64
                            " of %" PRIu64 " runs, and after the last task in %" PRIu64 ". ",
                            results->cell[i].tasks, premise.runs_above, premise.runs,
                            premise.runs_above_at_end);
    }
    finding->verdict = runs == 0          ? SEGUE_VERDICT_UNCLEAR
                       : above == 0       ? SEGUE_VERDICT_HOLDS
                       : 2 * above > runs ? SEGUE_VERDICT_FAILS
                                          : SEGUE_VERDICT_PARTLY;
    segue_claims_append(finding, "Where it does, Theorems 3 and 4 promise nothing.");
}
