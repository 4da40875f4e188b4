/* claims.c - the claims of the paper and our own, in the order of the report.
 *
 * A claim is a sentence and a check of it. The checks are in the other files claims_*.c; a check
 * reads the results, sets the verdict and appends the numbers that the verdict rests on. report.c
 * runs all checks before it prints, since the summary comes first; `segue paper` also prints the
 * verdicts.
 *
 * To add a claim: declare its check in claims_checks.h, add a row to the table below, and call
 * segue_report_claim with its id in a section.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/claims/claims.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/claims/claims_checks.h"

/* The texts and classes below are indexed by segue_verdict. */
const char *segue_claims_verdict_text(segue_verdict verdict)
{
    static const char *const texts[] = {"holds", "holds in part", "does not hold",
                                        "not decided by these runs"};
    return texts[verdict];
}

const char *segue_claims_verdict_class(segue_verdict verdict)
{
    static const char *const classes[] = {"holds", "partly", "fails", "unclear"};
    return classes[verdict];
}

/* A text that does not fit is truncated, never written past its end. */
void segue_claims_append(segue_finding *finding, const char *format, ...)
{
    const size_t used = strlen(finding->text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(finding->text + used, sizeof finding->text - used, format, arguments);
    va_end(arguments);
}

/* The id is also an anchor of the page, and the name that sections use. */
static const struct {
    const char *id;
    bool ours;
    const char *says;
    void (*check)(const segue_paper *paper, segue_finding *finding);
} claims[] = {
    {"table", false, "The complexities of Table 2: 26.57, 15.11 and 3.27 on average.",
     segue_claims_check_table},
    {"spectrum", false,
     "The model set is hard to estimate: its smallest singular value is 0.0039, and the smallest "
     "gap of singular values 0.0038.",
     segue_claims_check_spectrum},
    {"order", false,
     "The performance of mUCB is significantly better than both UCB and UCB+, for tasks of "
     "different length n.",
     segue_claims_check_order},
    {"mucb-never-worse", false, "mUCB incurs a regret which is never worse than UCB.",
     segue_claims_check_mucb_never_worse},
    {"stuck", false,
     "mUCB does not get stuck in pulling arm 3, though no model can be discarded by it.",
     segue_claims_check_stuck},
    {"challenging", false,
     "Models 1 and 5 are challenging for UCB, since they have a small minimum gap.",
     segue_claims_check_challenging},
    {"prediction", false, "The bounds predict accurately how much mUCB improves on UCB and UCB+.",
     segue_claims_check_prediction},
    {"prediction-models", false,
     "The bounds predict accurately how much is gained, on each model of Table 2.",
     segue_claims_check_prediction_models},
    {"lengths", false,
     "Averaged over its tasks, tUCB is better than UCB, and comes closer to mUCB as J grows, for "
     "any n.",
     segue_claims_check_lengths},
    {"start", false, "In its first tasks tUCB does as UCB does.", segue_claims_check_start},
    {"never-worse", false, "The regret of tUCB per task is never worse than UCB's.",
     segue_claims_check_never_worse},
    {"approach", false, "Over tasks tUCB approaches mUCB, and does not reach it.",
     segue_claims_check_approach},
    {"complexity", false,
     "The complexity of tUCB, which bounds its regret if its estimates are within eps_j, falls "
     "over "
     "tasks from UCB's towards mUCB's, and does not reach it.",
     segue_claims_check_complexity},
    {"premise", false,
     "The error of the estimated models is at most eps_j: the premise of Theorems 3 and 4.",
     segue_claims_check_premise},
    {"bounds", false, "The bounds of Theorems 1 and 3 on the regret of mUCB and tUCB hold.",
     segue_claims_check_bounds},
    {"remark", false,
     "tUCB improves on UCB long before there are tasks enough for every model to have a single "
     "best arm.",
     segue_claims_check_remark},
    {"known-model", false, "If each task's model were known, much less regret could be had.",
     segue_claims_check_known_model},
    {"related", false,
     "Non-stationary UCB (sliding window or discount) would have a much worse performance than "
     "tUCB, whenever the tasks are not the worst case.",
     segue_claims_check_nonstationary},
    {"estimators", false,
     "In place of RTP a wide number of other algorithms could be used in tUCB.",
     segue_claims_check_estimators},
    {"growth", false,
     "The error of the estimated models grows no faster than m^2 with the number of models, and "
     "K^2.5 with that of arms (Theorem 2).",
     segue_claims_check_growth},
    {"probing", false,
     "An arm that is best for no model may be useful to pull, since it distinguishes models: "
     "optimism, "
     "which never does, may not be optimal (an open question).",
     segue_claims_check_probing},
    {"identify-later", false,
     "If the first tasks were spent on identifying the models, tUCB could come closer to mUCB in "
     "later ones (an open question).",
     segue_claims_check_identify_later},
    {"identify-pays", false,
     "With many tasks to come, identifying first could be better in all (an open question).",
     segue_claims_check_identify_pays},
    {"testing", false, "UCB with a hypothesis test improves only mildly on UCB.",
     segue_claims_check_testing},
    {"three-pulls", false,
     "RTP estimates the means consistently as long as every arm is pulled three times per task.",
     segue_claims_check_three_pulls},
    {"baselines", true,
     "Thompson sampling and KL-UCB, which know no models and transfer nothing, have less regret "
     "than tUCB.",
     segue_claims_check_baselines},
    {"single-runs", true,
     "Single runs of tUCB differ much: the worst ends at least a quarter above the best.",
     segue_claims_check_single_runs},
    {"error", true,
     "The error of the models that tUCB estimates does not fall forever: it rises again when tUCB "
     "begins to use them, and ends above eps_j, where the guarantees no longer cover it.",
     segue_claims_check_error},
    {"cause", true,
     "The error rises for want of pulls, not because pulls depend on rewards: it also rises with "
     "fresh independent rewards at the same pulls.",
     segue_claims_check_cause},
    {"weights", true,
     "With tasks weighted by their pulls, tUCB with the paper's C = 2 has less regret than as "
     "published, and no run ends above UCB.",
     segue_claims_check_weights},
    {"freeze", true,
     "An estimate that is frozen after 100 tasks gives less regret than one that averages in all "
     "later tasks, at the same C.",
     segue_claims_check_freeze},
    {"choices", true,
     "With the paper's views, its C = 2 has less regret than 0.5, 1 and 4, and than C by doubling.",
     segue_claims_check_choices},
    {"carried", true,
     "Averages carried over from task to task are worse than UCB that starts anew.",
     segue_claims_check_carried},
    {"transfer", true,
     "tTS and tLA, which know neither the models nor their number, have less regret than "
     "Thompson sampling without transfer, at every n.",
     segue_claims_check_transfer},
    {"sooner", true,
     "tTS and tLA have less regret over their first tasks than tUCB over the last of many more.",
     segue_claims_check_sooner},
    {"learned", true,
     "Once they have learned, tTS and tLA have less regret than mUCB, which knows the models.",
     segue_claims_check_learned},
    {"probing-learned", true,
     "Where the models have to be learned as well, look-ahead (tLA) has less regret than Thompson "
     "sampling (tTS) and optimism (tUCB).",
     segue_claims_check_probing_learned},
    {"no-identifying", true,
     "On the paper's models no task need be spent on identification alone: tTS and tLA, which "
     "learn while they play, have less regret than tUCB, however long it identifies first.",
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
