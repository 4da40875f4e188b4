/* claims.c - what the paper says, each beside a computation that may say otherwise.
 *
 * judge.h tells how; claims_ours.c has those about our learners and the open questions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/claims.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/compare.h"
#include "segue/stats.h"

/* A run is worse than UCB for a stretch if so many points in a row have on average so many times
 * its regret: with the paper's numbers, four standard errors above it. */
#define STRETCH 5
#define WORSE   1.1

const char *segue_claims_verdict_text(segue_verdict verdict)
{
    static const char *const texts[] = {"holds", "holds in part", "does not hold",
                                        "cannot be told"};
    return texts[verdict];
}

const char *segue_claims_verdict_class(segue_verdict verdict)
{
    static const char *const classes[] = {"holds", "partly", "fails", "unclear"};
    return classes[verdict];
}

/* ---- the paper's claims ------------------------------------------------------------------ */

/* Table 2, as printed. */
static const double printed[6][SEGUE_N_COLUMNS] = {{22.31, 14.87, 2.33}, {23.32, 15.58, 8.48},
                                                   {33.91, 25.21, 2.08}, {17.91, 11.17, 3.48},
                                                   {35.41, 8.76, 0.0},   {26.57, 15.11, 3.27}};

static void check_table(const segue_paper *paper, segue_finding *f)
{
    static const char *const columns[] = {"UCB", "UCB+", "mUCB"};
    size_t equal = 0;
    if (paper->models->n_models != 5) {
        f->verdict = SEGUE_VERDICT_FAILS;
        segue_claims_append(f, "There are %zu models here, not the paper's five.",
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
            segue_claims_append(f, "%s of %s is %.2f here, %.2f in the paper. ", columns[c], row, x,
                                printed[k][c]);
        }
    f->verdict = equal == 18   ? SEGUE_VERDICT_HOLDS
                 : equal >= 15 ? SEGUE_VERDICT_PARTLY
                               : SEGUE_VERDICT_FAILS;
    segue_claims_append(f, "%zu of 18 numbers come out as printed.", equal);
}

static void check_spectrum(const segue_paper *paper, segue_finding *f)
{
    const double sigma = paper->spectrum.sigma_min, gap = paper->spectrum.gap;
    const bool equal = fabs(sigma - 0.0039) < 0.00005 && fabs(gap - 0.0038) < 0.00005;
    f->verdict = equal ? SEGUE_VERDICT_HOLDS : SEGUE_VERDICT_FAILS;
    segue_claims_append(
        f, "The smallest eigenvalue is %.5f and the smallest gap of eigenvalues %.5f.", sigma, gap);
}

static void check_order(const segue_paper *paper, segue_finding *f)
{
    const segue_results *lengths = paper->results[SEGUE_STUDY_LENGTHS];
    segue_compare_counts t = {.right = 0};
    for (size_t i = 0; i < lengths->n_cells; i++) {
        const segue_cell *ucb = &lengths->cell[i];
        if (strcmp(ucb->policy, "ucb") != 0)
            continue;
        const segue_cell *plus = segue_results_find(lengths, "ucb+", ucb->steps, 0);
        const segue_cell *mucb = segue_results_find(lengths, "mucb", ucb->steps, 0);
        const int first = segue_compare_cells(ucb, plus), second = segue_compare_cells(plus, mucb);
        segue_compare_count(&t, first);
        segue_compare_count(&t, second);
        if (first <= 0)
            segue_claims_append(f, "At n = %" PRIu64 " UCB is not above UCB+. ", ucb->steps);
        if (second <= 0)
            segue_claims_append(f, "At n = %" PRIu64 " UCB+ is not above mUCB. ", ucb->steps);
    }
    f->verdict = segue_compare_verdict(&t);
    segue_claims_append(
        f, "At n = %" PRIu64 ": UCB %.1f, UCB+ %.1f, mUCB %.1f (standard errors %.1f, %.1f, %.1f).",
        paper->ucb->steps, paper->ucb->regret.mean, paper->ucb_plus->regret.mean,
        paper->mucb->regret.mean, paper->ucb->regret.se, paper->ucb_plus->regret.se,
        paper->mucb->regret.se);
}

static void check_prediction(const segue_paper *paper, segue_finding *f)
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
    f->verdict = !order ? SEGUE_VERDICT_FAILS : close ? SEGUE_VERDICT_HOLDS : SEGUE_VERDICT_PARTLY;
    segue_claims_append(
        f,
        "By their complexities UCB should cost %.2f times as much as UCB+ and %.2f times as much "
        "as "
        "mUCB; at n = %" PRIu64 " it costs %.2f and %.2f times as much: the order %s, the factors "
        "%s within a quarter.",
        expected[0], expected[1], paper->ucb->steps, seen[0], seen[1],
        order ? "is as predicted" : "is another", close ? "are" : "are not");
}

static void check_start(const segue_paper *paper, segue_finding *f)
{
    const segue_cell *cell = paper->longest;
    const segue_regret start = segue_cell_mean(cell, SEGUE_TRACK_REGRET, 0);
    const double ratio = start.mean / paper->ucb->regret.mean - 1.0;
    f->verdict = fabs(ratio) < 0.03   ? SEGUE_VERDICT_HOLDS
                 : fabs(ratio) < 0.15 ? SEGUE_VERDICT_PARTLY
                                      : SEGUE_VERDICT_FAILS;
    segue_claims_append(
        f,
        "Over its first %" PRIu64
        " tasks tUCB has regret %.1f (s.e. %.1f) a task, %.0f %% %s UCB's "
        "%.1f: it pulls every arm three times first, and its confidence radius is wider, since its "
        "logarithm has 2 m K in the place of m.",
        segue_cell_last_task(cell, 0), start.mean, start.se, 100.0 * fabs(ratio),
        ratio > 0.0 ? "above" : "below", paper->ucb->regret.mean);
}

/* The first point from which on the mean over runs stays below UCB; n_points if there is none. */
static size_t below_for_good(const segue_cell *cell, double level)
{
    size_t first = cell->n_points;
    while (first > 0 && segue_cell_mean(cell, SEGUE_TRACK_REGRET, first - 1).mean < level)
        first--;
    return first;
}

/* Whether some stretch of a run, from a point on, lies above a level on average. */
static bool has_stretch_above(const segue_cell *cell, uint64_t run, size_t from, double level)
{
    const double *points = cell->track[SEGUE_TRACK_REGRET] + run * cell->n_points;
    for (size_t p = from; p + STRETCH <= cell->n_points; p++) {
        double sum = 0.0;
        for (size_t i = 0; i < STRETCH; i++)
            sum += points[p + i];
        if (sum / STRETCH > level)
            return true;
    }
    return false;
}

static void check_never_worse(const segue_paper *paper, segue_finding *f)
{
    const segue_cell *cell = paper->longest;
    const double ucb = paper->ucb->regret.mean;
    const size_t first = below_for_good(cell, ucb);
    uint64_t bad = 0;
    for (uint64_t run = 0; run < cell->runs; run++)
        bad += has_stretch_above(cell, run, first, WORSE * ucb);
    if (first == cell->n_points) {
        f->verdict = SEGUE_VERDICT_FAILS;
        segue_claims_append(
            f, "On average over runs tUCB is not below UCB at the end of %" PRIu64 " tasks.",
            cell->tasks);
        return;
    }
    f->verdict = first == 0 && bad == 0 ? SEGUE_VERDICT_HOLDS : SEGUE_VERDICT_PARTLY;
    segue_claims_append(f, "On average over %" PRIu64 " runs it holds from task %" PRIu64 " on. ",
                        cell->runs, first ? segue_cell_last_task(cell, first - 1) + 1 : 1);
    segue_claims_append(f,
                        bad ? "Not in every run: in %" PRIu64 " of %" PRIu64
                              " some stretch of %" PRIu64
                              " tasks after that had over %.0f %% more regret than UCB."
                            : "In %" PRIu64 " of %" PRIu64 " runs some stretch of %" PRIu64
                              " tasks after that had over %.0f %% more regret than UCB.",
                        bad, cell->runs, STRETCH * cell->every, 100.0 * (WORSE - 1.0));
}

/* The regret of a run over the last tenth of its tasks. */
static double end_of_run(const segue_cell *cell, uint64_t run)
{
    const size_t from = segue_compare_last_tenth(cell);
    double sum = 0.0;
    for (size_t p = from; p < cell->n_points; p++)
        sum += cell->track[SEGUE_TRACK_REGRET][run * cell->n_points + p];
    return sum / (double)(cell->n_points - from);
}

/* The median of that over runs, of at most so many. */
static double median_end(const segue_cell *cell)
{
    enum { MOST = 1000 };
    double ends[MOST];
    size_t n = 0;
    for (uint64_t run = 0; run < cell->runs && n < MOST; run++)
        ends[n++] = end_of_run(cell, run);
    return segue_stats_quantile(ends, n, 0.5);
}

static void check_approach(const segue_paper *paper, segue_finding *f)
{
    const segue_cell *cell = paper->longest;
    const segue_regret end = segue_compare_final_regret(cell);
    segue_compare_counts t = {.right = 0};
    segue_compare_count(&t, segue_compare_regrets(paper->ucb->regret, end, cell->runs));
    segue_compare_count(&t, segue_compare_regrets(end, paper->mucb->regret, cell->runs));
    f->verdict = segue_compare_verdict(&t);
    const double way =
        (paper->ucb->regret.mean - end.mean) / (paper->ucb->regret.mean - paper->mucb->regret.mean);
    segue_claims_append(f,
                        "Over the last tenth of %" PRIu64
                        " tasks tUCB has regret %.1f (s.e. %.1f; median over runs "
                        "%.1f) a task. UCB has %.1f and mUCB %.1f: it has come %.0f %% of the way.",
                        cell->tasks, end.mean, end.se, median_end(cell), paper->ucb->regret.mean,
                        paper->mucb->regret.mean, 100.0 * way);
}

/* Whether tUCB's average falls from one J to the next, at one n. */
static void count_falls(const segue_paper *paper, uint64_t steps, segue_compare_counts *t,
                        segue_finding *f)
{
    const segue_cell *before = NULL;
    for (size_t i = 0; i < paper->n_tucb; i++) {
        const segue_cell *cell = paper->tucb[i];
        if (cell->steps != steps)
            continue;
        const int falls = before ? segue_compare_cells(before, cell) : 0;
        if (before)
            segue_compare_count(t, falls);
        if (falls < 0)
            segue_claims_append(f,
                                "At n = %" PRIu64 " it rises from J = %" PRIu64 " to %" PRIu64 ". ",
                                steps, before->tasks, cell->tasks);
        before = cell;
    }
}

static void check_lengths(const segue_paper *paper, segue_finding *f)
{
    segue_compare_counts falls = {.right = 0}, below = {.right = 0};
    uint64_t most = 0;
    for (size_t i = 0; i < paper->n_tucb; i++)
        most = paper->tucb[i]->tasks > most ? paper->tucb[i]->tasks : most;
    for (size_t i = 0; i < paper->n_tucb; i++) {
        const segue_cell *cell = paper->tucb[i];
        if (cell->tasks != most)
            continue;
        count_falls(paper, cell->steps, &falls, f);
        const segue_cell *ucb =
            segue_results_find(paper->results[SEGUE_STUDY_LENGTHS], "ucb", cell->steps, 0);
        const int better = ucb ? segue_compare_cells(ucb, cell) : 0;
        segue_compare_count(&below, better);
        if (ucb && better <= 0)
            segue_claims_append(f, "At n = %" PRIu64 " it is %s UCB's %.1f: %.1f. ", cell->steps,
                                better < 0 ? "above" : "not clearly below", ucb->regret.mean,
                                cell->regret.mean);
    }
    const segue_compare_counts both = {.right = falls.right + below.right,
                                       .wrong = falls.wrong + below.wrong,
                                       .open = falls.open + below.open};
    f->verdict = segue_compare_verdict(&both);
    segue_claims_append(
        f,
        "With J = %" PRIu64 " tasks the average is below UCB's at %zu of %zu lengths; of %zu steps "
        "from one J to the next it falls in %zu, rises in %zu, and is too close to tell in %zu.",
        most, below.right, below.right + below.wrong + below.open,
        falls.right + falls.wrong + falls.open, falls.right, falls.wrong, falls.open);
}

static void check_complexity(const segue_paper *paper, segue_finding *f)
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
    f->verdict = never_above && between ? SEGUE_VERDICT_HOLDS
                 : between              ? SEGUE_VERDICT_PARTLY
                                        : SEGUE_VERDICT_FAILS;
    segue_claims_append(
        f,
        "It starts at %.3f and ends at %.3f (s.e. %.3f) after %" PRIu64
        " tasks; mUCB's is %.3f. Its highest value in any run is %.3f, %s UCB's %.3f.",
        start.mean, end.mean, end.se, cell->tasks, mucb, highest,
        never_above ? "not above" : "above", ucb);
}

static void check_bounds(const segue_paper *paper, segue_finding *f)
{
    static const char *const policies[] = {"ucb", "ucb+", "mucb"};
    const segue_results *lengths = paper->results[SEGUE_STUDY_LENGTHS];
    size_t exceeded = 0, checked = 0;
    double least = INFINITY, most = 0.0;
    for (size_t i = 0; i < lengths->n_cells; i++)
        for (size_t c = 0; c < SEGUE_N_COLUMNS; c++) {
            const segue_cell *cell = &lengths->cell[i];
            if (strcmp(cell->policy, policies[c]) != 0)
                continue;
            const double ratio = segue_paper_bound(paper, c, cell->steps) / cell->regret.mean;
            checked++;
            exceeded += ratio < 1.0;
            least = fmin(least, ratio);
            most = fmax(most, ratio);
        }
    const segue_cell *cell = paper->longest;
    for (size_t p = 0; p < cell->n_points; p++) {
        const double c = segue_cell_mean(cell, SEGUE_TRACK_COMPLEXITY, p).mean;
        const double ratio = segue_paper_bound_tucb(paper, c, cell->steps) /
                             segue_cell_mean(cell, SEGUE_TRACK_REGRET, p).mean;
        checked++;
        exceeded += ratio < 1.0;
        least = fmin(least, ratio);
        most = fmax(most, ratio);
    }
    f->verdict = exceeded ? SEGUE_VERDICT_FAILS : SEGUE_VERDICT_HOLDS;
    segue_claims_append(
        f,
        "Of %zu measured regrets %zu exceed their bound; the bounds are %.1f to %.1f times what "
        "was measured.",
        checked, exceeded, least, most);
}

static void check_remark(const segue_paper *paper, segue_finding *f)
{
    const segue_cell *cell = paper->longest;
    const double needed = segue_paper_resolved_after(paper, 2.0, cell->tasks, cell->steps);
    const size_t first = below_for_good(cell, paper->ucb->regret.mean);
    const uint64_t from = first ? segue_cell_last_task(cell, first - 1) + 1 : 1;
    const double settled = segue_cell_mean(cell, SEGUE_TRACK_RESOLVED, cell->n_points - 1).mean;
    f->verdict = first == cell->n_points       ? SEGUE_VERDICT_FAILS
                 : (double)from < needed / 2.0 ? SEGUE_VERDICT_HOLDS
                                               : SEGUE_VERDICT_PARTLY;
    segue_claims_append(f,
                        "With C = 2 and J = %" PRIu64
                        " every model would have a single best arm from task %.0f on. "
                        "tUCB is below UCB, on average over runs, from task %" PRIu64
                        " on; by task %" PRIu64
                        " %.1f of %zu estimated models have a single arm left.",
                        cell->tasks, needed, from, cell->tasks, settled, paper->models->n_models);
}

/* ---- what the paper does not say --------------------------------------------------------- */

static void check_baselines(const segue_paper *paper, segue_finding *f)
{
    static const char *const policies[] = {"ts", "kl-ucb"};
    const segue_cell *cell = paper->longest;
    const segue_regret end = segue_compare_final_regret(cell);
    segue_compare_counts t = {.right = 0};
    for (size_t i = 0; i < 2; i++) {
        const segue_cell *other =
            segue_results_find(paper->results[SEGUE_STUDY_BASELINES], policies[i], cell->steps, 0);
        if (!other)
            continue;
        segue_compare_count(
            &t, segue_compare_regrets(end, other->regret,
                                      cell->runs < other->runs ? cell->runs : other->runs));
        segue_claims_append(f, "%s has regret %.1f (s.e. %.1f) a task. ", policies[i],
                            other->regret.mean, other->regret.se);
    }
    f->verdict = segue_compare_verdict(&t);
    segue_claims_append(f, "tUCB has %.1f (s.e. %.1f) over the last tenth of %" PRIu64 " tasks.",
                        end.mean, end.se, cell->tasks);
}

static void check_single_runs(const segue_paper *paper, segue_finding *f)
{
    const segue_cell *cell = paper->longest;
    double best = INFINITY, worst = 0.0;
    for (uint64_t run = 0; run < cell->runs; run++) {
        best = fmin(best, end_of_run(cell, run));
        worst = fmax(worst, end_of_run(cell, run));
    }
    f->verdict = worst > 1.25 * best ? SEGUE_VERDICT_HOLDS : SEGUE_VERDICT_FAILS;
    segue_claims_append(
        f,
        "Over the last tenth of %" PRIu64 " tasks the best of %" PRIu64
        " runs has regret %.1f a task, the median %.1f and the worst %.1f; UCB has %.1f.",
        cell->tasks, cell->runs, best, median_end(cell), worst, paper->ucb->regret.mean);
}

/* The point at which the median error is least. */
static size_t least_error(const segue_cell *cell)
{
    size_t least = 0;
    for (size_t p = 1; p < cell->n_points; p++)
        if (!(segue_cell_median(cell, SEGUE_TRACK_ERROR, p).middle >=
              segue_cell_median(cell, SEGUE_TRACK_ERROR, least).middle))
            least = p;
    return least;
}

static void check_error(const segue_paper *paper, segue_finding *f)
{
    const segue_cell *cell = paper->longest;
    const size_t last = cell->n_points - 1, least = least_error(cell);
    const double early = segue_cell_median(cell, SEGUE_TRACK_ERROR, least).middle;
    const double late = segue_cell_median(cell, SEGUE_TRACK_ERROR, last).middle;
    const double eps = segue_cell_median(cell, SEGUE_TRACK_EPS, last).middle;
    const bool rises = least < last / 2 && late > 1.2 * early, above = late > eps;
    f->verdict = isnan(early) || isnan(late) || isnan(eps) ? SEGUE_VERDICT_UNCLEAR
                 : rises && above                          ? SEGUE_VERDICT_HOLDS
                 : rises || above                          ? SEGUE_VERDICT_PARTLY
                                                           : SEGUE_VERDICT_FAILS;
    segue_claims_append(
        f,
        "The largest error of an estimated mean (median over runs) is least after %" PRIu64
        " tasks, %.3f, and %.3f after %" PRIu64
        ", where eps_j is %.3f. As soon as tUCB goes by the "
        "models, the rewards that it gathers are no fair sample: it stops pulling an arm whose "
        "first rewards were poor.",
        segue_cell_last_task(cell, least), early, late, cell->tasks, eps);
}

/* How many runs had more regret than UCB, on average over their tasks. */
static uint64_t runs_above(const segue_cell *cell, double level)
{
    uint64_t above = 0;
    for (uint64_t run = 0; run < cell->runs; run++)
        above += cell->run_regret[run] > level;
    return above;
}

static void check_choices(const segue_paper *paper, segue_finding *f)
{
    const segue_results *results = paper->results[SEGUE_STUDY_TUCB_CHOICES];
    const segue_cell *usual = NULL;
    segue_compare_counts t = {.right = 0};
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        if (strcmp(cell->policy, "tucb:C=2") == 0)
            usual = cell;
        const bool doubling = strcmp(cell->policy, "tucb:C=0") == 0;
        segue_claims_append(f, "%s: %.1f (s.e. %.1f; %" PRIu64 " of %" PRIu64 " runs above UCB). ",
                            doubling ? "C by doubling" : cell->policy + strcspn(cell->policy, "C"),
                            cell->regret.mean, cell->regret.se,
                            runs_above(cell, paper->ucb->regret.mean), cell->runs);
    }
    for (size_t i = 0; i < results->n_cells && usual; i++)
        if (&results->cell[i] != usual && !strstr(results->cell[i].policy, "views"))
            segue_compare_count(&t, segue_compare_cells(&results->cell[i], usual));
    f->verdict = segue_compare_verdict(&t);
}

static void check_related(const segue_paper *paper, segue_finding *f)
{
    static const char *const policies[] = {"sw-ucb", "d-ucb", "carried-ucb"};
    segue_compare_counts t = {.right = 0};
    const segue_results *results = paper->results[SEGUE_STUDY_RELATED];
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        segue_claims_append(f, "%s: %.1f (s.e. %.1f). ", cell->policy, cell->regret.mean,
                            cell->regret.se);
        for (size_t k = 0; k < 3; k++)
            if (strcmp(cell->policy, policies[k]) == 0)
                segue_compare_count(&t, segue_compare_cells(cell, paper->ucb));
    }
    f->verdict = segue_compare_verdict(&t);
    segue_claims_append(f, "UCB, which forgets all after each task: %.1f.",
                        paper->ucb->regret.mean);
}

static void check_told(const segue_paper *paper, segue_finding *f)
{
    const segue_results *results = paper->results[SEGUE_STUDY_RELATED];
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        if (strcmp(cell->policy, "told-ucb") != 0)
            continue;
        const segue_regret start = segue_cell_mean(cell, SEGUE_TRACK_REGRET, 0);
        const segue_regret end = segue_compare_final_regret(cell);
        const int less = segue_compare_regrets(paper->mucb->regret, end, cell->runs);
        f->verdict = less > 0   ? SEGUE_VERDICT_HOLDS
                     : less < 0 ? SEGUE_VERDICT_FAILS
                                : SEGUE_VERDICT_UNCLEAR;
        segue_claims_append(
            f,
            "UCB that is told each task's model, and keeps one set of counts for each, has regret "
            "%.1f a task over the first %" PRIu64 " tasks and %.2f (s.e. %.2f) over the last tenth "
            "of %" PRIu64 "; mUCB, which has to find out each time, %.1f.",
            start.mean, segue_cell_last_task(cell, 0), end.mean, end.se, cell->tasks,
            paper->mucb->regret.mean);
        return;
    }
    f->verdict = SEGUE_VERDICT_UNCLEAR;
    segue_claims_append(f, "told-ucb was not played.");
}

/* ---- the list ---------------------------------------------------------------------------- */

static const struct {
    const char *id;
    bool ours;
    const char *says;
    void (*check)(const segue_paper *paper, segue_finding *finding);
} claims[] = {
    {"table", false, "The complexities of Table 2: 26.57, 15.11 and 3.27 on average.", check_table},
    {"spectrum", false,
     "The model set is hard to estimate: its smallest singular value is 0.0039, and the smallest "
     "gap of singular values 0.0038.",
     check_spectrum},
    {"order", false, "UCB has more regret than UCB+, and UCB+ more than mUCB, at every n.",
     check_order},
    {"prediction", false, "The bounds predict accurately how much mUCB improves on UCB and UCB+.",
     check_prediction},
    {"lengths", false,
     "Averaged over its tasks, tUCB is better than UCB, and comes closer to mUCB as J grows, for "
     "any n.",
     check_lengths},
    {"start", false, "In its first tasks tUCB does as UCB does.", check_start},
    {"never-worse", false, "tUCB is never worse than UCB.", check_never_worse},
    {"approach", false, "Over tasks tUCB approaches mUCB, and does not reach it.", check_approach},
    {"complexity", false,
     "The complexity of tUCB starts from UCB's, is never above it, falls over tasks, and does not "
     "reach mUCB's.",
     check_complexity},
    {"bounds", false, "The bounds of the theorems hold.", check_bounds},
    {"remark", false,
     "tUCB improves on UCB long before there are tasks enough for every model to have a single "
     "best arm.",
     check_remark},
    {"told", false, "If each task's model were told, much less regret could be had.", check_told},
    {"probing", false,
     "An arm that is best for no model may be worth pulling, for it tells models apart: optimism, "
     "which never does, may not be optimal (an open question).",
     segue_claims_check_probing},
    {"identify-later", false,
     "If the first tasks were spent on identifying the models, tUCB could come closer to mUCB in "
     "later ones (an open question).",
     segue_claims_check_identify_later},
    {"identify-pays", false,
     "With many tasks to come, identifying first could be better in all (an open question).",
     segue_claims_check_identify_pays},
    {"baselines", true,
     "Thompson sampling and KL-UCB, which know no models and transfer nothing, have less regret "
     "than tUCB.",
     check_baselines},
    {"single-runs", true,
     "Single runs of tUCB differ much: the worst ends at least a quarter above the best.",
     check_single_runs},
    {"error", true,
     "The error of the models that tUCB estimates does not keep falling: it rises again when tUCB "
     "begins to go by them, and ends above eps_j, where the guarantees no longer cover it.",
     check_error},
    {"choices", true,
     "With the paper's views, its C = 2 has less regret than 0.5, 1 and 4, and than C by doubling.",
     check_choices},
    {"related", true,
     "Policies for bandits that change, and means carried over from task to task, are worse than "
     "UCB that starts anew.",
     check_related},
    {"transfer", true,
     "tTS and tLA, which are told neither the models nor how many there are, have less regret than "
     "Thompson sampling without transfer, at every n.",
     segue_claims_check_transfer},
    {"sooner", true,
     "tTS and tLA have less regret over their first tasks than tUCB over the last of many more.",
     segue_claims_check_sooner},
    {"learned", true,
     "Once they have learned, tTS and tLA have less regret than mUCB, which is told the models.",
     segue_claims_check_learned},
    {"probing-learned", true,
     "Where the models have to be learned as well, look-ahead (tLA) has less regret than Thompson "
     "sampling (tTS) and optimism (tUCB).",
     segue_claims_check_probing_learned},
    {"no-identifying", true,
     "No task need be spent on identification alone: tTS and tLA, which learn while they play, "
     "have less regret than tUCB, however long it identifies first.",
     segue_claims_check_no_identifying},
};
_Static_assert(sizeof claims / sizeof *claims <= SEGUE_MAX_CLAIMS, "raise SEGUE_MAX_CLAIMS");

void segue_claims_check(const segue_paper *paper, segue_finding *findings, size_t *n_findings)
{
    *n_findings = sizeof claims / sizeof *claims;
    for (size_t i = 0; i < *n_findings; i++) {
        findings[i] =
            (segue_finding){.id = claims[i].id, .ours = claims[i].ours, .says = claims[i].says};
        claims[i].check(paper, &findings[i]);
    }
}

const segue_finding *segue_claims_find(const segue_finding *findings, size_t n_findings,
                                       const char *id)
{
    for (size_t i = 0; i < n_findings; i++)
        if (strcmp(findings[i].id, id) == 0)
            return &findings[i];
    return NULL;
}
