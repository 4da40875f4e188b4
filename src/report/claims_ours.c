/* claims_ours.c - our learners beside the paper's, and the two questions that it leaves open.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/compare.h"

static const char *const learners[] = {"tts", "tla"};
#define LEARNERS (sizeof learners / sizeof *learners)

static uint64_t fewer_runs(const segue_cell *a, const segue_cell *b)
{
    return a->runs < b->runs ? a->runs : b->runs;
}

/* A learner's cell for tasks as long as those of tUCB. */
static const segue_cell *ours(const segue_paper *paper, const char *policy)
{
    const segue_results *results = paper->results[SEGUE_STUDY_OURS];
    return segue_results_find(results, policy, paper->longest->steps, results->cell[0].tasks);
}

/* ---- our learners ------------------------------------------------------------------------ */

void segue_claims_check_transfer(const segue_paper *paper, segue_finding *f)
{
    const segue_results *results = paper->results[SEGUE_STUDY_OURS];
    segue_compare_counts t = {.right = 0};
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        const segue_cell *ts =
            segue_results_find(paper->results[SEGUE_STUDY_BASELINES], "ts", cell->steps, 0);
        if (!ts || (strcmp(cell->policy, "tts") != 0 && strcmp(cell->policy, "tla") != 0))
            continue;
        segue_compare_count(&t, segue_compare_cells(ts, cell));
        segue_claims_append(f, "n = %" PRIu64 ": %s %.1f (s.e. %.1f), ts %.1f (s.e. %.1f). ",
                            cell->steps, cell->policy, cell->regret.mean, cell->regret.se,
                            ts->regret.mean, ts->regret.se);
    }
    f->verdict = segue_compare_verdict(&t);
    segue_claims_append(f, "Averages over %" PRIu64 " tasks, the first ones among them.",
                        results->cell[0].tasks);
}

void segue_claims_check_sooner(const segue_paper *paper, segue_finding *f)
{
    const segue_cell *longest = paper->longest;
    const segue_regret end = segue_compare_final_regret(longest);
    segue_compare_counts t = {.right = 0};
    for (size_t i = 0; i < LEARNERS; i++) {
        const segue_cell *cell = ours(paper, learners[i]);
        if (!cell)
            continue;
        segue_compare_count(&t,
                            segue_compare_regrets(end, cell->regret, fewer_runs(cell, longest)));
        segue_claims_append(
            f, "Over its first %" PRIu64 " tasks %s has regret %.1f (s.e. %.1f) a task. ",
            cell->tasks, cell->policy, cell->regret.mean, cell->regret.se);
    }
    f->verdict = segue_compare_verdict(&t);
    segue_claims_append(f, "tUCB has %.1f (s.e. %.1f) over the last tenth of %" PRIu64 ".",
                        end.mean, end.se, longest->tasks);
}

void segue_claims_check_learned(const segue_paper *paper, segue_finding *f)
{
    segue_compare_counts t = {.right = 0};
    for (size_t i = 0; i < LEARNERS; i++) {
        const segue_cell *cell = ours(paper, learners[i]);
        if (!cell)
            continue;
        const size_t from = 2 * cell->n_points / 3;
        const segue_regret late =
            segue_compare_mean_over(cell, SEGUE_TRACK_REGRET, from, cell->n_points);
        segue_compare_count(
            &t, segue_compare_regrets(paper->mucb->regret, late, fewer_runs(cell, paper->mucb)));
        segue_claims_append(
            f, "Over the last third of %" PRIu64 " tasks %s has %.1f (s.e. %.1f) a task. ",
            cell->tasks, cell->policy, late.mean, late.se);
    }
    f->verdict = segue_compare_verdict(&t);
    segue_claims_append(f, "mUCB has %.1f (s.e. %.1f).", paper->mucb->regret.mean,
                        paper->mucb->regret.se);
}

/* ---- arms that are best for no model ----------------------------------------------------- */

/* What look-ahead is compared with: two that pull no such arm, and itself where there is none. */
enum { BESIDE_MUCB, BESIDE_MTS, BESIDE_BARE, BESIDES };
static const char *const besides[BESIDES] = {"mUCB", "mTS", "mLA where these arms are left out"};

static const segue_cell *beside(const segue_results *results, const segue_cell *mla, size_t which)
{
    static const char *const policies[BESIDES] = {"mucb", "mts", "mla"};
    char place[100];
    (void)snprintf(place, sizeof place, "%s%s", mla->environment,
                   which == BESIDE_BARE ? "-without" : "");
    return segue_results_find_in(results, place, policies[which], mla->steps, 0);
}

static void compare_probing(const segue_results *results, const segue_cell *mla,
                            segue_compare_counts *tally)
{
    for (size_t i = 0; i < BESIDES; i++) {
        const segue_cell *other = beside(results, mla, i);
        if (other)
            segue_compare_count(&tally[i], segue_compare_cells(other, mla));
    }
}

/* The same in words. */
static void tell_probing(const segue_results *results, const segue_cell *mla, segue_finding *f)
{
    segue_claims_append(f,
                        "%s, where such arms help most (n = %" PRIu64
                        "): mLA %.1f (s.e. %.1f), with %.1f pulls of them",
                        mla->environment, mla->steps, mla->regret.mean, mla->regret.se,
                        mla->never_best.mean);
    for (size_t i = 0; i < BESIDES; i++) {
        const segue_cell *other = beside(results, mla, i);
        if (other)
            segue_claims_append(f, "; %s %.1f (%.1f)", besides[i], other->regret.mean,
                                other->regret.se);
    }
    segue_claims_append(f, ". ");
}

/* Whether look-ahead gains most by such arms at this n, of those of its environment. */
static bool gains_most(const segue_results *results, const segue_cell *mla)
{
    const segue_cell *bare = beside(results, mla, BESIDE_BARE);
    for (size_t i = 0; bare && i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i], *own = beside(results, cell, BESIDE_BARE);
        if (strcmp(cell->policy, "mla") == 0 && own &&
            strcmp(cell->environment, mla->environment) == 0 &&
            own->regret.mean - cell->regret.mean > bare->regret.mean - mla->regret.mean)
            return false;
    }
    return bare != NULL;
}

void segue_claims_check_probing(const segue_paper *paper, segue_finding *f)
{
    const segue_results *results = paper->results[SEGUE_STUDY_PROBES];
    segue_compare_counts tally[BESIDES] = {{.right = 0}}, all = {.right = 0};
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        if (strcmp(cell->policy, "mla") != 0 || strstr(cell->environment, "-without"))
            continue;
        compare_probing(results, cell, tally);
        if (gains_most(results, cell))
            tell_probing(results, cell, f);
    }
    for (size_t i = 0; i < BESIDES; i++) {
        all.right += tally[i].right;
        all.wrong += tally[i].wrong;
        all.open += tally[i].open;
        segue_claims_append(
            f, "Beside %s, over all n, mLA is better in %zu, worse in %zu, too close in %zu. ",
            besides[i], tally[i].right, tally[i].wrong, tally[i].open);
    }
    f->verdict = segue_compare_verdict(&all);
}

/* Whether tLA is better by such arms: does it pull them more often? */
static void tell_learned_probing(const segue_results *results, segue_finding *f)
{
    const segue_cell *first = &results->cell[0];
    const segue_cell *tts =
        segue_results_find_in(results, "probes", "tts", first->steps, first->tasks);
    const segue_cell *tla =
        segue_results_find_in(results, "probes", "tla", first->steps, first->tasks);
    if (!tts || !tla)
        return;
    segue_claims_append(
        f,
        "Among the models with probes tLA pulls arms that are best for no model %.1f times "
        "a task and tTS %.1f times: ",
        tla->never_best.mean, tts->never_best.mean);
    segue_claims_append(f, tla->never_best.mean > tts->never_best.mean
                               ? "it probes. "
                               : "what it gains does not come of probing. ");
}

void segue_claims_check_probing_learned(const segue_paper *paper, segue_finding *f)
{
    const segue_results *results = paper->results[SEGUE_STUDY_PROBES_TASKS];
    segue_compare_counts t = {.right = 0};
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        const segue_cell *tla =
            segue_results_find_in(results, cell->environment, "tla", cell->steps, cell->tasks);
        if (tla && tla != cell)
            segue_compare_count(&t, segue_compare_cells(cell, tla));
        segue_claims_append(f, "%s, %s: %.1f (s.e. %.1f). ", cell->environment, cell->policy,
                            cell->regret.mean, cell->regret.se);
    }
    f->verdict = segue_compare_verdict(&t);
    tell_learned_probing(results, f);
    segue_claims_append(f, "n = %" PRIu64 ", averages over %" PRIu64 " tasks.",
                        results->cell[0].steps, results->cell[0].tasks);
}

/* ---- identifying first ------------------------------------------------------------------- */

/* tUCB that does not identify first, with the C of `cell`: of another experiment. */
static const segue_cell *plain_of(const segue_paper *paper, const segue_cell *cell)
{
    const segue_results *choices = paper->results[SEGUE_STUDY_TUCB_CHOICES];
    if (strstr(cell->policy, "C=0.5"))
        return segue_results_find(choices, "tucb:C=0.5", cell->steps, cell->tasks);
    return segue_results_find(paper->results[SEGUE_STUDY_TUCB_TASKS], "tucb", cell->steps,
                              cell->tasks);
}

static segue_regret all_of(const segue_cell *cell)
{
    return cell->regret;
}

/* Each way to identify first against the same without, by regret over a part of the tasks. */
static void compare_to_plain(const segue_paper *paper, segue_regret (*part)(const segue_cell *),
                             segue_finding *f)
{
    const segue_results *results = paper->results[SEGUE_STUDY_IDENTIFY];
    segue_compare_counts t = {.right = 0};
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i], *plain = plain_of(paper, cell);
        if (!plain)
            continue;
        const segue_regret first = part(cell), usual = part(plain);
        segue_compare_count(&t, segue_compare_regrets(usual, first, fewer_runs(cell, plain)));
        segue_claims_append(f, "%s: %.1f (s.e. %.1f), against %.1f (%.1f). ", cell->policy,
                            first.mean, first.se, usual.mean, usual.se);
    }
    f->verdict = segue_compare_verdict(&t);
}

void segue_claims_check_identify_later(const segue_paper *paper, segue_finding *f)
{
    compare_to_plain(paper, segue_compare_final_regret, f);
    segue_claims_append(
        f,
        "Regret a task over the last tenth of %" PRIu64
        ", against the same without identification; mUCB has %.1f. tUCB trusts its models "
        "to within eps_j, which counts tasks and not how well they were sampled.",
        paper->results[SEGUE_STUDY_IDENTIFY]->cell[0].tasks, paper->mucb->regret.mean);
}

void segue_claims_check_identify_pays(const segue_paper *paper, segue_finding *f)
{
    compare_to_plain(paper, all_of, f);
    segue_claims_append(f,
                        "Regret a task over all %" PRIu64
                        ", those of identification among them, against the same without it.",
                        paper->results[SEGUE_STUDY_IDENTIFY]->cell[0].tasks);
}

void segue_claims_check_no_identifying(const segue_paper *paper, segue_finding *f)
{
    const segue_results *results = paper->results[SEGUE_STUDY_IDENTIFY];
    segue_compare_counts t = {.right = 0};
    double least = INFINITY;
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        const segue_regret late = segue_compare_final_regret(cell);
        least = fmin(least, late.mean);
        for (size_t k = 0; k < LEARNERS; k++) {
            const segue_cell *own = ours(paper, learners[k]);
            if (own)
                segue_compare_count(
                    &t, segue_compare_regrets(late, own->regret, fewer_runs(own, cell)));
        }
    }
    for (size_t k = 0; k < LEARNERS; k++) {
        const segue_cell *own = ours(paper, learners[k]);
        if (own)
            segue_claims_append(
                f, "%s has regret %.1f (s.e. %.1f) a task over its first %" PRIu64 ". ",
                own->policy, own->regret.mean, own->regret.se, own->tasks);
    }
    f->verdict = segue_compare_verdict(&t);
    segue_claims_append(
        f, "The best tUCB that identifies first has %.1f over the last tenth of %" PRIu64 ".",
        least, results->cell[0].tasks);
}
