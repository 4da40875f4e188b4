/* claims_models.c - claims of the paper on the model set and on policies that know it: its tables,
 * the order of UCB, UCB+ and mUCB, and regret per model.
 *
 * Each check computes its verdict from the results alone, and may contradict the paper. compare.h
 * says when two regrets count as different, judge.h how numbers become a verdict.
 *
 * claims.c calls the checks. paper.c has checked that the results hold all cells that are used here
 * without a test for NULL: ucb, ucb+ and mucb at every n.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/claims/claims_checks.h"
#include "report/claims/judge.h"

/* ---- tables ------------------------------------------------------------------------------ */

/* Table 2, as printed. */
static const double printed[6][SEGUE_N_COLUMNS] = {{22.31, 14.87, 2.33}, {23.32, 15.58, 8.48},
                                                   {33.91, 25.21, 2.08}, {17.91, 11.17, 3.48},
                                                   {35.41, 8.76, 0.0},   {26.57, 15.11, 3.27}};

/* Compare all 18 numbers as printed: truncated, not rounded. */
void segue_claims_check_table(const segue_paper *paper, segue_finding *finding)
{
    static const char *const columns[] = {"UCB", "UCB+", "mUCB"};
    size_t equal = 0;
    if (paper->models->n_models != 5) {
        finding->verdict = segue_judge_table(0, 0);
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
    finding->verdict = segue_judge_table(equal, 18);
    segue_claims_append(finding, "%zu of 18 numbers come out as printed.", equal);
}

void segue_claims_check_spectrum(const segue_paper *paper, segue_finding *finding)
{
    const double sigma = paper->spectrum.sigma_min, gap = paper->spectrum.gap;
    finding->verdict = segue_judge_spectrum(sigma, gap);
    segue_claims_append(
        finding,
        "The smallest eigenvalue is %.5f and the smallest gap of eigenvalues %.5f. (Equal "
        "means to half a unit of the last printed digit.)",
        sigma, gap);
}

/* ---- the order of the policies ----------------------------------------------------------- */

/* Return UCB's cell with the i-th n, in the order of the experiment; NULL: there are fewer. */
static const segue_cell *find_ucb(const segue_results *lengths, size_t i)
{
    for (size_t k = 0; k < lengths->n_cells; k++)
        if (strcmp(lengths->cell[k].policy, "ucb") == 0 && i-- == 0)
            return &lengths->cell[k];
    return NULL;
}

/* Append the three regrets at one n. */
static void append_regrets(const segue_paper *paper, uint64_t steps, segue_finding *finding)
{
    static const char *const policies[] = {"ucb", "ucb+", "mucb"};
    static const char *const names[] = {"UCB", "UCB+", "mUCB"};
    segue_claims_append(finding, "At n = %" PRIu64 ":", steps);
    for (size_t i = 0; i < 3; i++) {
        const segue_cell *cell =
            segue_results_find(paper->results[SEGUE_STUDY_LENGTHS], policies[i], steps, 0);
        segue_claims_append(finding, "%s %s %.1f (s.e. %.2f)", i ? "," : "", names[i],
                            cell->regret.mean, cell->regret.se);
    }
    segue_claims_append(finding, ". ");
}

/* Append from which n on both comparisons of each n are 1, and the regrets at the n below it. */
static void append_where(const segue_paper *paper, const segue_compare_family *family,
                         segue_finding *finding)
{
    const segue_results *lengths = paper->results[SEGUE_STUDY_LENGTHS];
    size_t from = family->n / 2;
    while (from > 0 && segue_compare_count(family, 2 * from - 2, 2 * from).right == 2)
        from--;
    if (from == family->n / 2)
        segue_claims_append(finding, "It does not hold at the largest n played. ");
    else
        segue_claims_append(finding, "It holds at every n played from n = %" PRIu64 " on. ",
                            find_ucb(lengths, from)->steps);
    for (size_t i = 0; i < from && i < 3; i++)
        append_regrets(paper, find_ucb(lengths, i)->steps, finding);
    append_regrets(paper, paper->ucb->steps, finding);
}

void segue_claims_check_order(const segue_paper *paper, segue_finding *finding)
{
    const segue_results *lengths = paper->results[SEGUE_STUDY_LENGTHS];
    const segue_cell *ucb = NULL;
    segue_compare_family family = {.n = 0};
    for (size_t i = 0; (ucb = find_ucb(lengths, i)) != NULL; i++) {
        const segue_cell *mucb = segue_results_find(lengths, "mucb", ucb->steps, 0);
        segue_compare_add_cells(&family, ucb, mucb);
        segue_compare_add_cells(&family, segue_results_find(lengths, "ucb+", ucb->steps, 0), mucb);
    }
    segue_compare_judge(&family, finding);
    append_where(paper, &family, finding);
}

/* One n at which mUCB is above UCB refutes it. */
void segue_claims_check_mucb_never_worse(const segue_paper *paper, segue_finding *finding)
{
    const segue_results *lengths = paper->results[SEGUE_STUDY_LENGTHS];
    const segue_cell *ucb = NULL;
    segue_compare_family family = {.n = 0};
    for (size_t i = 0; (ucb = find_ucb(lengths, i)) != NULL; i++)
        segue_compare_add_cells(&family, ucb, segue_results_find(lengths, "mucb", ucb->steps, 0));
    segue_compare_decide(&family);
    finding->n_comparisons = family.n + family.dropped;
    const segue_compare_counts counts = segue_compare_count_all(&family);
    finding->verdict = segue_judge_never(counts);
    for (size_t i = 0, shown = 0; i < family.n && shown < 3; i++)
        if (family.item[i].outcome < 0) {
            append_regrets(paper, find_ucb(lengths, i)->steps, finding);
            shown++;
        }
    segue_claims_append(finding,
                        "Of %zu lengths mUCB has more regret than UCB at %zu, less at %zu; not "
                        "decided: %zu.",
                        finding->n_comparisons, counts.wrong, counts.right, counts.open);
}

/* The bounds predict ratios of regrets, UCB over UCB+ and UCB over mUCB, as ratios of
 * complexities. */
void segue_claims_check_prediction(const segue_paper *paper, segue_finding *finding)
{
    const double *c = paper->average;
    const double ucb = paper->ucb->regret.mean;
    const double expected[] = {c[SEGUE_COLUMN_UCB] / c[SEGUE_COLUMN_UCB_PLUS],
                               c[SEGUE_COLUMN_UCB] / c[SEGUE_COLUMN_MUCB]};
    const double seen[] = {ucb / paper->ucb_plus->regret.mean, ucb / paper->mucb->regret.mean};
    finding->verdict = segue_judge_prediction(expected, seen);
    segue_claims_append(
        finding,
        "By their complexities UCB should cost %.2f times as much as UCB+ and %.2f times as much "
        "as mUCB; at n = %" PRIu64 " it costs %.2f and %.2f times as much. The claim needs the "
        "order, and both factors to within a quarter.",
        expected[0], expected[1], paper->ucb->steps, seen[0], seen[1]);
}

/* ---- regret per model -------------------------------------------------------------------- */

/* Return an arm that is best for some model and has one mean in all, or n_arms. */
static size_t find_flat_arm(const segue_models *models)
{
    for (size_t k = 0; k < models->n_models; k++) {
        const size_t arm = models->best_arm[k];
        bool flat = true;
        for (size_t i = 0; i < models->n_models; i++)
            flat = flat && segue_models_row(models, i)[arm] == segue_models_row(models, k)[arm];
        if (flat)
            return arm;
    }
    return models->n_arms;
}

/* Return mUCB's cell with the n nearest to half of the largest. */
static const segue_cell *find_half(const segue_paper *paper)
{
    const segue_results *lengths = paper->results[SEGUE_STUDY_LENGTHS];
    const double half = (double)paper->mucb->steps / 2.0;
    const segue_cell *best = NULL;
    for (size_t i = 0; i < lengths->n_cells; i++) {
        const segue_cell *cell = &lengths->cell[i];
        if (strcmp(cell->policy, "mucb") == 0 && cell->steps < paper->mucb->steps &&
            (!best || fabs((double)cell->steps - half) < fabs((double)best->steps - half)))
            best = cell;
    }
    return best;
}

/* A policy that pulls the arm to the end has a regret that grows by the arm's gap per step. mUCB is
 * not stuck if it grows by less than a twentieth of that over the second half of the steps. */
void segue_claims_check_stuck(const segue_paper *paper, segue_finding *finding)
{
    const segue_models *models = paper->models;
    const segue_cell *end = paper->mucb, *half = find_half(paper);
    const size_t arm = find_flat_arm(models);
    segue_compare_family family = {.n = 0};
    double largest = 0.0;
    for (size_t k = 0; half && arm < models->n_arms && k < models->n_models; k++) {
        const double gap = segue_models_best_value(models, k) - segue_models_row(models, k)[arm];
        const double stuck = gap * (double)(end->steps - half->steps);
        if (gap <= 0.0 || end->n_models != models->n_models || half->n_models != models->n_models)
            continue;
        segue_compare_add(&family,
                          (segue_regret){.mean = half->by_model[k].mean + 0.05 * stuck,
                                         .se = half->by_model[k].se},
                          end->by_model[k], segue_compare_fewer_runs(end, half));
        largest = fmax(largest, (end->by_model[k].mean - half->by_model[k].mean) / stuck);
    }
    segue_compare_judge(&family, finding);
    if (!half || family.n == 0)
        segue_claims_append(finding, "No arm has one mean in all models and is best for some.");
    else
        segue_claims_append(
            finding,
            "Arm %zu has the same mean in all models. From n = %" PRIu64 " to %" PRIu64
            " mUCB's regret grows, for the model where it grows most, by %.1f %% of what pulling "
            "that arm alone would cost; stuck would be 100 %%, and the claim needs less than 5 %% "
            "for each of %zu models.",
            arm + 1, half->steps, end->steps, 100.0 * largest, family.n);
}

/* Return the smallest positive gap of an arm to the best one of a model. */
static double smallest_gap(const segue_models *models, size_t k)
{
    double smallest = INFINITY;
    for (size_t i = 0; i < models->n_arms; i++)
        if (i != models->best_arm[k])
            smallest =
                fmin(smallest, segue_models_best_value(models, k) - segue_models_row(models, k)[i]);
    return smallest;
}

/* Return the mean of UCB's regret on models 2, 3 and 4. */
static segue_regret mean_of_others(const segue_cell *ucb)
{
    segue_regret mean = {.mean = 0.0};
    for (size_t k = 1; k < 4; k++) {
        mean.mean += ucb->by_model[k].mean / 3.0;
        mean.se += ucb->by_model[k].se * ucb->by_model[k].se / 9.0;
    }
    mean.se = sqrt(mean.se);
    return mean;
}

/* Challenging means: more regret than the mean of the models that are not named. */
void segue_claims_check_challenging(const segue_paper *paper, segue_finding *finding)
{
    static const size_t named[] = {0, 4};
    const segue_cell *ucb = paper->ucb;
    segue_compare_family family = {.n = 0};
    if (paper->models->n_models != 5 || ucb->n_models != 5) {
        segue_compare_judge(&family, finding);
        segue_claims_append(finding, "There are not the paper's five models here.");
        return;
    }
    for (size_t i = 0; i < 2; i++)
        segue_compare_add(&family, ucb->by_model[named[i]], mean_of_others(ucb), ucb->runs);
    segue_compare_judge(&family, finding);
    segue_claims_append(finding, "At n = %" PRIu64 " UCB has regret", ucb->steps);
    for (size_t k = 0; k < 5; k++)
        segue_claims_append(finding, "%s %.0f (s.e. %.1f) on model %zu with smallest gap %.2g",
                            k ? "," : "", ucb->by_model[k].mean, ucb->by_model[k].se, k + 1,
                            smallest_gap(paper->models, k));
    segue_claims_append(finding, ". The mean over models 2, 3 and 4 is %.0f (s.e. %.1f).",
                        mean_of_others(ucb).mean, mean_of_others(ucb).se);
}
