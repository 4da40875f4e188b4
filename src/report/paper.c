/* paper.c - read the results of the report, check that they belong together, and compute the
 * theory.
 *
 * The report is written from the result files alone: all experiments must have one seed, variant,
 * version and model set. What passes here needs no test later: claims and sections use the pointers
 * of segue_paper freely.
 *
 * `segue paper` calls segue_paper_read after its experiments.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/models_json.h"
#include "segue/internal.h"
#include "segue/learner.h"
#include "segue/policy.h"

/* Indexed by segue_study. experiments/NAME.json defines an experiment; data/NAME.json has its
 * results. */
static const char *const study_names[SEGUE_N_STUDIES] = {
    [SEGUE_STUDY_LENGTHS] = "lengths",
    [SEGUE_STUDY_BASELINES] = "baselines",
    [SEGUE_STUDY_TUCB_LENGTHS] = "tucb-lengths",
    [SEGUE_STUDY_TUCB_TASKS] = "tucb-tasks",
    [SEGUE_STUDY_TUCB_CHOICES] = "tucb-choices",
    [SEGUE_STUDY_RELATED] = "related",
    [SEGUE_STUDY_OURS] = "ours",
    [SEGUE_STUDY_PROBES] = "probes",
    [SEGUE_STUDY_PROBES_TASKS] = "probes-tasks",
    [SEGUE_STUDY_IDENTIFY] = "identify",
    [SEGUE_STUDY_THREE_PULLS] = "three-pulls",
    [SEGUE_STUDY_FRESH_REWARDS] = "fresh-rewards",
    [SEGUE_STUDY_WEIGHTS] = "weights",
    [SEGUE_STUDY_SENSITIVITY] = "sensitivity",
    [SEGUE_STUDY_LAWS] = "laws",
    [SEGUE_STUDY_TESTING] = "testing",
    [SEGUE_STUDY_ESTIMATORS] = "estimators",
    [SEGUE_STUDY_SWEEP] = "sweep",
};

const char *segue_paper_study_name(segue_study study)
{
    return study_names[study];
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Fail because the results of a study lack something. */
static segue_status lacks(segue_study study, const char *what, segue_error *err)
{
    return segue_fail(err, SEGUE_EDOMAIN, "the results of '%s' lack %s, which the report needs",
                      study_names[study], what);
}

/* Read the results of all studies. */
static segue_status read_results(segue_paper *paper, const char *folder, segue_error *err)
{
    for (size_t i = 0; i < SEGUE_N_STUDIES; i++) {
        char path[4096];
        if (snprintf(path, sizeof path, "%s/%s.json", folder, study_names[i]) >= (int)sizeof path)
            return segue_fail(
                err, SEGUE_EFILE,
                "the path of the folder %.60s... is too long; need less than 4096 bytes", folder);
        SEGUE_TRY(segue_results_read(&paper->results[i], path, err));
    }
    return SEGUE_OK;
}

/* Return the environment with the paper's models: the only one, or the one named "paper". */
static const json_t *environment_of(const segue_results *results)
{
    const json_t *all = json_object_get(results->experiment, "environment");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *one = json_array_get(all, i);
        const char *name = json_string_value(json_object_get(one, "name"));
        if (name && strcmp(name, "paper") == 0)
            return one;
    }
    return all;
}

/* Read the models, which must be the same in all experiments. */
static segue_status read_models(segue_paper *paper, segue_error *err)
{
    json_t *first = NULL;
    for (size_t i = 0; i < SEGUE_N_STUDIES; i++) {
        json_t *models = json_object_get(environment_of(paper->results[i]), "models");
        if (!json_is_object(models))
            return lacks((segue_study)i, "an environment with the paper's models", err);
        if (first && !json_equal(first, models))
            return lacks((segue_study)i, "the models of the other experiments", err);
        first = models;
    }
    const segue_json_location at = {.path = study_names[0], .within = "environment."};
    return segue_models_json_parse(&paper->models, &at, "models", first, err);
}

/* Check that all have one seed, variant and version, and finite numbers. */
static segue_status check_results(const segue_paper *paper, segue_error *err)
{
    const segue_results *first = paper->results[0];
    for (size_t i = 0; i < SEGUE_N_STUDIES; i++) {
        const segue_results *results = paper->results[i];
        if (results->seed != first->seed || strcmp(results->variant, first->variant) != 0 ||
            strcmp(results->version, first->version) != 0)
            return lacks((segue_study)i, "the seed, variant and version of the other experiments",
                         err);
        for (size_t k = 0; k < results->n_cells; k++)
            if (!isfinite(results->cell[k].regret.mean))
                return lacks((segue_study)i, "a regret that is a number", err);
    }
    return SEGUE_OK;
}

/* Check that every n has the three policies of the paper. */
static segue_status check_lengths(const segue_paper *paper, segue_error *err)
{
    static const char *const policies[] = {"ucb", "ucb+", "mucb"};
    const segue_results *lengths = paper->results[SEGUE_STUDY_LENGTHS];
    for (size_t i = 0; i < lengths->n_cells; i++)
        for (size_t k = 0; k < 3; k++)
            if (!segue_results_find(lengths, policies[k], lengths->cell[i].steps, 0))
                return lacks(SEGUE_STUDY_LENGTHS, "ucb, ucb+ or mucb at some length", err);
    return SEGUE_OK;
}

/* Insert a cell in the order of n, then J; skip one whose n and J exist. */
static void insert_tucb(segue_paper *paper, const segue_cell *cell)
{
    size_t at = paper->n_tucb;
    if (segue_paper_tucb(paper, cell->steps, cell->tasks))
        return;
    for (; at > 0; at--) {
        const segue_cell *before = paper->tucb[at - 1];
        if (before->steps < cell->steps ||
            (before->steps == cell->steps && before->tasks < cell->tasks))
            break;
        paper->tucb[at] = before;
    }
    paper->tucb[at] = cell;
    paper->n_tucb++;
}

/* Collect tUCB over n and J from both experiments. */
static segue_status collect_tucb(segue_paper *paper, segue_error *err)
{
    const segue_results *tasks = paper->results[SEGUE_STUDY_TUCB_TASKS];
    const segue_results *lengths = paper->results[SEGUE_STUDY_TUCB_LENGTHS];
    paper->n_tucb = 0;
    paper->tucb = calloc(tasks->n_cells + lengths->n_cells, sizeof *paper->tucb);
    if (!paper->tucb)
        return segue_fail_no_memory(err, "the report");
    for (size_t i = 0; i < tasks->n_cells; i++)
        insert_tucb(paper, &tasks->cell[i]);
    for (size_t i = 0; i < lengths->n_cells; i++)
        insert_tucb(paper, &lengths->cell[i]);
    return SEGUE_OK;
}

const segue_cell *segue_paper_tucb(const segue_paper *paper, uint64_t steps, uint64_t tasks)
{
    for (size_t i = 0; i < paper->n_tucb; i++)
        if (paper->tucb[i]->steps == steps && paper->tucb[i]->tasks == tasks)
            return paper->tucb[i];
    return NULL;
}

/* Check that tucb-tasks has one n, and that the J fit into a table. */
static segue_status check_tasks(const segue_paper *paper, segue_error *err)
{
    const segue_results *tasks = paper->results[SEGUE_STUDY_TUCB_TASKS];
    size_t n_tasks = 0;
    for (size_t i = 0; i < tasks->n_cells; i++)
        if (tasks->cell[i].steps != tasks->cell[0].steps)
            return lacks(SEGUE_STUDY_TUCB_TASKS, "a single number of steps", err);
    for (size_t i = 0; i < paper->n_tucb; i++)
        n_tasks += paper->tucb[i]->steps == paper->tucb[0]->steps;
    if (n_tasks > SEGUE_MAX_TABLE_TASKS)
        return lacks(SEGUE_STUDY_TUCB_LENGTHS, "a list of at most six numbers of tasks", err);
    return SEGUE_OK;
}

/* Check that the experiments of curves over tasks have points. */
static segue_status check_points(const segue_paper *paper, segue_error *err)
{
    static const segue_study studies[] = {
        SEGUE_STUDY_TUCB_CHOICES, SEGUE_STUDY_RELATED,     SEGUE_STUDY_OURS,
        SEGUE_STUDY_IDENTIFY,     SEGUE_STUDY_THREE_PULLS, SEGUE_STUDY_FRESH_REWARDS,
        SEGUE_STUDY_WEIGHTS,      SEGUE_STUDY_ESTIMATORS,  SEGUE_STUDY_SWEEP};
    for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
        const segue_results *results = paper->results[studies[i]];
        for (size_t k = 0; k < results->n_cells; k++)
            if (!results->cell[k].track[SEGUE_TRACK_REGRET])
                return lacks(studies[i], "points over tasks ('every')", err);
    }
    return SEGUE_OK;
}

/* Check that the control of fresh rewards was played. */
static segue_status check_fresh(const segue_paper *paper, segue_error *err)
{
    const segue_cell *cell = &paper->results[SEGUE_STUDY_FRESH_REWARDS]->cell[0];
    return cell->track[SEGUE_TRACK_FRESH] && cell->n_points >= 4
               ? SEGUE_OK
               : lacks(SEGUE_STUDY_FRESH_REWARDS, "four points of the control 'fresh-rewards'",
                       err);
}

/* Find the cells that others are compared with. */
static segue_status find_cells(segue_paper *paper, segue_error *err)
{
    const segue_results *tasks = paper->results[SEGUE_STUDY_TUCB_TASKS];
    for (size_t i = 0; i < tasks->n_cells; i++) {
        const segue_cell *cell = &tasks->cell[i];
        if (strcmp(cell->policy, "tucb") != 0 || !cell->track[SEGUE_TRACK_COMPLEXITY])
            return lacks(SEGUE_STUDY_TUCB_TASKS, "points over tasks ('every') of the policy tucb",
                         err);
        if (!paper->longest || cell->tasks > paper->longest->tasks)
            paper->longest = cell;
    }
    const segue_results *lengths = paper->results[SEGUE_STUDY_LENGTHS];
    paper->ucb = segue_results_find(lengths, "ucb", paper->longest->steps, 0);
    paper->ucb_plus = segue_results_find(lengths, "ucb+", paper->longest->steps, 0);
    paper->mucb = segue_results_find(lengths, "mucb", paper->longest->steps, 0);
    if (!paper->ucb || !paper->ucb_plus || !paper->mucb)
        return lacks(SEGUE_STUDY_LENGTHS, "ucb, ucb+ and mucb for as many steps as tucb-tasks has",
                     err);
    SEGUE_TRY(check_points(paper, err));
    return check_fresh(paper, err);
}

/* ---- theory ------------------------------------------------------------------------------ */

/* Add the gaps of one model to the sum over models and to the smallest gap. */
static void add_gaps(segue_paper *paper, const segue_known_sets *sets, double weight)
{
    for (size_t i = 0; i < sets->n_arms; i++) {
        paper->gap_sum += weight * sets->gap[i];
        if (sets->gap[i] > 0.0)
            paper->smallest_gap = fmin(paper->smallest_gap, sets->gap[i]);
    }
}

/* Compute complexities per model and on average, gaps and the spectrum of the model set. */
static segue_status compute_theory(segue_paper *paper, segue_error *err)
{
    const segue_models *models = paper->models;
    paper->smallest_gap = INFINITY;
    paper->complexity = calloc(models->n_models, sizeof *paper->complexity);
    if (!paper->complexity)
        return segue_fail_no_memory(err, "the report");
    for (size_t k = 0; k < models->n_models; k++) {
        segue_known_sets *sets = NULL;
        SEGUE_TRY(segue_known_sets_create(&sets, models, k, err));
        double *row = paper->complexity[k];
        row[SEGUE_COLUMN_UCB] = segue_complexity_ucb(sets);
        row[SEGUE_COLUMN_UCB_PLUS] = segue_complexity_ucb_plus(sets);
        row[SEGUE_COLUMN_MUCB] = segue_complexity_mucb(sets);
        for (size_t c = 0; c < SEGUE_N_COLUMNS; c++)
            paper->average[c] += models->weight[k] * row[c];
        add_gaps(paper, sets, models->weight[k]);
        segue_known_sets_destroy(sets);
    }
    return segue_spectrum_compute(&paper->spectrum, models, err);
}

segue_regret segue_paper_model_regret(const segue_cell *cell, size_t model)
{
    return model < cell->n_models ? cell->by_model[model] : (segue_regret){.mean = NAN, .se = NAN};
}

/* The addend keeps a number such as 8.48, which is 8.4799... in binary, from losing a hundredth. */
double segue_paper_truncate(double x)
{
    return floor(100.0 * x + 1e-9) / 100.0;
}

/* delta = 1/n, as the theorems choose it. */
double segue_paper_bound_of(const segue_paper *paper, double complexity, uint64_t steps)
{
    const double log_term =
        segue_policy_log_term(paper->models->n_models, steps, 1.0 / (double)steps);
    return segue_bound_regret(paper->models->n_arms, log_term, complexity);
}

double segue_paper_bound(const segue_paper *paper, size_t which, uint64_t steps)
{
    return segue_paper_bound_of(paper, paper->average[which], steps);
}

double segue_paper_bound_tucb(const segue_paper *paper, double complexity, uint64_t steps)
{
    const segue_models *models = paper->models;
    const double log_term = segue_policy_log_term_estimated(models->n_models, models->n_arms, steps,
                                                            1.0 / (double)steps);
    return segue_bound_regret(models->n_arms, log_term, complexity) +
           SEGUE_FORCED_PULLS * paper->gap_sum;
}

/* Estimates within eps_j shrink a gap by up to 2 eps_j, and an arm is dominated once 2 eps_j is
 * below the gap of the estimates: 4 eps_j must be below the true one. */
double segue_paper_resolved_after(const segue_paper *paper, double c, uint64_t n_tasks,
                                  uint64_t steps)
{
    const segue_models *models = paper->models;
    const double first = segue_tucb_model_error(SEGUE_EPS_LEMMA, c, models->n_models,
                                                models->n_arms, n_tasks, 1.0 / (double)steps, 1.0);
    const double ratio = 4.0 * first / paper->smallest_gap;
    return ceil(ratio * ratio);
}

/* ---- all of it --------------------------------------------------------------------------- */

void segue_paper_destroy(segue_paper *paper)
{
    if (!paper)
        return;
    for (size_t i = 0; i < SEGUE_N_STUDIES; i++)
        segue_results_destroy(paper->results[i]);
    segue_models_destroy(paper->models);
    free(paper->complexity);
    free(paper->tucb);
    free(paper);
}

/* The order matters: each step relies on what the steps before it have checked. */
static segue_status fill(segue_paper *paper, const char *folder, segue_error *err)
{
    SEGUE_TRY(read_results(paper, folder, err));
    SEGUE_TRY(read_models(paper, err));
    SEGUE_TRY(check_results(paper, err));
    SEGUE_TRY(check_lengths(paper, err));
    SEGUE_TRY(collect_tucb(paper, err));
    SEGUE_TRY(check_tasks(paper, err));
    SEGUE_TRY(find_cells(paper, err));
    return compute_theory(paper, err);
}

segue_status segue_paper_read(segue_paper **out, const char *folder, segue_error *err)
{
    *out = NULL;
    segue_paper *paper = calloc(1, sizeof *paper);
    if (!paper)
        return segue_fail_no_memory(err, "the report");
    const segue_status status = fill(paper, folder, err);
    if (status != SEGUE_OK) {
        segue_paper_destroy(paper);
        return status;
    }
    *out = paper;
    return SEGUE_OK;
}
