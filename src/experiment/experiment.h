/* experiment.h - an experiment as data, its run over threads and processes, and its result files.
 *
 *     {"name": "lengths", "title": "Regret against the length of a task",
 *      "environment": {"models": "../models/paper.csv"},
 *      "policies": ["ucb", "mucb"], "steps": [250, 1000], "runs": 200, "seed": 1,
 *      "variants": {"quick": {"runs": 20}}}
 *
 * A cell is one environment, policy, number of steps and number of tasks; the experiment plays all
 * combinations.  A stopped run resumes from its checkpoint file to the same results.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_EXPERIMENT_H
#define SEGUE_EXPERIMENT_EXPERIMENT_H

#include "experiment/environment_spec.h"
#include "experiment/run_options.h"
#include "io/policy_list.h"
#include "io/results/results.h"

#define SEGUE_MAX_CELLS 10000

typedef struct segue_experiment {
    json_t *json; /* as it will run: variant applied, model sets written out, logs summarized */
    const char *name;
    size_t n_environments;
    segue_environment_spec *environment;
    segue_policy_list policies;
    size_t n_steps;
    uint64_t *steps;
    size_t n_tasks;
    uint64_t *tasks; /* 0: single tasks */
    uint64_t runs, seed;
    uint64_t every;     /* tasks per point of a track; 0: no tracks */
    bool fresh_rewards; /* tracks of estimates have the control of fresh rewards */
} segue_experiment;

/** Values that replace those of the file. */
typedef struct segue_experiment_overrides {
    const char *variant;  /* NULL: none */
    uint64_t runs;        /* 0: from the file */
    const uint64_t *seed; /* NULL: from the file */
} segue_experiment_overrides;

/**
 * Read an experiment, or the one inside a results file, and validate all of it: what this accepts
 * can be run.  Paths in it are relative to the folder of the file.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN, ...  the message names file, field and need
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_experiment_read(segue_experiment **out, const char *path,
                                                    const segue_experiment_overrides *overrides,
                                                    segue_error *err);
void segue_experiment_destroy(segue_experiment *experiment);

/** Return the number of cells: environments x policies x steps x tasks. */
size_t segue_experiment_cells(const segue_experiment *experiment);

/** Return the simulation of a cell.  Tasks vary fastest, then steps, policies, environments. */
segue_simulation segue_experiment_cell(const segue_experiment *experiment, size_t cell);

/** Return the index of a cell's environment, and of its policy. */
size_t segue_experiment_environment(const segue_experiment *experiment, size_t cell);
size_t segue_experiment_policy(const segue_experiment *experiment, size_t cell);

/**
 * Run an experiment.  The checkpoint file stays, so that results can be computed again without
 * playing; the caller removes it once they are written.  *out stays NULL after a shard and in
 * worker processes.
 *
 * @retval SEGUE_ESTOPPED  it was stopped; finished runs are in the checkpoint file
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ETHREAD, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_experiment_run(segue_results **out,
                                                   const segue_experiment *experiment,
                                                   const segue_run_options *options,
                                                   segue_error *err);

/**
 * Compute the results from all shards in `folder`, which stay there.
 *
 * @retval SEGUE_EFILE  a shard is missing, incomplete, damaged, doubled or of another experiment or
 *                      program: the message names it
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_experiment_merge(segue_results **out,
                                                     const segue_experiment *experiment,
                                                     const char *folder, segue_error *err);

/** Build the JSON that repeats an experiment from any folder; the caller releases it.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_experiment_describe(const segue_experiment *experiment,
                                                        json_t **out, segue_error *err);

/* ---- files ------------------------------------------------------------------------------- */

/** Write the path of a results file; `end` is ".json", ".csv" or "-curve.csv".
 * @retval SEGUE_EFILE  it is too long */
SEGUE_MUST_CHECK segue_status segue_experiment_path(char *path, size_t size, const char *folder,
                                                    const char *name, const char *end,
                                                    segue_error *err);

/** Write the path of the checkpoint file of a shard, or of all runs.
 * @retval SEGUE_EFILE  it is too long */
SEGUE_MUST_CHECK segue_status segue_experiment_checkpoint_path(const segue_experiment *experiment,
                                                               const char *folder,
                                                               segue_shard shard, char *path,
                                                               size_t size, segue_error *err);

/** Create `folder` if it does not exist. */
SEGUE_MUST_CHECK segue_status segue_experiment_make_folder(const char *folder, segue_error *err);

/** Fail if results would overwrite `file`, which the experiment was read from, or the model sets
 * and logs that it names; @retval SEGUE_EUSAGE */
SEGUE_MUST_CHECK segue_status segue_experiment_protect_inputs(const segue_experiment *experiment,
                                                              const char *folder, const char *file,
                                                              segue_error *err);

/** Write NAME.json, NAME.csv and, if it has tracks, NAME-curve.csv.
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_experiment_write_results(const segue_results *results,
                                                             const char *folder, segue_error *err);

/** Read the results of an earlier run in `folder`; *out is NULL if there are none.
 * @retval SEGUE_EFILE  they are of another experiment, seed or version, or incomplete
 * @retval SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_experiment_read_results(segue_results **out,
                                                            const segue_experiment *experiment,
                                                            const char *folder, segue_error *err);

/** The results of an experiment in a folder. */
typedef enum segue_results_state {
    SEGUE_RESULTS_NONE,
    SEGUE_RESULTS_SAME,       /* of this experiment, seed and version */
    SEGUE_RESULTS_OTHER,      /* of another one */
    SEGUE_RESULTS_INCOMPLETE, /* a CSV file is missing */
    SEGUE_RESULTS_FOREIGN     /* the file is no results: it is not overwritten */
} segue_results_state;

/** Find results in `folder`; *out is NULL unless they are SAME.
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_experiment_find_results(segue_results **out,
                                                            const segue_experiment *experiment,
                                                            const char *folder,
                                                            segue_results_state *state,
                                                            segue_error *err);

/** Remove the results and the checkpoint file of an experiment from `folder`. */
void segue_experiment_remove_results(const segue_experiment *experiment, const char *folder);

#endif
