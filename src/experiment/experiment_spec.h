/* experiment_spec.h - an experiment as data: a JSON file.
 *
 *     {"name": "lengths", "title": "Regret against the length of a task",
 *      "environment": {"models": "../models/paper.csv"},
 *      "policies": ["ucb", "mucb"], "steps": [250, 1000], "runs": 200, "seed": 1,
 *      "variants": {"quick": {"runs": 20}}}
 *
 * Every policy is played in every environment, for every number of steps and of tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_EXPERIMENT_SPEC_H
#define SEGUE_EXPERIMENT_EXPERIMENT_SPEC_H

#include <jansson.h>

#include "io/policy_list.h"
#include "segue/simulation.h"

#define SEGUE_MAX_CELLS 10000

/** An environment of an experiment, and what it owns. */
typedef struct segue_environment_spec {
    char *name;
    segue_models *models, *switch_to;
    segue_samples *samples;
    segue_environment env;
    char *models_path, *switch_path, *log_path; /* where they were read; NULL: from no file */
} segue_environment_spec;

typedef struct segue_experiment {
    json_t *json; /* what will be run: the variant applied, the model sets written out, a log
                     known by a sum over its rewards */
    const char *name;
    size_t n_places;
    segue_environment_spec *place; /* its environments */
    segue_policy_list policies;
    size_t n_steps;
    uint64_t *steps;
    size_t n_tasks;
    uint64_t *tasks; /* 0: single tasks */
    uint64_t runs, seed;
    uint64_t every; /* tasks a point of what is followed over tasks; 0: nothing is */
} segue_experiment;

/** What the command line changes in an experiment. */
typedef struct segue_experiment_overrides {
    const char *variant;  /* NULL: none */
    uint64_t runs;        /* 0: as the file says */
    const uint64_t *seed; /* NULL: likewise */
} segue_experiment_overrides;

/**
 * Read an experiment, or results, which hold theirs, and check all of it: whatever this takes can
 * be run.  Paths in it start from the folder of the file.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN, ...  the message names file, field and need
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_experiment_read(segue_experiment **out, const char *path,
                                                    const segue_experiment_overrides *changes,
                                                    segue_error *err);
void segue_experiment_destroy(segue_experiment *experiment);

/** How many cells: environments x policies x steps x tasks. */
size_t segue_experiment_cells(const segue_experiment *experiment);

/** The simulation of one cell; cells count through tasks first, then steps, policies, places. */
segue_simulation segue_experiment_cell(const segue_experiment *experiment, size_t cell);

/** Which environment and policy a cell has. */
size_t segue_experiment_environment(const segue_experiment *experiment, size_t cell);
size_t segue_experiment_policy(const segue_experiment *experiment, size_t cell);

#endif
