/* claims_identify.c - the paper's second open question: should the first tasks identify the models?
 *
 * Experiment `identify` plays tUCB that estimates the models once, after its first J0 tasks, and
 * keeps the estimate.  These tasks are played as UCB (the control) or round robin (identification);
 * C and J0 are the same in both, so that a difference is due to identification alone.  eps_j has
 * the logarithm of Theorem 2, which does not contain J: the first tasks of a long run are those of
 * a short one, and one run serves every J.
 *
 * claims.c calls the checks.  The paper says "could": a claim fails only if every pair is worse.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/claims/claims_checks.h"
#include "report/claims/judge.h"

/* A mean regret over a part of the tasks. */
typedef segue_regret mean_function(const segue_cell *cell, uint64_t tasks);

/* Return the cell with the same options but identify; NULL: this cell does not identify. */
static const segue_cell *control_of(const segue_results *results, const segue_cell *cell)
{
    char policy[200];
    const char *start = strstr(cell->policy, "identify=");
    const char *rest = start ? strchr(start, ',') : NULL;
    if (!rest || snprintf(policy, sizeof policy, "%.*s%s", (int)(start - cell->policy),
                          cell->policy, rest + 1) >= (int)sizeof policy)
        return NULL;
    return segue_results_find_in(results, cell->environment, policy, cell->steps, cell->tasks);
}

/* Return the mean regret over the first `tasks` tasks. */
static segue_regret first_tasks(const segue_cell *cell, uint64_t tasks)
{
    return segue_compare_mean_over(cell, SEGUE_TRACK_REGRET, 0, (size_t)(tasks / cell->every));
}

/* The smallest mean over the cells of an environment, with and without identification. */
static void append_best(const segue_results *results, const char *environment, const char *part,
                        mean_function *mean_of, uint64_t tasks, segue_finding *finding)
{
    segue_regret best[2] = {{.mean = INFINITY}, {.mean = INFINITY}};
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i];
        const bool identifies = strstr(cell->policy, "identify=") != NULL;
        const segue_regret mean = mean_of(cell, tasks);
        if (strcmp(cell->environment, environment) == 0 && mean.mean < best[identifies].mean)
            best[identifies] = mean;
    }
    if (isfinite(best[0].mean) && isfinite(best[1].mean))
        segue_claims_append(finding, "%s%s: the best has %.0f (s.e. %.1f), without %.0f (%.1f). ",
                            environment, part, best[1].mean, best[1].se, best[0].mean, best[0].se);
}

static segue_regret last_tenth(const segue_cell *cell, uint64_t tasks)
{
    (void)tasks;
    return segue_compare_final_regret(cell);
}

/* Compare each cell with its control, and describe the outcome. */
static void compare_pairs(const segue_results *results, mean_function *mean_of, const char *part,
                          segue_finding *finding)
{
    const uint64_t tasks = results->cell[0].tasks;
    segue_compare_family family = {.n = 0};
    for (size_t i = 0; i < results->n_cells; i++) {
        const segue_cell *cell = &results->cell[i], *control = control_of(results, cell);
        if (control)
            segue_compare_add(&family, mean_of(control, tasks), mean_of(cell, tasks), cell->runs);
    }
    segue_compare_judge(&family, finding);
    const segue_compare_counts counts = segue_compare_count_all(&family);
    finding->verdict = segue_judge_some(counts);
    segue_claims_append(finding,
                        "Over %s %" PRIu64
                        " tasks identification is better in %zu pairs of %zu, worse in %zu. ",
                        part, tasks, counts.right, family.n, counts.wrong);
}

void segue_claims_check_identify_later(const segue_paper *paper, segue_finding *finding)
{
    const segue_results *results = paper->results[SEGUE_STUDY_IDENTIFY];
    compare_pairs(results, last_tenth, "the last tenth of", finding);
    append_best(results, "paper", "", last_tenth, 0, finding);
    append_best(results, "uniform", "", last_tenth, 0, finding);
    segue_claims_append(finding, "mUCB has %.1f on the paper's models.", paper->mucb->regret.mean);
}

/* The paper says "if J is large": all tasks of the experiment count, and shorter J are described. */
void segue_claims_check_identify_pays(const segue_paper *paper, segue_finding *finding)
{
    const segue_results *results = paper->results[SEGUE_STUDY_IDENTIFY];
    const uint64_t tasks = results->cell[0].tasks;
    compare_pairs(results, first_tasks, "all", finding);
    append_best(results, "paper", ", all tasks", first_tasks, tasks, finding);
    append_best(results, "paper", ", the first tenth", first_tasks, tasks / 10, finding);
    append_best(results, "uniform", ", all tasks", first_tasks, tasks, finding);
    segue_claims_append(finding, "bench/identify plays the grid on three seeds, and its best cells "
                                 "again on fresh ones.");
}
