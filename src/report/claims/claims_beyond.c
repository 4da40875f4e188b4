/* claims_beyond.c - our claims about tUCB and related work, which the paper does not make.
 *
 * Each check computes its verdict from the results alone. claims.c calls the checks. A cell that an
 * experiment does not have is skipped; a claim without any comparison is unclear.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/claims/claims_checks.h"
#include "report/claims/judge.h"

/* tUCB counts with its last tasks only, where it has learned most: the comparison favours it. */
void segue_claims_check_baselines(const segue_paper *paper, segue_finding *finding)
{
    static const char *const policies[] = {"ts", "kl-ucb"};
    const segue_cell *cell = paper->longest;
    const segue_regret end = segue_compare_final_regret(cell);
    segue_compare_family family = {.n = 0};
    for (size_t i = 0; i < 2; i++) {
        const segue_cell *other =
            segue_results_find(paper->results[SEGUE_STUDY_BASELINES], policies[i], cell->steps, 0);
        if (!other)
            continue;
        segue_compare_add(&family, end, other->regret, segue_compare_fewer_runs(cell, other));
        segue_claims_append(finding, "%s has regret %.1f (s.e. %.1f) per task. ", policies[i],
                            other->regret.mean, other->regret.se);
    }
    segue_compare_judge(&family, finding);
    segue_claims_append(finding,
                        "tUCB has %.1f (s.e. %.1f) over the last tenth of %" PRIu64 " tasks.",
                        end.mean, end.se, cell->tasks);
}

/* The claim needs a worst run that is a quarter above the best, not a test of significance. */
void segue_claims_check_single_runs(const segue_paper *paper, segue_finding *finding)
{
    const segue_cell *cell = paper->longest;
    double best = INFINITY, worst = 0.0;
    for (uint64_t run = 0; run < cell->runs; run++) {
        best = fmin(best, segue_compare_run_end(cell, run));
        worst = fmax(worst, segue_compare_run_end(cell, run));
    }
    finding->verdict = segue_judge_single_runs(best, worst);
    segue_claims_append(
        finding,
        "Over the last tenth of %" PRIu64 " tasks the best of %" PRIu64
        " runs has regret %.1f per task, the median %.1f and the worst %.1f; UCB has %.1f.",
        cell->tasks, cell->runs, best, segue_compare_median_end(cell), worst,
        paper->ucb->regret.mean);
}

/* Return the point with the smallest median error. A point without an estimate is NaN; the negated
 * test lets the next point replace it. */
static size_t smallest_error(const segue_cell *cell)
{
    size_t smallest = 0;
    for (size_t p = 1; p < cell->n_points; p++)
        if (!(segue_cell_median(cell, SEGUE_TRACK_ERROR, p).middle >=
              segue_cell_median(cell, SEGUE_TRACK_ERROR, smallest).middle))
            smallest = p;
    return smallest;
}

void segue_claims_check_error(const segue_paper *paper, segue_finding *finding)
{
    const segue_cell *cell = paper->longest;
    const size_t last = cell->n_points - 1, smallest = smallest_error(cell);
    const double early = segue_cell_median(cell, SEGUE_TRACK_ERROR, smallest).middle;
    const double late = segue_cell_median(cell, SEGUE_TRACK_ERROR, last).middle;
    const double eps = segue_cell_median(cell, SEGUE_TRACK_EPS, last).middle;
    finding->verdict = segue_judge_error(smallest < last / 2, early, late, eps);
    segue_claims_append(
        finding,
        "The largest error of an estimated mean (median over runs) is smallest after %" PRIu64
        " tasks, %.3f, and %.3f after %" PRIu64 ", where eps_j is %.3f. The "
        "section on the moments says why.",
        segue_cell_last_task(cell, smallest), early, late, cell->tasks, eps);
}

/* Count the runs with more regret per task than a level. */
static uint64_t runs_above(const segue_cell *cell, double level)
{
    uint64_t above = 0;
    for (uint64_t run = 0; run < cell->runs; run++)
        above += cell->run_regret[run] > level;
    return above;
}

/* Policies with other views are listed but not compared: the claim is about C alone. */
void segue_claims_check_choices(const segue_paper *paper, segue_finding *finding)
{
    const segue_results *results = paper->results[SEGUE_STUDY_TUCB_CHOICES];
    const segue_cell *usual = NULL;
    segue_compare_family family = {.n = 0};
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        if (strcmp(cell->policy, "tucb:C=2") == 0)
            usual = cell;
        const bool doubling = strcmp(cell->policy, "tucb:C=0") == 0;
        segue_claims_append(finding,
                            "%s: %.1f (s.e. %.1f; %" PRIu64 " of %" PRIu64 " runs above UCB). ",
                            doubling ? "C by doubling" : cell->policy + strcspn(cell->policy, "C"),
                            cell->regret.mean, cell->regret.se,
                            runs_above(cell, paper->ucb->regret.mean), cell->runs);
    }
    for (size_t i = 0; i < results->n_cells && usual; i++)
        if (&results->cell[i] != usual && !strstr(results->cell[i].policy, "views"))
            segue_compare_add_cells(&family, &results->cell[i], usual);
    segue_compare_judge(&family, finding);
}

/* The paper says of such a transfer only that its bias may be the smaller evil. */
void segue_claims_check_carried(const segue_paper *paper, segue_finding *finding)
{
    segue_compare_family family = {.n = 0};
    const segue_results *results = paper->results[SEGUE_STUDY_RELATED];
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        if (strcmp(cell->policy, "carried-ucb") != 0)
            continue;
        segue_compare_add_cells(&family, cell, paper->ucb);
        segue_claims_append(finding, "%s: %.1f (s.e. %.1f). ", cell->policy, cell->regret.mean,
                            cell->regret.se);
    }
    segue_compare_judge(&family, finding);
    segue_claims_append(finding, "UCB, which forgets all after each task: %.1f (s.e. %.1f).",
                        paper->ucb->regret.mean, paper->ucb->regret.se);
}
