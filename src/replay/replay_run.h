/* replay_run.h - one run of one candidate over the tasks of a log.
 *
 * The urn: a pull receives the task's next logged reward of the arm, and a drawn one after the last
 * (urn/urn.h).  Row replay (Li, Chu, Langford and
 * Wang 2011): a pull takes the next row of the task with that arm, and skips the rows between.  If
 * the log has probabilities p, a row is accepted with probability `rate` / p only: then the wait
 * has the same distribution for every arm and every history.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_REPLAY_RUN_H
#define SEGUE_REPLAY_REPLAY_RUN_H

#include "replay/urn/urn.h"
#include "segue/learner.h"

/* The rows of a log, task by task; borrowed. */
typedef struct replay_rows {
    const size_t *start;            /* first row per task, and the end of the last */
    const segue_logged_reward *row; /* in the order they were logged */
    const double *probability;      /* of each row's arm when it was pulled; NULL: uniform */
    double rate;                    /* at most the smallest probability */
} replay_rows;

/* Tasks and their order; all is borrowed. */
typedef struct replay_setting {
    size_t n_arms;
    const segue_urn *urn;    /* the urn; or ... */
    const replay_rows *rows; /* ... row replay */
    const double *best;      /* row replay: the average of each task's best arm */
    const size_t *order;     /* n_tasks: the task at each position */
    size_t n_tasks;
    size_t n_learned; /* 1 .. n_tasks: tasks at the first positions, which are learned from; later
                         ones are held out */
    bool shuffled;    /* each of the two parts has a random order per run */
    uint64_t steps;   /* horizon; row replay ends a task whose rows run out */
    uint64_t seed;
    const atomic_bool *stop; /* ends a run; or NULL */
} replay_setting;

/* A policy, a learner, or, if both are NULL, a fixed arm. */
typedef struct replay_candidate {
    const segue_policy_spec *policy;
    const segue_learner_config
        *learner; /* n_arms, horizon, n_tasks, seed and run are set by the run */
    size_t arm;
} replay_candidate;

/* The result of a run, by position. */
typedef struct replay_run {
    size_t *task;    /* n_tasks: the task */
    uint64_t *steps; /* n_tasks: steps that it had */
    double *reward;  /* n_tasks: sum of rewards; of the urn's drawn rewards, of their means */
    double *best;    /* n_tasks: mean of the task's best arm */
    double *logged;  /* n_tasks: pulls that a logged reward answered */
    double *step;    /* row replay: the reward of each step, task after task; else NULL */
} replay_run;

/** Allocate the result of a run; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_replay_run_init(replay_run *out, const replay_setting *setting,
                                                    segue_error *err);
void segue_replay_run_fini(replay_run *run);

/**
 * Check that a candidate can play such tasks, before long work.
 *
 * @retval SEGUE_EDOMAIN, SEGUE_EUSAGE, SEGUE_ENAME, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_replay_run_check(const replay_setting *setting,
                                                     const replay_candidate *candidate,
                                                     segue_error *err);

/**
 * Play run `number` into `out`, which was initialised for the setting.
 *
 * @retval SEGUE_EDOMAIN, SEGUE_EUSAGE, SEGUE_ENAME  as segue_replay_run_check
 * @retval SEGUE_ENOMEM, SEGUE_ESTOPPED
 */
SEGUE_MUST_CHECK segue_status segue_replay_run_play(const replay_setting *setting,
                                                    const replay_candidate *candidate,
                                                    uint64_t number, replay_run *out,
                                                    segue_error *err);

#endif
