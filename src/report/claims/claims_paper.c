/* claims_paper.c - claims of the paper: its tables, the order of the policies, tUCB, the bounds.
 *
 * Each check computes its verdict from the results alone, and may contradict the paper. compare.h
 * says when two regrets count as different. Where no test applies, a check names its own tolerance.
 *
 * claims.c calls the checks. paper.c has checked that the results hold all cells that are used here
 * without a test for NULL: ucb, ucb+ and mucb at every n, and points over tasks of tUCB.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/claims/claims_checks.h"
#include "report/claims/compare.h"

/* A run is worse than UCB for a segment of SEGMENT points if its mean regret there is WORSE times
 * that of UCB: with the paper's numbers, four standard errors above it. */
#define SEGMENT 5
#define WORSE   1.1

/* ---- tables ------------------------------------------------------------------------------ */

/* Table 2, as printed. */
static const double printed[6][SEGUE_N_COLUMNS] = {{22.31, 14.87, 2.33}, {23.32, 15.58, 8.48},
                                                   {33.91, 25.21, 2.08}, {17.91, 11.17, 3.48},
                                                   {35.41, 8.76, 0.0},   {26.57, 15.11, 3.27}};

/* Compare all 18 numbers as printed: truncated, not rounded. The check allows three misprints for
 * "in part", since the paper has one (report.c, print_differences). */
void segue_claims_check_table(const segue_paper *paper, segue_finding *finding)
{
    static const char *const columns[] = {"UCB", "UCB+", "mUCB"};
    size_t equal = 0;
    if (paper->models->n_models != 5) {
        finding->verdict = SEGUE_VERDICT_FAILS;
        segue_claims_append(finding, "There are %zu models here, not the paper's five.",
                            paper->models->n_models);
        return;
    }
    for (size_t k = 0; k < 6; k++)
        for (size_t c = 0; c < SEGUE_N_COLUMNS; c++) {
            const double x =
                segue_paper_truncate(k < 5 ? paper->complexity[k][c] : paper->average[c]);
            if (fabs(x - printed[k][c]) < 0.005) {
                equal++;
                continue;
            }
            char row[40] = "the average";
            if (k < 5)
                (void)snprintf(row, sizeof row, "model %zu", k + 1);
            segue_claims_append(finding, "%s of %s is %.2f here, %.2f in the paper. ", columns[c],
                                row, x, printed[k][c]);
        }
    finding->verdict = equal == 18   ? SEGUE_VERDICT_HOLDS
                       : equal >= 15 ? SEGUE_VERDICT_PARTLY
                                     : SEGUE_VERDICT_FAILS;
    segue_claims_append(finding, "%zu of 18 numbers come out as printed.", equal);
}

/* Equal means: equal in the two digits that the paper prints. */
void segue_claims_check_spectrum(const segue_paper *paper, segue_finding *finding)
{
    const double sigma = paper->spectrum.sigma_min, gap = paper->spectrum.gap;
    const bool equal = fabs(sigma - 0.0039) < 0.00005 && fabs(gap - 0.0038) < 0.00005;
    finding->verdict = equal ? SEGUE_VERDICT_HOLDS : SEGUE_VERDICT_FAILS;
    segue_claims_append(finding,
                        "The smallest eigenvalue is %.5f and the smallest gap of eigenvalues %.5f.",
                        sigma, gap);
}

/* ---- policies that know the models ------------------------------------------------------- */

void segue_claims_check_order(const segue_paper *paper, segue_finding *finding)
{
    const segue_results *lengths = paper->results[SEGUE_STUDY_LENGTHS];
    segue_compare_counts counts = {.right = 0};
    for (size_t i = 0; i < lengths->n_cells; i++) {
        const segue_cell *ucb = &lengths->cell[i];
        if (strcmp(ucb->policy, "ucb") != 0)
            continue;
        const segue_cell *plus = segue_results_find(lengths, "ucb+", ucb->steps, 0);
        const segue_cell *mucb = segue_results_find(lengths, "mucb", ucb->steps, 0);
        const int first = segue_compare_cells(ucb, plus), second = segue_compare_cells(plus, mucb);
        segue_compare_count(&counts, first);
        segue_compare_count(&counts, second);
        if (first <= 0)
            segue_claims_append(finding, "At n = %" PRIu64 " UCB is not above UCB+. ", ucb->steps);
        if (second <= 0)
            segue_claims_append(finding, "At n = %" PRIu64 " UCB+ is not above mUCB. ", ucb->steps);
    }
    finding->verdict = segue_compare_verdict(&counts);
    segue_claims_append(finding,
                        "At n = %" PRIu64
                        ": UCB %.1f, UCB+ %.1f, mUCB %.1f (standard errors %.1f, %.1f, %.1f).",
                        paper->ucb->steps, paper->ucb->regret.mean, paper->ucb_plus->regret.mean,
                        paper->mucb->regret.mean, paper->ucb->regret.se, paper->ucb_plus->regret.se,
                        paper->mucb->regret.se);
}

/* The bounds predict ratios of regrets, UCB over UCB+ and UCB over mUCB, as ratios of complexities.
 * The claim holds if the order is right and both ratios are within a quarter. */
void segue_claims_check_prediction(const segue_paper *paper, segue_finding *finding)
{
    const double *c = paper->average;
    const double ucb = paper->ucb->regret.mean;
    const double expected[] = {c[SEGUE_COLUMN_UCB] / c[SEGUE_COLUMN_UCB_PLUS],
                               c[SEGUE_COLUMN_UCB] / c[SEGUE_COLUMN_MUCB]};
    const double seen[] = {ucb / paper->ucb_plus->regret.mean, ucb / paper->mucb->regret.mean};
    const bool order = expected[1] > expected[0] ? seen[1] > seen[0] : seen[1] < seen[0];
    bool close = true;
    for (size_t i = 0; i < 2; i++)
        close = close && fabs(seen[i] / expected[i] - 1.0) < 0.25;
    finding->verdict = !order  ? SEGUE_VERDICT_FAILS
                       : close ? SEGUE_VERDICT_HOLDS
                               : SEGUE_VERDICT_PARTLY;
    segue_claims_append(
        finding,
        "By their complexities UCB should cost %.2f times as much as UCB+ and %.2f times as much "
        "as "
        "mUCB; at n = %" PRIu64 " it costs %.2f and %.2f times as much: the order %s, the factors "
        "%s within a quarter.",
        expected[0], expected[1], paper->ucb->steps, seen[0], seen[1],
        order ? "is as predicted" : "is another", close ? "are" : "are not");
}

/* ---- tUCB -------------------------------------------------------------------------------- */

/* "As UCB does" is within 3 %, and in part within 15 %. */
void segue_claims_check_start(const segue_paper *paper, segue_finding *finding)
{
    const segue_cell *cell = paper->longest;
    const segue_regret start = segue_cell_mean(cell, SEGUE_TRACK_REGRET, 0);
    const double ratio = start.mean / paper->ucb->regret.mean - 1.0;
    finding->verdict = fabs(ratio) < 0.03   ? SEGUE_VERDICT_HOLDS
                       : fabs(ratio) < 0.15 ? SEGUE_VERDICT_PARTLY
                                            : SEGUE_VERDICT_FAILS;
    segue_claims_append(
        finding,
        "Over its first %" PRIu64
        " tasks tUCB has regret %.1f (s.e. %.1f) per task, %.0f %% %s UCB's "
        "%.1f: it pulls every arm three times first, and its confidence radius is wider, since its "
        "logarithm has 2 m K instead of m.",
        segue_cell_last_task(cell, 0), start.mean, start.se, 100.0 * fabs(ratio),
        ratio > 0.0 ? "above" : "below", paper->ucb->regret.mean);
}

/* Return the first point from which the mean over runs stays below a level, or n_points. */
static size_t below_for_good(const segue_cell *cell, double level)
{
    size_t first = cell->n_points;
    while (first > 0 && segue_cell_mean(cell, SEGUE_TRACK_REGRET, first - 1).mean < level)
        first--;
    return first;
}

/* True if a segment of a run, from a point on, has a mean above a level. */
static bool has_segment_above(const segue_cell *cell, uint64_t run, size_t from, double level)
{
    const double *points = cell->track[SEGUE_TRACK_REGRET] + run * cell->n_points;
    for (size_t p = from; p + SEGMENT <= cell->n_points; p++) {
        double sum = 0.0;
        for (size_t i = 0; i < SEGMENT; i++)
            sum += points[p + i];
        if (sum / SEGMENT > level)
            return true;
    }
    return false;
}

/* Two readings: the mean over runs is below UCB from some task on, and no single run is clearly
 * worse than UCB after that. The claim holds if both are true from the first task. */
void segue_claims_check_never_worse(const segue_paper *paper, segue_finding *finding)
{
    const segue_cell *cell = paper->longest;
    const double ucb = paper->ucb->regret.mean;
    const size_t first = below_for_good(cell, ucb);
    uint64_t bad = 0;
    for (uint64_t run = 0; run < cell->runs; run++)
        bad += has_segment_above(cell, run, first, WORSE * ucb);
    if (first == cell->n_points) {
        finding->verdict = SEGUE_VERDICT_FAILS;
        segue_claims_append(
            finding, "On average over runs tUCB is not below UCB at the end of %" PRIu64 " tasks.",
            cell->tasks);
        return;
    }
    finding->verdict = first == 0 && bad == 0 ? SEGUE_VERDICT_HOLDS : SEGUE_VERDICT_PARTLY;
    segue_claims_append(finding,
                        "On average over %" PRIu64 " runs it holds from task %" PRIu64 " on. ",
                        cell->runs, first ? segue_cell_last_task(cell, first - 1) + 1 : 1);
    segue_claims_append(finding,
                        bad ? "Not in every run: in %" PRIu64 " of %" PRIu64
                              " some segment of %" PRIu64
                              " tasks after that had over %.0f %% more regret than UCB."
                            : "In %" PRIu64 " of %" PRIu64 " runs some segment of %" PRIu64
                              " tasks after that had over %.0f %% more regret than UCB.",
                        bad, cell->runs, SEGMENT * cell->every, 100.0 * (WORSE - 1.0));
}

/* Over the last tenth tUCB must lie between UCB and mUCB, beyond noise on both sides. */
void segue_claims_check_approach(const segue_paper *paper, segue_finding *finding)
{
    const segue_cell *cell = paper->longest;
    const segue_regret end = segue_compare_final_regret(cell);
    segue_compare_counts counts = {.right = 0};
    segue_compare_count(&counts, segue_compare_regrets(paper->ucb->regret, end, cell->runs));
    segue_compare_count(&counts, segue_compare_regrets(end, paper->mucb->regret, cell->runs));
    finding->verdict = segue_compare_verdict(&counts);
    const double gap_closed =
        (paper->ucb->regret.mean - end.mean) / (paper->ucb->regret.mean - paper->mucb->regret.mean);
    segue_claims_append(
        finding,
        "Over the last tenth of %" PRIu64
        " tasks tUCB has regret %.1f (s.e. %.1f; median over runs "
        "%.1f) per task. UCB has %.1f and mUCB %.1f: it has closed %.0f %% of the gap.",
        cell->tasks, end.mean, end.se, segue_compare_median_end(cell), paper->ucb->regret.mean,
        paper->mucb->regret.mean, 100.0 * gap_closed);
}

/* Count where tUCB's average falls from one J to the next, at one n. */
static void count_falls(const segue_paper *paper, uint64_t steps, segue_compare_counts *counts,
                        segue_finding *finding)
{
    const segue_cell *before = NULL;
    for (size_t i = 0; i < paper->n_tucb; i++) {
        const segue_cell *cell = paper->tucb[i];
        if (cell->steps != steps)
            continue;
        const int falls = before ? segue_compare_cells(before, cell) : 0;
        if (before)
            segue_compare_count(counts, falls);
        if (falls < 0)
            segue_claims_append(finding,
                                "At n = %" PRIu64 " it rises from J = %" PRIu64 " to %" PRIu64 ". ",
                                steps, before->tasks, cell->tasks);
        before = cell;
    }
}

/* The claim has two parts, which are counted together: the average is below UCB's at the largest J,
 * and it falls with J. */
void segue_claims_check_lengths(const segue_paper *paper, segue_finding *finding)
{
    segue_compare_counts falls = {.right = 0}, below = {.right = 0};
    uint64_t max_tasks = 0;
    for (size_t i = 0; i < paper->n_tucb; i++)
        max_tasks = paper->tucb[i]->tasks > max_tasks ? paper->tucb[i]->tasks : max_tasks;
    for (size_t i = 0; i < paper->n_tucb; i++) {
        const segue_cell *cell = paper->tucb[i];
        if (cell->tasks != max_tasks)
            continue;
        count_falls(paper, cell->steps, &falls, finding);
        const segue_cell *ucb =
            segue_results_find(paper->results[SEGUE_STUDY_LENGTHS], "ucb", cell->steps, 0);
        const int better = ucb ? segue_compare_cells(ucb, cell) : 0;
        segue_compare_count(&below, better);
        if (ucb && better <= 0)
            segue_claims_append(finding, "At n = %" PRIu64 " it is %s UCB's %.1f: %.1f. ",
                                cell->steps, better < 0 ? "above" : "not clearly below",
                                ucb->regret.mean, cell->regret.mean);
    }
    const segue_compare_counts both = {.right = falls.right + below.right,
                                       .wrong = falls.wrong + below.wrong,
                                       .open = falls.open + below.open};
    finding->verdict = segue_compare_verdict(&both);
    segue_claims_append(
        finding,
        "With J = %" PRIu64 " tasks the average is below UCB's at %zu of %zu lengths; of %zu steps "
        "from one J to the next it falls in %zu, rises in %zu, and is too close to tell in %zu.",
        max_tasks, below.right, below.right + below.wrong + below.open,
        falls.right + falls.wrong + falls.open, falls.right, falls.wrong, falls.open);
}

/* ---- complexity and bounds --------------------------------------------------------------- */

/* "Never above" is a claim on every run and point; the tolerance covers rounding. */
void segue_claims_check_complexity(const segue_paper *paper, segue_finding *finding)
{
    const segue_cell *cell = paper->longest;
    const segue_regret start = segue_cell_mean(cell, SEGUE_TRACK_COMPLEXITY, 0);
    const segue_regret end = segue_cell_mean(cell, SEGUE_TRACK_COMPLEXITY, cell->n_points - 1);
    double highest = 0.0;
    for (size_t i = 0; i < cell->runs * cell->n_points; i++)
        highest = fmax(highest, cell->track[SEGUE_TRACK_COMPLEXITY][i]);
    const double ucb = paper->average[SEGUE_COLUMN_UCB], mucb = paper->average[SEGUE_COLUMN_MUCB];
    const bool never_above = highest <= ucb * (1.0 + 1e-9);
    const bool between = end.mean < start.mean && end.mean > mucb;
    finding->verdict = never_above && between ? SEGUE_VERDICT_HOLDS
                       : between              ? SEGUE_VERDICT_PARTLY
                                              : SEGUE_VERDICT_FAILS;
    segue_claims_append(
        finding,
        "It starts at %.3f and ends at %.3f (s.e. %.3f) after %" PRIu64
        " tasks; mUCB's is %.3f. Its highest value in any run is %.3f, %s UCB's %.3f.",
        start.mean, end.mean, end.se, cell->tasks, mucb, highest,
        never_above ? "not above" : "above", ucb);
}

/* A bound holds if it is at least the measured mean regret: ratio >= 1. tUCB is checked at each of
 * its points, with the complexity of the models that it had estimated there. */
void segue_claims_check_bounds(const segue_paper *paper, segue_finding *finding)
{
    static const char *const policies[] = {"ucb", "ucb+", "mucb"};
    const segue_results *lengths = paper->results[SEGUE_STUDY_LENGTHS];
    size_t exceeded = 0, checked = 0;
    double lowest = INFINITY, highest = 0.0;
    for (size_t i = 0; i < lengths->n_cells; i++)
        for (size_t c = 0; c < SEGUE_N_COLUMNS; c++) {
            const segue_cell *cell = &lengths->cell[i];
            if (strcmp(cell->policy, policies[c]) != 0)
                continue;
            const double ratio = segue_paper_bound(paper, c, cell->steps) / cell->regret.mean;
            checked++;
            exceeded += ratio < 1.0;
            lowest = fmin(lowest, ratio);
            highest = fmax(highest, ratio);
        }
    const segue_cell *cell = paper->longest;
    for (size_t p = 0; p < cell->n_points; p++) {
        const double c = segue_cell_mean(cell, SEGUE_TRACK_COMPLEXITY, p).mean;
        const double ratio = segue_paper_bound_tucb(paper, c, cell->steps) /
                             segue_cell_mean(cell, SEGUE_TRACK_REGRET, p).mean;
        checked++;
        exceeded += ratio < 1.0;
        lowest = fmin(lowest, ratio);
        highest = fmax(highest, ratio);
    }
    finding->verdict = exceeded ? SEGUE_VERDICT_FAILS : SEGUE_VERDICT_HOLDS;
    segue_claims_append(
        finding,
        "Of %zu measured regrets %zu exceed their bound; the bounds are %.1f to %.1f times what "
        "was measured.",
        checked, exceeded, lowest, highest);
}

/* "Long before" means: in less than half of the tasks that the remark asks for. */
void segue_claims_check_remark(const segue_paper *paper, segue_finding *finding)
{
    const segue_cell *cell = paper->longest;
    const double needed = segue_paper_resolved_after(paper, 2.0, cell->tasks, cell->steps);
    const size_t first = below_for_good(cell, paper->ucb->regret.mean);
    const uint64_t from = first ? segue_cell_last_task(cell, first - 1) + 1 : 1;
    const double resolved = segue_cell_mean(cell, SEGUE_TRACK_RESOLVED, cell->n_points - 1).mean;
    finding->verdict = first == cell->n_points       ? SEGUE_VERDICT_FAILS
                       : (double)from < needed / 2.0 ? SEGUE_VERDICT_HOLDS
                                                     : SEGUE_VERDICT_PARTLY;
    segue_claims_append(finding,
                        "With C = 2 and J = %" PRIu64
                        " every model would have a single best arm from task %.0f on. "
                        "tUCB is below UCB, on average over runs, from task %" PRIu64
                        " on; by task %" PRIu64
                        " %.1f of %zu estimated models have a single arm left.",
                        cell->tasks, needed, from, cell->tasks, resolved, paper->models->n_models);
}

void segue_claims_check_known_model(const segue_paper *paper, segue_finding *finding)
{
    const segue_results *results = paper->results[SEGUE_STUDY_RELATED];
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        if (strcmp(cell->policy, "told-ucb") != 0)
            continue;
        const segue_regret start = segue_cell_mean(cell, SEGUE_TRACK_REGRET, 0);
        const segue_regret end = segue_compare_final_regret(cell);
        const int less = segue_compare_regrets(paper->mucb->regret, end, cell->runs);
        finding->verdict = less > 0   ? SEGUE_VERDICT_HOLDS
                           : less < 0 ? SEGUE_VERDICT_FAILS
                                      : SEGUE_VERDICT_UNCLEAR;
        segue_claims_append(
            finding,
            "UCB that knows each task's model, with one set of counts per model, has regret "
            "%.1f per task over the first %" PRIu64
            " tasks and %.2f (s.e. %.2f) over the last tenth "
            "of %" PRIu64 "; mUCB, which has to find out each time, %.1f.",
            start.mean, segue_cell_last_task(cell, 0), end.mean, end.se, cell->tasks,
            paper->mucb->regret.mean);
        return;
    }
    finding->verdict = SEGUE_VERDICT_UNCLEAR;
    segue_claims_append(finding, "told-ucb was not played.");
}
