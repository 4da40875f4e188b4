/* claims_estimators.c - claims of the paper on estimators: others inside tUCB, and how the error of
 * RTP grows with the number of models.
 *
 * Each check computes its verdict from the results alone. claims.c calls the checks.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/claims/claims_checks.h"
#include "report/claims/judge.h"
#include "report/claims/sweep.h"

/* "Could be used" needs that tUCB with the estimator has less regret than UCB over the last tenth of
 * its tasks: it transfers something. RTP itself is listed, and not part of the claim. */
void segue_claims_check_estimators(const segue_paper *paper, segue_finding *finding)
{
    const segue_results *results = paper->results[SEGUE_STUDY_ESTIMATORS];
    segue_compare_family family = {.n = 0};
    segue_claims_append(finding, "Over the last tenth of tasks: ");
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        const char *other = strstr(cell->policy, "estimator=");
        const segue_regret end = segue_compare_final_regret(cell);
        if (other)
            segue_compare_add(&family, paper->ucb->regret, end,
                              segue_compare_fewer_runs(paper->ucb, cell));
        segue_claims_append(finding, "%s %.1f (s.e. %.1f), ",
                            other ? strchr(other, '=') + 1 : "rtp", end.mean, end.se);
    }
    segue_compare_judge(&family, finding);
    segue_claims_append(finding,
                        "UCB %.1f (s.e. %.1f). An estimator can be used if tUCB with it "
                        "has less regret than UCB.",
                        paper->ucb->regret.mean, paper->ucb->regret.se);
}

/* An exponent is within a limit if its whole interval is, and above if its whole interval is. */
static int outcome(double exponent, double half_width, double limit)
{
    return exponent + half_width <= limit ? 1 : exponent - half_width > limit ? -1 : 0;
}

static segue_verdict judge_growth(const segue_sweep_growth *growth)
{
    static const double limits[] = {2.0, 2.5};
    segue_compare_counts counts = {.right = 0};
    for (size_t i = 0; i < 2; i++) {
        const int found = outcome(growth->exponent[i], growth->half_width[i], limits[i]);
        counts.right += found > 0;
        counts.wrong += found < 0;
        counts.open += found == 0;
    }
    return segue_judge_all(counts);
}

void segue_claims_check_growth(const segue_paper *paper, segue_finding *finding)
{
    segue_sweep_set sets[SEGUE_MAX_SWEEP];
    const size_t n = segue_sweep_find(paper->results[SEGUE_STUDY_SWEEP], sets);
    const segue_sweep_growth growth = segue_sweep_fit_sets(sets, n);
    const double *e = growth.exponent, *half = growth.half_width;
    finding->verdict = judge_growth(&growth);
    if (isnan(e[0]))
        segue_claims_append(finding, "%zu model sets do not determine the exponents.",
                            growth.n_sets);
    else
        segue_claims_append(
            finding,
            "Over %zu random model sets, after %" PRIu64
            " tasks, the error grows as m^%.2f (95 %%: "
            "%.2f to %.2f) and K^%.2f (%.2f to %.2f). Random sets of more models also have a "
            "smaller smallest singular value, for which the bound has factors of its own: the "
            "exponent of m includes them. Larger K has fewer pulls of each arm here.",
            growth.n_sets, sets[0].cell->tasks, e[0], e[0] - half[0], e[0] + half[0], e[1],
            e[1] - half[1], e[1] + half[1]);
}
