/* experiment.h - run an experiment over threads, so that it can be stopped and gone on with.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_EXPERIMENT_H
#define SEGUE_EXPERIMENT_EXPERIMENT_H

#include "experiment/spec.h"
#include "io/results.h"

/** How to run; none of it changes the results. */
typedef struct segue_conduct {
    size_t threads;      /* 1 .. SEGUE_MAX_THREADS */
    const char *journal; /* where finished runs are kept meanwhile */
    bool resume;         /* go on with the journal, if there is one */
    bool fresh;          /* do not mind a journal that is there */
    /* Called now and then, one thread at a time, with the steps done and to be done.  May be NULL.
     */
    void (*progress)(void *context, double done, double total);
    void *context;
    bool (*stopped)(void); /* whether to stop now; asked after every task by any thread */
} segue_conduct;

/**
 * Run an experiment.  The journal stays, so that the results can be had again without playing; who
 * has written them removes it.
 *
 * @retval SEGUE_ESTOPPED  it was stopped; finished runs are in the journal
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ETHREAD, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_experiment_run(segue_results **out,
                                                   const segue_experiment *experiment,
                                                   const segue_conduct *conduct, segue_error *err);

/** How many steps all runs of an experiment have. */
double segue_experiment_cost(const segue_experiment *experiment);

/**
 * Write results to `folder`: NAME.json, NAME.csv and, if something was followed over tasks,
 * NAME-curve.csv.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_experiment_write(const segue_results *results,
                                                     const char *folder, segue_error *err);

/** Refuse to write results over `file`, which the experiment was read from; @retval SEGUE_EUSAGE */
SEGUE_MUST_CHECK segue_status segue_experiment_keep(const segue_experiment *experiment,
                                                    const char *folder, const char *file,
                                                    segue_error *err);

/** Whether results can be written to `folder`, which is made if it is not there. */
SEGUE_MUST_CHECK segue_status segue_experiment_folder(const char *folder, segue_error *err);

#endif
