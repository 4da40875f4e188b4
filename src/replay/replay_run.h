/* replay_run.h - the tasks of a log played again, by a policy, by a learner, or by one arm.
 *
 * Two ways.  Resampling: a pull draws one of the task's rewards of the arm.  Replay (Li, Chu,
 * Langford and Wang 2011): a pull is answered by the next row of the task that holds the arm, and
 * the rows between are passed over.  Logged with probabilities p, such a row answers with
 * probability `rate` / p only: then any arm waits equally long, whatever the history is.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_REPLAY_RUN_H
#define SEGUE_REPLAY_REPLAY_RUN_H

#include "segue/learner.h"
#include "segue/samples.h"

/* The rows of a log, task by task; borrowed. */
typedef struct replay_rows {
    const size_t *start;            /* one a task, and the end of the last */
    const segue_logged_reward *row; /* in the order they were logged */
    const double *probability;      /* of each row's arm when it was pulled; NULL: all arms alike */
    double rate;                    /* at most the least of them */
} replay_rows;

/* What is played again; all is borrowed. */
typedef struct replay_setting {
    size_t n_arms;
    const segue_samples *samples; /* resampled; or ... */
    const replay_rows *rows;      /* ... replayed */
    const size_t *order;          /* n_tasks: numbers of tasks, in the order they are played ... */
    size_t n_tasks;
    size_t n_learned; /* ... of which the first are learned from, 1 .. n_tasks; those behind are
                         met with what is known then, and teach nothing */
    bool shuffled;    /* each of the two parts is in another random order in each run */
    uint64_t steps;   /* n: of a task, at most; one whose rows run out ends there */
    uint64_t seed;
} replay_setting;

/* Who plays: a policy, a learner, or, if both are NULL, always the same arm. */
typedef struct replay_candidate {
    const segue_policy_spec *policy;
    const segue_learner_config *learner; /* arms, steps, tasks and streams are filled in */
    size_t arm;
} replay_candidate;

/* A run that was played. */
typedef struct replay_run {
    size_t *task;    /* n_tasks: which one was played at each place */
    uint64_t *steps; /* n_tasks: how many it had */
    double *reward;  /* n_tasks: their sum; resampled: of the means of the arms pulled */
    double *step;    /* replayed: the reward of each step, one task behind the other; else NULL */
} replay_run;

/** Reserve what is left of a run; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_replay_run_init(replay_run *out, const replay_setting *setting,
                                                    segue_error *err);
void segue_replay_run_fini(replay_run *run);

/**
 * Whether a player can play such tasks, to be asked before long work.
 *
 * @retval SEGUE_EDOMAIN, SEGUE_EUSAGE, SEGUE_ENAME, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_replay_run_check(const replay_setting *setting,
                                                     const replay_candidate *candidate,
                                                     segue_error *err);

/**
 * Play run `number` into `out`, which was reserved for the setting.
 *
 * @retval SEGUE_EDOMAIN, SEGUE_EUSAGE, SEGUE_ENAME  as segue_replay_run_check
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_replay_run_play(const replay_setting *setting,
                                                    const replay_candidate *candidate,
                                                    uint64_t number, replay_run *out,
                                                    segue_error *err);

#endif
