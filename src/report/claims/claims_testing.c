/* claims_testing.c - the paper's remark on UCB with a hypothesis test.
 *
 * The test needs models that differ on every arm (Gamma_min > 0).  On the paper's set two models
 * agree on some arms, and the policy is UCB; models/testable.csv has Gamma_min = 0.25.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include "report/claims/claims_checks.h"
#include "report/claims/judge.h"

/* Return the share of UCB's regret that the test saves in an environment; NaN: not decided. */
static double saved_share(const segue_results *results, const char *environment,
                          segue_finding *finding)
{
    const uint64_t steps = results->cell[0].steps;
    const segue_cell *ucb = segue_results_find_in(results, environment, "ucb", steps, 0);
    const segue_cell *test = segue_results_find_in(results, environment, "ucb-test", steps, 0);
    const segue_cell *mucb = segue_results_find_in(results, environment, "mucb", steps, 0);
    if (!ucb || !test || !mucb)
        return NAN;
    segue_claims_append(finding, "%s: UCB %.1f (s.e. %.1f), with the test %.1f (%.1f), mUCB %.1f. ",
                        environment, ucb->regret.mean, ucb->regret.se, test->regret.mean,
                        test->regret.se, mucb->regret.mean);
    return 1.0 - test->regret.mean / ucb->regret.mean;
}

void segue_claims_check_testing(const segue_paper *paper, segue_finding *finding)
{
    const segue_results *results = paper->results[SEGUE_STUDY_TESTING];
    const double without = saved_share(results, "paper", finding);
    const double with = saved_share(results, "testable", finding);
    finding->verdict = segue_judge_mild(without, with);
    segue_claims_append(finding,
                        "n = %" PRIu64 ". On the paper's models some arms do not distinguish some "
                        "models, and the test never decides.",
                        results->cell[0].steps);
}
