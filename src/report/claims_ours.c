/* claims_ours.c - our learners beside the paper's, and the two questions that it leaves open.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/judge.h"

static const char *const learners[] = {"tts", "tla"};
#define LEARNERS (sizeof learners / sizeof *learners)

static uint64_t fewer_runs(const segue_cell *a, const segue_cell *b)
{
    return a->runs < b->runs ? a->runs : b->runs;
}

/* A learner's cell for tasks as long as those of tUCB. */
static const segue_cell *ours(const segue_paper *paper, const char *policy)
{
    const segue_results *results = paper->results[SEGUE_OURS];
    return segue_results_find(results, policy, paper->longest->steps, results->cell[0].tasks);
}

/* ---- our learners ------------------------------------------------------------------------ */

void segue_check_transfer(const segue_paper *paper, segue_finding *f)
{
    const segue_results *results = paper->results[SEGUE_OURS];
    segue_tally t = {.right = 0};
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        const segue_cell *ts =
            segue_results_find(paper->results[SEGUE_BASELINES], "ts", cell->steps, 0);
        if (!ts || (strcmp(cell->policy, "tts") != 0 && strcmp(cell->policy, "tla") != 0))
            continue;
        segue_count(&t, segue_compare_cells(ts, cell));
        segue_say(f, "n = %" PRIu64 ": %s %.1f (s.e. %.1f), ts %.1f (s.e. %.1f). ", cell->steps,
                  cell->policy, cell->regret.mean, cell->regret.se, ts->regret.mean, ts->regret.se);
    }
    f->verdict = segue_judge(&t);
    segue_say(f, "Averages over %" PRIu64 " tasks, the first ones among them.",
              results->cell[0].tasks);
}

void segue_check_sooner(const segue_paper *paper, segue_finding *f)
{
    const segue_cell *longest = paper->longest;
    const segue_regret end = segue_end_of(longest);
    segue_tally t = {.right = 0};
    for (size_t i = 0; i < LEARNERS; i++) {
        const segue_cell *cell = ours(paper, learners[i]);
        if (!cell)
            continue;
        segue_count(&t, segue_compare(end, cell->regret, fewer_runs(cell, longest)));
        segue_say(f, "Over its first %" PRIu64 " tasks %s has regret %.1f (s.e. %.1f) a task. ",
                  cell->tasks, cell->policy, cell->regret.mean, cell->regret.se);
    }
    f->verdict = segue_judge(&t);
    segue_say(f, "tUCB has %.1f (s.e. %.1f) over the last tenth of %" PRIu64 ".", end.mean, end.se,
              longest->tasks);
}

void segue_check_learned(const segue_paper *paper, segue_finding *f)
{
    segue_tally t = {.right = 0};
    for (size_t i = 0; i < LEARNERS; i++) {
        const segue_cell *cell = ours(paper, learners[i]);
        if (!cell)
            continue;
        const size_t from = 2 * cell->n_points / 3;
        const segue_regret late = segue_mean_over(cell, SEGUE_TRACK_REGRET, from, cell->n_points);
        segue_count(&t, segue_compare(paper->mucb->regret, late, fewer_runs(cell, paper->mucb)));
        segue_say(f, "Over the last third of %" PRIu64 " tasks %s has %.1f (s.e. %.1f) a task. ",
                  cell->tasks, cell->policy, late.mean, late.se);
    }
    f->verdict = segue_judge(&t);
    segue_say(f, "mUCB has %.1f (s.e. %.1f).", paper->mucb->regret.mean, paper->mucb->regret.se);
}

/* ---- arms that are best for no model ----------------------------------------------------- */

/* Look-ahead at one n beside those that pull no such arm, and where there is none. */
static void compare_probing(const segue_results *results, const segue_cell *mla, segue_tally *t,
                            segue_finding *f, bool tell)
{
    static const char *const others[] = {"mucb", "mts"};
    char without[100];
    (void)snprintf(without, sizeof without, "%s-without", mla->environment);
    const segue_cell *bare = segue_results_find_in(results, without, "mla", mla->steps, 0);
    if (tell)
        segue_say(f, "%s, n = %" PRIu64 ": mLA %.1f (s.e. %.1f), with %.1f pulls of such arms",
                  mla->environment, mla->steps, mla->regret.mean, mla->regret.se,
                  mla->never_best.mean);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const segue_cell *other =
            segue_results_find_in(results, mla->environment, others[i], mla->steps, 0);
        if (!other)
            continue;
        segue_count(t, segue_compare_cells(other, mla));
        if (tell)
            segue_say(f, "; %s %.1f (%.1f), with %.1f", others[i], other->regret.mean,
                      other->regret.se, other->never_best.mean);
    }
    if (bare) {
        segue_count(t, segue_compare_cells(bare, mla));
        if (tell)
            segue_say(f, "; mLA where these arms are left out %.1f (%.1f)", bare->regret.mean,
                      bare->regret.se);
    }
    if (tell)
        segue_say(f, ". ");
}

/* The longest tasks of an environment. */
static bool is_longest(const segue_results *results, const segue_cell *cell)
{
    for (size_t i = 0; i < results->n_cells; i++)
        if (strcmp(results->cell[i].environment, cell->environment) == 0 &&
            results->cell[i].steps > cell->steps)
            return false;
    return true;
}

void segue_check_probing(const segue_paper *paper, segue_finding *f)
{
    const segue_results *results = paper->results[SEGUE_PROBES];
    segue_tally t = {.right = 0};
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        if (strcmp(cell->policy, "mla") == 0 && !strstr(cell->environment, "-without"))
            compare_probing(results, cell, &t, f, is_longest(results, cell));
    }
    f->verdict = segue_judge(&t);
    segue_say(f,
              "Of %zu comparisons, over all n, look-ahead comes out better in %zu and worse in "
              "%zu; %zu are too close to tell.",
              t.right + t.wrong + t.open, t.right, t.wrong, t.open);
}

void segue_check_probing_learned(const segue_paper *paper, segue_finding *f)
{
    const segue_results *results = paper->results[SEGUE_PROBES_TASKS];
    segue_tally t = {.right = 0};
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        const segue_cell *tla =
            segue_results_find_in(results, cell->environment, "tla", cell->steps, cell->tasks);
        if (tla && tla != cell)
            segue_count(&t, segue_compare_cells(cell, tla));
        segue_say(f, "%s, %s: %.1f (s.e. %.1f), with %.1f pulls of arms best for no model. ",
                  cell->environment, cell->policy, cell->regret.mean, cell->regret.se,
                  cell->never_best.mean);
    }
    f->verdict = segue_judge(&t);
    segue_say(f, "n = %" PRIu64 ", averages over %" PRIu64 " tasks.", results->cell[0].steps,
              results->cell[0].tasks);
}

/* ---- identifying first ------------------------------------------------------------------- */

/* tUCB that does not identify first, with the C of `cell`: of another experiment. */
static const segue_cell *plain_of(const segue_paper *paper, const segue_cell *cell)
{
    const segue_results *choices = paper->results[SEGUE_TUCB_CHOICES];
    if (strstr(cell->policy, "C=0.5"))
        return segue_results_find(choices, "tucb:C=0.5", cell->steps, cell->tasks);
    return segue_results_find(paper->results[SEGUE_TUCB_TASKS], "tucb", cell->steps, cell->tasks);
}

void segue_check_identify_later(const segue_paper *paper, segue_finding *f)
{
    const segue_results *results = paper->results[SEGUE_IDENTIFY];
    segue_tally t = {.right = 0};
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i], *plain = plain_of(paper, cell);
        if (!plain)
            continue;
        const segue_regret late = segue_end_of(cell), usual = segue_end_of(plain);
        segue_count(&t, segue_compare(usual, late, fewer_runs(cell, plain)));
        segue_say(f, "%s: %.1f (s.e. %.1f), against %.1f (%.1f). ", cell->policy, late.mean,
                  late.se, usual.mean, usual.se);
    }
    f->verdict = segue_judge(&t);
    segue_say(f,
              "Regret a task over the last tenth of %" PRIu64
              ", against the same without identification; mUCB has %.1f. tUCB trusts its models "
              "to within eps_j, which counts tasks and not how well they were sampled.",
              results->cell[0].tasks, paper->mucb->regret.mean);
}

void segue_check_identify_pays(const segue_paper *paper, segue_finding *f)
{
    const segue_results *results = paper->results[SEGUE_IDENTIFY];
    segue_tally t = {.right = 0};
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i], *plain = plain_of(paper, cell);
        if (!plain)
            continue;
        segue_count(&t, segue_compare_cells(plain, cell));
        segue_say(f, "%s: %.1f (s.e. %.1f), against %.1f (%.1f). ", cell->policy, cell->regret.mean,
                  cell->regret.se, plain->regret.mean, plain->regret.se);
    }
    f->verdict = segue_judge(&t);
    segue_say(f,
              "Regret a task over all %" PRIu64
              ", those of identification among them, against the same without it.",
              results->cell[0].tasks);
}

void segue_check_no_identifying(const segue_paper *paper, segue_finding *f)
{
    const segue_results *results = paper->results[SEGUE_IDENTIFY];
    segue_tally t = {.right = 0};
    double least = INFINITY;
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        const segue_regret late = segue_end_of(cell);
        least = fmin(least, late.mean);
        for (size_t k = 0; k < LEARNERS; k++) {
            const segue_cell *own = ours(paper, learners[k]);
            if (own)
                segue_count(&t, segue_compare(late, own->regret, fewer_runs(own, cell)));
        }
    }
    for (size_t k = 0; k < LEARNERS; k++) {
        const segue_cell *own = ours(paper, learners[k]);
        if (own)
            segue_say(f, "%s has regret %.1f (s.e. %.1f) a task over its first %" PRIu64 ". ",
                      own->policy, own->regret.mean, own->regret.se, own->tasks);
    }
    f->verdict = segue_judge(&t);
    segue_say(f, "The best tUCB that identifies first has %.1f over the last tenth of %" PRIu64 ".",
              least, results->cell[0].tasks);
}
