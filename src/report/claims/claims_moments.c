/* claims_moments.c - what the moments of tUCB are fed with: three pulls, adaptive rewards, weights.
 *
 * Experiments: three-pulls (exactly three independent pulls of every arm per task), fresh-rewards
 * (the control with independent rewards at tUCB's pulls) and weights (tUCB with weights by pulls,
 * by likelihood, and with a frozen estimate).
 *
 * claims.c calls the checks; judge_moments.c has the verdicts as functions of numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/claims/claims_checks.h"
#include "report/claims/compare.h"
#include "report/claims/judge.h"

/* Compare the median error after all tasks with that after a tenth of them. */
void segue_claims_check_three_pulls(const segue_paper *paper, segue_finding *finding)
{
    const segue_cell *cell = &paper->results[SEGUE_STUDY_THREE_PULLS]->cell[0];
    const size_t last = cell->n_points - 1, tenth = cell->n_points / 10;
    const double early = segue_cell_median(cell, SEGUE_TRACK_ERROR, tenth ? tenth - 1 : 0).middle;
    const double late = segue_cell_median(cell, SEGUE_TRACK_ERROR, last).middle;
    finding->verdict = segue_judge_consistent(early, late);
    segue_claims_append(
        finding,
        "With exactly three independent pulls of every arm per task the largest "
        "error of a mean (median of %" PRIu64 " runs) is %.2f after %" PRIu64
        " tasks and %.3f after %" PRIu64 ". A tenfold number of tasks should "
        "divide it by 3.2; it divides it by %.1f (2.2 or more counts as the rate of the "
        "theorem, 1.3 or more as falling).",
        cell->runs, early, segue_cell_last_task(cell, tenth ? tenth - 1 : 0), late, cell->tasks,
        early / late);
}

/* Return the mean of a track of one run over points first .. end - 1; NaN where it has none. */
static double mean_of_run(const segue_cell *cell, segue_track track, uint64_t run, size_t first,
                          size_t end)
{
    double sum = 0.0;
    for (size_t p = first; p < end; p++)
        sum += cell->track[track][run * cell->n_points + p];
    return sum / (double)(end - first);
}

/* "Early" is the second and third of twenty points, before tUCB uses the models; "late" is the last
 * half. */
static segue_judge_signs count_signs(const segue_cell *cell)
{
    const size_t half = cell->n_points / 2, from = cell->n_points / 20;
    segue_judge_signs signs = {.runs = cell->runs};
    for (uint64_t run = 0; run < cell->runs; run++) {
        const double early = mean_of_run(cell, SEGUE_TRACK_FRESH, run, from ? from : 1, from + 2);
        const double late = mean_of_run(cell, SEGUE_TRACK_FRESH, run, half, cell->n_points);
        const double own = mean_of_run(cell, SEGUE_TRACK_ERROR, run, half, cell->n_points);
        signs.rises += late > early;
        signs.larger += own > late;
    }
    return signs;
}

void segue_claims_check_cause(const segue_paper *paper, segue_finding *finding)
{
    const segue_cell *cell = &paper->results[SEGUE_STUDY_FRESH_REWARDS]->cell[0];
    const segue_judge_signs signs = count_signs(cell);
    const size_t half = cell->n_points / 2;
    finding->verdict = segue_judge_cause(signs);
    segue_claims_append(
        finding,
        "With fresh independent rewards at the same pulls the error rises too, in %" PRIu64
        " of %" PRIu64 " runs: it is %.3f after %" PRIu64 " tasks and %.3f after %" PRIu64
        " (medians), from tUCB's own rewards %.3f and %.3f. ",
        signs.rises, signs.runs, segue_cell_median(cell, SEGUE_TRACK_FRESH, 2).middle,
        segue_cell_last_task(cell, 2), segue_cell_median(cell, SEGUE_TRACK_FRESH, half).middle,
        segue_cell_last_task(cell, half), segue_cell_median(cell, SEGUE_TRACK_ERROR, 2).middle,
        segue_cell_median(cell, SEGUE_TRACK_ERROR, half).middle);
    segue_claims_append(finding,
                        "Over the last half of the tasks the error from its own rewards is the "
                        "larger one in %" PRIu64
                        " runs. (Sign tests over runs, at 5 %% for the three of them together.)",
                        signs.larger);
}

static const segue_cell *find(const segue_paper *paper, const char *policy)
{
    const segue_results *results = paper->results[SEGUE_STUDY_WEIGHTS];
    return segue_results_find(results, policy, results->cell[0].steps, results->cell[0].tasks);
}

/* Compare two policies of the experiment; 0 if one was not played. */
static int compare(const segue_paper *paper, const char *more, const char *less,
                   segue_finding *finding)
{
    const segue_cell *a = find(paper, more), *b = find(paper, less);
    segue_compare_family family = {.n = 0};
    if (!a || !b)
        return 0;
    segue_compare_add_cells(&family, a, b);
    segue_compare_decide(&family);
    segue_claims_append(
        finding, "%s: %.1f (s.e. %.1f) per task, %s: %.1f (%.1f); Student's t at 5 %%. ", b->policy,
        b->regret.mean, b->regret.se, a->policy, a->regret.mean, a->regret.se);
    return family.item[0].outcome;
}

/* "No run ends worse than UCB" is about the mean of a run over its last tenth. */
void segue_claims_check_weights(const segue_paper *paper, segue_finding *finding)
{
    const segue_cell *cell = find(paper, "tucb:weights=pulls");
    const double ucb = paper->ucb->regret.mean;
    const int less = compare(paper, "tucb", "tucb:weights=pulls", finding);
    uint64_t above = 0;
    double worst = 0.0;
    for (uint64_t run = 0; cell && run < cell->runs; run++) {
        const double end = segue_compare_run_end(cell, run);
        above += end > ucb;
        worst = fmax(worst, end);
    }
    finding->verdict = segue_judge_weights(less, above);
    segue_claims_append(finding,
                        "Over the last tenth the worst of its runs has %.1f; UCB has %.1f and mUCB "
                        "%.1f.",
                        worst, ucb, paper->mucb->regret.mean);
}

void segue_claims_check_freeze(const segue_paper *paper, segue_finding *finding)
{
    const int less = compare(paper, "tucb:C=0.2", "tucb:C=0.2,freeze=100", finding);
    finding->verdict = segue_judge_all(
        (segue_compare_counts){.right = less > 0, .wrong = less < 0, .open = less == 0});
    segue_claims_append(finding, "Both have C = 0.2; the first keeps the estimate that it made "
                                 "after 100 tasks, the second estimates again after every task.");
}
