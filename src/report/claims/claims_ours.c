/* claims_ours.c - our learners against the paper's, and the two questions that the paper leaves
 * open.
 *
 * The questions: is it useful to pull an arm that is best for no model (experiments probes and
 * probes-tasks)? The second, on identification, is in claims_identify.c.
 *
 * claims.c calls the checks. The first argument of a comparison is the one that has more regret if
 * the claim holds: 1 supports the claim (compare.h).
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/claims/claims_checks.h"
#include "report/claims/compare.h"

static const char *const learners[] = {"tts", "tla"};
#define LEARNERS (sizeof learners / sizeof *learners)

/* Return a learner's cell for tasks with as many steps as those of tUCB. */
static const segue_cell *ours(const segue_paper *paper, const char *policy)
{
    const segue_results *results = paper->results[SEGUE_STUDY_OURS];
    return segue_results_find(results, policy, paper->longest->steps, results->cell[0].tasks);
}

/* ---- our learners ------------------------------------------------------------------------ */

/* All n of the experiment count, so that a gain at one n alone gives "holds in part". */
void segue_claims_check_transfer(const segue_paper *paper, segue_finding *finding)
{
    const segue_results *results = paper->results[SEGUE_STUDY_OURS];
    segue_compare_family family = {.n = 0};
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        const segue_cell *ts =
            segue_results_find(paper->results[SEGUE_STUDY_BASELINES], "ts", cell->steps, 0);
        if (!ts || (strcmp(cell->policy, "tts") != 0 && strcmp(cell->policy, "tla") != 0))
            continue;
        segue_compare_add_cells(&family, ts, cell);
        segue_claims_append(finding, "n = %" PRIu64 ": %s %.1f (s.e. %.1f), ts %.1f (s.e. %.1f). ",
                            cell->steps, cell->policy, cell->regret.mean, cell->regret.se,
                            ts->regret.mean, ts->regret.se);
    }
    segue_compare_judge(&family, finding);
    segue_claims_append(finding, "Averages over %" PRIu64 " tasks, the first ones among them.",
                        results->cell[0].tasks);
}

/* Compare all tasks of our learners, the first ones included, with the last tenth of tUCB's tasks.
 */
void segue_claims_check_sooner(const segue_paper *paper, segue_finding *finding)
{
    const segue_cell *longest = paper->longest;
    const segue_regret end = segue_compare_final_regret(longest);
    segue_compare_family family = {.n = 0};
    for (size_t i = 0; i < LEARNERS; i++) {
        const segue_cell *cell = ours(paper, learners[i]);
        if (!cell)
            continue;
        segue_compare_add(&family, end, cell->regret, segue_compare_fewer_runs(cell, longest));
        segue_claims_append(
            finding, "Over its first %" PRIu64 " tasks %s has regret %.1f (s.e. %.1f) per task. ",
            cell->tasks, cell->policy, cell->regret.mean, cell->regret.se);
    }
    segue_compare_judge(&family, finding);
    segue_claims_append(finding, "tUCB has %.1f (s.e. %.1f) over the last tenth of %" PRIu64 ".",
                        end.mean, end.se, longest->tasks);
}

/* "Once they have learned" means the last third of the tasks. */
void segue_claims_check_learned(const segue_paper *paper, segue_finding *finding)
{
    segue_compare_family family = {.n = 0};
    for (size_t i = 0; i < LEARNERS; i++) {
        const segue_cell *cell = ours(paper, learners[i]);
        if (!cell)
            continue;
        const size_t from = 2 * cell->n_points / 3;
        const segue_regret late =
            segue_compare_mean_over(cell, SEGUE_TRACK_REGRET, from, cell->n_points);
        segue_compare_add(&family, paper->mucb->regret, late,
                          segue_compare_fewer_runs(cell, paper->mucb));
        segue_claims_append(
            finding, "Over the last third of %" PRIu64 " tasks %s has %.1f (s.e. %.1f) per task. ",
            cell->tasks, cell->policy, late.mean, late.se);
    }
    segue_compare_judge(&family, finding);
    segue_claims_append(finding, "mUCB has %.1f (s.e. %.1f).", paper->mucb->regret.mean,
                        paper->mucb->regret.se);
}

/* ---- arms that are best for no model ----------------------------------------------------- */

/* Look-ahead is compared with two policies that pull no such arm, and with itself in an environment
 * without such arms. */
enum { OTHER_MUCB, OTHER_MTS, OTHER_WITHOUT, N_OTHERS };
static const char *const other_names[N_OTHERS] = {"mUCB", "mTS", "mLA without these arms"};

/* Return the cell that look-ahead is compared with, at the same n; NULL if it was not played. An
 * environment "X-without" is X without the arms that are best for no model. */
static const segue_cell *find_other(const segue_results *results, const segue_cell *mla,
                                    size_t which)
{
    static const char *const policies[N_OTHERS] = {"mucb", "mts", "mla"};
    char environment[100];
    (void)snprintf(environment, sizeof environment, "%s%s", mla->environment,
                   which == OTHER_WITHOUT ? "-without" : "");
    return segue_results_find_in(results, environment, policies[which], mla->steps, 0);
}

/* Describe one comparison of look-ahead. */
static void describe_probing(const segue_results *results, const segue_cell *mla,
                             segue_finding *finding)
{
    segue_claims_append(finding,
                        "%s, where such arms help most (n = %" PRIu64
                        "): mLA %.1f (s.e. %.1f), with %.1f pulls of them",
                        mla->environment, mla->steps, mla->regret.mean, mla->regret.se,
                        mla->never_best.mean);
    for (size_t i = 0; i < N_OTHERS; i++) {
        const segue_cell *other = find_other(results, mla, i);
        if (other)
            segue_claims_append(finding, "; %s %.1f (%.1f)", other_names[i], other->regret.mean,
                                other->regret.se);
    }
    segue_claims_append(finding, ". ");
}

/* True if look-ahead gains more by such arms at this n than at the other n of its environment. */
static bool has_largest_gain(const segue_results *results, const segue_cell *mla)
{
    const segue_cell *bare = find_other(results, mla, OTHER_WITHOUT);
    for (size_t i = 0; bare && i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i], *own = find_other(results, cell, OTHER_WITHOUT);
        if (strcmp(cell->policy, "mla") == 0 && own &&
            strcmp(cell->environment, mla->environment) == 0 &&
            own->regret.mean - cell->regret.mean > bare->regret.mean - mla->regret.mean)
            return false;
    }
    return bare != NULL;
}

/* True for look-ahead in an environment with arms that are best for no model. */
static bool is_probing(const segue_cell *cell)
{
    return strcmp(cell->policy, "mla") == 0 && !strstr(cell->environment, "-without");
}

/* Add the comparisons with one of the others, at every n; return their number. */
static size_t add_probing(const segue_results *results, size_t which, segue_compare_family *family)
{
    const size_t before = family->n;
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        const segue_cell *other = is_probing(cell) ? find_other(results, cell, which) : NULL;
        if (other)
            segue_compare_add_cells(family, other, cell);
    }
    return family->n - before;
}

/* Describe only the n where such arms help most, and count all n. */
void segue_claims_check_probing(const segue_paper *paper, segue_finding *finding)
{
    const segue_results *results = paper->results[SEGUE_STUDY_PROBES];
    segue_compare_family family = {.n = 0};
    size_t added[N_OTHERS], first = 0;
    for (size_t i = 0; i < results->n_cells; i++)
        if (is_probing(&results->cell[i]) && has_largest_gain(results, &results->cell[i]))
            describe_probing(results, &results->cell[i], finding);
    for (size_t i = 0; i < N_OTHERS; i++)
        added[i] = add_probing(results, i, &family);
    segue_compare_judge(&family, finding);
    for (size_t i = 0; i < N_OTHERS; first += added[i++]) {
        const segue_compare_counts counts = segue_compare_count(&family, first, first + added[i]);
        segue_claims_append(
            finding,
            "Compared with %s, over all n, mLA is better in %zu, worse in %zu, too close in %zu. ",
            other_names[i], counts.right, counts.wrong, counts.open);
    }
}

/* Describe if tLA is better by such arms: does it pull them more often? */
static void describe_learned_probing(const segue_results *results, segue_finding *finding)
{
    const segue_cell *first = &results->cell[0];
    const segue_cell *tts =
        segue_results_find_in(results, "probes", "tts", first->steps, first->tasks);
    const segue_cell *tla =
        segue_results_find_in(results, "probes", "tla", first->steps, first->tasks);
    if (!tts || !tla)
        return;
    segue_claims_append(
        finding,
        "Among the models with probes tLA pulls arms that are best for no model %.1f times "
        "per task and tTS %.1f times: ",
        tla->never_best.mean, tts->never_best.mean);
    segue_claims_append(finding, tla->never_best.mean > tts->never_best.mean
                                     ? "it probes. "
                                     : "its gain does not come from probing. ");
}

/* Compare tLA with every other learner of its environment. */
void segue_claims_check_probing_learned(const segue_paper *paper, segue_finding *finding)
{
    const segue_results *results = paper->results[SEGUE_STUDY_PROBES_TASKS];
    segue_compare_family family = {.n = 0};
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        const segue_cell *tla =
            segue_results_find_in(results, cell->environment, "tla", cell->steps, cell->tasks);
        if (tla && tla != cell)
            segue_compare_add_cells(&family, cell, tla);
        segue_claims_append(finding, "%s, %s: %.1f (s.e. %.1f). ", cell->environment, cell->policy,
                            cell->regret.mean, cell->regret.se);
    }
    segue_compare_judge(&family, finding);
    describe_learned_probing(results, finding);
    segue_claims_append(finding, "n = %" PRIu64 ", averages over %" PRIu64 " tasks.",
                        results->cell[0].steps, results->cell[0].tasks);
}

/* ---- identifying first ------------------------------------------------------------------- */

/* Compare our learners over all their tasks with the last tenth of tUCB's: the stricter way for
 * ours. */
void segue_claims_check_no_identifying(const segue_paper *paper, segue_finding *finding)
{
    const segue_results *results = paper->results[SEGUE_STUDY_IDENTIFY];
    segue_compare_family family = {.n = 0};
    double smallest = INFINITY;
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        if (strcmp(cell->environment, "paper") != 0 || !strstr(cell->policy, "identify="))
            continue;
        const segue_regret late = segue_compare_final_regret(cell);
        smallest = fmin(smallest, late.mean);
        for (size_t k = 0; k < LEARNERS; k++) {
            const segue_cell *own = ours(paper, learners[k]);
            if (own)
                segue_compare_add(&family, late, own->regret, segue_compare_fewer_runs(own, cell));
        }
    }
    for (size_t k = 0; k < LEARNERS; k++) {
        const segue_cell *own = ours(paper, learners[k]);
        if (own)
            segue_claims_append(
                finding, "%s has regret %.1f (s.e. %.1f) per task over its first %" PRIu64 ". ",
                own->policy, own->regret.mean, own->regret.se, own->tasks);
    }
    segue_compare_judge(&family, finding);
    segue_claims_append(
        finding, "The best tUCB that identifies first has %.1f over the last tenth of %" PRIu64 ".",
        smallest, results->cell[0].tasks);
}
