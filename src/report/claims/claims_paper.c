/* claims_paper.c - claims of the paper on tUCB, its complexity, the bounds and related work.
 *
 * Each check computes its verdict from the results alone, and may contradict the paper. compare.h
 * says when two regrets count as different, judge.h how numbers become a verdict.
 *
 * claims.c calls the checks. paper.c has checked that the results hold all cells that are used here
 * without a test for NULL: ucb, ucb+ and mucb at every n, and points over tasks of tUCB.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/claims/claims_checks.h"
#include "report/claims/judge.h"

/* A run is worse than UCB for a segment of SEGMENT points if its mean regret there is WORSE times
 * that of UCB: with the paper's numbers, four standard errors above it. */
#define SEGMENT 5
#define WORSE   1.1

/* "Much worse" is more than this many times as much. */
#define MUCH 1.5

/* ---- tUCB -------------------------------------------------------------------------------- */

void segue_claims_check_start(const segue_paper *paper, segue_finding *finding)
{
    const segue_cell *cell = paper->longest;
    const segue_regret start = segue_cell_mean(cell, SEGUE_TRACK_REGRET, 0);
    const double ratio = start.mean / paper->ucb->regret.mean - 1.0;
    finding->verdict = segue_judge_start(ratio);
    segue_claims_append(
        finding,
        "Over its first %" PRIu64
        " tasks tUCB has regret %.1f (s.e. %.1f) per task, %.0f %% %s UCB's "
        "%.1f: it pulls every arm three times first, and its confidence radius is wider, since its "
        "logarithm has 2 m K instead of m. (Within 3 %% is as UCB, within 15 %% in part.)",
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

/* Say in how many runs the premise of the theorems is false. */
static void append_premise(const segue_cell *cell, segue_finding *finding)
{
    segue_claims_append(finding,
                        "The theorems assume that no estimated mean is off by more than eps_j: at "
                        "the end of %" PRIu64 " tasks this is false in %" PRIu64 " of %" PRIu64
                        " runs. ",
                        cell->tasks, segue_compare_runs_outside(cell), cell->runs);
}

/* Each point is compared with UCB, on average over runs; one that is above it refutes the claim. */
void segue_claims_check_never_worse(const segue_paper *paper, segue_finding *finding)
{
    const segue_cell *cell = paper->longest;
    const double ucb = paper->ucb->regret.mean;
    const size_t first = below_for_good(cell, ucb);
    segue_compare_family family = {.n = 0};
    uint64_t bad = 0;
    for (uint64_t run = 0; run < cell->runs; run++)
        bad += has_segment_above(cell, run, first, WORSE * ucb);
    for (size_t p = 0; p < cell->n_points; p++)
        segue_compare_add(&family, paper->ucb->regret, segue_cell_mean(cell, SEGUE_TRACK_REGRET, p),
                          cell->runs);
    segue_compare_decide(&family);
    const segue_compare_counts counts = segue_compare_count_all(&family);
    finding->n_comparisons = family.n + family.dropped;
    finding->verdict = segue_judge_never(counts);
    segue_claims_append(
        finding,
        "On average over %" PRIu64 " runs tUCB is above UCB at %zu of %zu points of "
        "%" PRIu64 " tasks each, below it at %zu; not decided: %zu. ",
        cell->runs, counts.wrong, cell->n_points, cell->every, counts.right, counts.open);
    if (first < cell->n_points)
        segue_claims_append(finding,
                            "Its mean stays below UCB's from task %" PRIu64 " on; in %" PRIu64
                            " of %" PRIu64 " runs some segment of %" PRIu64
                            " tasks after that had over %.0f %% more regret than UCB. ",
                            first ? segue_cell_last_task(cell, first - 1) + 1 : 1, bad, cell->runs,
                            SEGMENT * cell->every, 100.0 * (WORSE - 1.0));
    append_premise(cell, finding);
}

/* Over the last tenth tUCB must lie between UCB and mUCB, beyond noise on both sides. */
void segue_claims_check_approach(const segue_paper *paper, segue_finding *finding)
{
    const segue_cell *cell = paper->longest;
    const segue_regret end = segue_compare_final_regret(cell);
    segue_compare_family family = {.n = 0};
    segue_compare_add(&family, paper->ucb->regret, end, cell->runs);
    segue_compare_add(&family, end, paper->mucb->regret, cell->runs);
    segue_compare_judge(&family, finding);
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

/* Add the comparisons of tUCB's average at one J with the next, at one n. */
static void add_falls(const segue_paper *paper, uint64_t steps, segue_compare_family *family)
{
    const segue_cell *before = NULL;
    for (size_t i = 0; i < paper->n_tucb; i++) {
        const segue_cell *cell = paper->tucb[i];
        if (cell->steps != steps)
            continue;
        if (before)
            segue_compare_add_cells(family, before, cell);
        before = cell;
    }
}

/* Append where tUCB at its largest J is not below UCB; `family` has one comparison per cell of that
 * J, in their order. */
static void append_not_below(const segue_paper *paper, const segue_compare_family *family,
                             uint64_t tasks, segue_finding *finding)
{
    for (size_t i = 0, at = 0; i < paper->n_tucb; i++) {
        const segue_cell *cell = paper->tucb[i];
        const segue_cell *ucb =
            segue_results_find(paper->results[SEGUE_STUDY_LENGTHS], "ucb", cell->steps, 0);
        if (cell->tasks != tasks || !ucb)
            continue;
        const int better = family->item[at++].outcome;
        if (better <= 0)
            segue_claims_append(finding, "At n = %" PRIu64 " it is %s UCB's %.1f: %.1f. ",
                                cell->steps, better < 0 ? "above" : "not clearly below",
                                ucb->regret.mean, cell->regret.mean);
    }
}

/* The claim has two parts, which are decided together: the average is below UCB's at the largest J,
 * and it falls with J. */
void segue_claims_check_lengths(const segue_paper *paper, segue_finding *finding)
{
    segue_compare_family family = {.n = 0};
    uint64_t max_tasks = 0;
    for (size_t i = 0; i < paper->n_tucb; i++)
        max_tasks = paper->tucb[i]->tasks > max_tasks ? paper->tucb[i]->tasks : max_tasks;
    for (size_t i = 0; i < paper->n_tucb; i++) {
        const segue_cell *cell = paper->tucb[i];
        const segue_cell *ucb =
            segue_results_find(paper->results[SEGUE_STUDY_LENGTHS], "ucb", cell->steps, 0);
        if (cell->tasks == max_tasks && ucb)
            segue_compare_add_cells(&family, ucb, cell);
    }
    const size_t n_below = family.n;
    for (size_t i = 0; i < paper->n_tucb; i++)
        if (paper->tucb[i]->tasks == max_tasks)
            add_falls(paper, paper->tucb[i]->steps, &family);
    segue_compare_judge(&family, finding);
    append_not_below(paper, &family, max_tasks, finding);
    const segue_compare_counts falls = segue_compare_count(&family, n_below, family.n);
    segue_claims_append(
        finding,
        "With J = %" PRIu64 " tasks the average is below UCB's at %zu of %zu lengths; of %zu steps "
        "from one J to the next it falls in %zu, rises in %zu, and is too close to decide in %zu.",
        max_tasks, segue_compare_count(&family, 0, n_below).right, n_below, family.n - n_below,
        falls.right, falls.wrong, falls.open);
}

/* ---- complexity and bounds --------------------------------------------------------------- */

/* "Never above UCB's" is not judged: the formula takes the smaller of UCB's term and another, so that
 * it cannot fail. What can fail is that the complexity falls, that it stays above mUCB's, and the
 * premise under which it bounds the regret. */
void segue_claims_check_complexity(const segue_paper *paper, segue_finding *finding)
{
    const segue_cell *cell = paper->longest;
    const segue_regret end = segue_cell_mean(cell, SEGUE_TRACK_COMPLEXITY, cell->n_points - 1);
    const segue_regret ucb = {.mean = paper->average[SEGUE_COLUMN_UCB]};
    const segue_regret mucb = {.mean = paper->average[SEGUE_COLUMN_MUCB]};
    segue_compare_family family = {.n = 0};
    segue_compare_add(&family, ucb, end, cell->runs);
    segue_compare_add(&family, end, mucb, cell->runs);
    segue_compare_decide(&family);
    finding->n_comparisons = family.n;
    finding->verdict = segue_judge_complexity(family.item[0].outcome, family.item[1].outcome,
                                              segue_compare_runs_outside(cell));
    segue_claims_append(finding,
                        "After %" PRIu64 " tasks it is %.3f (s.e. %.3f); UCB's is %.3f, which "
                        "stands for it until there is an estimate, and mUCB's %.3f. ",
                        cell->tasks, end.mean, end.se, ucb.mean, mucb.mean);
    append_premise(cell, finding);
    segue_claims_append(finding, "In these runs the complexity bounds nothing.");
}

/* Regrets beside their bounds. */
typedef struct bound_ratios {
    segue_judge_exceeded count;
    double lowest, highest;
} bound_ratios;

/* A bound holds if it is at least the measured mean regret: ratio >= 1. */
static void add_ratio(bound_ratios *ratios, double ratio)
{
    ratios->lowest = ratios->count.checked ? fmin(ratios->lowest, ratio) : ratio;
    ratios->highest = fmax(ratios->highest, ratio);
    ratios->count.checked++;
    ratios->count.exceeded += ratio < 1.0;
}

/* Compare the regrets of one column over n. */
static bound_ratios ratios_of_column(const segue_paper *paper, size_t column, const char *policy)
{
    const segue_results *lengths = paper->results[SEGUE_STUDY_LENGTHS];
    bound_ratios ratios = {.lowest = 0.0};
    for (size_t i = 0; i < lengths->n_cells; i++)
        if (strcmp(lengths->cell[i].policy, policy) == 0)
            add_ratio(&ratios, segue_paper_bound(paper, column, lengths->cell[i].steps) /
                                   lengths->cell[i].regret.mean);
    return ratios;
}

/* tUCB is checked at each of its points, with the complexity of the models that it had estimated
 * there. */
static bound_ratios ratios_of_tucb(const segue_paper *paper)
{
    const segue_cell *cell = paper->longest;
    bound_ratios ratios = {.lowest = 0.0};
    for (size_t p = 0; p < cell->n_points; p++) {
        const double c = segue_cell_mean(cell, SEGUE_TRACK_COMPLEXITY, p).mean;
        add_ratio(&ratios, segue_paper_bound_tucb(paper, c, cell->steps) /
                               segue_cell_mean(cell, SEGUE_TRACK_REGRET, p).mean);
    }
    return ratios;
}

static void append_ratios(const bound_ratios *ratios, const char *what, segue_finding *finding)
{
    segue_claims_append(finding,
                        "%s: %zu of %zu measured regrets exceed the bound, which is %.1f to "
                        "%.1f times what was measured. ",
                        what, ratios->count.exceeded, ratios->count.checked, ratios->lowest,
                        ratios->highest);
}

/* UCB and UCB+ are counted apart: the paper has no theorem with constants for them. */
void segue_claims_check_bounds(const segue_paper *paper, segue_finding *finding)
{
    const bound_ratios mucb = ratios_of_column(paper, SEGUE_COLUMN_MUCB, "mucb");
    const bound_ratios tucb = ratios_of_tucb(paper);
    const bound_ratios ucb = ratios_of_column(paper, SEGUE_COLUMN_UCB, "ucb");
    const bound_ratios plus = ratios_of_column(paper, SEGUE_COLUMN_UCB_PLUS, "ucb+");
    finding->verdict = segue_judge_bounds(mucb.count, tucb.count);
    append_ratios(&mucb, "mUCB over n, Theorem 1", finding);
    append_ratios(&tucb, "tUCB from task to task, Theorem 3", finding);
    append_premise(paper->longest, finding);
    segue_claims_append(finding,
                        "Not part of the claim, as the paper has no theorem with constants "
                        "for them, and the form is that of Theorem 1: ");
    append_ratios(&ucb, "UCB", finding);
    append_ratios(&plus, "UCB+", finding);
}

void segue_claims_check_remark(const segue_paper *paper, segue_finding *finding)
{
    const segue_cell *cell = paper->longest;
    const double needed = segue_paper_resolved_after(paper, 2.0, cell->tasks, cell->steps);
    const size_t first = below_for_good(cell, paper->ucb->regret.mean);
    const uint64_t from = first ? segue_cell_last_task(cell, first - 1) + 1 : 1;
    const double resolved = segue_cell_mean(cell, SEGUE_TRACK_RESOLVED, cell->n_points - 1).mean;
    finding->verdict = segue_judge_remark(first == cell->n_points ? NAN : (double)from, needed);
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
    segue_compare_family family = {.n = 0};
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        if (strcmp(cell->policy, "told-ucb") != 0)
            continue;
        const segue_regret start = segue_cell_mean(cell, SEGUE_TRACK_REGRET, 0);
        const segue_regret end = segue_compare_final_regret(cell);
        segue_compare_add(&family, paper->mucb->regret, end, cell->runs);
        segue_claims_append(
            finding,
            "UCB that knows each task's model, with one set of counts per model, has regret "
            "%.1f per task over the first %" PRIu64
            " tasks and %.2f (s.e. %.2f) over the last tenth "
            "of %" PRIu64 "; mUCB, which has to find out each time, %.1f.",
            start.mean, segue_cell_last_task(cell, 0), end.mean, end.se, cell->tasks,
            paper->mucb->regret.mean);
    }
    segue_compare_judge(&family, finding);
    if (family.n == 0)
        segue_claims_append(finding, "told-ucb was not played.");
}

/* Return the mean regret of tUCB over as many first tasks as `cell` has, when it has learned
 * least. */
static segue_regret first_tasks_of_tucb(const segue_paper *paper, const segue_cell *cell)
{
    const segue_cell *tucb = paper->longest;
    size_t end = 1;
    while (end < tucb->n_points && segue_cell_last_task(tucb, end) <= cell->tasks)
        end++;
    return segue_compare_mean_over(tucb, SEGUE_TRACK_REGRET, 0, end);
}

/* "Much worse" means: more than one and a half times the regret of tUCB, over as many tasks. */
void segue_claims_check_nonstationary(const segue_paper *paper, segue_finding *finding)
{
    const segue_results *results = paper->results[SEGUE_STUDY_RELATED];
    const segue_cell *tucb = paper->longest;
    segue_compare_family family = {.n = 0};
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        if (strcmp(cell->policy, "sw-ucb") != 0 && strcmp(cell->policy, "d-ucb") != 0)
            continue;
        const segue_regret first = first_tasks_of_tucb(paper, cell);
        segue_compare_add(&family, cell->regret,
                          (segue_regret){.mean = MUCH * first.mean, .se = MUCH * first.se},
                          segue_compare_fewer_runs(cell, tucb));
        segue_claims_append(finding,
                            "Over %" PRIu64 " tasks %s has regret %.1f (s.e. %.1f) per task, tUCB "
                            "%.1f (s.e. %.1f). ",
                            cell->tasks, cell->policy, cell->regret.mean, cell->regret.se,
                            first.mean, first.se);
    }
    segue_compare_judge(&family, finding);
    segue_claims_append(finding,
                        "Over %" PRIu64 " tasks tUCB has %.1f (s.e. %.1f). 'Much' means more "
                        "than %.1f times as much.",
                        tucb->tasks, tucb->regret.mean, tucb->regret.se, MUCH);
}
