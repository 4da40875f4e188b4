/* synthetic_paper.c - results of the report's experiments with numbers that a test sets.
 *
 * The cells are what paper.c would read from files; the theory (complexities, spectrum) is set to
 * the paper's printed averages, which a test may change.
 * SPDX-License-Identifier: Apache-2.0 */
#include "synthetic_paper.h"

#include <string.h>

#include "support.h"

enum { MAX_CELLS = 40, EVERY = 10, MODELS = 5 };

/* Add a cell; one with tasks has all tracks of a learner. */
static void add(segue_paper *paper, segue_study study, const char *environment, const char *policy,
                uint64_t steps, uint64_t tasks)
{
    segue_results *results = paper->results[study];
    segue_cell *cell = &results->cell[results->n_cells++];
    assert_true(results->n_cells <= MAX_CELLS);
    *cell = (segue_cell){.environment = strdup(environment),
                         .policy = strdup(policy),
                         .steps = steps,
                         .tasks = tasks,
                         .runs = SYNTHETIC_RUNS,
                         .n_models = MODELS,
                         .every = tasks ? EVERY : 0,
                         .n_points = tasks ? SYNTHETIC_POINTS : 0};
    cell->by_model = calloc(MODELS, sizeof *cell->by_model);
    cell->run_regret = tasks ? calloc(SYNTHETIC_RUNS, sizeof *cell->run_regret) : NULL;
    for (size_t t = 0; t < SEGUE_N_TRACKS && tasks; t++)
        cell->track[t] = calloc((size_t)SYNTHETIC_RUNS * SYNTHETIC_POINTS, sizeof *cell->track[t]);
    set_regret(paper, study, environment, policy, 100.0, 1.0);
}

static void add_all(segue_paper *paper, segue_study study, const char *const *policies,
                    const uint64_t *steps, size_t n_steps, uint64_t tasks)
{
    for (; *policies; policies++)
        for (size_t i = 0; i < n_steps; i++)
            add(paper, study, "paper", *policies, steps[i], tasks);
}

static void add_probes(segue_paper *paper)
{
    static const char *const environments[] = {"paper", "paper-without", "probes",
                                               "probes-without"};
    static const char *const known[] = {"mucb", "mts", "mla"}, *const learned[] = {"tucb", "tts",
                                                                                   "tla"};
    for (size_t e = 0; e < 4; e++)
        for (size_t i = 0; i < 3; i++) {
            add(paper, SEGUE_STUDY_PROBES, environments[e], known[i], 1000, 0);
            if (e % 2 == 0)
                add(paper, SEGUE_STUDY_PROBES_TASKS, environments[e], learned[i], 1000, 100);
        }
}

static void add_cells(segue_paper *paper)
{
    static const uint64_t steps[] = {100, 1000, SYNTHETIC_STEPS};
    static const char *const lengths[] = {"ucb", "ucb+", "mucb", NULL};
    static const char *const baselines[] = {"ts", "kl-ucb", NULL};
    static const char *const tucb[] = {"tucb", NULL};
    static const char *const choices[] = {"tucb:C=0.5", "tucb:C=1", "tucb:C=2",
                                          "tucb:C=4",   "tucb:C=0", NULL};
    static const char *const related[] = {"sw-ucb", "d-ucb", "carried-ucb", "told-ucb", NULL};
    static const char *const ours[] = {"tts", "tla", NULL};
    static const char *const identify[] = {"tucb:freeze=50,C=0.2,eps=theorem",
                                           "tucb:freeze=100,C=0.2,eps=theorem",
                                           "tucb:identify=50,freeze=50,C=0.2,eps=theorem",
                                           "tucb:identify=100,freeze=100,C=0.2,eps=theorem", NULL};
    static const char *const testing[] = {"ucb", "ucb-test", "mucb", NULL};
    static const char *const weights[] = {"tucb", "tucb:weights=pulls", "tucb:C=0.2",
                                          "tucb:C=0.2,freeze=100", NULL};
    add_all(paper, SEGUE_STUDY_LENGTHS, lengths, steps, 3, 0);
    add_all(paper, SEGUE_STUDY_BASELINES, baselines, steps, 3, 0);
    add_all(paper, SEGUE_STUDY_TUCB_LENGTHS, tucb, steps + 1, 1, 100);
    add_all(paper, SEGUE_STUDY_TUCB_LENGTHS, tucb, steps + 1, 1, SYNTHETIC_TASKS);
    add_all(paper, SEGUE_STUDY_TUCB_TASKS, tucb, steps + 2, 1, 100);
    add_all(paper, SEGUE_STUDY_TUCB_TASKS, tucb, steps + 2, 1, SYNTHETIC_TASKS);
    add_all(paper, SEGUE_STUDY_TUCB_CHOICES, choices, steps + 2, 1, SYNTHETIC_TASKS);
    add_all(paper, SEGUE_STUDY_RELATED, related, steps + 2, 1, 100);
    add_all(paper, SEGUE_STUDY_OURS, ours, steps + 1, 2, 100);
    add_all(paper, SEGUE_STUDY_IDENTIFY, identify, steps + 2, 1, SYNTHETIC_TASKS);
    add_all(paper, SEGUE_STUDY_WEIGHTS, weights, steps + 2, 1, SYNTHETIC_TASKS);
    add_all(paper, SEGUE_STUDY_THREE_PULLS, tucb, steps, 1, SYNTHETIC_TASKS);
    add_all(paper, SEGUE_STUDY_FRESH_REWARDS, tucb, steps + 2, 1, SYNTHETIC_TASKS);
    static const char *const estimators[] = {"tucb", "tucb:estimator=algorithm-b",
                                             "tucb:estimator=eca", "tucb:estimator=em", NULL};
    add_all(paper, SEGUE_STUDY_ESTIMATORS, estimators, steps + 2, 1, SYNTHETIC_TASKS);
    add_probes(paper);
    for (size_t i = 0; testing[i]; i++) {
        add(paper, SEGUE_STUDY_TESTING, "paper", testing[i], SYNTHETIC_STEPS, 0);
        add(paper, SEGUE_STUDY_TESTING, "testable", testing[i], SYNTHETIC_STEPS, 0);
    }
}

/* Point to the cells that others are compared with, as paper.c does. */
static void point(segue_paper *paper)
{
    const segue_results *tasks = paper->results[SEGUE_STUDY_TUCB_TASKS];
    const segue_results *lengths = paper->results[SEGUE_STUDY_LENGTHS];
    paper->tucb = calloc(4, sizeof *paper->tucb);
    for (size_t i = 0; i < 2; i++)
        paper->tucb[paper->n_tucb++] = &paper->results[SEGUE_STUDY_TUCB_LENGTHS]->cell[i];
    for (size_t i = 0; i < 2; i++)
        paper->tucb[paper->n_tucb++] = &tasks->cell[i];
    paper->longest = &tasks->cell[1];
    paper->ucb = segue_results_find(lengths, "ucb", SYNTHETIC_STEPS, 0);
    paper->ucb_plus = segue_results_find(lengths, "ucb+", SYNTHETIC_STEPS, 0);
    paper->mucb = segue_results_find(lengths, "mucb", SYNTHETIC_STEPS, 0);
}

segue_paper *synthetic_paper(void)
{
    static const double printed[] = {26.57, 15.11, 3.27};
    segue_paper *paper = calloc(1, sizeof *paper);
    for (size_t i = 0; i < SEGUE_N_STUDIES; i++) {
        paper->results[i] = calloc(1, sizeof *paper->results[i]);
        paper->results[i]->cell = calloc(MAX_CELLS, sizeof *paper->results[i]->cell);
    }
    add_cells(paper);
    point(paper);
    paper->models = paper_models();
    paper->complexity = calloc(MODELS, sizeof *paper->complexity);
    memcpy(paper->average, printed, sizeof printed);
    paper->spectrum = (segue_spectrum){.sigma_min = 0.0039, .gap = 0.0038};
    paper->smallest_gap = 0.05;
    paper->gap_sum = 2.0;
    return paper;
}

void destroy_synthetic_paper(segue_paper *paper)
{
    segue_paper_destroy(paper);
}

/* True if a cell is meant; NULL and 0 mean any. */
static bool is_meant(const segue_cell *cell, const char *environment, const char *policy,
                     uint64_t steps)
{
    return strcmp(cell->policy, policy) == 0 && (!steps || cell->steps == steps) &&
           (!environment || strcmp(cell->environment, environment) == 0);
}

/* Runs differ by +-spread, so that the standard deviation over runs is about `spread`. */
static double offset(uint64_t run, double spread)
{
    return run % 2 ? spread : -spread;
}

static void fill(segue_cell *cell, double mean, double se)
{
    const double spread = se * sqrt((double)SYNTHETIC_RUNS - 1.0);
    cell->regret = (segue_regret){.mean = mean, .se = se};
    for (size_t k = 0; k < MODELS; k++)
        cell->by_model[k] = cell->regret;
    for (uint64_t run = 0; run < SYNTHETIC_RUNS && cell->tasks; run++) {
        cell->run_regret[run] = mean + offset(run, spread);
        for (size_t p = 0; p < SYNTHETIC_POINTS; p++)
            cell->track[SEGUE_TRACK_REGRET][run * SYNTHETIC_POINTS + p] =
                mean + offset(run, spread);
    }
}

void set_regret(segue_paper *paper, segue_study study, const char *environment, const char *policy,
                double mean, double se)
{
    segue_results *results = paper->results[study];
    for (size_t i = 0; i < results->n_cells; i++)
        if (is_meant(&results->cell[i], environment, policy, 0))
            fill(&results->cell[i], mean, se);
}

void set_regret_at(segue_paper *paper, segue_study study, const char *policy, uint64_t steps,
                   double mean, double se)
{
    segue_results *results = paper->results[study];
    for (size_t i = 0; i < results->n_cells; i++)
        if (is_meant(&results->cell[i], NULL, policy, steps))
            fill(&results->cell[i], mean, se);
}

void set_line(segue_paper *paper, segue_study study, const char *policy, segue_track track,
              double start, double end, double spread)
{
    segue_results *results = paper->results[study];
    for (size_t i = 0; i < results->n_cells; i++) {
        segue_cell *cell = &results->cell[i];
        for (uint64_t run = 0; run < SYNTHETIC_RUNS && is_meant(cell, NULL, policy, 0); run++)
            for (size_t p = 0; p < SYNTHETIC_POINTS; p++)
                cell->track[track][run * SYNTHETIC_POINTS + p] =
                    start + (end - start) * (double)p / (SYNTHETIC_POINTS - 1) +
                    offset(run, spread);
    }
}
