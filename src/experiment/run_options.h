/* run_options.h - how an experiment is run; none of it changes the results.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_RUN_OPTIONS_H
#define SEGUE_EXPERIMENT_RUN_OPTIONS_H

#include "experiment/processes.h"

#define SEGUE_MAX_SHARDS 100000

/** Shard `number` of `count`, from 1 to count; count 0: the whole experiment. */
typedef struct segue_shard {
    uint64_t number, count;
} segue_shard;

typedef struct segue_shared_runs segue_shared_runs;

typedef struct segue_run_options {
    size_t threads;              /* 1 .. SEGUE_MAX_THREADS */
    const char *checkpoint_path; /* file of finished runs */
    bool resume;                 /* continue from the checkpoint file, if there is one */
    bool fresh;                  /* overwrite an existing checkpoint file */
    /* Called from time to time, by one thread at a time, with the estimated time of finished work
     * and of all work, in any unit.  May be NULL. */
    void (*progress)(void *context, double done, double total);
    void *context;
    bool (*stopped)(void); /* returns true to stop; any thread calls it after every task */
    segue_shard shard;     /* run this shard only; its output is the checkpoint file */
    /* The processes that share the work; NULL: only this one.  The coordinator writes the
     * checkpoint file, returns the results and the error message; workers return a status without
     * message. */
    const segue_processes *processes;
    /* Runs that this experiment, number `experiment` of several, has in common with others
     * (suite/shared_runs.h); NULL: none.  Not with processes. */
    segue_shared_runs *shared;
    size_t experiment;
    /* Measures runs, for estimates of the time left; NULL: nothing does.  `progress` may read it.
     */
    struct segue_cost_meter *meter;
    /* With processes: print an error, since the process is about to abort. */
    void (*print_error)(void *context, const segue_error *err);
} segue_run_options;

#endif
