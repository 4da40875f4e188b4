/* experiment.h - run an experiment over threads and processes, so that it can be stopped and gone
 * on with.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_EXPERIMENT_H
#define SEGUE_EXPERIMENT_EXPERIMENT_H

#include "experiment/experiment_spec.h"
#include "experiment/processes.h"
#include "io/results.h"

#define SEGUE_MAX_SHARDS 100000

/** One of `count` parts of an experiment, 1 .. count; count 0: there are no parts. */
typedef struct segue_shard {
    uint64_t number, count;
} segue_shard;

/** How to run; none of it changes the results. */
typedef struct segue_run_options {
    size_t threads;      /* 1 .. SEGUE_MAX_THREADS */
    const char *journal; /* where finished runs are kept meanwhile */
    bool resume;         /* go on with the journal, if there is one */
    bool fresh;          /* do not mind a journal that is there */
    /* Called now and then, one thread at a time, with the estimated time of what is done and of all
     * that is to be done, in any unit.  May be NULL. */
    void (*progress)(void *context, double done, double total);
    void *context;
    bool (*stopped)(void); /* whether to stop now; asked after every task by any thread */
    segue_shard shard;     /* run only this; the journal is then all that comes of it */
    /* The processes that share the work, or NULL: this one is alone.  The first keeps the journal,
     * has the results and tells the errors; the others get their status without a sentence. */
    const segue_processes *ranks;
    /* With ranks: say this sentence now, for the process is about to end. */
    void (*tell)(void *context, const segue_error *err);
} segue_run_options;

/**
 * Run an experiment.  The journal stays, so that the results can be had again without playing; who
 * has written them removes it.  *out stays NULL where there are no results: after a shard, and in
 * all processes but the first.
 *
 * @retval SEGUE_ESTOPPED  it was stopped; finished runs are in the journal
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ETHREAD, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_experiment_run(segue_results **out,
                                                   const segue_experiment *experiment,
                                                   const segue_run_options *conduct,
                                                   segue_error *err);

/** The path of a file of results: `end` is ".json", ".csv" or "-curve.csv".
 * @retval SEGUE_EFILE  it is too long */
SEGUE_MUST_CHECK segue_status segue_experiment_path(char *path, size_t size, const char *folder,
                                                    const char *name, const char *end,
                                                    segue_error *err);

/** The name of the journal of a shard, or of all runs; @retval SEGUE_EFILE  it is too long */
SEGUE_MUST_CHECK segue_status segue_experiment_checkpoint_path(const segue_experiment *experiment,
                                                               const char *folder,
                                                               segue_shard shard, char *path,
                                                               size_t size, segue_error *err);

/**
 * Make the results of the shards in `folder`, which stay there.
 *
 * @retval SEGUE_EFILE  one is missing, incomplete, damaged, doubled or of another experiment or
 *                      program: the message names it
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_experiment_merge(segue_results **out,
                                                     const segue_experiment *experiment,
                                                     const char *folder, segue_error *err);

/** Describe what an experiment ran, so that its results can be repeated from wherever they are: as
 * JSON, for the caller to release.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_experiment_describe(const segue_experiment *experiment,
                                                        json_t **out, segue_error *err);

/** Estimated time of all runs of an experiment, in any unit: see cost.h. */
double segue_cost_experiment(const segue_experiment *experiment);

/**
 * Write results to `folder`: NAME.json, NAME.csv and, if something was followed over tasks,
 * NAME-curve.csv.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_experiment_write_results(const segue_results *results,
                                                             const char *folder, segue_error *err);

/**
 * Read the results that an earlier run left in `folder`; *out is NULL if there are none.
 *
 * @retval SEGUE_EFILE  the file is no result, one of another experiment, seed or version, or its
 *                      CSV is missing
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_experiment_read_results(segue_results **out,
                                                            const segue_experiment *experiment,
                                                            const char *folder, segue_error *err);

/** Remove the results and the journal of an experiment from `folder`. */
void segue_experiment_remove_results(const segue_experiment *experiment, const char *folder);

/** Refuse to write results over `file`, which the experiment was read from, or over the model sets
 * and logs that it names; @retval SEGUE_EUSAGE */
SEGUE_MUST_CHECK segue_status segue_experiment_protect_inputs(const segue_experiment *experiment,
                                                              const char *folder, const char *file,
                                                              segue_error *err);

/** Whether results can be written to `folder`, which is made if it is not there. */
SEGUE_MUST_CHECK segue_status segue_experiment_make_folder(const char *folder, segue_error *err);

#endif
